"""Speed and NashConv of R-NaD with networks, in process time of one core.

    taskset -c 0 python benchmarks/network_training.py speed
    taskset -c 0 python benchmarks/network_training.py leduc --seed 0 --seconds 120

`speed` prints compilation and learner steps per second; the name of a game prints a curve: learner
steps, process seconds of training, and NashConv of the target network.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

from infoset.deep import PRESETS
from infoset.deep.learners import TreeLearner
from infoset.deep.rnad import NetworkRNaD
from infoset.evaluation import nash_conv
from infoset.games import load_game
from infoset.tree import build_tree

GAMES = {
    "kuhn": "kuhn_poker",
    "goofspiel4": "goofspiel(num_cards=4,imp_info=True,points_order=descending)",
    "leduc": "leduc_poker",
    "liars_dice": "liars_dice(numdice=1,dice_sides=4)",
}
OURS = PRESETS["rnad"]
SPEEDS = (
    ("kuhn", replace(OURS, batch_size=128), 5000),
    ("leduc", OURS, 1000),
    ("leduc", replace(OURS, hidden=(128, 128)), 500),
)
POINTS = {"kuhn": 500, "goofspiel4": 1000, "leduc": 5000, "liars_dice": 1000}


def learner_of(name: str, spec: NetworkRNaD, seed: int) -> tuple[TreeLearner, float]:
    """Return a compiled learner, and the process seconds of its compilation."""
    tree = build_tree(load_game(GAMES[name]))
    began = time.process_time()
    learner = TreeLearner(tree, spec, seed)
    learner.run(1)
    return learner, time.process_time() - began


def print_speeds() -> None:
    """Print one row per game and size of network."""
    print("game,hidden,batch,compile_seconds,steps_per_second,episodes_per_second")
    for name, spec, steps in SPEEDS:
        learner, compiling = learner_of(name, spec, seed=0)
        began = time.process_time()
        learner.run(steps)
        speed = steps / (time.process_time() - began)
        hidden = "x".join(map(str, spec.hidden))
        episodes = speed * spec.batch_size
        print(f"{name},{hidden},{spec.batch_size},{compiling:.1f},{speed:.0f},{episodes:.0f}")


def print_curve(name: str, seed: int, seconds: float) -> None:
    """Print the curve of NashConv of one run."""
    learner, _ = learner_of(name, OURS, seed)
    print("game,seed,steps,seconds,nash_conv")
    spent = 0.0
    while spent < seconds:
        began = time.process_time()
        learner.run(POINTS[name] - learner.iteration % POINTS[name])
        spent += time.process_time() - began
        distance = nash_conv(learner.policy())
        print(f"{name},{seed},{learner.iteration},{spent:.2f},{distance:.4f}", flush=True)


def main() -> None:
    """Parse the arguments and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("speed", *GAMES))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=10.0)
    given = parser.parse_args()
    if given.what == "speed":
        print_speeds()
    else:
        print_curve(given.what, given.seed, given.seconds)


if __name__ == "__main__":
    main()
