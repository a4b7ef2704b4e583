"""Measure the exploitability of every iterative method by iteration: the curves in the docs.

    python benchmarks/curves.py             # list the missing curves
    python benchmarks/curves.py --write     # measure these, and add them to docs/solvers/curves
    python benchmarks/curves.py --write --again --games leduc_poker --methods cfr+ dcfr

There is one file per game, with one line per measurement: the method, the iteration, the
exploitability of the answer in the game's units, and the spread. Rounding errors grow along a run:
if actions are equally good, the last bit of a sum decides between them. Therefore the first
iterations, which the tests recompute, are also measured with all payoffs multiplied by each of
`SCALES`, which changes only the rounding. The spread is the excess of the largest exploitability
over the smallest, relative to the smallest. Seconds are not recorded because they depend on the
machine.

A run ends when the game's iterations or `--seconds` are used up, or at the limit of float64.
Schedules extend over the default horizon. Everything takes half an hour on one core.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import inf
from pathlib import Path
from typing import NamedTuple, TypeAlias

from infoset.forms import SequenceForm
from infoset.games import load_game
from infoset.runs import Budget, TracePoint
from infoset.solvers import METHODS
from infoset.tree import build_tree

FOLDER = Path(__file__).parents[1] / "docs" / "solvers" / "curves"
COMMAND = "python benchmarks/curves.py --write --again --games {game} --methods {method}"
EXACT = frozenset({"auto", "lp", "lp-ipm", "lp-refined"})
"""Methods without a curve: exact ones, and `auto`."""

SCALES = (3.0, 1 / 3, 0.7, 1.1, 1.3, 7.0)
SPACING = 1.2
"""Ratio of successive recorded iterations; the solvers measure more often."""
FLOAT64_END = 1e-14
"""Exploitability relative to the payoff range below which only rounding errors remain."""


@dataclass(frozen=True)
class CurveGame:
    """A game of the reference curves.

    Attributes
    ----------
    title, family : str
        Title and family of games in the figures.
    spec : str
        The game, as `load` takes it.
    payoff_width : float
        The maximum payoff minus the minimum payoff.
    iterations : int
        Number of iterations at which curves end.
    prefix : int
        Number of first iterations that the tests recompute.
    """

    title: str
    family: str
    spec: str
    payoff_width: float
    iterations: int
    prefix: int


GOOFSPIEL = "goofspiel(num_cards={},imp_info=True,points_order={},returns_type=point_difference)"
BATTLESHIP = (
    "battleship(board_height={},board_width=2,ship_sizes=[2],ship_values=[1],num_shots={},"
    "allow_repeated_shots=False,loss_multiplier=1)"
)

GAMES: Mapping[str, CurveGame] = {
    "kuhn_poker": CurveGame("Kuhn poker", "Poker", "kuhn_poker", 4, 100_000, 100),
    "leduc_poker": CurveGame("Leduc poker", "Poker", "leduc_poker", 26, 50_000, 100),
    "liars_dice_4": CurveGame(
        "Liar's dice 1×4", "Liar's dice", "liars_dice(dice_sides=4)", 2, 50_000, 100
    ),
    "liars_dice_6": CurveGame("Liar's dice 1×6", "Liar's dice", "liars_dice", 2, 10_000, 12),
    "goofspiel_4_random": CurveGame(
        "Goofspiel 4, random", "Goofspiel", GOOFSPIEL.format(4, "random"), 8, 50_000, 100
    ),
    "goofspiel_5_descending": CurveGame(
        "Goofspiel 5, descending", "Goofspiel", GOOFSPIEL.format(5, "descending"), 13, 50_000, 100
    ),
    "goofspiel_5_random": CurveGame(
        "Goofspiel 5, random", "Goofspiel", GOOFSPIEL.format(5, "random"), 13, 2000, 4
    ),
    # Ships of two cells: with one cell, every position is equivalent and uniform play is optimal.
    "battleship_2x2": CurveGame(
        "Battleship 2×2", "Battleship", BATTLESHIP.format(2, 4), 2, 20_000, 100
    ),
    "battleship_3x2": CurveGame(
        "Battleship 3×2", "Battleship", BATTLESHIP.format(3, 3), 2, 5000, 5
    ),
}
"""The games by file name."""


class Measurement(NamedTuple):
    """One line of a file: exploitability and, in the first iterations, its spread."""

    exploitability: float
    spread: float | None


Curve: TypeAlias = dict[int, Measurement]
"""Measurements by iteration, in order."""


@cache
def form_of(name: str) -> SequenceForm:
    """Return the game of a file."""
    form = build_tree(load_game(GAMES[name].spec)).sequence_form
    low, high = form.payoff_range
    if high - low != GAMES[name].payoff_width:
        raise ValueError(f"the payoff range of {name} is {high - low}: correct its row in GAMES")
    return form


def iterative_methods() -> list[str]:
    """Return the methods that have a curve, in the order of the registry."""
    return [name for name in METHODS if name not in EXACT]


def trace_of(
    form: SequenceForm, method: str, iterations: int, seconds: float = inf
) -> dict[int, float]:
    """Return the measured exploitability of a method's answers by iteration."""
    low, high = form.payoff_range
    end = FLOAT64_END * (high - low)

    def enough(point: TracePoint) -> bool:
        is_spent = point.iteration >= iterations or point.seconds >= seconds
        return is_spent or (point.exploitability or 0.0) <= end

    trace = METHODS[method].run(form, Budget(callback=enough)).trace
    return {point.iteration: point.exploitability or 0.0 for point in trace}


def spread_of(form: SequenceForm, method: str, iterations: int) -> dict[int, float]:
    """Return by iteration the spread of runs that differ only in their rounding."""
    traces = [trace_of(form, method, iterations)]
    for scale in SCALES:
        scaled = trace_of(times(form, scale), method, iterations)
        traces.append({iteration: value / scale for iteration, value in scaled.items()})
    common = set.intersection(*map(set, traces))
    found = {iteration: [trace[iteration] for trace in traces] for iteration in common}
    return {
        iteration: max(values) / max(min(values), FLOAT64_END) - 1
        for iteration, values in found.items()
    }


def times(form: SequenceForm, scale: float) -> SequenceForm:
    """Return the game with all payoffs multiplied."""
    low, high = form.payoff_range
    centered = form.centered_payoffs
    if centered is not None:
        paid, (least, most) = centered.payoff * scale, centered.payoff_range
        centered = centered._replace(payoff=paid, payoff_range=(least * scale, most * scale))
    return replace(
        form,
        payoff=form.payoff * scale,
        payoff_range=(low * scale, high * scale),
        centered_payoffs=centered,
    )


def measure(game: str, method: str, seconds: float) -> Curve:
    """Return the curve of a method on a game."""
    form, row = form_of(game), GAMES[game]
    spread = spread_of(form, method, row.prefix)  # compile first, so that compilation is not timed
    trace = trace_of(form, method, row.iterations, seconds)
    return {
        iteration: Measurement(
            trace[iteration], spread.get(iteration) if iteration <= row.prefix else None
        )
        for iteration in spaced(trace)
    }


def spaced(iterations: Iterable[int]) -> list[int]:
    """Return the first and last iteration, and iterations in between with ratio `SPACING`."""
    numbers = sorted(iterations)
    kept = numbers[:1]
    for number in numbers[1:]:
        if number >= SPACING * kept[-1] or number == numbers[-1]:
            kept.append(number)
    return kept


def read_curves(game: str) -> dict[str, Curve]:
    """Return the curves in the file of a game, by method; empty if there is no file."""
    path, curves = FOLDER / f"{game}.csv", dict[str, Curve]()
    if not path.exists():
        return curves
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            spread = float(line["spread"]) if line["spread"] else None
            measured = Measurement(float(line["exploitability"]), spread)
            curves.setdefault(line["method"], {})[int(line["iteration"])] = measured
    return curves


def write_curves(game: str, curves: Mapping[str, Curve]) -> None:
    """Write the file of a game, with methods in the order of the registry."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{game}.csv").open("w", encoding="utf-8", newline="") as file:
        file.write("method,iteration,exploitability,spread\n")
        for method in (name for name in iterative_methods() if name in curves):
            for iteration, (exploitability, spread) in curves[method].items():
                shown = "" if spread is None else f"{spread:.1e}"
                file.write(f"{method},{iteration},{exploitability:.6e},{shown}\n")


def main() -> None:
    """List the missing curves, or measure and write them."""
    arguments = parse_arguments()
    for game in arguments.games:
        curves = read_curves(game)
        for method in arguments.methods:
            if method in curves and not arguments.again:
                continue
            if not arguments.write:
                print(f"{game}: {method} is missing")
                continue
            curves[method] = measure(game, method, arguments.seconds)
            write_curves(game, curves)
            last = max(curves[method])
            print(f"{game}: {method} {curves[method][last].exploitability:.3g} after {last:,}")


def parse_arguments() -> argparse.Namespace:
    """Return the options of the command."""
    parser = argparse.ArgumentParser(description="The reference curves of docs/solvers/curves.")
    parser.add_argument("--write", action="store_true", help="measure, and write the files")
    parser.add_argument("--again", action="store_true", help="measure existing curves again")
    parser.add_argument("--games", nargs="+", choices=GAMES, default=list(GAMES))
    methods = iterative_methods()
    parser.add_argument("--methods", nargs="+", choices=methods, default=methods)
    parser.add_argument("--seconds", type=float, default=30.0, help="time limit per curve")
    return parser.parse_args()


if __name__ == "__main__":
    main()
