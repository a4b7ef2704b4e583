"""Time building, iterating and measuring beside OpenSpiel, and write the tables of the docs.

    python -m pip install -e '.[test]'
    python benchmarks/speed.py            # print
    python benchmarks/speed.py --write    # also replace docs/benchmarks.md

Both sides run in turn in one process on one core; figures are medians, and the ratios are those of
the medians of one run. An iteration is CFR+ with both players updated in turn and the linear
average kept. Numba's compilation is done before anything is timed; the last table times it.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TypeVar

import numpy as np
import pyspiel

import infoset
from infoset.evaluation import evaluate_policy
from infoset.policy import random_policy
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.tree import SequenceForm, explore, unroll

GOOFSPIEL = (
    "goofspiel(num_cards={},imp_info=True,points_order=random,returns_type=point_difference)"
)
GAMES = {
    "Leduc poker": "leduc_poker",
    "Goofspiel 4, random": GOOFSPIEL.format(4),
    "Liar's dice 1×6": "liars_dice",
    "Goofspiel 5, random": GOOFSPIEL.format(5),
}
SETTLED = 300
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


Value = TypeVar("Value")


def timed(work: Callable[[], Value]) -> tuple[Value, float]:
    """Return what `work` returns, and the time that it takes."""
    started = time.perf_counter()
    value = work()
    return value, time.perf_counter() - started


def seconds(work: Callable[[], object]) -> float:
    """Return the time that `work` takes."""
    return timed(work)[1]


def shown(value: float) -> str:
    """Return a time with its unit, in three digits."""
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if value * scale >= 1 or unit == "µs":
            return f"{value * scale:.3g} {unit}"
    raise AssertionError


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def openspiel_game(spec: str) -> pyspiel.Game:
    """Return the game as its algorithms want it: one player at a time."""
    game = pyspiel.load_game(spec)
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        return pyspiel.convert_to_turn_based(game)
    return game


def walk(game: pyspiel.Game) -> int:
    """Count the histories of OpenSpiel's game by walking it from Python."""
    stack, count = [game.new_initial_state()], 0
    while stack:
        state = stack.pop()
        count += 1
        if not state.is_terminal():
            stack.extend(state.child(action) for action in state.legal_actions())
    return count


def building(spec: str, repeats: int) -> list[str]:
    """Return a row: counts, our two stages, and OpenSpiel's two ways to enumerate the game."""
    ours, theirs, walked = [], [], []
    game, reference = infoset.load(spec), openspiel_game(spec)
    for _ in range(repeats):
        graph, exploring = timed(lambda: explore(game))
        unrolling = seconds(lambda graph=graph: unroll(graph).sequence_form)
        ours.append((exploring, unrolling))
        theirs.append(seconds(lambda: pyspiel.CFRPlusSolver(reference)))
        walked.append(seconds(lambda: walk(reference)))
    counts = infoset.info(spec)
    exploring, unrolling = (median(part) for part in zip(*ours, strict=True))
    total = exploring + unrolling
    return [
        f"{counts.world_states:,}",
        f"{counts.histories:,}",
        shown(exploring),
        shown(unrolling),
        shown(median(theirs)),
        shown(median(walked)),
        f"{median(theirs) / total:.2g}×",
    ]


def bytes_per_iteration(form: SequenceForm) -> int:
    """Return what one iteration must at least move: payoffs and indices once per player, state."""
    state = sum(plex.num_sequences for plex in form.treeplexes)
    return 2 * form.num_payoffs * 12 + state * 8 * (2 + 2 + 3 + 2)


def iterating(form: SequenceForm, spec: str, repeats: int, bandwidth: float) -> list[str]:
    """Return a row: our iteration early and settled, OpenSpiel's, ratio, bytes, floor."""
    solver = pyspiel.CFRPlusSolver(openspiel_game(spec))
    early, late, theirs = [], [], []
    count = max(20, int(0.3 / (form.num_payoffs * 4e-9)))
    for _ in range(repeats):
        minimizer = RegretMinimizer(form, SCHEMES["cfr+"])
        minimizer.run(1)
        early.append(seconds(lambda m=minimizer: m.run(20)) / 20)
        minimizer.run(SETTLED - minimizer.iteration)
        late.append(seconds(lambda m=minimizer: m.run(count)) / count)
        theirs.append(seconds(solver.evaluate_and_update_policy))
    moved = bytes_per_iteration(form)
    return [
        shown(median(early)),
        shown(median(late)),
        shown(median(theirs)),
        f"{median(theirs) / median(late):,.0f}×",
        f"{moved / 1e6:.2f} MB",
        shown(moved / bandwidth),
    ]


def measuring(form: SequenceForm, spec: str, repeats: int) -> list[str]:
    """Return a row: NashConv of a tabular policy, here and there."""
    reference = openspiel_game(spec)
    policy = random_policy(form, np.random.default_rng(1))
    tabular = pyspiel.UniformRandomPolicy(reference)
    ours, theirs = [], []
    for _ in range(repeats):
        ours.append(seconds(lambda: evaluate_policy(policy)))
        theirs.append(seconds(lambda: pyspiel.nash_conv(reference, tabular, True)))
    return [shown(median(ours)), shown(median(theirs)), f"{median(theirs) / median(ours):,.0f}×"]


def memory_bandwidth() -> float:
    """Return bytes per second of adding two arrays larger than the caches, one core."""
    a, b = np.ones(20_000_000), np.ones(20_000_000)
    return 3 * a.nbytes / min(seconds(lambda: np.add(a, b, out=a)) for _ in range(5))


def commands() -> str:
    """Time whole commands: a cold and a warm compilation cache."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"NUMBA_CACHE_DIR": f"{folder}/cache"}
        solve = [sys.executable, "-m", "infoset", "solve"]
        lines = {
            "`import infoset`": [sys.executable, "-c", "import infoset"],
            "`infoset solve leduc_poker --method cfr+`, empty cache": [*solve, "leduc_poker"],
            "the same, warm": [*solve, "leduc_poker"],
            "`infoset solve kuhn_poker`, warm": [*solve, "kuhn_poker"],
        }
        for name, command in lines.items():
            once = "empty" in name
            times = [
                seconds(
                    lambda c=command: subprocess.run(
                        c, cwd=folder, env=environment, check=True, capture_output=True
                    )
                )
                for _ in range(1 if once else 5)
            ]
            rows.append([name, shown(median(times))])
    return table(["command", "time"], rows)


def peak_memory(spec: str) -> str:
    """Return the peak memory of a process that builds the game, and of one that builds Kuhn's."""
    code = (
        "import infoset, re, sys\n"
        "infoset.build_tree(infoset.load(sys.argv[1])).sequence_form\n"
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
    )
    kilobytes = [
        int(subprocess.check_output([sys.executable, "-c", code, name]))
        for name in (spec, "kuhn_poker")
    ]
    return f"{kilobytes[0] / 1e6:.2f} GB ({kilobytes[1] / 1e6:.2f} GB for Kuhn poker)"


def page() -> str:
    """Measure everything, and return the page."""
    whole, peak = commands(), peak_memory(GAMES["Goofspiel 5, random"])
    bandwidth = memory_bandwidth()
    built, iterated, measured = [], [], []
    for title, spec in GAMES.items():
        repeats = 3 if title.startswith("Goofspiel 5") else 5
        form = infoset.build_tree(infoset.load(spec)).sequence_form
        RegretMinimizer(form, SCHEMES["cfr+"]).run(1)
        evaluate_policy(random_policy(form, np.random.default_rng(0)))
        built.append([title, *building(spec, repeats)])
        iterated.append([title, *iterating(form, spec, repeats, bandwidth)])
        measured.append([title, *measuring(form, spec, 1 if repeats == 3 else repeats)])
    return TEXT.format(
        machine=f"{os.cpu_count()} cores, {platform.machine()}, Linux",
        python=platform.python_version(),
        version=infoset.__version__,
        openspiel=pyspiel.__version__ if hasattr(pyspiel, "__version__") else "2.0.2",
        bandwidth=f"{bandwidth / 1e9:.1f}",
        building=table(
            [
                "game",
                "world states",
                "histories",
                "explore",
                "unroll + sequence form",
                "OpenSpiel C++ (CFR table)",
                "OpenSpiel walked from Python",
                "ratio to C++",
            ],
            built,
        ),
        iterating=table(
            [
                "game",
                "ours, first 20",
                "ours, settled",
                "OpenSpiel C++",
                "ratio",
                "bytes an iteration",
                "floor by bandwidth",
            ],
            iterated,
        ),
        measuring=table(["game", "ours", "OpenSpiel C++", "ratio"], measured),
        peak=peak,
        commands=whole,
        settled=SETTLED,
    )


TEXT = """# Benchmarks

Made by `python benchmarks/speed.py --write`, which says how. Machine: {machine}; Python
{python}, infoset {version}, OpenSpiel {openspiel} (its C++ solvers through Python, simultaneous
games made turn-based). Medians of runs in turn, one core, compilation done before; the machine is
shared, so ratios are worth more than times.

## Building

From the rules in plain Python to the sequence form. Goofspiel here deals the prize and takes the
bids in one step, so its histories are fewer than those of a serial game. OpenSpiel's table for CFR
holds its infostates alone. Rules in Python cost most where world states are nearly as many as
histories, as in Leduc poker.

{building}

Peak memory of a process that builds Goofspiel 5, random: {peak}.

## One iteration of CFR+

Both players updated in turn, linear average kept. "First 20" are iterations 2 to 21, "settled" is
past iteration {settled}: regret matching+ puts zeros into the plans, and rows of zeros are skipped.
The floor is the bytes an iteration must move (each payoff and its index once per player, and the
state) at {bandwidth} GB/s, the bandwidth of one core on arrays that do not fit its caches; the
smaller games do fit, and skipped rows are not moved, so that times can be below it.

{iterating}

## Measuring a policy

Values, best responses of both players and NashConv, exactly.

{measuring}

## Whole commands

{commands}
"""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="replace docs/benchmarks.md")
    arguments = parser.parse_args()
    text = page()
    print(text)
    if arguments.write:
        PAGE.write_text(text)
