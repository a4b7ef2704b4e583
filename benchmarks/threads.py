"""Compare the time of an iteration with one and with two threads.

    python benchmarks/threads.py                # measure and print
    python benchmarks/threads.py --write        # also update docs/solvers/scale.md
    python benchmarks/threads.py --game TEXT    # only games whose name contains TEXT

Iterations of CFR+ with one and with two threads alternate in one process. The minimum wall time of
each is reported.
"""

from __future__ import annotations

import argparse
import os
import time

from report import DOCS, environment, environment_text, replace_part, shown, table

from infoset.games import load_game
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.tree import build_sequence_form

PAGE = DOCS / "solvers" / "scale.md"
GOOFSPIEL = "goofspiel(num_cards={},imp_info=True,points_order=random)"
GAMES = (
    GOOFSPIEL.format(4),
    GOOFSPIEL.format(5),
    "liars_dice(dice_sides=9)",
    "liars_dice(dice_sides=10)",
)
THREADS = 2
SECONDS, MOST_SECONDS = 12.0, 1800.0
HEADER = ["game", "one thread", "two threads", "ratio"]


def by_clock(minimizer: RegretMinimizer) -> float:
    """Return the wall time of one iteration in seconds."""
    began = time.perf_counter()
    minimizer.run(1)
    return time.perf_counter() - began


def row_of(spec: str) -> list[str]:
    """Return a row of the table, measured alternately."""
    form = build_sequence_form(load_game(spec), max_seconds=MOST_SECONDS)
    minimizers = [RegretMinimizer(form, SCHEMES["cfr+"], threads=n) for n in (1, THREADS)]
    for minimizer in minimizers:
        minimizer.run(3)
    least = [float("inf")] * len(minimizers)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for i, minimizer in enumerate(minimizers):
            minimizer.run(1)
            least[i] = min(least[i], *(by_clock(minimizer) for _ in range(3)))
    one, two = least
    return [f"`{spec}`", shown(one), shown(two), f"{one / two:.2f}"]


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--game", metavar="TEXT", default="", help="only games whose text contains TEXT"
    )
    parser.add_argument("--write", action="store_true", help="update docs/solvers/scale.md")
    arguments = parser.parse_args()
    rows = []
    for spec in (spec for spec in GAMES if arguments.game in spec):
        rows.append(row_of(spec))
        print(*rows[-1], f"(load {os.getloadavg()[0]:.1f})", flush=True)
    part = f"{table(HEADER, rows)}\n\n{environment_text(environment())}"
    print(part)
    if arguments.write:
        PAGE.write_text(replace_part(PAGE.read_text(), "threads.py", part))


if __name__ == "__main__":
    main()
