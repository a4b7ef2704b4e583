"""Simulators: decision nodes and episodes agree with the game."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.evaluation import expected_values
from infoset.games import load_game
from infoset.learning._simulator_kernels import play
from infoset.learning.simulator import make_simulator
from infoset.tree import build_tree
from infoset.tree.decision_nodes import CHANCE_NODE, TERMINAL_NODE
from infoset.utils.compilation import kernel
from infoset.utils.splitmix import make_stream
from tests.learning.reference_mirror_descent import Draws, own_sequences
from tests.learning.reference_mirror_descent import play as play_slowly
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games

GAMES = ["kuhn_poker", "kuhn_poker(players=3)", "leduc_poker", "goofspiel(num_cards=3)"]


@kernel
def play_many(nodes, infostates, policy, stream, paths, ends):
    for episode in range(len(ends)):
        ends[episode] = play(nodes, infostates, policy, -1, policy, 0.0, 0, stream, paths)


def random_policy(simulator, seed):
    rng = np.random.default_rng(seed)
    policy = np.ones(simulator.num_sequences)
    for here in range(len(simulator.depth)):
        own = own_sequences(simulator, here)
        policy[own] = rng.dirichlet(np.full(own.stop - own.start, 0.5))
    return policy


def chances(nodes, node):
    """Return chance probabilities at a node, from the tables used for sampling."""
    children = slice(nodes.first[node], nodes.first[node] + nodes.num_children[node])
    shares = nodes.keep[children].copy()
    np.add.at(shares, nodes.other[children], 1.0 - nodes.keep[children])
    return shares / nodes.num_children[node]


def reaches(simulator, policy):
    """Return [Z] the probability of each terminal node."""
    nodes = simulator.nodes
    reach = np.zeros(len(nodes.kind))
    reach[0] = 1.0
    for node, here in enumerate(nodes.kind):
        if here == TERMINAL_NODE:
            continue
        shares = (
            chances(nodes, node) if here == CHANCE_NODE else policy[own_sequences(simulator, here)]
        )
        first = nodes.first[node]
        reach[first : first + nodes.num_children[node]] = reach[node] * shares
    return reach[nodes.kind == TERMINAL_NODE]


def assert_same_values(tree, seed):
    simulator = make_simulator(tree)
    policy = random_policy(simulator, seed)
    values = reaches(simulator, policy) @ simulator.utility
    np.testing.assert_allclose(values, expected_values(simulator.policy(policy)), atol=1e-12)


@pytest.mark.parametrize("game", GAMES)
def test_values_on_decision_nodes_agree_with_the_game(game):
    assert_same_values(build_tree(load_game(game)), seed=1)


@settings(max_examples=12)
@given(random_games(), st.integers(0, 99))
def test_values_on_decision_nodes_agree_in_random_games(game, seed):
    assert_same_values(build_tree(game), seed)


def test_chance_probabilities_are_exact():
    simulator = make_simulator(build_tree(load_game("leduc_poker(suit_isomorphism=true)")))
    nodes = simulator.nodes
    drawn = [sorted(chances(nodes, n)) for n in np.flatnonzero(nodes.kind == CHANCE_NODE)]
    assert len({tuple(np.round(shares, 12)) for shares in drawn}) > 1
    for shares in drawn:
        np.testing.assert_allclose(np.array(shares) * 60, np.round(np.array(shares) * 60))


def test_losses_are_between_0_and_1_and_fall_as_utilities_rise():
    simulator = make_simulator(cached_tree("leduc_poker"))
    losses = simulator.losses()
    assert (losses.min(), losses.max()) == (0.0, 1.0)
    np.testing.assert_allclose(losses * 26, 13 - simulator.utility, atol=1e-12)


def test_simultaneous_players_do_not_see_each_other():
    simulator = make_simulator(cached_tree("goofspiel(num_cards=2)"))
    nodes = simulator.nodes
    first = nodes.kind[0] if nodes.kind[0] >= 0 else nodes.kind[nodes.first[0]]
    root = int(np.flatnonzero(nodes.kind == first)[0])
    followers = nodes.kind[nodes.first[root] : nodes.first[root] + 2]
    assert followers[0] == followers[1] >= 0
    assert simulator.infostates.player[followers[0]] == 1


@pytest.mark.parametrize(
    "game", ["kuhn_poker", "goofspiel(num_cards=3)", "leduc_poker(suit_isomorphism=true)"]
)
def test_terminals_are_sampled_with_their_probabilities(game):
    simulator = make_simulator(build_tree(load_game(game)))
    policy = random_policy(simulator, 2)
    ends = np.zeros(200_000, np.int64)
    play_many(
        simulator.nodes, simulator.infostates, policy, make_stream(1), simulator.empty_paths(), ends
    )
    expected = reaches(simulator, policy) * len(ends)
    found = np.bincount(ends, minlength=len(expected))
    assert found[expected == 0].sum() == 0
    met = expected > 5
    chi_square = np.sum((found[met] - expected[met]) ** 2 / expected[met])
    assert abs(chi_square - met.sum()) < 4 * np.sqrt(2 * met.sum())


@pytest.mark.parametrize("game", ["kuhn_poker(players=3)", "goofspiel(num_cards=3)"])
def test_episodes_agree_with_plain_python(game):
    simulator = make_simulator(build_tree(load_game(game)))
    policy, stream, paths = random_policy(simulator, 4), make_stream(9), simulator.empty_paths()
    draw, ends = Draws(stream[0]), np.zeros(1, np.int64)
    for _ in range(300):
        play_many(simulator.nodes, simulator.infostates, policy, stream, paths, ends)
        end, slow = play_slowly(simulator, policy, draw)
        assert ends[0] == end
        for player, steps in enumerate(slow):
            length = paths.length[player]
            fast = zip(
                paths.infostate[player, :length], paths.sequence[player, :length], strict=True
            )
            assert list(fast) == steps
