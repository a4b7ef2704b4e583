"""Lower bounds on the time of an iteration: memory bandwidth and arithmetic.

An iteration updates both players and includes the average. "First" is the mean of iterations 2 to
6; "settled" iterations come after 300. The speed of the machine is measured, not taken from data
sheets: the bandwidth for a working set as large as the game's, the arithmetic on data in the
nearest cache. All times are minimums of many short runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from report import shown, table

from infoset.forms import SequenceForm, block_payoffs
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.utils.compilation import kernel

__all__ = ["FLOOR", "Work", "floor_rows", "floor_table", "work_of_iteration"]

PRECISIONS = {"float64": 8, "float32": 4}
SETTLED = 300
SAMPLES = 60
SAMPLE_SECONDS = 1e-3
INDEX = 4
"""Size of an index in bytes."""
PASSES = 12
"""Number of reads and writes per sequence.

The opponent's plan is read, the gradient is written and read, and the policy and the regrets are
read and written. Then the policy is read again, and the plan and the average are read and written.
"""
OPERATIONS = 14
"""Additions, multiplications, comparisons and fractions of divisions per sequence in the sweeps."""


@dataclass(frozen=True)
class Work:
    """Minimum work of one iteration of both players.

    Attributes
    ----------
    bytes : int
        Number of bytes that must be read or written: state, parents, entries and distinct rows of
        payoffs.
    operations : int
        Number of floating-point operations, except those on the zeros that pad the rows.
    """

    bytes: int
    operations: int


def work_of_iteration(form: SequenceForm, precision: str) -> Work:
    """Return the minimum work of one iteration on a two-player game."""
    size, layouts = PRECISIONS[precision], form.layouts
    moved = operations = 0
    for player, plex in enumerate(form.treeplexes):
        pairs = block_payoffs(form.terminal_sequence, form.payoff[:, player], layouts, player)
        moved += PASSES * size * plex.num_sequences + 2 * INDEX * plex.num_infostates
        moved += 2 * INDEX * len(pairs.row) + size * len(pairs.payoff)
        operations += 2 * form.num_payoffs + OPERATIONS * plex.num_sequences
    return Work(moved, operations)


@kernel
def add_multiples(times: int, source: NDArray[np.floating], target: NDArray[np.floating]) -> None:
    """Add a multiple of one array to another repeatedly."""
    factor = source[0]
    for _ in range(times):
        for i in range(len(source)):
            target[i] += factor * source[i]


@cache
def rate(num_bytes: int, precision: str) -> float:
    """Return the numbers processed per second by `add_multiples` on arrays of `num_bytes`."""
    length = max(64, num_bytes // (2 * PRECISIONS[precision]))
    source, target = np.zeros(length, precision), np.zeros(length, precision)
    times = max(1, 1_000_000 // length)
    add_multiples(1, source, target)
    return length * times / min(taken(lambda: add_multiples(times, source, target), 30))


def taken(work: Callable[[], object], samples: int) -> list[float]:
    """Return the seconds of each call of `work`."""
    seconds = []
    for _ in range(samples):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return seconds


def floors(work: Work, precision: str) -> tuple[float, float]:
    """Return the minimum seconds for the bytes and for the operations of an iteration."""
    three_streams = 3 * PRECISIONS[precision]
    bandwidth = three_streams * rate(work.bytes, precision)
    return work.bytes / bandwidth, work.operations / (2 * rate(1 << 14, precision))


def settled_seconds(form: SequenceForm, name: str, precision: str) -> tuple[float, float]:
    """Return the minimum seconds of a first and of a settled iteration."""
    minimizer = RegretMinimizer(form, SCHEMES[name], precision)
    minimizer.run(1)
    early = min(taken(lambda: minimizer.run(5), 4)) / 5
    minimizer.run(SETTLED)
    count = max(1, int(SAMPLE_SECONDS / early))
    return early, min(taken(lambda: minimizer.run(count), SAMPLES)) / count


def floor_rows(title: str, form: SequenceForm) -> list[list[str]]:
    """Return the rows of a game: one per precision, see `FLOOR`."""
    rows = []
    for precision in PRECISIONS:
        times = {name: settled_seconds(form, name, precision) for name in SCHEMES}
        early, late = times["cfr+"]
        slowest = max(SCHEMES.keys() - {"apcfr+"}, key=lambda name: times[name][1])
        work = work_of_iteration(form, precision)
        by_bytes, by_operations = floors(work, precision)
        rows.append(
            [
                title,
                precision,
                shown(early),
                shown(late),
                f"{shown(times[slowest][1])} (`{slowest}`)",
                shown(times["apcfr+"][1]),
                f"{work.bytes / 1e6:.2f} MB",
                shown(by_bytes),
                shown(by_operations),
                f"{late / max(by_bytes, by_operations):.2g}×",
            ]
        )
    return rows


FLOOR = [
    "game",
    "precision",
    "CFR+, first",
    "CFR+, settled",
    "slowest other scheme",
    "`apcfr+`",
    "bytes",
    "bandwidth bound",
    "arithmetic bound",
    "settled / bound",
]


def floor_table(forms: dict[str, SequenceForm]) -> str:
    """Return the table of times and lower bounds by game."""
    rows = [row for title, form in forms.items() for row in floor_rows(title, form)]
    return table(FLOOR, rows)
