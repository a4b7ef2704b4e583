"""The learner step: enumeration of all episodes against exact values, NeuRD's gate and gradient."""

from functools import cache
from math import inf
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from infoset.deep import PRESETS, EntropySchedule, NetworkRNaD, get_preset, make_tree_game
from infoset.deep.episodes import Episodes
from infoset.deep.networks import legal_log_softmax
from infoset.deep.rnad import (
    Sums,
    expected_sums,
    loss,
    mixed_with_uniform,
    output_gradients,
    sum_over_episodes,
)
from infoset.deep.tree_game import play_episodes
from infoset.errors import ParameterError, UnknownNameError
from infoset.games import load_game
from infoset.tree import build_tree
from tests.deep.enumeration import all_episodes, exact_sums
from tests.support.registries import undo_registrations

pytestmark = pytest.mark.networks

GOOFSPIEL = "goofspiel(num_cards=3,imp_info=True,points_order=descending)"


play = jax.jit(play_episodes, static_argnums=3)


@cache
def device_game(name="kuhn_poker"):
    return make_tree_game(build_tree(load_game(name)))[0]


def random_logits(game, seed, scale=0.7):
    return jnp.asarray(
        np.random.default_rng(seed).normal(size=game.legal.shape) * scale, jnp.float32
    )


@jax.jit
def policy_of(game, logits):
    return jnp.where(game.legal, jnp.exp(legal_log_softmax(logits, game.legal)), 0.0)


class Numbers(NamedTuple):
    """The parameters that sums depend on, as arguments of a compiled function."""

    eta: float = 0.3
    beta: float = 20.0
    advantage_clip: float = 1e4
    c_bar: float = 1.0
    rho_bar: float = inf


@jax.jit
def sums_of_each(numbers, game, logits, values, reference, behavior, episodes):
    """Return the sums over each episode on its own."""

    def of_one(one):
        single = jax.tree.map(lambda column: column[:, None], one)
        return sum_over_episodes(game, numbers, logits, values, reference, behavior, single)

    return jax.vmap(of_one, in_axes=1)(episodes)


def expected_and_exact(game, spec, behavior_seed=None):
    """Return the expected sums over a sampled episode, and the exact sums."""
    logits = random_logits(game, 0)
    policy, log_policy = policy_of(game, logits), legal_log_softmax(logits, game.legal)
    reference = legal_log_softmax(random_logits(game, 1), game.legal)
    values = random_logits(game, 2)[:, 0]
    behavior = policy
    if behavior_seed is not None:
        behavior = policy_of(game, random_logits(game, behavior_seed))
    episodes, probability = all_episodes(game, behavior)
    np.testing.assert_allclose(probability.sum(), 1, rtol=1e-6)
    sums = sums_of_each(spec, game, logits, values, reference, behavior, episodes)
    expected = Sums(*(np.tensordot(probability, np.asarray(x), axes=1) for x in sums))
    exact = exact_sums(game, policy, behavior, log_policy - reference, spec.eta)
    return expected, exact


def assert_equal_sums(expected, exact):
    np.testing.assert_allclose(expected.visits, exact.visits, rtol=1e-5)
    np.testing.assert_allclose(expected.force, exact.advantage, rtol=1e-4, atol=2e-5)
    np.testing.assert_allclose(expected.target, exact.value, rtol=1e-4, atol=2e-5)
    assert np.abs(exact.advantage).max() > 0.01


@pytest.mark.parametrize("name", ["kuhn_poker", GOOFSPIEL])
def test_on_policy_the_sampled_update_equals_the_exact_one_in_expectation(name):
    # The logits are within the gate, and the values are arbitrary: on-policy, they cancel.
    spec = Numbers()
    assert_equal_sums(*expected_and_exact(device_game(name), spec))


def test_off_policy_it_does_so_with_ratios_without_limit():
    spec = Numbers(c_bar=inf)
    assert_equal_sums(*expected_and_exact(device_game(), spec, behavior_seed=5))


def test_at_the_gate_forces_outwards_are_zero_and_forces_inwards_pass():
    game = device_game()
    spec = Numbers(beta=1.5)
    logits = jnp.tile(jnp.array([[1.5, -1.5]]), (game.num_rows, 1))
    policy = policy_of(game, logits)
    episodes, _ = all_episodes(game, policy)
    zeros, uniform = jnp.zeros(game.num_rows), jnp.full_like(logits, np.log(0.5))
    forces = np.asarray(sums_of_each(spec, game, logits, zeros, uniform, policy, episodes).force)
    assert forces[..., 0].max() == 0
    assert forces[..., 0].min() < -0.1
    assert forces[..., 1].min() == 0
    assert forces[..., 1].max() > 0.1
    # Within the gate, both signs occur.
    free = sums_of_each(
        spec._replace(beta=1.6), game, logits, zeros, uniform, policy, episodes
    ).force
    assert np.asarray(free)[..., 0].max() > 0.1


def test_advantages_are_clipped():
    game = device_game()
    logits = random_logits(game, 0)
    policy = policy_of(game, logits)
    episodes, _ = all_episodes(game, policy)
    zeros = jnp.zeros(game.num_rows)
    spec = Numbers(advantage_clip=0.25)
    sums = sums_of_each(spec, game, logits, zeros, jnp.log(policy), policy, episodes)
    assert np.abs(sums.force).max() == 0.25


def test_gradients_are_those_of_the_loss_by_finite_differences():
    game = device_game(GOOFSPIEL)
    rng = np.random.default_rng(0)
    legal = np.asarray(game.legal)
    sums = Sums(
        jnp.asarray(np.where(legal, rng.normal(size=legal.shape), 0), jnp.float32),
        jnp.asarray(rng.normal(size=len(legal)), jnp.float32),
        jnp.asarray(rng.integers(0, 4, len(legal)), jnp.float32),
    )
    logits, values = random_logits(game, 1), random_logits(game, 2)[:, 0]
    by_logits, by_values = output_gradients(game, values, sums)
    assert (np.asarray(by_logits)[~legal] == 0).all()
    # The loss is linear in the logits and quadratic in the values, so large steps are exact.
    for seed in range(3):
        towards = random_logits(game, 3 + seed), random_logits(game, 9 + seed)[:, 0]
        up = loss(game, logits + towards[0], values + towards[1], sums)
        down = loss(game, logits - towards[0], values - towards[1], sums)
        slope = float((by_logits * towards[0]).sum() + (by_values * towards[1]).sum())
        np.testing.assert_allclose(float(up - down) / 2, slope, rtol=1e-3, atol=1e-5)
    shifted = loss(game, logits + 3.0, values, sums)
    np.testing.assert_allclose(shifted, loss(game, logits, values, sums), rtol=1e-4, atol=1e-5)


def test_the_loss_is_a_mean_for_each_player():
    game = device_game()
    sums = Sums(
        jnp.zeros(game.legal.shape),
        jnp.zeros(game.num_rows),
        jnp.where(game.player == 0, 10.0, 1.0),
    )
    # V = 1 and v = 0 at all decisions: the mean square is 1 for both players.
    assert loss(game, jnp.zeros(game.legal.shape), jnp.ones(12), sums) == pytest.approx(2)


@pytest.mark.parametrize("name", ["kuhn_poker", GOOFSPIEL, "leduc_poker"])
def test_sums_by_a_pass_through_the_tree_are_those_of_enumeration(name):
    game = device_game(name)
    logits, reference = (random_logits(game, seed) for seed in (0, 1))
    reference = legal_log_softmax(reference, game.legal)
    spec = NetworkRNaD(eta=0.3, beta=20.0, is_sampled=False, batch_size=1)
    found = jax.jit(expected_sums, static_argnums=1)(game, spec, logits, reference)
    policy, log_policy = policy_of(game, logits), legal_log_softmax(logits, game.legal)
    exact = exact_sums(game, policy, policy, log_policy - reference, 0.3)
    assert_equal_sums(found, exact)


def test_the_gate_applies_to_expected_advantages():
    game = device_game()
    logits = jnp.tile(jnp.array([[1.5, -1.5]]), (game.num_rows, 1))
    spec = NetworkRNaD(beta=1.5, is_sampled=False)
    force = expected_sums(game, spec, logits, jnp.full_like(logits, np.log(0.5))).force
    assert force[:, 0].max() == 0
    assert force[:, 0].min() < -0.1
    assert force[:, 1].min() == 0


def test_regularizers_are_mixed_with_the_uniform_policy():
    game = device_game("leduc_poker")
    log_policy = legal_log_softmax(random_logits(game, 5), game.legal)
    policy, legal = np.exp(log_policy), np.asarray(game.legal)
    mixed = np.asarray(mixed_with_uniform(log_policy, game, 0.25))
    expected = 0.75 * policy + 0.25 / legal.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.exp(mixed)[legal], expected[legal], rtol=1e-5)
    assert (mixed[~legal] == 0).all()
    np.testing.assert_allclose(mixed_with_uniform(log_policy, game, 0.0), log_policy, atol=1e-6)
    half = mixed_with_uniform(log_policy, game, 7.0)
    np.testing.assert_array_equal(half, mixed_with_uniform(log_policy, game, 0.5))


@pytest.mark.parametrize(
    "name", ["kuhn_poker", GOOFSPIEL, pytest.param("leduc_poker", marks=pytest.mark.long)]
)
def test_episodes_visit_infostates_as_often_as_the_policy_reaches_them(name):
    game = device_game(name)
    policy = policy_of(game, random_logits(game, 4))
    num = 20_000
    episodes = play(game, policy, jax.random.key(0), num)
    valid, here = np.asarray(episodes.valid), np.asarray(episodes.row)
    visits = np.bincount(here[valid], minlength=game.num_rows) / num
    exact = exact_sums(game, policy, policy, jnp.zeros_like(policy), 0.0)
    deviation = np.sqrt(exact.visits * (1 - np.minimum(exact.visits, 1)) / num)
    assert (np.abs(visits - exact.visits) <= 5 * deviation + 1e-4).all()
    # The mean reward is the value of player 0.
    episodes_value = np.asarray(episodes.reward).sum(axis=0)
    first = exact_value(game, policy)
    tolerance = 5 * float(episodes_value.std()) / num**0.5
    assert episodes_value.mean() == pytest.approx(first, abs=tolerance)


def exact_value(game, policy):
    """Return the value of player 0 by enumeration."""
    episodes, probability = all_episodes(game, policy)
    return float(probability @ episodes.reward.sum(axis=0))


def test_the_same_key_plays_the_same_episodes():
    game = device_game()
    policy = policy_of(game, random_logits(game, 4))
    first, second, other = (play(game, policy, jax.random.key(seed), 20_000) for seed in (1, 1, 2))
    for name in Episodes._fields:
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert (np.asarray(first.action) != np.asarray(other.action)).any()


def test_presets_have_the_published_numbers():
    paper, openspiel = PRESETS["rnad-paper"], PRESETS["rnad-openspiel"]
    assert (paper.eta, paper.learning_rate, paper.batch_size) == (0.2, 3e-4, 128)
    assert paper.schedule == EntropySchedule((500, 10_000), (200, 1))
    assert (paper.hidden, paper.beta, paper.target_rate) == ((512, 512), 2.0, 0.001)
    assert (openspiel.eta, openspiel.learning_rate, openspiel.batch_size) == (0.2, 5e-5, 256)
    assert openspiel.schedule == EntropySchedule((20_000,), (1,))
    assert (openspiel.hidden, openspiel.adam_epsilon) == ((256, 256), 1e-7)
    assert (paper.uniform_weight, paper.halving_steps) == (0, inf)
    assert (openspiel.uniform_weight, openspiel.halving_steps) == (0, inf)
    assert not paper.is_relative
    assert not openspiel.is_relative
    for spec in (paper, openspiel):
        assert (spec.c_bar, spec.rho_bar, spec.adam_decay) == (1.0, inf, 0.999)
        assert (spec.advantage_clip, spec.update_clip) == (10_000, 10_000)


def test_a_registered_preset_has_a_name(monkeypatch):
    undo_registrations(monkeypatch, PRESETS)
    small = NetworkRNaD(name="small-rnad", hidden=(8,))
    PRESETS.register(small)
    assert get_preset("Small-RNaD") is PRESETS["small-rnad"] is small
    with pytest.raises(ParameterError, match="choose another name"):
        PRESETS.register(NetworkRNaD(name="rnad", hidden=(8,)))


def test_unknown_presets_and_wrong_numbers():
    with pytest.raises(UnknownNameError, match="rnad-paper"):
        get_preset("rnad-papers")
    with pytest.raises(ParameterError, match="NetworkRNaD"):
        get_preset(3)
    for wrong in (
        {"eta": 0}, {"eta": -0.2}, {"learning_rate": 0.0}, {"batch_size": 0}, {"hidden": [64]},
        {"hidden": (0,)}, {"target_rate": 1.5}, {"schedule": (1000,)}, {"c_bar": -1.0},
    ):  # fmt: skip
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            NetworkRNaD(**wrong)
