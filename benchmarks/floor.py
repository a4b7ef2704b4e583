"""How far one iteration is from what the machine allows: bytes that must move, and operations.

An iteration is one of both players, averaging included. "First" is the mean of iterations 2 to 6;
settled ones come after 300. Both floors are measured, not read from data sheets: bandwidth with as
many bytes in play as the game has, arithmetic out of the nearest cache. Every time is the smallest
of many short runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from report import shown, table

from infoset.regret import SCHEMES, RegretMinimizer, block_payoffs, game_layouts
from infoset.tree import SequenceForm
from infoset.utils.compilation import kernel

__all__ = ["FLOOR", "Work", "floor_rows", "floor_table", "work_of_iteration"]

PRECISIONS = {"float64": 8, "float32": 4}
SETTLED = 300
SAMPLES = 60
SAMPLE_SECONDS = 1e-3
INDEX = 4
"""Bytes of an index."""
PASSES = 12
"""How often numbers per sequence are read or written: the opponent's plan read; the gradient
written and read; policy and regrets read and written; then the policy read again, plan and average
read and written."""
OPERATIONS = 14
"""Additions, multiplications, comparisons and shares of divisions per sequence, in the sweeps."""


@dataclass(frozen=True)
class Work:
    """What one iteration of both players has to do.

    Attributes
    ----------
    bytes : int
        Read or written at least once each: state, parents, entries, different rows of payoffs.
    operations : int
        Of floating point; those on the zeros that fill up rows are not counted.
    """

    bytes: int
    operations: int


def work_of_iteration(form: SequenceForm, precision: str) -> Work:
    """Return the work of one iteration on a two-player game."""
    size, layouts = PRECISIONS[precision], game_layouts(form)
    moved = operations = 0
    for player, plex in enumerate(form.treeplexes):
        pairs = block_payoffs(form, layouts, player)
        moved += PASSES * size * plex.num_sequences + 2 * INDEX * plex.num_infostates
        moved += 2 * INDEX * len(pairs.row) + size * len(pairs.payoff)
        operations += 2 * form.num_payoffs + OPERATIONS * plex.num_sequences
    return Work(moved, operations)


@kernel
def add_multiples(times: int, source: NDArray[np.floating], target: NDArray[np.floating]) -> None:
    """Add a multiple of one array to another, again and again."""
    factor = source[0]
    for _ in range(times):
        for i in range(len(source)):
            target[i] += factor * source[i]


@cache
def rate(num_bytes: int, precision: str) -> float:
    """Return numbers per second of adding an array's multiple to another, in `num_bytes`."""
    length = max(64, num_bytes // (2 * PRECISIONS[precision]))
    source, target = np.zeros(length, precision), np.zeros(length, precision)
    times = max(1, 1_000_000 // length)
    add_multiples(1, source, target)
    return length * times / min(taken(lambda: add_multiples(times, source, target), 30))


def taken(work: Callable[[], object], samples: int) -> list[float]:
    """Return the seconds that `work` takes, each time."""
    seconds = []
    for _ in range(samples):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return seconds


def floors(work: Work, precision: str) -> tuple[float, float]:
    """Return the smallest seconds for the bytes and for the operations of an iteration."""
    three_streams = 3 * PRECISIONS[precision]
    bandwidth = three_streams * rate(work.bytes, precision)
    return work.bytes / bandwidth, work.operations / (2 * rate(1 << 14, precision))


def settled_seconds(form: SequenceForm, name: str, precision: str) -> tuple[float, float]:
    """Return the smallest seconds of an iteration at the start of a run, and of a settled one."""
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
    """Return the table of iterations and floors of some games, by title."""
    rows = [row for title, form in forms.items() for row in floor_rows(title, form)]
    return table(FLOOR, rows)
