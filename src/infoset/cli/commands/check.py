"""`infoset check`: check that a game follows the rules of the model."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from infoset.cli.options import GameArgument, JsonOption, SecondsOption
from infoset.cli.screen import in_lines, print_json, say


def run(
    game: GameArgument,
    max_histories: Annotated[
        int, typer.Option(metavar="NUMBER", min=1, help="Limit on the number of histories.")
    ] = 10_000,
    seconds: SecondsOption = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random plays.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Check that a game follows the rules of the model, and report the first violation.

    A complete check also prints remarks on suspicious features that break no rule.

    Use it while you write your own game: infoset check path/to/file.py:Class
    """
    from infoset.front import to_game
    from infoset.game import check_game

    report = check_game(to_game(game), max_histories=max_histories, max_seconds=seconds, seed=seed)
    if as_json:
        print_json(asdict(report))
    else:
        in_lines(say, str(report))
