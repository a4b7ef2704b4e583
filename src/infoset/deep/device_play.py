"""Episodes of device games, in which networks are evaluated at each decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from infoset.deep.device_games import OVER, DeviceGame, State
from infoset.deep.episodes import Episodes, EpisodeSource, Rows
from infoset.deep.networks import PolicyValueNetwork, legal_exp, legal_log_softmax
from infoset.errors import UnsupportedGameError

Chooser: TypeAlias = Callable[[Rows], Array]
"""Function that returns [B, A] the logarithms of policies at B decisions."""

NUM_SAMPLED = 4096
"""Number of episodes of uniform play from which the unit of utility is estimated."""

TOLERANCE = 1e-4
"""Relative difference of sums of utilities that is attributed to single precision."""


class DeviceSource(EpisodeSource):
    """A two-player constant-sum device game as a source of episodes; made by `device_source`.

    Every decision of a batch is a separate row, at which the networks are evaluated.
    """

    device: DeviceGame
    unit: Array
    """Utilities are divided by this number."""

    @property
    def num_features(self) -> int:
        """Number F of inputs of the network."""
        return self.device.num_features

    @property
    def num_actions(self) -> int:
        """Number A of actions of the network."""
        return self.device.num_actions

    def play(
        self, network: PolicyValueNetwork, key: Array, batch_size: int
    ) -> tuple[Rows, Episodes]:
        """Return a batch of episodes, and one row for each of its decisions."""
        return self.play_with(chooser(network), key, batch_size)

    def play_with(self, choose: Chooser, key: Array, batch_size: int) -> tuple[Rows, Episodes]:
        """Return a batch of episodes in which the actions are chosen by a function of rows."""
        rollout = roll_out(self.device, choose, key, batch_size)
        rows = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), rollout.rows)
        row = jnp.arange(rollout.action.size, dtype=jnp.int32).reshape(rollout.action.shape)
        # In constant-sum games this is player 0's utility without the constant.
        reward = (rollout.rewards[..., 0] - rollout.rewards[..., 1]) / (2.0 * self.unit)
        return rows, Episodes(
            row, rollout.action, rollout.valid, reward, rollout.state, rollout.rewards[..., 0]
        )

    def store(self, network: PolicyValueNetwork) -> PolicyValueNetwork:
        """Return the network itself."""
        return network

    def log_policy(self, stored: PolicyValueNetwork, rows: Rows) -> Array:
        """Return the logarithms of a network's policy at rows."""
        return chooser(stored)(rows)


def chooser(network: PolicyValueNetwork) -> Chooser:
    """Return the policy of a network."""
    return lambda rows: legal_log_softmax(network(rows.features)[0], rows.legal)


class Rollout(NamedTuple):
    """A batch of B plays with at most T decisions; decisions after the end are padding."""

    rows: Rows
    """[T, B, ...] decisions; in padding all actions are legal."""
    action: Array
    """[T, B] action taken."""
    valid: Array
    """[T, B] False for padding."""
    rewards: Array
    """[T, B, N] rewards of each player after the decision."""
    state: State
    """[T, B, ...] states at which the decisions are taken."""


def roll_out(device: DeviceGame, choose: Chooser, key: Array, batch_size: int) -> Rollout:
    """Play a batch of episodes inside one `lax.scan`."""
    first, *keys = jax.random.split(key, device.horizon + 1)
    start = jax.vmap(device.init)(jax.random.split(first, batch_size))

    def decide(state: State, key: Array) -> tuple[State, Rollout]:
        actor = jax.vmap(device.actor)(state)
        valid = actor != OVER
        legal = jax.vmap(device.legal)(state) | ~valid[:, None]
        observed = device.stored(jax.vmap(device.observe)(state))
        rows = Rows(jnp.maximum(actor, 0), observed, legal)
        of_action, of_step = jax.random.split(key)
        draws = jax.random.uniform(of_action, (batch_size,))
        action = draw_actions(legal_exp(choose(rows), legal), legal, draws)
        keys = jax.random.split(of_step, batch_size)
        after, rewards = jax.vmap(device.step)(state, action, keys)

        def kept(old: Array, new: Array) -> Array:
            return jnp.where(valid.reshape(-1, *[1] * (new.ndim - 1)), new, old)

        rewards = jnp.where(valid[:, None], rewards, 0.0)
        return jax.tree.map(kept, state, after), Rollout(rows, action, valid, rewards, state)

    rollout: Rollout = jax.lax.scan(decide, start, jnp.stack(keys))[1]
    return rollout


def draw_actions(weights: Array, legal: Array, draws: Array) -> Array:
    """Return [B] actions by one uniform draw each; with few random numbers, this is fast.

    weights : [B, A] proportional to probabilities; 0 for illegal actions.
    """
    cumulative = jnp.cumsum(weights, axis=1)
    action = (cumulative <= (draws * cumulative[:, -1])[:, None]).sum(axis=1, dtype=jnp.int32)
    # Rounding may lead beyond the last legal action.
    last = legal.shape[1] - 1 - jnp.argmax(legal[:, ::-1], axis=1)
    return jnp.minimum(action, last)


def device_source(device: DeviceGame, *, is_relative: bool, name: str) -> DeviceSource:
    """Return a device game as a source of episodes.

    Parameters
    ----------
    is_relative
        Whether the unit of utility is the standard deviation of returns under uniform play, as
        estimated from episodes with a fixed seed. If not, it is the game's own.
    name
        Name of the method, for the message of an error.

    Raises
    ------
    UnsupportedGameError
        If the game does not have two players, or its utilities do not have a constant sum.
    """
    if device.num_players != 2:
        raise UnsupportedGameError(
            f"{name} needs two players; {type(device).__name__} has {device.num_players}"
        )
    utilities = np.asarray(_uniform_utilities(device), np.float64)
    sums = utilities.sum(axis=1)
    scale = max(1.0, float(np.abs(utilities).max()))
    if np.ptp(sums) > TOLERANCE * scale:
        raise UnsupportedGameError(
            f"{name} needs a game whose utilities have a constant sum; those of "
            f"{type(device).__name__} have sums from {sums.min():g} to {sums.max():g}"
        )
    deviation = float((utilities[:, 0] - utilities[:, 1]).std() / 2)
    return DeviceSource(device, jnp.float32(deviation if is_relative and deviation else 1.0))


@eqx.filter_jit
def _uniform_utilities(device: DeviceGame) -> Array:
    """Return [S, 2] the utilities of episodes of uniform play."""

    def uniform(rows: Rows) -> Array:
        return jnp.zeros(rows.legal.shape, jnp.float32)

    return roll_out(device, uniform, jax.random.key(0), NUM_SAMPLED).rewards.sum(axis=0)
