"""`infoset export`: write a game to a file for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from infoset.cli.options import GameArgument, JsonOption
from infoset.cli.progress import live
from infoset.cli.screen import print_json, say, tell_notes
from infoset.errors import ParameterError

FORMATS = (".efg", ".nfg", ".game")


def run(
    game: GameArgument,
    out: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help="Output file; its extension selects the format: .efg or .nfg for Gambit, "
            ".game for LiteEFG.",
            show_default=False,
        ),
    ],
    as_json: JsonOption = False,
) -> None:
    """Write a game to a file for other programs.

    An .efg file holds the classical extensive form: players, information sets,
    chance probabilities and payoffs. An .nfg file holds the strategic form, a
    table of expected payoffs for small games. A .game file holds the extensive
    form for LiteEFG. An existing file is replaced once the new one is complete.
    """
    from infoset.efg import save_efg, save_liteefg, save_nfg
    from infoset.front import to_compiled
    from infoset.utils.text import format_bytes

    check_target(out)
    with live(game) as progress:
        compiled = to_compiled(game, progress=progress.building)
        save = {".efg": save_efg, ".nfg": save_nfg, ".game": save_liteefg}[out.suffix.lower()]
        save(compiled, out)
    tell_notes(compiled)
    size = out.stat().st_size
    if as_json:
        print_json({"game": str(compiled), "file": str(out), "bytes": size})
    else:
        say(f"saved {compiled} in {out} ({format_bytes(size)})")


def check_target(path: Path) -> None:
    """Raise if a file cannot be written; called before any work is done.

    Raises
    ------
    UnknownNameError
        If the file extension is not a supported format.
    ParameterError
        If the folder does not exist.
    """
    from infoset.utils.arguments import check_choice

    check_choice("file format", path.suffix.lower(), FORMATS)
    if not path.parent.is_dir():
        raise ParameterError(f"there is no folder {path.parent} for {path.name}; create it first")
