"""PPO and magnetic mirror descent with a network: the loss, its gradient, and training."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import inf

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from infoset.deep import NetworkPolicyGradient, NetworkSpec, get_preset, make_tree_game, train
from infoset.deep.device_matches import RESPONSE_BETA, _response_spec
from infoset.deep.network_spec import initial_state
from infoset.deep.networks import legal_log_softmax
from infoset.deep.policy_gradient import make_batch, surrogate_loss
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


@pytest.mark.parametrize("spec", [SMALL, replace(SMALL, clip=inf, kl=0.7)], ids=["ppo", "mmd"])
def test_the_loss_is_that_of_a_reference(spec):
    network, rows, episodes = played(GOOFSPIEL)
    batch = batch_of(spec, rows, episodes, network)
    other = jax.tree.map(lambda weight: 4.0 * weight, network)
    found = loss_of(other, spec, rows, episodes, batch, 0.3)
    old, new = (
        np.asarray(legal_log_softmax(n(rows.features)[0], rows.legal)) for n in (network, other)
    )
    values, legal = np.asarray(other(rows.features)[1]), np.asarray(rows.legal)
    terms, num_limited = [], 0
    for t, b in np.argwhere(np.asarray(episodes.valid)).tolist():
        row, action = int(episodes.row[t, b]), int(episodes.action[t, b])
        ratio, gain = np.exp(new[row, action] - old[row, action]), float(batch.advantage[t, b])
        limited = min(max(ratio, 1 - spec.clip), 1 + spec.clip)
        num_limited += limited != ratio
        policy = np.exp(new[row][legal[row]])
        entropy = -(policy * np.log(policy)).sum()
        divergence = (policy * (new - old)[row][legal[row]]).sum()
        error = values[row] - float(batch.target[t, b])
        terms.append(
            -min(ratio * gain, limited * gain) - 0.3 * entropy + spec.kl * divergence + error**2
        )
    assert (num_limited > 5) == (spec.clip < inf)
    assert float(found) == pytest.approx(np.mean(terms), abs=1e-5)


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


@pytest.mark.parametrize("name", ["ppo", "mmd"])
def test_kuhn_poker_is_learned_to_the_same_bits(name, tmp_path):
    spec = replace(get_preset(name), batch_size=128, hidden=(16,), learning_rate=3e-3)
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
        {"entropy": inf},
        {"value": 0},
        {"is_sampled": False},
    ],
    ids=str,
)
def test_parameters_are_checked(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        NetworkPolicyGradient(**wrong)
