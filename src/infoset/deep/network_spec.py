"""Learner steps: episodes are played, a network learns from them, and so may a critic."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from infoset.deep.blueprints import Blueprint, NetworkBlueprint, TableBlueprint
from infoset.deep.critic_learning import (
    CriticState,
    CriticTask,
    Played,
    critic_step,
    initial_critic,
)
from infoset.deep.descent import DescentSpec
from infoset.deep.episodes import Episodes, EpisodeSource, Rows, StoredPolicy
from infoset.deep.networks import PolicyValueNetwork, legal_exp
from infoset.deep.tree_game import TreeGame
from infoset.utils.arguments import check_type


class LearnerState(NamedTuple):
    """All arrays that learner steps change."""

    step: Array
    """Number of completed learner steps."""
    key: Array
    """[2] raw random key of the run; each step folds its number into it."""
    network: PolicyValueNetwork
    target: PolicyValueNetwork
    """θ, and its Polyak average."""
    second_moment: PolicyValueNetwork
    """Adam's moving average of squared gradients."""
    regularizer: StoredPolicy
    previous: StoredPolicy
    """The current regularizer π_reg and the one before, as `EpisodeSource.store` returns them."""
    critic: CriticState | None
    """State of the critic that is trained with the network, if any."""
    loss: Array
    """Loss of the last step."""


@dataclass(frozen=True, kw_only=True)
class NetworkSpec(DescentSpec, ABC):
    """How a network learns from episodes of play against itself.

    A subclass is a method: its fields are the parameters, and `update` is one learning step.
    """

    name: str
    description: str
    """Name of the method in results, and its description in one line with the source."""
    is_relative: bool = True
    """Whether the unit of utility is the standard deviation of returns when both players play
    uniformly. If not, it is the game's own unit."""
    is_sampled: bool = True
    """Whether episodes are sampled. If not, each step uses the expectation over all episodes, by a
    pass through the whole tree; the game must be built."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_type("is_sampled", self.is_sampled, bool, "True or False")

    @abstractmethod
    def update(
        self, source: EpisodeSource, rows: Rows, episodes: Episodes | None, state: LearnerState
    ) -> LearnerState:
        """Return the state after learning from a batch of episodes of the network.

        Parameters
        ----------
        rows
            The decisions of the episodes; without episodes, those of a `TreeGame`.
        episodes
            None if the step uses expectations.
        """


@partial(jax.jit, static_argnames=("spec", "seed"))
def initial_state(
    source: EpisodeSource, spec: NetworkSpec, seed: int, task: CriticTask | None = None
) -> LearnerState:
    """Return the state before the first learner step; with a critic if it has a task."""
    key = jax.random.key(seed, impl="threefry2x32")
    network = PolicyValueNetwork(
        source.num_features,
        spec.hidden,
        source.num_actions,
        jax.random.fold_in(key, 0),
        spec.precision,
    )
    regularizer = source.store(network)
    return LearnerState(
        step=jnp.zeros((), jnp.int32),
        key=jax.random.key_data(jax.random.fold_in(key, 1)),
        network=network,
        target=network,
        second_moment=jax.tree.map(jnp.zeros_like, network),
        regularizer=regularizer,
        previous=regularizer,
        critic=None if task is None else initial_critic(task, seed),
        loss=jnp.zeros((), jnp.float32),
    )


@partial(jax.jit, static_argnames="spec")
def learner_steps(
    source: EpisodeSource,
    spec: NetworkSpec,
    state: LearnerState,
    num_steps: int,
    task: CriticTask | None = None,
) -> LearnerState:
    """Do `num_steps` learner steps, or fewer if a loss is not finite.

    In each of them a critic, if it has a task, does a step with the target network as blueprint.

    The loop updates its buffers in place. `state` remains, as the state to return to if a loss is
    not finite, so it is not donated.
    """
    end = state.step + num_steps
    last: LearnerState = jax.lax.while_loop(
        lambda now: (now.step < end) & jnp.isfinite(now.loss),
        lambda now: learner_step(source, spec, now, task),
        state,
    )
    return last


def learner_step(
    source: EpisodeSource, spec: NetworkSpec, state: LearnerState, task: CriticTask | None = None
) -> LearnerState:
    """Play a batch of episodes, and let the network and the critic learn from it."""
    episodes: Episodes | None = None
    if spec.is_sampled:
        key = jax.random.fold_in(jax.random.wrap_key_data(state.key), state.step)
        rows, episodes = source.play(state.network, key, spec.batch_size)
    else:
        assert isinstance(source, TreeGame)
        rows = source
    after = spec.update(source, rows, episodes, state)
    if task is None or after.critic is None:
        return after
    played = None
    if task.spec.is_shared and episodes is not None:
        played = _played(source, task, rows, episodes, state.network)
    blueprint: Blueprint = NetworkBlueprint(after.target)
    if isinstance(source, TreeGame):
        blueprint = TableBlueprint(legal_exp(source.store(after.target), source.legal))
    critic = critic_step(task, blueprint, after.critic, played)
    # A loss that is not finite ends the loop.
    return after._replace(critic=critic, loss=after.loss + 0.0 * critic.loss)


def _played(
    source: EpisodeSource,
    task: CriticTask,
    rows: Rows,
    episodes: Episodes,
    network: PolicyValueNetwork,
) -> Played:
    """Return the episodes that a network has played, for a critic."""
    # The compiler merges this with the evaluation of the network by which it has played.
    log_policy = source.log_policy(source.store(network), rows)
    taken = jnp.exp(log_policy[episodes.row, episodes.action])
    played = Played(
        state=episodes.state,
        action=episodes.action,
        reward=episodes.earned / task.unit,
        probability=jnp.where(episodes.valid, taken, 1.0),
    )
    first: Played = jax.tree.map(lambda leaf: leaf[:, : task.spec.batch_size], played)
    return first
