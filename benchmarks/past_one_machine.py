"""Measure cells and the start of a worker, and simulate a sweep of 10,000 cells on a cluster.

    python benchmarks/past_one_machine.py            # print the tables
    python benchmarks/past_one_machine.py --write    # also update docs/past_one_machine.md

Measured: the seconds of real cells (learners on three games, one at a time, kernels compiled), what
the driver spends on each cell, and the start of a worker with an empty and with a filled kernel
cache. Simulated, with a fixed seed: cells of these times, and cells 100 and 8,000 times as long, on
10 and 1,000 cores that fail at the rate of `FAILURES_PER_CORE_HOUR`. It takes about a minute.
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from report import DOCS, environment, environment_text, replace_part, shown, table

from infoset.experiments import CellFolder, run_cells
from infoset.runs import Interrupt
from infoset_studies.balanced.learning_cells import LearningCell

PAGE = DOCS / "past_one_machine.md"
RESULTS = Path(__file__).parent / "results" / "past_one_machine.json"

GAMES = ("kuhn_poker", "leduc_poker", "liars_dice(dice_sides=4)")
LEARNERS = ("ixomd", "balanced-omd", "vr-mccfr-balanced", "es-mccfr")
EPISODES = (100_000, 400_000)
SEEDS = 2

NUM_CELLS = 10_000
CORES = (10, 1_000)
SCALES = (1, 100, 8_000)
FAILURES_PER_CORE_HOUR = 1 / 100
"""Assumed: a core of a preemptible machine is lost every 100 hours."""
PRICE_PER_CORE_HOUR = 0.04
"""Assumed, in US dollars."""
MAX_RETRIES = 3
RESTART_SECONDS = 60.0
"""Assumed time until a lost core is replaced."""

START = "from infoset_studies.balanced.learning_cells import LearningCell\n"
FIRST_CELL = (
    "import threading\nLearningCell('kuhn_poker', 'balanced-omd', 1000, 0).run(threading.Event())\n"
)


@dataclass(frozen=True)
class NoCell:
    """A cell that does nothing, to measure what the driver does."""

    seed: int
    name: str = "none"

    def settings(self) -> dict[str, Any]:
        """Return the seed."""
        return asdict(self)

    def run(self, interrupt: Interrupt) -> dict[str, Any]:
        """Return nothing."""
        return {}


class Sweep(NamedTuple):
    """A simulated sweep.

    Attributes
    ----------
    hours : float
        From its start to the last cell.
    core_hours : float
        Of all cores until the end.
    wasted : float
        Share of the core-hours that were not spent on cells that finished.
    losses : int
        Number of times that a cell lost its worker.
    given_up : int
        Number of cells that lost more workers than they may.
    """

    hours: float
    core_hours: float
    wasted: float
    losses: int
    given_up: int


def measure() -> dict[str, Any]:
    """Return the measured seconds of cells, of the driver for a cell, and of a worker's start."""
    cells = [
        LearningCell(game, learner, episodes, seed)
        for game in GAMES
        for learner in LEARNERS
        for episodes in EPISODES
        for seed in range(SEEDS)
    ]
    with tempfile.TemporaryDirectory() as path:
        warm = CellFolder(Path(path) / "warm", "warm")
        first = [LearningCell(game, name, 1000, 0) for game in GAMES for name in LEARNERS]
        run_cells(first, warm, workers=1)
        folder = CellFolder(Path(path) / "cells", "cells")
        run_cells(cells, folder, workers=1)
        seconds = [json.loads(folder.file_of(cell).read_text())["seconds"] for cell in cells]
        began = time.perf_counter()
        run_cells([NoCell(seed) for seed in range(500)], CellFolder(f"{path}/none", "none"))
        driver = (time.perf_counter() - began) / 500
        cold, warm_start = (start_seconds(f"{path}/cache") for _ in range(2))
    return {
        "environment": environment(),
        "cells": seconds,
        "driver": driver,
        "import": start_seconds(None),
        "first_cell_cold": cold,
        "first_cell_warm": warm_start,
    }


def start_seconds(cache: str | None) -> float:
    """Return the seconds of a new process until its first cell is done, or until it can begin."""
    environment = dict(os.environ) if cache is None else {**os.environ, "NUMBA_CACHE_DIR": cache}
    code = START if cache is None else START + FIRST_CELL
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    return time.perf_counter() - began


def simulate(
    seconds: Sequence[float], cores: int, start: float, driver: float, seed: int = 0
) -> Sweep:
    """Simulate a sweep: free cores take the next cell, lost cores come back, lost cells repeat.

    The driver hands out cells one at a time. The time until a core is lost is exponential.
    """
    rng = np.random.default_rng(seed)
    mean = 3600 / FAILURES_PER_CORE_HOUR
    fails = rng.exponential(mean, cores) + start
    free = [(start, core) for core in range(cores)]
    waiting = [(float(length), 0) for length in reversed(seconds)]
    useful = end = handed_out = 0.0
    losses = given_up = 0
    while waiting:
        length, lost = waiting.pop()
        now, core = heapq.heappop(free)
        handed_out = begins = max(now, handed_out + driver)
        if begins + length <= fails[core]:
            useful += length
            end = max(end, begins + length)
            heapq.heappush(free, (begins + length, core))
            continue
        losses += 1
        back = max(float(fails[core]), begins) + RESTART_SECONDS + start
        fails[core] = back + rng.exponential(mean)
        heapq.heappush(free, (back, core))
        if lost < MAX_RETRIES:
            waiting.append((length, lost + 1))
        else:
            given_up += 1
    core_hours = cores * end / 3600
    return Sweep(end / 3600, core_hours, 1 - useful / 3600 / core_hours, losses, given_up)


def sweep_table(found: dict[str, Any]) -> str:
    """Return the simulated sweeps as a table."""
    rng = np.random.default_rng(0)
    drawn = rng.choice(found["cells"], NUM_CELLS)
    rows = []
    for scale in SCALES:
        for cores in CORES:
            sweep = simulate(drawn * scale, cores, found["first_cell_warm"], found["driver"])
            rows.append(
                (
                    shown_time(fmean(drawn) * scale),
                    f"{cores:,}",
                    shown_time(sweep.hours * 3600),
                    f"{PRICE_PER_CORE_HOUR * sweep.core_hours:,.2f}",
                    f"{sweep.wasted:.1%}",
                )
            )
    header = ("mean cell", "cores", "time", "US dollars", "wasted")
    return table(header, rows)


def shown_time(seconds: float) -> str:
    """Return a time in seconds, minutes or hours."""
    if seconds < 120:
        return shown(seconds)
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def measured_text(found: dict[str, Any]) -> str:
    """Return the measurements as sentences."""
    cells = sorted(found["cells"])
    low, high = cells[len(cells) // 10], cells[-1 - len(cells) // 10]
    return (
        f"Measured: {len(cells)} cells take {shown(fmean(cells))} on average, and eight in ten of "
        f"them {shown(low)} to {shown(high)}; the driver takes {shown(found['driver'])} for each. "
        f"A new process needs {shown(found['first_cell_warm'])} until its first cell is done, and "
        f"{shown(found['first_cell_cold'])} with an empty kernel cache."
    )


def parts(found: dict[str, Any]) -> dict[str, str]:
    """Return the parts of the page by their names."""
    machine = environment_text(found["environment"])
    return {
        "measured": f"{measured_text(found)}\n\n{machine}",
        "sweeps": sweep_table(found),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, simulate, and print or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="update the page and the results")
    parser.add_argument("--tables", action="store_true", help="use the stored measurements")
    options = parser.parse_args(arguments)
    found = json.loads(RESULTS.read_text("utf-8")) if options.tables else measure()
    for name, part in parts(found).items():
        print(f"{name}\n\n{part}\n")
        if options.write:
            text = PAGE.read_text("utf-8")
            made = replace_part(text, f"past_one_machine.py: {name}", part)
            PAGE.write_text(made, "utf-8")
    if options.write and not options.tables:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
