"""Game files of several programs; the content of a file determines how it is read."""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from infoset.efg.efg_reader import parse_efg
from infoset.efg.efg_tokens import decode, read_bytes
from infoset.efg.extensive_form import ExtensiveForm
from infoset.efg.liteefg_files import parse_liteefg
from infoset.efg.nfg_files import parse_nfg
from infoset.efg.strategic_games import StrategicGame
from infoset.errors import GameFileError, ParameterError
from infoset.games import NoLimitEndgame, parse_spec, parse_spot
from infoset.games.hand_histories import HAND_BEGINNING
from infoset.games.spot_files import SPOT_BEGINNING

ReadGame: TypeAlias = ExtensiveForm | StrategicGame | NoLimitEndgame

READABLE: Final = (
    "Gambit's .efg, .nfg and .gbt, LiteEFG's .game, poker spots (TexasSolver, PioSOLVER or JSON), "
    "and hand histories (.phh); also compressed as .gz"
)
"""The files that `load_game_file` reads, in words."""

WORKBOOK: Final = re.compile(r"<(efg|nfg)file>(.*)</\1file>", re.DOTALL)
"""The text of a game in a workbook of Gambit's graphical interface, which is not escaped."""


def load_game_file(path: str | Path, parameters: Mapping[str, Any] | None = None) -> ReadGame:
    """Read a game from a Gambit, LiteEFG or poker file, which may be compressed by gzip.

    The format depends on the content, not on the name: it begins with `EFG` or `NFG`, is a workbook
    of Gambit's graphical interface with such text inside, has the lines of LiteEFG, or is a spot.
    Only spots take parameters; see `infoset.games.parse_spot`.

    Raises
    ------
    GameFileError
        If the file does not exist, is not one of these, or violates the format.
    ParameterError
        If parameters are given for a file that is not a spot.
    GameTooLargeError
        If the game would not fit in memory.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("tiny.txt").write_text('EFG 2 R "tiny" { "Ann" } t "" 1 "win" { 5/2 }')
    >>> load_game_file("tiny.txt").num_players
    1
    """
    if os.path.isdir(path):
        raise GameFileError(
            f"{path} is a folder, not a game; give the game before its policy, by its name or as a "
            f"file: {READABLE}"
        )
    data = read_bytes(path)
    begins = [form for form in FORMATS if form.beginning.match(data)]
    # If the name implies a format, an error with a line number helps more than a refusal.
    for form in begins or [form for form in FORMATS if form.is_suffix_of(path)]:
        text = decode(data, path)
        if form.parse is parse_spot:
            return parse_spot(text, name=str(path), parameters=parameters)
        if parameters:
            raise ParameterError(
                f"{path} takes no parameters, got {', '.join(parameters)}; only poker spots do"
            )
        return form.parse(text, name=str(path))
    problem = "is not a game that can be read"
    if not data.strip():
        problem = "is empty"
    elif data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        problem = "is text in UTF-16: save it as UTF-8"
    raise GameFileError(
        f"the file {path} {problem}; games are {READABLE}, and your own games as file.py:Class"
    )


def is_game_file_name(path: str | Path) -> bool:
    """Return whether a path has the suffix of a game file, as kuhn.efg and kuhn.efg.gz do."""
    return any(form.is_suffix_of(path) for form in FORMATS)


def split_parameters(spec: str) -> tuple[str, dict[str, Any]]:
    """Split a game into the path of its file and parameters, as in `hand.phh(street=turn)`.

    Examples
    --------
    >>> split_parameters("hand.phh(street=turn)")
    ('hand.phh', {'street': 'turn'})
    """
    if spec.endswith(")") and not os.path.exists(spec):
        for match in re.finditer(r"\(", spec):
            path = spec[: match.start()].rstrip()
            if is_game_file_name(path) or (os.path.exists(path) and not os.path.isdir(path)):
                return path, parse_spec(f"spot{spec[match.start() :]}")[1]
    return spec, {}


def _parse_workbook(text: str, *, name: str) -> ReadGame:
    found = WORKBOOK.search(text)
    if found is None:
        raise GameFileError(
            f"{name} has no <efgfile> or <nfgfile>, in which workbooks of Gambit contain the game"
        )
    # Empty lines replace the text before the game, so that errors give the line in the file.
    body = "\n" * text.count("\n", 0, found.start(2)) + found[2]
    return parse_efg(body, name=name) if found[1] == "efg" else parse_nfg(body, name=name)


class _Format(NamedTuple):
    """A format of games."""

    suffix: str
    """Empty if files of the format may have any suffix."""
    beginning: re.Pattern[bytes]
    parse: Callable[..., ReadGame]

    def is_suffix_of(self, path: str | Path) -> bool:
        """Return whether a path has the suffix, possibly followed by that of gzip."""
        name = str(path).lower().removesuffix(".gz")
        return self.suffix != "" and name.endswith(self.suffix)


def _beginning(pattern: bytes) -> re.Pattern[bytes]:
    """Return a pattern after white space and the mark that some editors write first."""
    return re.compile(rb"(?:\xef\xbb\xbf)?\s*+" + pattern, re.DOTALL)


FORMATS: Final = (
    _Format(".efg", _beginning(rb"EFG\b"), parse_efg),
    _Format(".nfg", _beginning(rb"NFG\b"), parse_nfg),
    _Format(".gbt", _beginning(rb"<.*?<(?:efg|nfg)file>"), _parse_workbook),
    _Format(".game", _beginning(rb"(?:#[^\n]*\n\s*+)*(?:node|infoset)\s"), parse_liteefg),
    _Format(".phh", _beginning(HAND_BEGINNING), parse_spot),
    _Format("", _beginning(SPOT_BEGINNING), parse_spot),
)
