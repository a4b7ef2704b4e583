"""Compare precisions of the CFR family on no-limit hold'em endgames at equal iterations.

    python benchmarks/sixteen_bits.py             # measure and print; an hour
    python benchmarks/sixteen_bits.py --spot TEXT # only spots whose name contains TEXT
    python benchmarks/sixteen_bits.py --write     # also update the page

The spots are those of `endgame_methods.py`. Numbers are the exploitability with regrets and
averages in 16 bits, divided by that in single precision after the same number of iterations: the
geometric mean and the maximum over measurements at which the latter is between 1 % and 0.02 % of
the pot. Measurements are in double precision, after each number of iterations that is a fifth
larger than the one before. The last columns compare double with single precision in the same way,
and so show how much rounding matters in general. Spots are printed one by one; the table has the
geometric mean and the maximum over all of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from statistics import geometric_mean

import numpy as np
from endgame_methods import spots
from report import DOCS, environment, environment_text, replace_part, table

import infoset
from infoset.games import NoLimitEndgame
from infoset.regret import SCHEMES
from infoset.solvers.regret_family import RegretSolver
from infoset.typing import FloatArray

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


def ratios_of(name: str, game: NoLimitEndgame, method: str) -> FloatArray:
    """Return [2, 2] mean and maximum of the ratios of each precision; print them."""
    form, pot = infoset.build_public_form(game), float(game.pot)
    ratios, done = [], 0
    for iteration, (single, *others) in measurements(form, method):
        share, done = 100 * single / pot, iteration
        if share < SMALLEST:
            break
        if share <= LARGEST:
            ratios.append([other / single for other in others])
    size = sum(plex.num_sequences for plex in form.treeplexes)
    found = np.array([[geometric_mean(own), max(own)] for own in zip(*ratios, strict=True)])
    shown = " ".join(f"{number:.2f}" for number in found.ravel())
    print(name, f"{size / 1e6:.2g} M", method, f"{done:,}", shown, flush=True)
    return found


def main() -> None:
    """Measure the spots and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--spot", default="", help="only spots whose name contains this text")
    parser.add_argument("--write", action="store_true", help=f"update {PAGE.name}")
    given = parser.parse_args()
    chosen = {name: game for name, game in spots().items() if given.spot in name}
    rows = []
    for method in METHODS:
        found = [ratios_of(name, game, method) for name, game in chosen.items()]
        rows.append([f"`{method}`"])
        for means, maxima in np.transpose(found, (1, 2, 0)):
            rows[-1] += [f"{geometric_mean(means):.2f}", f"{maxima.max():.2f}"]
    kinds = ("geometric mean", "maximum")
    columns = [f"`{own}`, {kind}" for own in PRECISIONS[1:] for kind in kinds]
    header = ["method", *columns]
    part = f"{table(header, rows)}\n\n{environment_text(environment())}"
    print(part)
    if given.write:
        PAGE.write_text(replace_part(PAGE.read_text(), "sixteen_bits.py", part))


if __name__ == "__main__":
    main()
