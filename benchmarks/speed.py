"""Time building, iterations and evaluation, and compare iterations with hardware bounds.

    python -m pip install -e '.[test]'
    python benchmarks/speed.py            # measure and print
    python benchmarks/speed.py --write    # also update docs/benchmarks.md
    python benchmarks/speed.py --floor    # only iterations and their bounds (see floor.py)

Building and evaluation are timed alternately with OpenSpiel, in one process on one core. Times are
medians, and ratios are those of the medians. `peers.py` times the iterations of the peers. An
iteration is one of CFR+ with alternating updates and the linear average. Numba compiles before the
timing starts. `first_call.py` times whole commands, with compilation.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib.metadata import version
from statistics import median

import numpy as np
import pyspiel
from floor import floor_table
from report import DOCS, environment, environment_text, replace_part, shown, table, timed

import infoset
from infoset.evaluation import evaluate_policy
from infoset.forms import SequenceForm
from infoset.policy import random_policy
from infoset.tree import build_world_graph, unroll

GOOFSPIEL = (
    "goofspiel(num_cards={},imp_info=True,points_order=random,returns_type=point_difference)"
)
GAMES = {
    "Leduc poker": "leduc_poker",
    "Goofspiel 4, random": GOOFSPIEL.format(4),
    "Liar's dice 1×6": "liars_dice",
    "Goofspiel 5, random": GOOFSPIEL.format(5),
}
PAGE = DOCS / "benchmarks.md"


def openspiel_game(spec: str) -> pyspiel.Game:
    """Return OpenSpiel's game in turn-based form, which its algorithms require."""
    game = pyspiel.load_game(spec)
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        return pyspiel.convert_to_turn_based(game)
    return game


def walk(game: pyspiel.Game) -> int:
    """Count the histories of OpenSpiel's game by a walk in Python."""
    stack, count = [game.new_initial_state()], 0
    while stack:
        state = stack.pop()
        count += 1
        if not state.is_terminal():
            stack.extend(state.child(action) for action in state.legal_actions())
    return count


def building(spec: str, repeats: int) -> list[str]:
    """Return a row with counts, the times of our two stages, and two enumerations by OpenSpiel."""
    ours, theirs, walked = [], [], []
    game, reference = infoset.load(spec), openspiel_game(spec)
    for _ in range(repeats):
        graph, exploring = timed(lambda: build_world_graph(game))
        unrolling = timed(lambda graph=graph: unroll(graph).sequence_form)[1]
        ours.append((exploring, unrolling))
        theirs.append(timed(lambda: pyspiel.CFRPlusSolver(reference))[1])
        walked.append(timed(lambda: walk(reference))[1])
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


def measuring(form: SequenceForm, spec: str, repeats: int) -> list[str]:
    """Return a row with the times to compute NashConv in infoset and OpenSpiel."""
    reference = openspiel_game(spec)
    policy = random_policy(form, np.random.default_rng(1))
    tabular = pyspiel.UniformRandomPolicy(reference)
    ours, theirs = [], []
    for _ in range(repeats):
        ours.append(timed(lambda: evaluate_policy(policy))[1])
        theirs.append(timed(lambda: pyspiel.nash_conv(reference, tabular, True))[1])
    return [shown(median(ours)), shown(median(theirs)), f"{median(theirs) / median(ours):,.0f}×"]


def peak_memory(spec: str) -> str:
    """Return the peak memory of processes that build a game and Kuhn poker."""
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


def floor() -> dict[str, str]:
    """Measure iterations, and return the part of the page on hardware bounds."""
    forms = {
        title: infoset.build_tree(infoset.load(spec)).sequence_form for title, spec in GAMES.items()
    }
    return {"iterating": floor_table(forms)}


def parts() -> dict[str, str]:
    """Measure everything, and return the parts of the page by name."""
    peak = peak_memory(GAMES["Goofspiel 5, random"])
    built, measured = [], []
    for title, spec in GAMES.items():
        repeats = 3 if title.startswith("Goofspiel 5") else 5
        form = infoset.build_tree(infoset.load(spec)).sequence_form
        evaluate_policy(random_policy(form, np.random.default_rng(0)))
        built.append([title, *building(spec, repeats)])
        measured.append([title, *measuring(form, spec, 1 if repeats == 3 else repeats)])
    return {
        "machine": f"{environment_text(environment())} OpenSpiel {version('open_spiel')}.",
        "building": f"{table(BUILDING, built)}\n\n"
        f"Peak memory of a process that builds Goofspiel 5, random: {peak}.",
        "measuring": table(["game", "infoset", "OpenSpiel C++", "ratio"], measured),
    }


BUILDING = [
    "game",
    "world states",
    "histories",
    "explore",
    "build sequence form",
    "OpenSpiel C++ (CFR table)",
    "OpenSpiel walked from Python",
    "C++ time / ours",
]


def write(made: dict[str, str]) -> None:
    """Replace the parts of the page."""
    text = PAGE.read_text(encoding="utf-8")
    for name, part in made.items():
        text = replace_part(text, f"speed.py: {name}", part)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="update docs/benchmarks.md")
    parser.add_argument(
        "--floor", action="store_true", help="measure only iterations and their bounds"
    )
    arguments = parser.parse_args()
    made = floor() if arguments.floor else parts() | floor()
    for name, part in made.items():
        print(f"\n{name}\n\n{part}")
    if arguments.write:
        write(made)
