"""Time of re-solving: single searches and whole policies on trees, and decisions by rules.

    taskset -c 0 python benchmarks/resolving_speed.py trees
    taskset -c 0 python benchmarks/resolving_speed.py choices
    taskset -c 0 python benchmarks/resolving_speed.py leaves
    taskset -c 0 python benchmarks/resolving_speed.py rules

`trees` prints the time of a search in the second round of Leduc poker (1000 iterations, with the
gadget form), and of the policies of both players at all public states of Leduc poker and of
Goofspiel with five cards. `choices` prints the time of these policies for each kind of opponent's
values and two gadgets, with the ratio to the default, and `leaves` for each leaf rule. `rules`
trains a network and a critic for a minute each, plays games of Goofspiel with 13 cards and of
battleship on 5x5 cells, and prints the time and the kind of each decision. Kernels are compiled
first. Times are those of the process.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from infoset.evaluation import nash_conv, transformed_values
from infoset.game import Game, History, Infostate, initial_history
from infoset.games import load_game
from infoset.policy import (
    TRANSFORMATIONS,
    Policy,
    TabularPolicy,
    Transformation,
    constant_transformations,
)
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.resolving import LEAF_RULES, OPPONENT_VALUES, ContinualResolving
from infoset.search import RulesModel
from infoset.solvers.regret_family import average_policy
from infoset.tree import GameTree, build_tree
from infoset.typing import NOOP

GOOFSPIEL_5 = "goofspiel(num_cards=5,imp_info=True,points_order=descending,returns_type=win_loss)"
GOOFSPIEL_13 = "goofspiel(num_cards=13,imp_info=True,points_order=descending)"
BATTLESHIP = (
    "battleship(board_width=5,board_height=5,ship_sizes=[3;2;2],ship_values=[1;1;1],num_shots=-1,"
    "allow_repeated_shots=False,payoff=win_loss)"
)
TRAINING_SECONDS = 60.0
NUM_GAMES = 3
NUM_REPEATS = 3


def blueprint_of(tree: GameTree, iterations: int) -> TabularPolicy:
    """Return the average policy of CFR+ after some iterations."""
    minimizer = RegretMinimizer(tree.sequence_form, SCHEMES["cfr+"])
    minimizer.run(iterations)
    return average_policy(minimizer)


def single_search() -> None:
    """Print the median time of a search in the second round of Leduc poker."""
    tree = build_tree(load_game("leduc_poker"))
    blueprint = blueprint_of(tree, 20)
    rows = constant_transformations(["fold", "call", "raise"], "call")
    values = transformed_values(tree, blueprint, rows)
    own = tree.infostate_trees[0]
    times = []
    for number in own.acting[-20:].tolist():  # infostates of the second round
        search = ContinualResolving(tree, blueprint, values, depth=None, iterations=1000)
        infostate = own.infostate_at(number)
        for length, step in enumerate(infostate.steps):
            if step.action is not NOOP:  # the searches before are not part of the decision
                before = Infostate(0, infostate.steps[:length])
                search.search(before, np.random.default_rng(0))
        began = process_time()
        search.search(infostate, np.random.default_rng(0))
        times.append(process_time() - began)
    print(f"leduc_poker, one search, 1000 iterations: {1000 * median(times):.1f} ms")


def whole_policy(name: str, iterations: int, depth: int | None) -> None:
    """Print the time of the policy of both players at all public states."""
    tree = build_tree(load_game(name))
    blueprint = blueprint_of(tree, 20)
    values = transformed_values(tree, blueprint, TRANSFORMATIONS)
    for kept in (False, True):  # the first pass compiles
        search = ContinualResolving(tree, blueprint, values, depth=depth, iterations=iterations)
        began = process_time()
        policy = search.search_policy()
        if kept:
            taken = process_time() - began
            print(
                f"{name}, all public states, depth {depth}, {iterations} iterations: {taken:.2f} s,"
                f" NashConv {nash_conv(blueprint):.4f} -> {nash_conv(policy):.4f}"
            )


def choices(name: str, rows: Sequence[Transformation], kinds: Sequence[Mapping[str, str]]) -> None:
    """Print the time of whole policies by options, with the ratio to the first ones."""
    tree = build_tree(load_game(name))
    blueprint = blueprint_of(tree, 20)
    pairs = any("leaf_rule" in options for options in kinds)
    values = transformed_values(tree, blueprint, rows, pairs=pairs)
    times: dict[str, float] = {}
    for _ in range(NUM_REPEATS):
        for options in kinds:  # alternating, so that all meet the same disturbances
            settings: dict[str, Any] = {"depth": 2, "iterations": 300, **options}
            search = ContinualResolving(tree, blueprint, values, **settings)
            began = process_time()
            search.search_policy()
            taken, name_of = process_time() - began, " ".join(options.values())
            times[name_of] = min(taken, times.get(name_of, taken))
    print(f"{name}, {len(rows)} transformations, depth 2, 300 iterations")
    first = next(iter(times.values()))
    for name_of, taken in times.items():
        print(f"  {name_of:34} {taken:6.2f} s {taken / first:6.2f}")


def play(game: Game, search: ContinualResolving, blueprint: Policy, seed: int) -> list[float]:
    """Play the search as player 0 against its blueprint, and return the times of its decisions."""
    rng = np.random.default_rng(seed)
    history: History = initial_history(game)
    times = []
    while not history.is_terminal:
        chosen = {}
        for player in history.actors:
            legal = history.legal_actions(player)
            policy = blueprint if player else search
            began = process_time()
            probabilities = policy.action_probabilities(history.infostates[player], legal)
            if not player:
                times.append(process_time() - began)
            chosen[player] = legal[rng.choice(len(legal), p=probabilities / probabilities.sum())]
        history = history.sample(history.joint(chosen), rng)
    return times


def decisions(name: str) -> None:
    """Print the times and kinds of decisions by rules, with a network and its critic."""
    from infoset.deep import train

    game = load_game(name)
    result = train(
        game, build=False, seconds=TRAINING_SECONDS, critic="expected-backup", response_steps=0
    )
    times: list[float] = []
    methods: Counter[str] = Counter()
    for seed in range(NUM_GAMES + 1):
        search = ContinualResolving(RulesModel(game), result.policy, result.critic, seed=seed)
        found = play(game, search, result.policy, seed)
        if seed:  # the first game compiles
            times += found
            methods += search.methods
    searched = (methods["complete"] + methods["sample"]) / methods.total()
    print(
        f"{name}: {len(times)} decisions, median {median(times):.2f} s, longest {max(times):.2f} s;"
        f" {searched:.0%} searched ({dict(methods)})",
        flush=True,
    )


def main() -> None:
    """Run the benchmark that the command line names."""
    if sys.argv[1:] == ["trees"]:
        single_search()
        for depth in (1, None):
            whole_policy("leduc_poker", 300, depth)
        for depth in (1, 2, None):
            whole_policy(GOOFSPIEL_5, 500, depth)
    elif sys.argv[1:] == ["choices"]:
        kinds = [
            {"gadget": gadget, "opponent": opponent}
            for gadget, opponent in product(("resolving", "reach-max-margin"), OPPONENT_VALUES)
        ]
        for name in ("leduc_poker", GOOFSPIEL_5):
            choices(name, TRANSFORMATIONS, kinds)
    elif sys.argv[1:] == ["leaves"]:
        kinds = [{"leaf_rule": rule} for rule in LEAF_RULES]
        choices("leduc_poker", constant_transformations(["fold", "call", "raise"], "call"), kinds)
        choices(GOOFSPIEL_5, TRANSFORMATIONS, kinds)
    elif sys.argv[1:] == ["rules"]:
        for name in (GOOFSPIEL_13, BATTLESHIP):
            decisions(name)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
