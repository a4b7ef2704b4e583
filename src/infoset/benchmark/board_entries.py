"""Entries of the leaderboard: a policy file and a claim, which anyone can measure again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import inf
from pathlib import Path
from typing import Any, Final, get_type_hints

from infoset.errors import BoardEntryError, InfosetError, show
from infoset.evaluation import evaluate_policy
from infoset.front import game_of_policy
from infoset.game import Game
from infoset.games import load_game
from infoset.policy import load_policy
from infoset.policy.policy_tables import PROBABILITY, read_table
from infoset.policy.table_digests import table_digest
from infoset.tree import build_sequence_form
from infoset.utils.arguments import check_path
from infoset.utils.checksums import file_checksum
from infoset.utils.files import write_folder, write_text
from infoset.utils.json_fields import read_json, typed_fields

FORMAT: Final = "infoset leaderboard entry"
FORMAT_VERSION: Final = 1

CLAIM: Final = "claim.json"
POLICY: Final = "policy.parquet"

MAX_CLAIM: Final = 100_000
"""Maximum number of bytes of a claim."""

MAX_POLICY: Final = 200_000_000
"""Maximum number of bytes of a policy."""

MAX_TEXT: Final = 500
"""Maximum number of characters of a text in a claim."""


@dataclass(frozen=True)
class BoardEntry:
    """A claim about a policy."""

    name: str
    """Name of the method."""
    authors: str
    game: str
    """A registered game, with its parameters."""
    exploitability: float
    """Exact exploitability of the policy, in the game's units."""
    source: str
    """Where the method is described."""
    policy_sha256: str
    """Digest of the policy file."""


@dataclass(frozen=True)
class CheckedEntry:
    """An entry that was measured again."""

    entry: BoardEntry
    exploitability: float
    """As measured, in the game's units."""
    rounding: float
    """Bound on the rounding error of the measurement."""

    @property
    def is_confirmed(self) -> bool:
        """Whether the policy is at most as exploitable as claimed, to five digits."""
        allowed = self.entry.exploitability * (1 + 1e-5) + self.rounding
        return self.exploitability <= allowed

    def facts(self) -> dict[str, Any]:
        """Return the entry and the measurement as JSON values."""
        return {
            **vars(self.entry),
            "measured": self.exploitability,
            "is_confirmed": self.is_confirmed,
        }


def save_board_entry(
    folder: str | Path, policy: str | Path, *, name: str, authors: str, source: str
) -> BoardEntry:
    """Write the claim of an entry and a copy of its policy, which is measured.

    Parameters
    ----------
    folder
        New folder of the entry.
    policy
        A Parquet file of a policy for a registered game.
    name, authors, source
        As in `BoardEntry`.

    Raises
    ------
    BoardEntryError
        If the folder exists, or a text is too long.
    PolicyFileError, PolicyMismatchError
        If the policy cannot be read.
    """
    check_path("folder", folder)
    check_path("policy", policy)
    folder, policy = Path(folder), Path(policy)
    if folder.exists():
        raise BoardEntryError(f"{folder} exists; give the name of a new folder")
    form = build_sequence_form(game_of_policy(policy))
    measured = evaluate_policy(load_policy(policy, form))
    if measured.exploitability is None:
        raise BoardEntryError(f"{form.name} is not a two-player constant-sum game")
    entry = BoardEntry(
        name, authors, form.name, measured.exploitability, source, file_checksum(policy)
    )
    _check_texts(entry, str(folder))
    content = {"format": FORMAT, "format_version": FORMAT_VERSION, **vars(entry)}

    def write(to: Path) -> None:
        (to / POLICY).write_bytes(policy.read_bytes())
        write_text(to / CLAIM, json.dumps(content, indent=1, ensure_ascii=False) + "\n")

    write_folder(folder, write)
    return entry


def read_board_entry(folder: str | Path) -> BoardEntry:
    """Read the claim of an entry; the policy is not measured.

    Raises
    ------
    BoardEntryError
        If the claim is missing, too long, damaged or of another version.
    """
    check_path("folder", folder)
    path = Path(folder) / CLAIM
    try:
        content = read_json(path, MAX_CLAIM)
    except OSError as error:
        raise BoardEntryError(
            f"{path} cannot be read ({error.strerror or error}); an entry is a folder with "
            f"{CLAIM} and {POLICY}"
        ) from error
    except ValueError as error:
        raise BoardEntryError(f"{path} is damaged: {error}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise BoardEntryError(f"{path} is not the claim of a leaderboard entry")
    if content.get("format_version") != FORMAT_VERSION:
        raise BoardEntryError(
            f"format_version of {path} is {show(content.get('format_version'))}; this version of "
            f"infoset reads {FORMAT_VERSION}"
        )
    return _entry(content, str(path))


def _entry(content: dict[str, Any], source: str) -> BoardEntry:
    names = [field.name for field in fields(BoardEntry)]
    for key in (*names, *content):
        if key not in content:
            raise BoardEntryError(f"{key} is missing in {source}")
        if key not in (*names, "format", "format_version"):
            raise BoardEntryError(f"{show(key)} does not belong in {source}")
    try:
        entry = BoardEntry(**typed_fields(content, get_type_hints(BoardEntry)))
    except ValueError as error:
        raise BoardEntryError(f"{source} is damaged: {error}") from error
    if not 0 <= entry.exploitability < inf:
        raise BoardEntryError(
            f"exploitability of {source} is {entry.exploitability}; it must be at least 0"
        )
    _check_texts(entry, source)
    _game(entry, source)
    return entry


def _game(entry: BoardEntry, source: str) -> Game:
    """Return the game of a claim, which has to have one spelling on the board."""
    try:
        game = load_game(entry.game)
    except InfosetError as error:
        raise BoardEntryError(
            f"game of {source} is {show(entry.game)}, which is not the name of a registered game "
            f"({error})"
        ) from error
    if str(game) != entry.game:
        raise BoardEntryError(
            f"game of {source} is {show(entry.game)}; write it as {str(game)!r}, the name by which "
            "the board sorts"
        )
    return game


def _check_texts(entry: BoardEntry, source: str) -> None:
    for field in fields(entry):
        value = getattr(entry, field.name)
        if isinstance(value, str) and not (
            0 < len(value) <= MAX_TEXT and value.isprintable() and value == value.strip()
        ):
            raise BoardEntryError(
                f"{field.name} of {source} is {show(value)}; it must be one line of printable "
                f"text, of at most {MAX_TEXT} characters, without spaces around it"
            )


def check_board_entry(folder: str | Path) -> CheckedEntry:
    """Measure the policy of an entry again.

    Raises
    ------
    BoardEntryError
        If the claim cannot be read, names a game that is not registered, or is about another
        policy file.
    PolicyFileError, PolicyMismatchError
        If the policy cannot be read, or is for another game.
    """
    entry = read_board_entry(folder)
    folder = Path(folder)
    path = _policy_file(folder)
    if file_checksum(path) != entry.policy_sha256:
        raise BoardEntryError(
            f"{path} is not the policy of the claim: its digest is {file_checksum(path)}, but "
            f"policy_sha256 is {entry.policy_sha256}"
        )
    game = _game(entry, str(folder / CLAIM))
    measured = evaluate_policy(load_policy(path, build_sequence_form(game)))
    if measured.exploitability is None:
        raise BoardEntryError(f"{entry.game} is not a two-player constant-sum game")
    return CheckedEntry(entry, measured.exploitability, measured.rounding)


def _policy_file(folder: Path) -> Path:
    """Return the path of the policy of an entry, whose size is within the limit."""
    path = folder / POLICY
    if not path.is_file() or path.stat().st_size > MAX_POLICY:
        raise BoardEntryError(f"{path} is missing, or has more than {MAX_POLICY:,} bytes")
    return path


def read_board(folder: str | Path) -> list[tuple[Path, BoardEntry]]:
    """Return the entries in the folders of a board, best first for each game.

    Raises
    ------
    BoardEntryError
        If an entry cannot be read, or a policy or a name is in the board twice for one game; a
        policy that was saved again is the same.
    PolicyFileError
        If a policy cannot be read.
    """
    check_path("folder", folder)
    found = [
        (path, read_board_entry(path)) for path in sorted(Path(folder).iterdir()) if path.is_dir()
    ]
    seen: dict[tuple[str, str], Path] = {}
    for path, entry in found:
        digest = table_digest(read_table(_policy_file(path), PROBABILITY).table)
        for key, what in (((entry.game, entry.name), show(entry.name)), ((entry.game, digest), "")):
            if key in seen:
                raise BoardEntryError(
                    f"{path} and {seen[key]} are the same entry: {what or 'equal policies'} in "
                    f"{entry.game}; remove one of them"
                )
            seen[key] = path
    return sorted(found, key=lambda one: (one[1].game, one[1].exploitability, one[1].name))


def board_markdown(entries: Sequence[BoardEntry]) -> str:
    """Return the tables of a board in Markdown, one for each game."""
    lines: list[str] = []
    for game in dict.fromkeys(entry.game for entry in entries):
        lines += [f"### {game}", "", "| method | exploitability | authors | source |"]
        lines.append("|---|---|---|---|")
        lines += [
            f"| {_cell(one.name)} | {one.exploitability:.3g} | {_cell(one.authors)} | "
            f"{_cell(one.source)} |"
            for one in entries
            if one.game == game
        ]
        lines.append("")
    return "\n".join(lines)


def _cell(text: str) -> str:
    """Return a text of a claim for a table; it cannot end the cell or contain markup."""
    plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("`", "'")
    # Backslashes first: one before a bracket would make the bracket markup again.
    return plain.replace("\\", "\\\\").replace("|", "\\|").replace("[", "\\[")
