"""Batches of episodes, and the decisions at which a network is evaluated."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple, TypeAlias

import equinox as eqx
from jax import Array

from infoset.deep.device_games import State
from infoset.deep.networks import PolicyValueNetwork

StoredPolicy: TypeAlias = Any
"""A policy as an episode source stores it: a network, or [R, A] logarithms at all rows."""


class Rows(eqx.Module):
    """Decisions at which a network is evaluated: all infostates of a game, or those of a batch."""

    player: Array
    """[R] player who acts."""
    features: Array
    """[R, F] encoding of the infostate."""
    legal: Array
    """[R, A] True for legal actions."""

    @property
    def num_rows(self) -> int:
        """Number R of rows."""
        return int(self.features.shape[0])

    @property
    def num_actions(self) -> int:
        """Number A of actions of the network."""
        return int(self.legal.shape[1])


class Episodes(NamedTuple):
    """A batch of B episodes with at most T decisions; decisions after the end are padding."""

    row: Array
    """[T, B] row of each decision; in padding, any row."""
    action: Array
    """[T, B] action taken, as a column of the network's output."""
    valid: Array
    """[T, B] True for decisions, False for padding."""
    reward: Array
    """[T, B] reward of player 0 after the decision, centered and in the learner's unit."""
    state: State
    """[T, B, ...] state of the game on the device at which the decision is taken."""
    earned: Array
    """[T, B] reward of player 0 after the decision, in the game's own unit."""


class EpisodeSource(eqx.Module):
    """A two-player zero-sum game in which a network plays batches of episodes against itself."""

    @property
    @abstractmethod
    def num_features(self) -> int:
        """Number F of inputs of the network."""

    @property
    @abstractmethod
    def num_actions(self) -> int:
        """Number A of actions of the network."""

    @abstractmethod
    def play(
        self, network: PolicyValueNetwork, key: Array, batch_size: int
    ) -> tuple[Rows, Episodes]:
        """Return a batch of episodes, and the rows to which their decisions belong."""

    @abstractmethod
    def store(self, network: PolicyValueNetwork) -> StoredPolicy:
        """Return the policy of a network in the form in which it takes least time to evaluate."""

    @abstractmethod
    def log_policy(self, stored: StoredPolicy, rows: Rows) -> Array:
        """Return [R, A] the logarithms of a stored policy at the rows of a batch."""
