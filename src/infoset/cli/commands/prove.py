"""`infoset prove`: the value of a game as a fraction."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from infoset.cli.options import GameArgument, JsonOption, MemoryOption
from infoset.cli.progress import live
from infoset.cli.screen import make_table, number_text, print_json, print_table, tell_notes


def run(game: GameArgument, memory: MemoryOption = None, as_json: JsonOption = False) -> None:
    """Compute and prove the exact value of a small two-player constant-sum game.

    The value is a fraction. The proof consists of policies with rational
    probabilities and of best responses, all in exact arithmetic. Chance
    probabilities must be exact fractions.
    """
    from infoset.front import to_compiled
    from infoset.solvers import solve_exactly

    with live(game) as progress:
        compiled = to_compiled(game, memory=memory, progress=progress.building)
        proof = solve_exactly(compiled)
    tell_notes(compiled)
    bounds = {"value": proof.value, "lower": proof.lower, "upper": proof.upper}
    if as_json:
        print_json({"game": str(compiled), **{name: _json(bounds[name]) for name in bounds}})
        return
    table = make_table("", ">fraction", ">about")
    if proof.value is not None:
        table.add_row("value of player 0", str(proof.value), number_text(float(proof.value)))
    else:
        table.add_row("lower bound for player 0", str(proof.lower), number_text(float(proof.lower)))
        table.add_row("upper bound for player 0", str(proof.upper), number_text(float(proof.upper)))
    print_table(table, title=str(compiled))


def _json(bound: Fraction | None) -> Any:
    return None if bound is None else {"fraction": str(bound), "number": float(bound)}
