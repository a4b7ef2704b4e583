"""Time the episodes of every learner and of those in OpenSpiel and LiteEFG, alternately.

    python -m pip install -e '.[test]'
    python benchmarks/learning_speed.py                # print
    python benchmarks/learning_speed.py --write        # also update its page
    python benchmarks/learning_speed.py --games kuhn_poker --cache FOLDER

An episode is one play of the game in which all learning players of the method learn and the average
policy is updated. For external, chance and average-strategy sampling it is one traversal. Times are
processor times on one core, as medians over the rounds; ratios are computed within one run. LiteEFG
is installed into a separate environment, as by `peers.py`. The learners of LiteEFG and OpenSpiel
are called from Python once per iteration.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import pyspiel
from comparison.conversation import WORKERS, Conversation, PeerError
from comparison.environment import PeerEnvironment, default_folder
from comparison.forms import GameFiles
from report import DOCS, environment, environment_text, replace_part, table

from infoset.games import load_game
from infoset.learning import LEARNERS, AutoLearner, Simulator, make_simulator
from infoset.tree import build_tree

PAGE = DOCS / "learning" / "speed.md"
GAMES = {
    "kuhn_poker": "Kuhn poker",
    "leduc_poker": "Leduc poker",
    "liars_dice": "liar's dice 1×6",
}
LITEEFG = "LiteEFG==1.0.0"
IN_LITEEFG = {
    "ixomd": ("IXOMD", 1),
    "balanced-omd": ("Balanced_OMD", 1),
    "balanced-ftrl": ("Balanced_FTRL", 1),
    "os-mccfr-balanced": ("OS_MCCFR", 2),
}
"""Name of each learner in the peer, and the number of episodes per iteration."""
HORIZON = 1_000_000
TURN_SECONDS = 0.1
TURNS = 7
MOST_SECONDS = 120.0

Run: TypeAlias = Callable[[int], float]
"""Plays the given number of episodes and returns their seconds."""


def main() -> None:
    """Measure, print, and update the page if requested."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="*", default=list(GAMES), choices=list(GAMES))
    parser.add_argument("--cache", type=Path, default=default_folder(), help="folder for LiteEFG")
    parser.add_argument("--write", action="store_true", help="update the tables of the page")
    arguments = parser.parse_args()
    peers = PeerEnvironment(arguments.cache)
    peers.install(LITEEFG)
    found = {game: measure(game, peers) for game in arguments.games}
    part = f"{tables(found)}\n\n{environment_text(environment())}"
    print(part)
    if arguments.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(replace_part(page, "learning_speed.py", part), encoding="utf-8")


def measure(game: str, peers: PeerEnvironment) -> dict[str, float]:
    """Return the seconds per episode, by learner or by peer and learner."""
    tree = build_tree(load_game(game))
    sides = {**our_sides(make_simulator(tree)), **openspiel_sides(game)}
    with ExitStack() as stack, TemporaryDirectory() as folder:
        if LITEEFG not in peers.missing:
            files = GameFiles(tree, Path(folder))
            sides |= liteefg_sides(files, peers, stack)
        counts = {name: warm(run) for name, run in sides.items()}
        times: dict[str, list[float]] = {name: [] for name in sides}
        for _ in range(TURNS):
            for name, run in sides.items():
                times[name].append(run(counts[name]) / counts[name])
    return {name: median(turns) for name, turns in times.items()}


def warm(run: Run) -> int:
    """Play once to compile; return the number of episodes per round."""
    run(2)
    count, seconds = 2, 0.0
    while seconds < TURN_SECONDS:
        count = 2 * count
        seconds = run(count)
    return max(1, int(count * TURN_SECONDS / seconds))


def processor_seconds(work: Callable[[], object]) -> float:
    """Return the processor seconds of some work."""
    started = time.process_time()
    work()
    return time.process_time() - started


def our_sides(simulator: Simulator) -> dict[str, Run]:
    """Return all learners of the library."""

    def side(name: str) -> Run:
        learning = LEARNERS[name].self_play(simulator, horizon=HORIZON)
        return lambda count: processor_seconds(lambda: learning.run(count))

    return {name: side(name) for name, row in LEARNERS.items() if not isinstance(row, AutoLearner)}


def openspiel_sides(game: str) -> dict[str, Run]:
    """Return OpenSpiel's compiled samplers, whose iterations have one episode per player."""
    spiel = pyspiel.load_game(game)
    solvers = {
        "OpenSpiel os-mccfr": pyspiel.OutcomeSamplingMCCFRSolver(spiel, 0.6, 0),
        "OpenSpiel es-mccfr": pyspiel.ExternalSamplingMCCFRSolver(spiel, 0),
    }

    def side(solver: Any) -> Run:
        def play(count: int) -> None:
            for _ in range(-(-count // 2)):
                solver.run_iteration()

        return lambda count: processor_seconds(lambda: play(count))

    return {name: side(solver) for name, solver in solvers.items()}


def liteefg_sides(files: GameFiles, peers: PeerEnvironment, stack: ExitStack) -> dict[str, Run]:
    """Return LiteEFG's learners, each in a process that the stack closes."""
    sides: dict[str, Run] = {}
    for name, (learner, episodes) in IN_LITEEFG.items():
        talk = Conversation(peers.python, WORKERS / "liteefg_learning_worker.py", files.folder)
        stack.enter_context(talk)
        try:
            talk.ask("build", MOST_SECONDS, game=files.liteefg, learner=learner)
            sides[f"LiteEFG {name}"] = liteefg_side(talk, episodes)
        except PeerError as error:
            print(f"LiteEFG's {learner} is left out: {error}")
    return sides


def liteefg_side(talk: Conversation, episodes: int) -> Run:
    """Return one learner of LiteEFG with the given number of episodes per iteration."""

    def run(count: int) -> float:
        answer = talk.ask("run", MOST_SECONDS, iterations=-(-count // episodes))
        return float(answer["seconds"])

    return run


def tables(found: dict[str, dict[str, float]]) -> str:
    """Return the tables of episodes per second, for our learners and for the peers with ratios."""
    names = next(iter(found.values()))
    titles = [GAMES[game] for game in found]
    ours = [name for name in names if " " not in name]
    speeds = table(
        ["learner", *titles],
        [[f"`{name}`", *(speed(times[name]) for times in found.values())] for name in ours],
    )
    peers = [name for name in names if " " in name]
    ratios = table(["peer", *titles], [[name, *compared(name, found)] for name in peers])
    return f"{speeds}\n\n{ratios}"


def compared(peer: str, found: dict[str, dict[str, float]]) -> Sequence[str]:
    """Return by game the speed of a peer and the ratio of our speed to it."""
    ours = peer.split()[-1]
    return [
        f"{speed(times[peer])}: ours {shortly(times[peer] / times[ours])} times as fast"
        if peer in times
        else "-"
        for times in found.values()
    ]


def shortly(ratio: float) -> str:
    """Return a ratio with two significant digits, without an exponent."""
    rounded = float(f"{ratio:.2g}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:g}"


def speed(seconds: float) -> str:
    """Return the episodes per second, given the time of one."""
    per_second = 1.0 / seconds
    if per_second >= 1e6:
        return f"{per_second / 1e6:.3g} million"
    return f"{per_second:,.0f}"


if __name__ == "__main__":
    main()
