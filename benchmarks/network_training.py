"""Speed and NashConv of R-NaD with networks, in process time of one core.

    taskset -c 0 python benchmarks/network_training.py speed
    taskset -c 0 python benchmarks/network_training.py random-play
    taskset -c 0 python benchmarks/network_training.py curves --write
    taskset -c 0 python benchmarks/network_training.py critic
    taskset -c 0 python benchmarks/network_training.py together

`speed` prints compilation and learner steps per second, `random-play` the episodes per second of
rules in JAX without a network. `curves` measures NashConv of the target network by process seconds
of training, for every game, variant and seed that `docs/networks/curves.csv` does not contain.
`critic` trains critics of networks for Leduc poker for a minute each, and writes their errors, in
chips and weighted by reach, to `docs/networks/critic.csv`. `together` trains networks and critics
together, and writes NashConv without search and with it to `docs/networks/together.csv`.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import inf
from pathlib import Path

import jax
import jax.numpy as jnp

from infoset.deep import PRESETS, NetworkRNaD, device_game, train, train_critic
from infoset.deep.device_play import roll_out
from infoset.deep.episodes import Rows
from infoset.deep.learners import TreeLearner
from infoset.evaluation import nash_conv, transformed_values
from infoset.games import load_game
from infoset.policy import constant_transformations
from infoset.tree import build_tree

CURVES = Path(__file__).parents[1] / "docs" / "networks" / "curves.csv"
CRITIC = CURVES.with_name("critic.csv")
CRITIC_COLUMNS = ("method", "seed", "nash_conv", "steps", "mean", "max")
BLUEPRINT_STEPS = 10_000
CRITIC_METHODS = ("expected-backup", "v-trace", "v-trace-shared")
TOGETHER = CURVES.with_name("together.csv")
TOGETHER_COLUMNS = (
    "preset",
    "critic",
    "seed",
    "nash_conv",
    "depth_1",
    "depth_2",
    "mean",
    "seconds",
)
TOGETHER_STEPS = 5000
COLUMNS = ("game", "variant", "seed", "steps", "seconds", "nash_conv")

GAMES = {
    "kuhn": "kuhn_poker",
    "goofspiel4": "goofspiel(num_cards=4,imp_info=True,points_order=descending)",
    "leduc": "leduc_poker",
    "liars_dice": "liars_dice(numdice=1,dice_sides=4)",
}
OURS, EXPECTED = PRESETS["rnad"], PRESETS["rnad-expected"]
VARIANTS: dict[str, NetworkRNaD] = {
    **PRESETS,
    "rnad, 128x128": replace(OURS, hidden=(128, 128)),
    "rnad, batch 2048": replace(OURS, batch_size=2048),
    "rnad, constant learning rate": replace(OURS, halving_steps=inf),
    "rnad, regularizer not mixed": replace(OURS, uniform_weight=0.0),
    "rnad, beta 6": replace(OURS, beta=6.0),
    "rnad-expected, beta 6": replace(EXPECTED, beta=6.0),
    "rnad-expected, constant learning rate": replace(EXPECTED, halving_steps=inf),
}
SHORT = ("rnad", "rnad-expected", "rnad-paper", "rnad-openspiel")
LONG = ("rnad", "rnad-expected", "rnad-large")
RUNS = (
    *(("leduc", name, 5, 120.0) for name in ("rnad", "rnad-expected")),
    *((game, name, 3, 10.0) for game in ("kuhn", "goofspiel4", "liars_dice") for name in SHORT),
    *(("leduc", name, 1, 60.0) for name in VARIANTS if name not in LONG),
    ("leduc", "rnad-large", 5, 300.0),
)
"""Games and variants with the number of seeds and the process seconds of each run."""

SPEEDS = (
    ("kuhn", replace(OURS, batch_size=128), 5000),
    ("leduc", OURS, 1000),
    ("leduc", replace(OURS, hidden=(128, 128)), 500),
    ("leduc", EXPECTED, 1000),
)
RANDOM_PLAY = (
    "kuhn_poker",
    "leduc_poker",
    "liars_dice",
    "goofspiel(num_cards=13,imp_info=True)",
    "goofspiel(num_cards=13,points_order=random)",
    "dark_hex",
    "phantom_ttt",
    "battleship(board_width=5,board_height=5,ship_sizes=[2,3],ship_values=[1,1])",
    "battleship",
)
BATCH = 4096


def learner_of(name: str, spec: NetworkRNaD, seed: int) -> tuple[TreeLearner, float]:
    """Return a compiled learner, and the process seconds of its compilation."""
    tree = build_tree(load_game(GAMES[name]))
    began = time.process_time()
    learner = TreeLearner(tree, spec, seed)
    learner.run(1)
    return learner, time.process_time() - began


def print_speeds() -> None:
    """Print one row per game, preset and size of network."""
    print("game,preset,hidden,batch,compile_seconds,steps_per_second,episodes_per_second")
    for name, spec, steps in SPEEDS:
        learner, compiling = learner_of(name, spec, seed=0)
        began = time.process_time()
        learner.run(steps)
        speed = steps / (time.process_time() - began)
        hidden = "x".join(map(str, spec.hidden))
        episodes = speed * spec.batch_size * spec.is_sampled
        print(
            f"{name},{spec.name},{hidden},{spec.batch_size},{compiling:.1f},{speed:.0f},"
            f"{episodes:.0f}"
        )


def print_random_play() -> None:
    """Print episodes per second of uniform play, without a network."""
    print("game,compile_seconds,episodes_per_second")

    def uniform(rows: Rows) -> jax.Array:
        return jnp.zeros(rows.legal.shape, jnp.float32)

    for name in RANDOM_PLAY:
        device = device_game(name)
        play = jax.jit(
            lambda key, device=device: roll_out(device, uniform, key, BATCH).rewards.sum()
        )
        began = time.process_time()
        jax.block_until_ready(play(jax.random.key(0)))
        compiling, episodes = time.process_time() - began, 0
        began = time.process_time()
        while time.process_time() - began < 2.0:
            jax.block_until_ready(play(jax.random.key(episodes)))
            episodes += BATCH
        speed = episodes / (time.process_time() - began)
        print(f'"{name}",{compiling:.1f},{speed:.0f}', flush=True)


def curve(name: str, variant: str, seed: int, seconds: float) -> Iterator[tuple[object, ...]]:
    """Yield the points of one run, about every 3 percent of its time."""
    learner, _ = learner_of(name, VARIANTS[variant], seed)
    spent, due = 0.0, 0.0
    while spent < seconds:
        due = min(seconds, spent * 1.15 + seconds / 200)
        while spent < due:
            began = time.process_time()
            learner.run(20)
            spent += time.process_time() - began
        distance = nash_conv(learner.policy())
        yield name, variant, seed, learner.iteration, round(spent, 2), round(distance, 4)


def measure_curves(*, write: bool) -> None:
    """Measure the curves that are missing, or print which they are."""
    done = set()
    if CURVES.exists():
        with CURVES.open(encoding="utf-8", newline="") as file:
            done = {(row["game"], row["variant"], row["seed"]) for row in csv.DictReader(file)}
    for name, variant, seeds, seconds in RUNS:
        for seed in range(seeds):
            if (name, variant, str(seed)) in done:
                continue
            print(name, variant, seed, f"{seconds:g} s", flush=True)
            if write:
                rows = list(curve(name, variant, seed, seconds))
                is_new = not CURVES.exists()
                with CURVES.open("a", encoding="utf-8", newline="") as file:
                    writer = csv.writer(file, lineterminator="\n")
                    writer.writerows([COLUMNS, *rows] if is_new else rows)


def measure_critics() -> None:
    """Write one row per seed of the blueprint and method of the critic."""
    tree = build_tree(load_game("leduc_poker"))
    rows = constant_transformations(["fold", "call", "raise"], "call")
    with CRITIC.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(CRITIC_COLUMNS)
        for seed in range(5):
            run = train(tree, "rnad", steps=BLUEPRINT_STEPS, seed=seed).run
            assert run is not None
            exact = transformed_values(tree, run.policy, rows)
            for method in CRITIC_METHODS[:2]:
                critic = train_critic(tree, run.policy, rows, method, seconds=60.0, seed=seed)
                errors = critic.tabulate(tree).errors(exact, run.policy)
                row = (
                    method,
                    seed,
                    run.nash_conv,
                    critic.steps,
                    float(errors.mean()),
                    float(errors.max()),
                )
                writer.writerow(round(x, 4) if isinstance(x, float) else x for x in row)
                file.flush()
                print(*row, flush=True)


def measure_together() -> None:
    """Write one row per preset, method of the critic and seed."""
    tree = build_tree(load_game("leduc_poker"))
    with TOGETHER.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(TOGETHER_COLUMNS)
        for preset, seed, method in product(("rnad", "ppo", "mmd"), range(3), CRITIC_METHODS):
            began = time.process_time()
            found = train(tree, preset, steps=TOGETHER_STEPS, seed=seed, critic=method)
            seconds = time.process_time() - began
            assert found.run is not None
            assert found.critic is not None
            assert found.critic_report is not None
            exact = transformed_values(tree, found.run.policy, found.critic.transformations)
            errors = found.critic.tabulate(tree).errors(exact, found.run.policy)
            search = found.critic_report.search_nash_conv
            numbers = (found.run.nash_conv, search[1], search[2], float(errors.mean()))
            row = (preset, method, seed, *(round(x, 3) for x in numbers), round(seconds))
            writer.writerow(row)
            file.flush()
            print(*row, flush=True)


def main() -> None:
    """Parse the arguments and do what they say."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("speed", "random-play", "curves", "critic", "together"))
    parser.add_argument("--write", action="store_true", help="measure missing curves")
    given = parser.parse_args()
    if given.what == "speed":
        print_speeds()
    elif given.what == "random-play":
        print_random_play()
    elif given.what == "critic":
        measure_critics()
    elif given.what == "together":
        measure_together()
    else:
        measure_curves(write=given.write)


if __name__ == "__main__":
    main()
