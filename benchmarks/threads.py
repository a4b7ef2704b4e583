"""Compare the time of an iteration with one and with two threads.

    python benchmarks/threads.py                # measure and print
    python benchmarks/threads.py --write        # also update docs/solvers/scale.md
    python benchmarks/threads.py --game TEXT    # only games whose name contains TEXT

Iterations of CFR+ with one and with two threads alternate in one process. The minimum of each is
reported, in wall time and in processor time. With two threads, processor time is that of the first
thread plus, wherever it waits for the second, the additional time of the second. This is the wall
time on an otherwise idle machine.
"""

from __future__ import annotations

import argparse
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from report import DOCS, environment, environment_text, replace_part, shown, table

from infoset.games import load_game
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.regret.threads import ThreadedIteration
from infoset.tree import build_sequence_form

PAGE = DOCS / "solvers" / "scale.md"
GOOFSPIEL = "goofspiel(num_cards={},imp_info=True,points_order={})"
GAMES = (
    GOOFSPIEL.format(4, "random"),
    GOOFSPIEL.format(6, "descending"),
    GOOFSPIEL.format(5, "random"),
    "battleship(board_width=3,board_height=2,ship_sizes=[2],ship_values=[1],num_shots=3)",
    "liars_dice(numdice=2,dice_sides=4)",
    "liars_dice(dice_sides=8)",
    "liars_dice(dice_sides=9)",
    "liars_dice(dice_sides=10)",
)
THREADS = 2
SECONDS, MOST_SECONDS = 12.0, 1800.0
HEADER = [
    "game",
    "one thread",
    "two threads",
    "ratio",
    "one, processor time",
    "two, processor time",
    "ratio",
]


@dataclass
class Waiting:
    """Processor time of other threads while this one was waiting, in seconds."""

    seconds: float = 0.0


@contextmanager
def waiting_counted(waiting: Waiting) -> Iterator[None]:
    """Add waiting times to `waiting` while the block runs."""
    share = ThreadedIteration._share

    def counted(self: ThreadedIteration, work: Callable[[Any], None], parts: Any) -> None:
        took: dict[int, float] = {}

        def timed(part: Any) -> None:
            began, thread = time.thread_time(), threading.get_ident()
            work(part)
            took[thread] = took.get(thread, 0.0) + time.thread_time() - began

        share(self, timed, parts)
        own = took.pop(threading.get_ident(), 0.0)
        waiting.seconds += max(0.0, max(took.values(), default=0.0) - own)

    ThreadedIteration._share = counted  # type: ignore[method-assign]
    try:
        yield
    finally:
        ThreadedIteration._share = share  # type: ignore[method-assign]


def by_clock(minimizer: RegretMinimizer) -> float:
    """Return the wall time of one iteration in seconds."""
    began = time.perf_counter()
    minimizer.run(1)
    return time.perf_counter() - began


def by_processor(minimizer: RegretMinimizer) -> float:
    """Return the processor time of one iteration along the longest path, in seconds."""
    waiting = Waiting()
    with waiting_counted(waiting):
        began = time.thread_time()
        minimizer.run(1)
        return time.thread_time() - began + waiting.seconds


def row_of(spec: str) -> list[str]:
    """Return a row of the table, measured alternately."""
    form = build_sequence_form(load_game(spec), max_seconds=MOST_SECONDS)
    minimizers = [RegretMinimizer(form, SCHEMES["cfr+"], threads=n) for n in (1, THREADS)]
    for minimizer in minimizers:
        minimizer.run(3)
    ways = [(way, minimizer) for way in (by_clock, by_processor) for minimizer in minimizers]
    least = [float("inf")] * len(ways)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for i, (way, minimizer) in enumerate(ways):
            minimizer.run(1)
            least[i] = min(least[i], way(minimizer), way(minimizer), way(minimizer))
    times = [[shown(one), shown(two), f"{one / two:.2f}"] for one, two in (least[:2], least[2:])]
    return [f"`{spec}`", *times[0], *times[1]]


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
