"""Value networks: targets, estimates by range, and searches with them."""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from infoset.deep import ValueNetworkSpec, train_critic, train_value_network, value_network_learning
from infoset.deep.value_network_learning import (
    infostate_features,
    initial_state,
    learner_steps,
    public_tables,
    random_ranges,
    response_targets,
)
from infoset.errors import NumericalError, ParameterError, PolicyMismatchError, UnsupportedGameError
from infoset.evaluation import nash_conv, transformed_values
from infoset.games import load_game
from infoset.policy import TRANSFORMATIONS, constant_transformations, uniform_policy
from infoset.resolving import ContinualResolving, RangeValues, ResponseValues
from infoset.resolving.range_values import LeafHistories
from infoset.tree import build_tree
from tests.support.affine_games import AffineGame
from tests.support.cached_games import cached_tree
from tests.support.random_hidden_actions import HiddenActionsGame

pytestmark = pytest.mark.networks

GOOFSPIEL = "goofspiel(num_cards=3,imp_info=True,points_order=descending)"
SMALL = ValueNetworkSpec(num_embedding=16, hidden=(32,), batch_size=16)

# The only game here in which the histories of a public state have different chance reach.
UNEQUAL = "hidden_actions"
ROWS = {
    GOOFSPIEL: TRANSFORMATIONS,
    "kuhn_poker": constant_transformations(["pass", "bet"]),
    UNEQUAL: constant_transformations(["a", "b", "c"]),
}


def values_of(name):
    tree = build_tree(HiddenActionsGame(2)) if name == UNEQUAL else cached_tree(name)
    rows = ROWS[name]
    return transformed_values(tree, uniform_policy(tree.sequence_form), rows)


def states_of(tree):
    """Return the public states at which a player acts."""
    acting = {int(n) for own in tree.infostate_trees for n in own.public_state[own.acting]}
    return np.array(sorted(acting))


@pytest.mark.parametrize("name", ROWS)
def test_targets_are_the_values_of_best_responses(name):
    exact = values_of(name)
    tables, unit = public_tables(exact, infostate_features(exact.tree))
    ranges = random_ranges(tables.exists, jax.random.key(1))
    ranges = ranges.at[1, 0].set(0.0).at[0, 1].set(0.0)  # also an empty range of each player
    assert (np.asarray(ranges)[~np.asarray(tables.exists)] == 0).all()
    targets, counts = response_targets(tables, ranges)
    for place, state in enumerate(states_of(exact.tree).tolist()):
        there = LeafHistories.of(exact.tree, np.array([state]))
        sizes = list(map(len, there.infostates))
        given = tuple(np.asarray(ranges)[place, p, : sizes[p]].astype(float) for p in range(2))
        for player in range(2):
            function = ResponseValues(exact).at_leaves(player, np.array([state]))
            for owner in range(2):
                found = np.asarray(targets)[place, owner, : sizes[owner], player] * unit
                np.testing.assert_allclose(found, function(given, owner), atol=1e-5)
        for owner in range(2):
            is_met = bool(ranges[place, 1 - owner].any())
            assert bool(counts[place, owner].any()) == is_met


def test_random_ranges_lack_some_infostates():
    exists = np.ones((1000, 2, 40), bool)
    ranges = np.asarray(random_ranges(jnp.asarray(exists), jax.random.key(0)))
    missing = (ranges == 0).mean(axis=-1)
    assert (missing == 1).mean() == pytest.approx(0.1, abs=0.02)
    missing = missing[missing < 1]
    assert (missing == 0).mean() == pytest.approx(0.5, abs=0.05)
    assert missing[missing > 0].mean() == pytest.approx(0.3, abs=0.02)
    totals = ranges.sum(axis=-1)
    np.testing.assert_allclose(totals[totals > 0], 1.0, rtol=1e-5)
    alone = np.asarray(random_ranges(jnp.asarray(exists[..., :1]), jax.random.key(0)))
    assert np.isin(alone, (0, 1)).all()


def test_the_network_is_the_average_of_training():
    exact = values_of("kuhn_poker")
    found = train_value_network(exact, spec=SMALL, steps=20, seed=4)
    tables, _ = public_tables(exact, infostate_features(exact.tree))
    key = jax.random.key(4)
    state = learner_steps(SMALL, tables, key, initial_state(SMALL, tables, key), jnp.asarray(20))
    weights = [np.asarray(one.body.weights[0]) for one in (found.network, state.target)]
    np.testing.assert_allclose(*weights, atol=1e-6)
    assert np.abs(weights[0] - np.asarray(state.network.body.weights[0])).max() > 1e-3


@pytest.mark.parametrize("name", [GOOFSPIEL, UNEQUAL])
def test_estimates_outside_jax_are_those_of_the_network(name):
    exact = values_of(name)
    found = train_value_network(exact, spec=SMALL, steps=20)
    tree, leaves, rng = exact.tree, states_of(exact.tree), np.random.default_rng(0)
    assert isinstance(found, RangeValues)
    there = LeafHistories.of(tree, leaves)
    ranges = tuple(rng.random(len(own)) ** 3 for own in there.infostates)
    tables, unit = public_tables(exact, infostate_features(tree))
    padded = np.zeros(tables.exists.shape)
    for p in range(2):
        rows = np.asarray(tables.exists)[:, p]
        own = np.zeros(rows.shape)
        own[rows] = ranges[p]
        padded[:, p] = own / own.sum(axis=1, keepdims=True)
    outputs = np.asarray(found.network(tables.features, jnp.asarray(padded), tables.joint)) * unit
    for player in range(2):
        function = found.at_leaves(player, leaves)
        for owner in range(2):
            expected = outputs[:, owner, :, player][np.asarray(tables.exists)[:, owner]]
            np.testing.assert_allclose(function(ranges, owner), expected, atol=1e-4)
            # Ranges count only by their proportions, however small they are.
            small = tuple(own * 1e-60 for own in ranges)
            np.testing.assert_allclose(function(small, owner), expected, atol=1e-4)


def test_a_trained_network_is_close_to_what_it_imitates_and_serves_a_search():
    exact = values_of(GOOFSPIEL)
    early = train_value_network(exact, spec=SMALL, steps=20, seed=1)
    found = train_value_network(exact, spec=SMALL, steps=1500, seed=1)
    again = train_value_network(exact, spec=SMALL, steps=1500, seed=1)
    tree, leaves, rng = exact.tree, states_of(exact.tree), np.random.default_rng(0)
    ranges = tuple(rng.random(len(own)) for own in LeafHistories.of(tree, leaves).infostates)
    errors = {}
    for name, network in (("early", early), ("found", found)):
        pairs = [
            (own.at_leaves(player, leaves)(ranges, owner))
            for player in range(2)
            for owner in range(2)
            for own in (network, ResponseValues(exact))
        ]
        squares = [((a - b) ** 2).mean() for a, b in zip(pairs[::2], pairs[1::2], strict=True)]
        errors[name] = np.sqrt(np.mean(squares))
    assert 4 * errors["found"] < errors["early"]
    assert errors["found"] < 0.1
    assert found.steps == 1500
    assert found.loss == again.loss
    options = {"depth": 1, "iterations": 100}
    blueprint = uniform_policy(tree.sequence_form)
    search = ContinualResolving(tree, blueprint, found, **options)
    wanted = ContinualResolving(tree, blueprint, ResponseValues(exact), **options)
    assert search.settings()["values"] == "value_network(steps=1500)"
    before = nash_conv(blueprint)
    after, best = (nash_conv(one.search_policy()) for one in (search, wanted))
    assert best < before
    assert after < (before + best) / 2


def test_constants_in_utilities_do_not_change_what_a_network_learns():
    """Otherwise, the network would mainly learn the constants."""
    game, found = load_game("kuhn_poker"), []
    for scale, shift in ((1.0, (0.0, 0.0)), (1000.0, (7777.0, -77.0))):
        tree = build_tree(AffineGame(game, scale, shift))
        exact = transformed_values(tree, uniform_policy(tree.sequence_form), TRANSFORMATIONS[:3])
        network = train_value_network(exact, spec=SMALL, steps=20)
        leaves, rng = states_of(tree), np.random.default_rng(0)
        ranges = tuple(rng.random(len(own)) for own in LeafHistories.of(tree, leaves).infostates)
        for player, owner in ((0, 0), (0, 1), (1, 0)):
            values = network.at_leaves(player, leaves)(ranges, owner)
            found.append((values - shift[owner]) / scale)
    for plain, changed in zip(found[:3], found[3:], strict=True):
        np.testing.assert_allclose(changed, plain, atol=1e-3)


def test_a_critic_is_distilled_with_its_tree():
    tree = cached_tree("kuhn_poker")
    rows = constant_transformations(["pass", "bet"])
    critic = train_critic(tree, uniform_policy(tree.sequence_form), rows, steps=5)
    found = train_value_network(critic, tree, spec=SMALL, steps=5)
    np.testing.assert_array_equal(found.tabulate(tree).values, critic.tabulate(tree).values)
    assert found.blueprints == critic.blueprints
    with pytest.raises(ParameterError, match="tree"):
        train_value_network(critic, steps=5)


def test_what_training_refuses(monkeypatch):
    exact = values_of("kuhn_poker")
    with pytest.raises(ParameterError, match="values"):
        train_value_network(3)
    with pytest.raises(ParameterError, match="steps"):
        train_value_network(exact, steps=-1)
    with pytest.raises(ParameterError, match="spec"):
        train_value_network(exact, spec="small")
    with pytest.raises(ParameterError, match="num_embedding"):
        ValueNetworkSpec(num_embedding=0)
    with pytest.raises(PolicyMismatchError, match="another tree"):
        train_value_network(exact, cached_tree(GOOFSPIEL))
    with pytest.raises(NumericalError, match="learning_rate"):
        train_value_network(exact, spec=replace(SMALL, learning_rate=1e30), steps=100)
    untrained = train_value_network(exact, spec=SMALL, seconds=0.0)
    assert untrained.steps == 0
    assert np.isnan(untrained.loss)
    seen = []
    stopped = train_value_network(
        exact, spec=SMALL, steps=500, callback=lambda step, loss: seen.append((step, loss)) or True
    )
    assert stopped.steps == 50 == seen[0][0]
    assert stopped.outcome == "stopped"
    for name in ROWS:  # the largest table is of values or of encodings
        large = values_of(name)
        features = infostate_features(large.tree)
        largest = max(table.size for table in public_tables(large, features)[0])
        monkeypatch.setattr(value_network_learning, "MAX_ENTRIES", largest)
        public_tables(large, features)
        monkeypatch.setattr(value_network_learning, "MAX_ENTRIES", largest - 1)
        with pytest.raises(UnsupportedGameError, match="too many"):
            train_value_network(large, steps=5)
        monkeypatch.undo()
