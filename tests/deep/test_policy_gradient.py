"""PPO, magnetic mirror descent and NashPG with a network: loss, gradient, and training."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import inf

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from infoset.deep import (
    NetworkPolicyGradient,
    NetworkSpec,
    device_game,
    get_preset,
    make_tree_game,
    train,
)
from infoset.deep.device_matches import RESPONSE_BETA, _response_spec
from infoset.deep.device_play import device_source
from infoset.deep.network_spec import initial_state, learner_steps
from infoset.deep.networks import legal_log_softmax
from infoset.deep.policy_gradient import make_batch, minibatch, surrogate_loss
from infoset.errors import ParameterError
from infoset.games import load_game
from infoset.tree import build_tree

pytestmark = pytest.mark.networks

GOOFSPIEL = "goofspiel(num_cards=3,imp_info=True,points_order=descending)"
SMALL = NetworkPolicyGradient(hidden=(8,), batch_size=32)


batch_of = jax.jit(make_batch, static_argnums=0)
loss_of = jax.jit(surrogate_loss, static_argnums=1)


@cache
def played(name, spec=SMALL):
    """Return a network, and a batch that it has played."""
    game = make_tree_game(build_tree(load_game(name)))[0]
    network = initial_state(game, spec, 0).network
    play = jax.jit(type(game).play, static_argnums=3)
    rows, episodes = play(game, network, jax.random.key(1), spec.batch_size)
    return network, rows, episodes


def reference_advantages(rows, episodes, values, gae):
    """Return [T, B] advantages, episode by episode and player by player."""
    row, valid, reward = (np.asarray(getattr(episodes, n)) for n in ("row", "valid", "reward"))
    player = np.asarray(rows.player)
    found = np.zeros(row.shape)
    for b in range(row.shape[1]):
        for one, sign in ((0, 1), (1, -1)):
            own = [t for t in range(len(row)) if valid[t, b] and player[row[t, b]] == one]
            later = 0.0
            for place in reversed(range(len(own))):
                t, end = own[place], own[place + 1] if place + 1 < len(own) else len(row)
                earned = sign * sum(reward[u, b] for u in range(t, end) if valid[u, b])
                next_value = values[row[end, b]] if end < len(row) else 0.0
                later = earned + next_value - values[row[t, b]] + gae * later
                found[t, b] = later
    return found


@pytest.mark.parametrize("name", ["kuhn_poker", GOOFSPIEL])
@pytest.mark.parametrize("gae", [0.0, 0.7, 1.0])
def test_advantages_are_those_of_each_player_in_each_episode(name, gae):
    network, rows, episodes = played(name)
    batch = batch_of(replace(SMALL, gae=gae), rows, episodes, network)
    values = np.asarray(network(rows.features)[1], np.float64)
    expected = reference_advantages(rows, episodes, values, gae)
    valid = np.asarray(episodes.valid)
    np.testing.assert_allclose(
        np.asarray(batch.advantage)[valid], (expected / expected[valid].std())[valid], atol=2e-5
    )
    found = (np.asarray(batch.target) - values[np.asarray(episodes.row)])[valid]
    np.testing.assert_allclose(found, expected[valid], atol=2e-6)


LOSSES = {
    "ppo": SMALL,
    "mmd": replace(SMALL, clip=inf, kl=0.7),
    "nash-pg": replace(SMALL, kl=0.7, reference=0.6),
}


@pytest.mark.parametrize("spec", LOSSES.values(), ids=LOSSES)
def test_the_loss_is_that_of_a_reference(spec):
    network, rows, episodes = played(GOOFSPIEL)
    other, third = (jax.tree.map(lambda weight, k=k: k * weight, network) for k in (4.0, -9.0))
    old, new, reference = (
        np.asarray(legal_log_softmax(n(rows.features)[0], rows.legal))
        for n in (network, other, third)
    )
    batch = batch_of(spec, rows, episodes, network)._replace(log_reference=reference)
    found = loss_of(other, spec, rows, episodes, batch, 0.3)
    values, legal = np.asarray(other(rows.features)[1]), np.asarray(rows.legal)
    terms, num_limited = [], 0
    for t, b in np.argwhere(np.asarray(episodes.valid)).tolist():
        row, action = int(episodes.row[t, b]), int(episodes.action[t, b])
        ratio, gain = np.exp(new[row, action] - old[row, action]), float(batch.advantage[t, b])
        limited = min(max(ratio, 1 - spec.clip), 1 + spec.clip)
        num_limited += limited != ratio
        policy = np.exp(new[row][legal[row]])
        entropy = -(policy * np.log(policy)).sum()
        divergence, drift = (
            (policy * (new - from_)[row][legal[row]]).sum() for from_ in (old, reference)
        )
        error = values[row] - float(batch.target[t, b])
        terms.append(
            -min(ratio * gain, limited * gain)
            - 0.3 * entropy
            + spec.kl * divergence
            + spec.reference * drift
            + error**2
        )
    assert (num_limited > 5) == (spec.clip < inf)
    assert float(found) == pytest.approx(np.mean(terms), abs=1e-5)


@pytest.mark.parametrize("minibatches", [2, 3])
def test_minibatches_are_all_decisions_of_a_batch_in_another_order_in_each_epoch(minibatches):
    """The losses of an epoch, weighted by the decisions, add up to that of the batch."""
    spec = replace(SMALL, kl=0.7, reference=0.6)
    network, rows, episodes = played("kuhn_poker")
    other = jax.tree.map(lambda weight: 4.0 * weight, network)
    batch = batch_of(spec, rows, episodes, network)
    batch = batch._replace(log_reference=-1.3 * batch.log_policy)
    size = episodes.row.size
    orders = jnp.stack([jnp.arange(size), jax.random.permutation(jax.random.key(3), size)])
    first_parts = []
    for epoch in range(2):
        losses, sizes = [], []
        for place in range(minibatches):
            number = epoch * minibatches + place
            part = minibatch(rows, episodes, batch, orders, jnp.int32(number), minibatches)
            losses.append(float(loss_of(other, spec, *part, 0.3)))
            sizes.append(int(part[1].valid.sum()))
        assert sum(sizes) == int(episodes.valid.sum())
        expected = float(loss_of(other, spec, rows, episodes, batch, 0.3))
        assert np.average(losses, weights=sizes) == pytest.approx(expected, abs=1e-5)
        assert np.ptp(losses) > 0.01
        first_parts.append(losses[0])
    assert first_parts[0] != first_parts[1]


def test_minibatches_have_steps_of_their_own():
    """Equal seeds give equal bits, and parts other steps than the whole."""
    specs = [replace(SMALL, batch_size=8, epochs=1, minibatches=parts) for parts in (1, 4)]
    moved = [train("kuhn_poker", spec, steps=1, seed=2).policy.network for spec in specs]
    again = train("kuhn_poker", specs[1], steps=1, seed=2).policy.network
    for one, four, same in zip(*(jax.tree.leaves(found) for found in (*moved, again)), strict=True):
        np.testing.assert_array_equal(four, same)
        assert not np.array_equal(one, four)


def test_more_minibatches_than_decisions_are_refused():
    spec = replace(SMALL, batch_size=2, minibatches=1000)
    with pytest.raises(ParameterError, match="minibatches=1000 is more than the"):
        train("kuhn_poker", spec, steps=1, seed=2)


def test_the_first_step_on_a_batch_is_the_policy_gradient():
    network, rows, episodes = played("kuhn_poker")
    spec = replace(SMALL, kl=0.7)
    batch = batch_of(spec, rows, episodes, network)

    def likelihood(theta):
        log_policy = legal_log_softmax(theta(rows.features)[0], rows.legal)
        taken = log_policy[episodes.row, episodes.action] * batch.advantage
        errors = (theta(rows.features)[1][episodes.row] - batch.target) ** 2
        return jnp.where(episodes.valid, errors - taken, 0.0).sum() / episodes.valid.sum()

    expected = jax.jit(jax.grad(likelihood))(network)
    found = jax.jit(jax.grad(surrogate_loss), static_argnums=1)(
        network, spec, rows, episodes, batch, 0.0
    )
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def steps_of(source, spec, *numbers):
    """Return the states of a learner after numbers of steps."""
    state = initial_state(source, spec, 3)
    return [learner_steps(source, spec, state, number) for number in numbers]


def assert_same_bits(one, other):
    for mine, its in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        np.testing.assert_array_equal(mine, its)


def test_a_reference_replaced_after_every_step_is_the_proximal_term_of_mmd():
    game = make_tree_game(build_tree(load_game("kuhn_poker")))[0]
    mmd = replace(SMALL, clip=inf, kl=0.5)
    (expected,) = steps_of(game, mmd, 20)
    (found,) = steps_of(game, replace(mmd, kl=0.0, reference=0.5, reference_steps=1), 20)
    assert_same_bits(found.network, expected.network)


def test_a_uniform_reference_is_the_magnet_of_mmd():
    network, rows, episodes = played("kuhn_poker")
    uniform = jnp.where(rows.legal, -jnp.log(rows.legal.sum(axis=1, keepdims=True)), 0.0)
    mmd = replace(SMALL, clip=inf, kl=0.5)
    batch = batch_of(mmd, rows, episodes, network)._replace(log_reference=uniform)
    gradient = jax.jit(jax.grad(surrogate_loss), static_argnums=1)
    expected = gradient(network, mmd, rows, episodes, batch, 0.3)
    found = gradient(network, replace(mmd, reference=0.3), rows, episodes, batch, 0.0)
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-7)


def test_a_step_learns_from_the_policy_that_played_and_the_reference_policy():
    game = make_tree_game(build_tree(load_game("kuhn_poker")))[0]
    spec = replace(SMALL, reference=0.6, epochs=1, learning_rate=0.1)
    before, after = steps_of(game, spec, 2, 3)
    key = jax.random.fold_in(jax.random.wrap_key_data(before.key), before.step)
    play = jax.jit(type(game).play, static_argnums=3)
    rows, episodes = play(game, before.network, key, spec.batch_size)
    batch = batch_of(spec, rows, episodes, before.network)
    first = initial_state(game, spec, 3).network
    reference = legal_log_softmax(first(rows.features)[0], rows.legal)
    alpha = spec.entropy / (1 + 3 * 2 / spec.entropy_halving_steps) ** 0.5
    batch = batch._replace(log_reference=reference)
    expected = loss_of(before.network, spec, rows, episodes, batch, alpha)
    assert float(after.loss) == pytest.approx(float(expected), abs=1e-6)


@pytest.mark.broad
def test_the_reference_is_the_policy_after_the_last_multiple_of_its_steps():
    source = device_source(device_game("kuhn_poker"), is_relative=True, name="nash-pg")
    spec = replace(SMALL, reference=0.3, reference_steps=4)
    three, four, seven, eight = steps_of(source, spec, 3, 4, 7, 8)
    # Up to the first replacement it is a method with a fixed reference.
    fixed = steps_of(source, replace(spec, reference_steps=9), 4, 8)
    assert_same_bits(four.network, fixed[0].network)
    assert np.abs(eight.network.weights[0] - fixed[1].network.weights[0]).max() > 1e-6
    assert_same_bits(three.regularizer, fixed[0].regularizer)
    assert_same_bits(seven.regularizer, four.network)
    assert_same_bits(eight.regularizer, eight.network)


@pytest.mark.broad
def test_replacing_the_reference_leads_below_the_equilibrium_of_a_fixed_one():
    tree = build_tree(load_game("kuhn_poker"))
    spec = replace(
        get_preset("nash-pg"), batch_size=128, hidden=(16,), learning_rate=3e-3, reference=1.0
    )
    found = [
        train(tree, replace(spec, entropy=0.0, reference_steps=steps), steps=1500, seed=1)
        for steps in (300, 1500)
    ]
    replaced, fixed = (result.run.nash_conv for result in found)
    # The fixed reference keeps NashConv at about 0.34; 6000 steps change it by less than 0.01.
    assert replaced < fixed / 2, (replaced, fixed)


@pytest.mark.parametrize("name", ["ppo", "mmd", "nash-pg"])
def test_kuhn_poker_is_learned_to_the_same_bits(name, tmp_path):
    spec = replace(
        get_preset(name), batch_size=128, hidden=(16,), learning_rate=3e-3, reference_steps=200
    )
    whole = train("kuhn_poker", spec, steps=800, seed=1)
    assert whole.run.nash_conv < 0.25  # 0.917 at first
    assert whole.method == name
    file = tmp_path / "run.npz"
    train("kuhn_poker", spec, steps=300, seed=1, checkpoint=file)
    resumed = train("kuhn_poker", spec, steps=800, seed=1, checkpoint=file)
    assert resumed.policy.digest == whole.policy.digest


def test_the_response_to_a_network_descends_as_the_network_does():
    spec = _response_spec(replace(SMALL, batch_size=7, precision="bfloat16", learning_rate=0.2))
    assert (spec.name, spec.batch_size, spec.precision) == ("rnad", 7, "bfloat16")
    assert (spec.learning_rate, spec.halving_steps, spec.beta) == (0.2, inf, RESPONSE_BETA)


def test_a_method_without_an_update_is_refused():
    class Method(NetworkSpec):
        pass

    with pytest.raises(TypeError, match="update"):
        Method(name="own", description="own")


@pytest.mark.parametrize(
    "wrong",
    [
        {"clip": 0},
        {"gae": 1.5},
        {"epochs": 0},
        {"kl": -1},
        {"reference": -1},
        {"reference_steps": 0},
        {"entropy": inf},
        {"value": 0},
        {"is_sampled": False},
    ],
    ids=str,
)
def test_parameters_are_checked(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        NetworkPolicyGradient(**wrong)
