"""Step sizes: from the size of a player's tree and the number of episodes, or as given."""

from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt
from typing import NamedTuple, TypeAlias

import numpy as np

from infoset.learning.simulation import Simulator
from infoset.typing import Player

__all__ = ["StepRule", "Steps", "TreeSize", "tree_size"]

FAILURE = 0.1
"""The probability δ with which the bounds behind the step sizes may fail."""


class TreeSize(NamedTuple):
    """How large a player's infostate tree is, in the letters of the papers.

    Attributes
    ----------
    infostates : int
        X
    sequences : int
        XA, the number of pairs of an infostate and an action there.
    decisions : int
        H, the most own decisions in an episode.
    actions : int
        A, the most actions at an infostate.
    """

    infostates: int
    sequences: int
    decisions: int
    actions: int

    @property
    def log_actions(self) -> float:
        """The logarithm of A, at least of 2."""
        return log(max(self.actions, 2))

    @property
    def confidence(self) -> float:
        """The number ι = log(3 H XA / δ), with δ = 0.1."""
        return log(3.0 * max(self.decisions, 1) * max(self.sequences, 1) / FAILURE)


class Steps(NamedTuple):
    """The numbers of a learner.

    Attributes
    ----------
    rate : float
        η, the learning rate, for losses in [0, 1].
    exploration : float
        γ, of implicit exploration.
    """

    rate: float
    exploration: float


StepRule: TypeAlias = Callable[[TreeSize, int], Steps]
"""Gives the steps for a tree and a number of episodes."""


def tree_size(simulator: Simulator, player: Player) -> TreeSize:
    """Return how large a player's infostate tree is.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.learning.simulation import make_simulator
    >>> from infoset.tree import build_tree
    >>> tree_size(make_simulator(build_tree(load_game("kuhn_poker"))), 0)
    TreeSize(infostates=6, sequences=12, decisions=2, actions=2)
    """
    own = simulator.infostates.player == player
    counts = simulator.infostates.num_actions[own]
    return TreeSize(
        infostates=len(counts),
        sequences=int(counts.sum()),
        decisions=int(simulator.depth[own].max(initial=-1)) + 1,
        actions=int(np.max(counts, initial=1)),
    )


def plain_steps(size: TreeSize, episodes: int) -> Steps:
    """Return η = √(X log A / (H XA T)) and γ = √(X ι / (XA T)).

    Source: Kozuno, Ménard, Munos and Valko (2021).
    """
    scale = max(size.sequences, 1) * episodes
    rate = sqrt(size.infostates * size.log_actions / (max(size.decisions, 1) * scale))
    return Steps(rate, sqrt(size.infostates * size.confidence / scale))


def balanced_steps(size: TreeSize, episodes: int) -> Steps:
    """Return η = √(XA log A / (H³ T)) and γ = √(XA ι / (H T)).

    Source: Bai, Jin, Mei and Yu (2022), Theorem 6.
    """
    decisions = max(size.decisions, 1)
    rate = sqrt(size.sequences * size.log_actions / (decisions**3 * episodes))
    return Steps(rate, sqrt(size.sequences * size.confidence / (decisions * episodes)))


def transition_steps(size: TreeSize, episodes: int) -> Steps:
    """Return η = √(2 H log A / (XA T)) and γ = √(H ι / (XA T)).

    Source: Fiegel et al. (2023), Theorem 4.1.
    """
    scale = max(size.sequences, 1) * episodes
    decisions = max(size.decisions, 1)
    return Steps(
        sqrt(2 * decisions * size.log_actions / scale), sqrt(decisions * size.confidence / scale)
    )
