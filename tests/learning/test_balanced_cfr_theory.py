"""Balanced CFR: estimates by enumeration, regrets and equilibria."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.evaluation import evaluate_policy
from infoset.games import RandomGame
from infoset.learning import LEARNERS
from infoset.learning._balanced_cfr_kernels import BalancedCFRState, learn_layer
from infoset.learning._simulator_kernels import Paths
from tests.learning.playing import simulator_of
from tests.support.reference_tree import ReferenceTree, counterfactual_losses, losses_by_sequence

GAMES = [
    "kuhn_poker",
    "kuhn_poker(players=3)",
    RandomGame(seed=3, max_depth=6, max_actions=4, max_histories=300),
]


def policies_at_random(tree, seed):
    rng = np.random.default_rng(seed)
    return [rng.dirichlet(np.ones(size)) for size in tree.num_actions]


def as_paths(paths):
    length = np.array([len(path) for path in paths], np.int32)
    most = max(length.max(), 1)
    infostate, sequence = np.zeros((2, len(paths), most), np.int32)
    return Paths(length, infostate, sequence, np.zeros((len(paths), most + 1)))


def regret_of(simulator, policies, player, layer, paths, loss, center):
    """Return [S] the regret that the kernel adds for one episode."""
    rows, tree = simulator.infostates, ReferenceTree(simulator)
    given = as_paths(paths)
    for p, path in enumerate(paths):
        for step, (here, action) in enumerate(path):
            given.infostate[p, step] = here
            given.sequence[p, step] = rows.first_sequence[here] + action
    size = len(simulator.depth)
    state = BalancedCFRState(
        policy=tree.flat(policies),
        regret=np.zeros(simulator.num_sequences),
        touched=np.zeros(1, np.int32),
        baseline=np.full(size, center),
        visits=np.zeros(size),
        cumulative_plan=np.zeros(simulator.num_sequences),
        parent_counted=np.zeros(size),
    )
    numbers = np.array([0.0, -np.inf, 0.0])
    learn_layer(numbers, rows, player, layer, given, loss, state)
    return state.regret


@pytest.mark.parametrize("center", [0.0, 0.5])
@pytest.mark.parametrize("game", ["kuhn_poker", RandomGame(seed=3, max_histories=40)], ids=str)
def test_expected_regrets_are_counterfactual_regrets(game, center):
    simulator = simulator_of(game)
    tree, losses = ReferenceTree(simulator), simulator.losses()
    policies = policies_at_random(tree, 1)
    for player, count in enumerate(tree.num_layers):
        exact = counterfactual_losses(tree, policies, losses_by_sequence(tree, policies, player))
        for layer in range(count):
            exploring = tree.exploring(layer)
            expected = np.zeros(simulator.num_sequences)
            for probability, end, paths in tree.trajectories(
                lambda here, step, player=player, layer=layer, exploring=exploring: (
                    exploring if tree.player[here] == player and step <= layer else policies
                )[here]
            ):
                regret = regret_of(
                    simulator, policies, player, layer, paths, losses[end, player], center
                )
                expected += probability * regret
            for sequence, (here, action) in tree.owner.items():
                if (tree.player[here], tree.layer(here)) == (player, layer):
                    weight = tree.reach(exploring, here) / tree.num_actions[here]
                    regret = policies[here] @ exact[here] - exact[here][action]
                    assert abs(expected[sequence] / weight - regret) < 1e-12
                else:
                    assert expected[sequence] == 0


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_regret_is_the_sum_of_counterfactual_regrets(game):
    tree = ReferenceTree(simulator_of(game))
    first, second = policies_at_random(tree, 2), policies_at_random(tree, 3)
    for player in range(len(tree.num_layers)):
        losses = losses_by_sequence(tree, first, player)
        exact = counterfactual_losses(tree, first, losses)
        own = [here for here in range(tree.num_infostates) if tree.player[here] == player]
        whole = sum(
            tree.reach(first, x) * first[x] @ losses[x]
            - tree.reach(second, x) * second[x] @ losses[x]
            for x in own
        )
        parts = sum(tree.reach(second, x) * (first[x] - second[x]) @ exact[x] for x in own)
        assert abs(whole - parts) < 1e-10


def mean_nash_conv(episodes, seeds):
    """Return the mean of NashConv on Kuhn poker by Hedge with the rates of the theory."""
    found = []
    for seed in range(seeds):
        learner = LEARNERS["balanced-cfr-hedge"].self_play(
            simulator_of("kuhn_poker"), horizon=episodes, seed=seed
        )
        learner.run(episodes)
        found.append(evaluate_policy(learner.policy()).nash_conv)
    return np.mean(found)


def test_the_gap_of_hedge_falls_with_the_root_of_episodes():
    slope = np.log10(mean_nash_conv(1_000_000, 3) / mean_nash_conv(100_000, 8))
    assert -0.60 < slope < -0.40


@pytest.mark.parametrize("name", ["balanced-cfr-hedge", "balanced-cfr-rm", "balanced-cfr-baseline"])
def test_three_players_approach_a_coarse_correlated_equilibrium(name):
    simulator = simulator_of("kuhn_poker(players=3)")
    tree, horizon, parts = ReferenceTree(simulator), 30_000, 10
    learner = LEARNERS[name].self_play(simulator, horizon=horizon, seed=1)
    losses = [[np.zeros(size) for size in tree.num_actions] for _ in range(3)]
    paid = np.zeros(3)
    for _ in range(parts):
        sequences = learner.state()["policy"]
        first = simulator.infostates.first_sequence
        policies = [
            sequences[f : f + n].copy() for f, n in zip(first, tree.num_actions, strict=True)
        ]
        for player in range(3):
            for here, loss in enumerate(losses_by_sequence(tree, policies, player)):
                losses[player][here] += loss / parts
                paid[player] += tree.reach(policies, here) * policies[here] @ loss / parts
        learner.run(horizon // parts)
    gaps = [paid[player] - least_loss(tree, losses[player], player) for player in range(3)]
    assert -1e-9 < max(gaps) < 0.07


def least_loss(tree, losses, player):
    """Return the minimum loss of any policy against the losses by sequence."""
    best = [loss.copy() for loss in losses]
    total = 0.0
    for here in reversed(range(tree.num_infostates)):
        if tree.player[here] == player:
            least = best[here].min()
            if tree.above[here]:
                above, action = tree.above[here][-1]
                best[above][action] += least
            else:
                total += least
    return total
