"""Learner steps of a critic, which learns the values of histories under transformed profiles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import inf
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

from infoset.deep.blueprints import Blueprint, profile_policies
from infoset.deep.descent import DescentSpec, descend
from infoset.deep.device_games import OVER, DeviceGame, State
from infoset.deep.device_play import draw_actions
from infoset.deep.episodes import Rows
from infoset.deep.networks import Perceptron
from infoset.policy import Transformation
from infoset.utils.arguments import check_number, check_type


@dataclass(frozen=True, kw_only=True)
class CriticSpec(DescentSpec):
    """The parameters by which a critic learns, besides those of `DescentSpec`."""

    name: str = "expected-backup"
    description: str = "Expectations over all actions at sampled histories (ours)"
    """Name of the method, and its description in one line with the source."""
    is_expected: bool = True
    """Whether the target of a history is the expectation over all actions there, of the reward and
    the value of the next history. If not, it is that of V-trace, from the action taken."""
    is_shared: bool = False
    """Whether a critic that is trained with a network learns from the network's episodes: the first
    `batch_size` of each step. Otherwise, and without such a network, it plays separate episodes."""
    exploration: float = 0.5
    """Episodes are played by a mixture of the blueprint, with weight 1 - `exploration`, and of the
    policies of all profiles in equal parts."""
    learning_rate: float = 3e-3
    halving_steps: float = 3000.0
    batch_size: int = 64
    target_rate: float = 0.03
    c_bar: float = 1.0
    rho_bar: float = inf
    """Largest ratios of V-trace."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("is_expected", "is_shared"):
            check_type(name, getattr(self, name), bool, "True or False")
        check_number("exploration", self.exploration, maximum=1)
        for name in ("c_bar", "rho_bar"):
            if getattr(self, name) != inf:
                check_number(name, getattr(self, name))


class CriticTask(eqx.Module):
    """What a critic learns: the values of a game's histories under M = 2n - 1 profiles."""

    device: DeviceGame
    """A two-player constant-sum game."""
    unit: Array
    """Utilities are divided by this number."""
    transformations: tuple[Transformation, ...] = eqx.field(static=True)
    """n transformations, the first of which is the identity."""
    spec: CriticSpec = eqx.field(static=True)
    """How it learns."""

    @property
    def num_profiles(self) -> int:
        """Number M of profiles."""
        return 2 * len(self.transformations) - 1


class CriticState(NamedTuple):
    """All arrays that learner steps of a critic change; as in `LearnerState`."""

    step: Array
    key: Array
    network: Perceptron
    target: Perceptron
    second_moment: Perceptron
    loss: Array


class Played(NamedTuple):
    """B episodes with at most T decisions."""

    state: State
    """[T, B, ...] state of the game at each decision."""
    action: Array
    """[T, B] action taken."""
    reward: Array
    """[T, B] reward of player 0 after the action, in the unit of the critic."""
    probability: Array
    """[T, B] probability with which the policy that played takes the action; 1 in padding."""


class Visits(NamedTuple):
    """Histories at which a player acts in B episodes with at most T decisions."""

    features: Array
    """[T, B, N * F] encodings of the histories."""
    valid: Array
    """[T, B] False for padding."""
    reward: Array
    """[T, B] reward of player 0 after the action taken."""
    ratio: Array
    """[T, B, M] probability of the action taken under each profile, divided by that of the policy
    that played."""
    expected: Array
    """[T, B, M] expectation over all actions of the reward and the value of the next history; zeros
    if the target is that of V-trace."""


@partial(jax.jit, static_argnames="seed")
def initial_critic(task: CriticTask, seed: int) -> CriticState:
    """Return the state before the first learner step."""
    key = jax.random.key(seed, impl="threefry2x32")
    size = task.device.num_players * task.device.num_features
    network = Perceptron(
        size,
        task.spec.hidden,
        task.num_profiles,
        jax.random.fold_in(key, 0),
        task.spec.precision,
    )
    return CriticState(
        step=jnp.zeros((), jnp.int32),
        key=jax.random.key_data(jax.random.fold_in(key, 1)),
        network=network,
        target=network,
        second_moment=jax.tree.map(jnp.zeros_like, network),
        loss=jnp.zeros((), jnp.float32),
    )


@jax.jit
def critic_steps(
    task: CriticTask, blueprint: Blueprint, state: CriticState, num_steps: int
) -> CriticState:
    """Do `num_steps` learner steps, or fewer if a loss is not finite."""
    end = state.step + num_steps
    last: CriticState = jax.lax.while_loop(
        lambda now: (now.step < end) & jnp.isfinite(now.loss),
        lambda now: critic_step(task, blueprint, now),
        state,
    )
    return last


def critic_step(
    task: CriticTask, blueprint: Blueprint, state: CriticState, played: Played | None = None
) -> CriticState:
    """Move the values of the histories of a batch of episodes toward their targets.

    Parameters
    ----------
    played
        The episodes; by default the critic plays a separate batch.
    """
    spec = task.spec
    visits = visit_histories(task, blueprint, state, played)
    if spec.is_expected:
        targets = visits.expected
    else:
        values = state.target.outputs(visits.features)
        targets = history_v_trace(visits, values, spec.c_bar, spec.rho_bar)

    def loss(network: Perceptron) -> Array:
        errors = (network.outputs(visits.features) - targets) ** 2
        return jnp.where(visits.valid[..., None], errors, 0.0).sum() / visits.valid.sum()

    value, gradient = jax.value_and_grad(loss)(state.network)
    return descend(spec, state, gradient)._replace(loss=value)


def history_features(device: DeviceGame, state: State) -> Array:
    """Return [B, N * F] the encodings of histories: the infostates of all players."""
    rows = device.stored(jax.vmap(device.observe_all)(state))
    return rows.reshape(rows.shape[0], -1)


def visit_histories(
    task: CriticTask, blueprint: Blueprint, state: CriticState, played: Played | None = None
) -> Visits:
    """Return the histories of a batch of episodes, which is played if it is not given."""
    key = jax.random.fold_in(jax.random.wrap_key_data(state.key), state.step)
    visits: Visits
    if played is None:
        first, *later = jax.random.split(key, task.device.horizon + 1)
        start = jax.vmap(task.device.init)(jax.random.split(first, task.spec.batch_size))
        step = partial(_play, task, blueprint, state)
        visits = jax.lax.scan(step, start, jnp.stack(later))[1]
    else:
        keys = jax.random.split(key, len(played.action))
        visits = jax.lax.map(lambda now: _visit(task, blueprint, state, *now), (played, keys))
    return visits


def _play(
    task: CriticTask, blueprint: Blueprint, state: CriticState, here: State, key: Array
) -> tuple[State, Visits]:
    """Play one decision of each episode."""
    spec, episodes = task.spec, jnp.arange(task.spec.batch_size)
    of_action, of_step = jax.random.split(key)
    steps = jax.random.split(of_step, spec.batch_size)
    now = _decisions(task, blueprint, here)
    mean = now.profiles.mean(axis=0)
    behavior = (1.0 - spec.exploration) * now.profiles[0] + spec.exploration * mean
    draws = jax.random.uniform(of_action, (spec.batch_size,))
    action = draw_actions(behavior, now.legal, draws)
    expected = None
    if spec.is_expected:
        # The histories after the actions taken are among those after all actions.
        children, rewards, expected = _expand(task, state, now, here, steps)
        after = jax.tree.map(lambda leaf: leaf[action, episodes], children)
        reward = rewards[action, episodes]
    else:
        after, reward = _follow(task, here, action, steps)

    def kept(old: Array, new: Array) -> Array:
        # A play that is over stays as it is; `valid` gets the number of axes of the leaf.
        return jnp.where(now.valid.reshape(-1, *[1] * (new.ndim - 1)), new, old)

    # 1 in padding, so that nothing is divided by 0.
    taken = jnp.where(now.valid, behavior[episodes, action], 1.0)
    played = Played(here, action, reward, taken)
    return jax.tree.map(kept, here, after), _recorded(task, now, played, expected)


def _visit(
    task: CriticTask, blueprint: Blueprint, state: CriticState, played: Played, key: Array
) -> Visits:
    """Return the histories at one decision of each episode."""
    now = _decisions(task, blueprint, played.state)
    expected = None
    if task.spec.is_expected:
        keys = jax.random.split(key, len(played.action))
        expected = _expand(task, state, now, played.state, keys)[2]
    return _recorded(task, now, played, expected)


class _Decisions(NamedTuple):
    """B decisions."""

    valid: Array
    """[B] False if nobody acts."""
    legal: Array
    """[B, A] True for legal actions; everywhere if nobody acts."""
    profiles: Array
    """[M, B, A] policy of the acting player under each profile; the first is the blueprint."""


def _decisions(task: CriticTask, blueprint: Blueprint, here: State) -> _Decisions:
    device = task.device
    actor = jax.vmap(device.actor)(here)
    valid = actor != OVER
    legal = jax.vmap(device.legal)(here) | ~valid[:, None]
    observed = device.stored(jax.vmap(device.observe)(here))
    rows = Rows(jnp.maximum(actor, 0), observed, legal)
    policy = blueprint.probabilities(device, here, rows)
    return _Decisions(valid, legal, profile_policies(device, task.transformations, rows, policy))


def _follow(task: CriticTask, here: State, action: Array, keys: Array) -> tuple[State, Array]:
    """Return the states after actions [B], and the rewards of player 0."""
    after, rewards = jax.vmap(task.device.step)(here, action, keys)
    return after, rewards[:, 0] / task.unit


def _expand(
    task: CriticTask, state: CriticState, now: _Decisions, here: State, keys: Array
) -> tuple[State, Array, Array]:
    """Return [A, B] the states after all actions and the rewards, and expectations [B, M]."""
    device, (num_actions, size) = task.device, now.legal.T.shape
    # Those after illegal actions are not used.
    every = jnp.broadcast_to(jnp.arange(num_actions)[:, None], (num_actions, size))
    children, rewards = jax.vmap(lambda action: _follow(task, here, action, keys))(every)
    is_over = jax.vmap(jax.vmap(device.actor))(children) == OVER
    features = jax.vmap(partial(history_features, device))(children)
    below = jnp.where(is_over[..., None], 0.0, state.target.outputs(features))
    worth = jnp.where(now.legal.T[..., None], rewards[..., None] + below, 0.0)
    return children, rewards, jnp.einsum("mba,abm->bm", now.profiles, worth)


def _recorded(task: CriticTask, now: _Decisions, played: Played, expected: Array | None) -> Visits:
    episodes = jnp.arange(len(played.action))
    if expected is None:
        expected = jnp.zeros((len(episodes), task.num_profiles), jnp.float32)
    return Visits(
        features=history_features(task.device, played.state),
        valid=now.valid,
        reward=jnp.where(now.valid, played.reward, 0.0),
        ratio=(now.profiles[:, episodes, played.action] / played.probability).T,
        expected=expected,
    )


def history_v_trace(visits: Visits, values: Array, c_bar: float, rho_bar: float) -> Array:
    """Return [T, B, M] the targets of V-trace, backwards from the end of each episode.

    With w the ratio, V the estimated value, and V' and v' the value and the target of the next
    history, which are 0 at the end:

        v = V + min(rho_bar, w) (r + V' - V) + min(c_bar, w) (v' - V')

    Parameters
    ----------
    values
        [T, B, M] V.

    Notes
    -----
    Source: Kubíček, Burch, Lisý (2023), equation 1, after Espeholt et al. (2018). The fixed point
    is the value of the policy proportional to min(rho_bar μ, π), where μ is the policy that played.
    """

    def backwards(
        after: tuple[Array, Array], now: tuple[Array, Array, Array, Array]
    ) -> tuple[tuple[Array, Array], Array]:
        next_value, next_target = after
        value, is_valid, reward, ratio = now
        target = value + jnp.minimum(rho_bar, ratio) * (reward[:, None] + next_value - value)
        target += jnp.minimum(c_bar, ratio) * (next_target - next_value)
        # Padding follows the last decision, whose V' and v' are therefore 0.
        here = jnp.where(is_valid[:, None], value, 0.0), jnp.where(is_valid[:, None], target, 0.0)
        return here, here[1]

    zeros = jnp.zeros(values.shape[1:], jnp.float32)
    columns = (values, visits.valid, visits.reward, visits.ratio)
    targets: Array = jax.lax.scan(backwards, (zeros, zeros), columns, reverse=True)[1]
    return targets
