"""Balanced weights: published numbers, brute-force counts, and theorems."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.games import RandomGame
from infoset.learning.balance import (
    balanced_reach,
    balanced_transitions,
    layer_counts,
    layer_policies,
    subtree_policy,
    subtree_sizes,
)
from tests.learning.playing import simulator_of
from tests.support.reference_tree import ReferenceTree

UNEVEN = [RandomGame(seed=seed, max_depth=6, max_actions=4, max_histories=300) for seed in range(6)]
GAMES = ["kuhn_poker", "kuhn_poker(players=3)", "leduc_poker", *UNEVEN]


def values_of_layer(simulator, layer, player, values):
    """Return the different values [I] of a layer of a player, rounded, in order."""
    own = (simulator.infostates.player == player) & (simulator.depth == layer)
    return sorted({round(float(value), 6) for value in values[own]})


def random_policy(simulator, rng):
    """Return [S] a policy drawn at random, often nearly pure."""
    policy = simulator.uniform()
    rows = simulator.infostates
    for first, count in zip(rows.first_sequence, rows.num_actions, strict=True):
        policy[first : first + count] = rng.dirichlet(np.full(count, 0.3))
    return policy


def plan_of(simulator, policy):
    """Return [S] the own reach of sequences."""
    plan, rows = np.ones_like(policy), simulator.infostates
    for first, count, parent in zip(
        rows.first_sequence, rows.num_actions, rows.parent_sequence, strict=True
    ):
        own = slice(first, first + count)
        plan[own] = plan[parent] * policy[own]
    return plan


def covered(simulator, policy, layer, player):
    """Return Σ reach / μ*ʰ₁:ₕ over the sequences of a layer of a player."""
    rows, plan = simulator.infostates, plan_of(simulator, policy)
    weight = balanced_reach(rows, simulator.depth)
    own = np.flatnonzero((rows.player == player) & (simulator.depth == layer))
    return sum(
        plan[rows.first_sequence[x] : rows.first_sequence[x] + rows.num_actions[x]].sum()
        / weight[x]
        for x in own
    )


def most_covered(simulator, layer, player):
    """Return the maximum coverage of a layer by a pure policy, by dynamic programming."""
    rows = simulator.infostates
    weight = balanced_reach(rows, simulator.depth)
    below = np.zeros(simulator.num_sequences)
    for x in reversed(np.flatnonzero(rows.player == player)):
        own = slice(rows.first_sequence[x], rows.first_sequence[x] + rows.num_actions[x])
        here = below[own] + (1 / weight[x] if simulator.depth[x] == layer else 0)
        below[rows.parent_sequence[x]] += here.max()
    return below[rows.root_sequence[player]]


def test_kuhn_poker_has_the_weights_of_the_paper():
    simulator = simulator_of("kuhn_poker")
    assert np.allclose(balanced_reach(simulator.infostates, simulator.depth), 0.5, atol=1e-15)
    assert simulator.max_decisions.tolist() == [2, 1]


def test_leduc_poker_has_the_counts_of_the_paper():
    simulator = simulator_of("leduc_poker")
    rows = simulator.infostates
    counts = layer_counts(rows, simulator.depth)
    assert counts[:, rows.root_sequence].T.tolist() == [[12, 150, 480, 450], [30, 612, 390, 60]]
    first = rows.first_sequence[0]
    split = {tuple(counts[:, first + action]) for action in range(rows.num_actions[0])}
    assert split == {(1, 13, 45, 50), (1, 12, 35, 25)}


def test_leduc_poker_has_the_weights_of_the_paper():
    simulator = simulator_of("leduc_poker")
    inverse = 1 / balanced_reach(simulator.infostates, simulator.depth)
    expected = [
        [
            [2],
            [3.846154, 4.166667, 5.769231],
            [4.571429, 7.111111, 8.888889, 11.428571],
            [15],
        ],
        [
            [2, 3],
            [3.851852, 4, 4.16, 5.777778, 6, 6.24],
            [2.571429, 3.857143, 4, 9],
            [2],
        ],
    ]
    for player, layers in enumerate(expected):
        for layer, values in enumerate(layers):
            assert values_of_layer(simulator, layer, player, inverse) == values


@pytest.mark.parametrize("game", ["kuhn_poker", *UNEVEN], ids=str)
def test_counts_equal_those_of_brute_force(game):
    simulator = simulator_of(game)
    rows, depth, tree = simulator.infostates, simulator.depth, ReferenceTree(simulator_of(game))
    counts, sizes = layer_counts(rows, depth), subtree_sizes(rows, depth)
    policies = layer_policies(rows, depth)
    for sequence, (here, action) in tree.owner.items():
        assert sizes[sequence] == tree.sequences_below(here, action)
        assert counts[:, sequence].tolist() == [
            tree.sequences_below(here, action, layer) for layer in range(len(counts))
        ]
    for layer, policy in enumerate(policies):
        assert np.allclose(policy, tree.flat(tree.exploring(layer)), atol=1e-15)
    assert np.allclose(subtree_policy(rows, depth), tree.flat(tree.by_subtree()), atol=1e-15)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_layers_hold_every_sequence_once(game):
    simulator = simulator_of(game)
    rows = simulator.infostates
    counts = layer_counts(rows, simulator.depth)[:, rows.root_sequence].sum(axis=0)
    assert counts.tolist() == [plex.num_sequences - 1 for plex in simulator.form.treeplexes]


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_reach_is_that_of_the_balanced_policies(game):
    simulator = simulator_of(game)
    rows, depth = simulator.infostates, simulator.depth
    weight = balanced_reach(rows, depth)
    for layer, policy in enumerate(layer_policies(rows, depth)):
        plan = plan_of(simulator, policy)
        for x in np.flatnonzero(depth == layer):
            own = plan[rows.first_sequence[x] : rows.first_sequence[x] + rows.num_actions[x]]
            assert np.allclose(own, weight[x], rtol=1e-12)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_balancing_property(game):
    simulator = simulator_of(game)
    sizes = layer_counts(simulator.infostates, simulator.depth)[
        :, simulator.infostates.root_sequence
    ]
    rng = np.random.default_rng(5)
    policies = [random_policy(simulator, rng) for _ in range(5)]
    for (layer, player), size in np.ndenumerate(sizes):
        if not size:
            continue
        assert abs(most_covered(simulator, layer, player) - size) < 1e-9
        for policy in policies:
            assert covered(simulator, policy, layer, player) <= size + 1e-9


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_balanced_policies_cover_their_own_layer_in_full(game):
    simulator = simulator_of(game)
    rows, depth = simulator.infostates, simulator.depth
    sizes = layer_counts(rows, depth)[:, rows.root_sequence]
    for layer, policy in enumerate(layer_policies(rows, depth)):
        for player, size in enumerate(sizes[layer]):
            assert abs(covered(simulator, policy, layer, player) - size) < 1e-9


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_distance_of_any_policy_to_the_uniform_one_is_bounded(game):
    simulator = simulator_of(game)
    rows, depth = simulator.infostates, simulator.depth
    weight, rng = balanced_reach(rows, depth), np.random.default_rng(2)
    for policy in [random_policy(simulator, rng) for _ in range(5)]:
        plan, distance = plan_of(simulator, policy), np.zeros(simulator.num_players)
        for x in range(len(depth)):
            own = slice(rows.first_sequence[x], rows.first_sequence[x] + rows.num_actions[x])
            gained = plan[own] @ np.log(np.maximum(policy[own], 1e-300) * rows.num_actions[x])
            distance[rows.player[x]] += gained / weight[x]
        for player, plex in enumerate(simulator.form.treeplexes):
            most = plex.num_actions.max(initial=1)
            assert -1e-12 <= distance[player] <= (plex.num_sequences - 1) * np.log(most) + 1e-9


def most_met(simulator, player):
    """Return the maximum of Σ A(x) p(x) / p*(x) over chance and opponents."""
    rows = simulator.infostates
    inverse = 1 / balanced_transitions(rows, simulator.depth)
    best = np.zeros(simulator.num_sequences)
    for x in reversed(np.flatnonzero(rows.player == player)):
        own = slice(rows.first_sequence[x], rows.first_sequence[x] + rows.num_actions[x])
        here = rows.num_actions[x] * inverse[x] + best[own].sum()
        parent = rows.parent_sequence[x]
        best[parent] = max(best[parent], here)
    return best[rows.root_sequence[player]]


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_dual_balancing_property(game):
    simulator = simulator_of(game)
    for player, plex in enumerate(simulator.form.treeplexes):
        assert abs(most_met(simulator, player) - (plex.num_sequences - 1)) < 1e-9
