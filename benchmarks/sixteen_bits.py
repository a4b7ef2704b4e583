"""Compare precisions of the CFR family on no-limit hold'em endgames at equal iterations.

    python benchmarks/sixteen_bits.py             # measure and print; an hour
    python benchmarks/sixteen_bits.py --spot TEXT # only spots whose name contains TEXT
    python benchmarks/sixteen_bits.py --write     # also update the page

The spots are those of `endgame_methods.py`. A row is a spot and a method. Numbers are the
exploitability with regrets and averages in 16 bits, divided by that in single precision after the
same number of iterations: the geometric mean and the maximum over measurements at which the latter
is between 1 % and 0.02 % of the pot. Measurements are in double precision, after each number of
iterations that is a fifth larger than the one before. The last columns compare double and single
precision in the same way: they show how much roundings matter at all.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from endgame_methods import spots
from report import DOCS, environment, environment_text, replace_part, table

import infoset
from infoset.games import NoLimitEndgame
from infoset.regret import SCHEMES
from infoset.solvers.regret_family import RegretSolver

PAGE = DOCS / "solvers" / "poker_endgames.md"
METHODS = ("dcfr+", "dcfr", "cfr+")
PRECISIONS = ("float32", "int16", "float64")
LARGEST, SMALLEST = 1.0, 0.02
"""Exploitability in single precision between which ratios count, in % of the pot."""
MAX_ITERATIONS = 2_000
GROWTH = 1.2


def measurements(form: infoset.forms.PublicForm, method: str) -> Iterator[tuple[int, list[float]]]:
    """Yield numbers of iterations, and the exploitability in each precision."""
    solvers = [RegretSolver(form, SCHEMES[method], own) for own in PRECISIONS]
    planned = 10
    while planned <= MAX_ITERATIONS:
        for solver in solvers:
            solver.run(planned - solver.iteration)
        yield planned, [solver.evaluate().exploitability for solver in solvers]
        planned = int(np.ceil(planned * GROWTH))


def row_of(name: str, game: NoLimitEndgame, method: str) -> list[str]:
    """Return the row of a spot and a method."""
    form, pot = infoset.build_public_form(game), float(game.pot)
    ratios, done = [], 0
    for iteration, (single, *others) in measurements(form, method):
        share, done = 100 * single / pot, iteration
        if share < SMALLEST:
            break
        if share <= LARGEST:
            ratios.append([other / single for other in others])
    size = sum(plex.num_sequences for plex in form.treeplexes)
    cells = [name, f"{size / 1e6:.2g} M", f"`{method}`", f"{done:,}"]
    for column in np.transpose(ratios):
        cells += [f"{np.exp(np.log(column).mean()):.2f}", f"{column.max():.2f}"]
    return cells


def main() -> None:
    """Measure the spots and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--spot", default="", help="only spots whose name contains this text")
    parser.add_argument("--write", action="store_true", help=f"update {PAGE.name}")
    given = parser.parse_args()
    rows = []
    for name, game in spots().items():
        for method in METHODS:
            if given.spot in name:
                rows.append(row_of(name, game, method))
                print(*rows[-1], flush=True)
    columns = [f"{own}, {kind}" for own in PRECISIONS[1:] for kind in ("mean", "maximum")]
    header = ["spot", "sequences", "method", "iterations", *columns]
    part = f"{table(header, rows)}\n\n{environment_text(environment())}"
    print(part)
    if given.write:
        PAGE.write_text(replace_part(PAGE.read_text(), "sixteen_bits.py", part))


if __name__ == "__main__":
    main()
