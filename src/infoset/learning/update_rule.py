"""The update of a learner: what it does with the episodes of a player, wherever they are played.

Compiled self-play and learners in a user's own loop share these objects and their kernels.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, TypeVar

from infoset.learning._simulator_kernels import Paths
from infoset.tree.decision_nodes import Infostates
from infoset.typing import FloatArray, IntArray

__all__ = ["Exploration", "Feedback", "LearnerState", "UpdateRule"]


class LearnerState(Protocol):
    """The arrays of a learner, as a named tuple: these three and those of its algorithm.

    Where infostates are discovered in play, every array is over sequences [S], over infostates [I]
    or empty, and grows with them.
    """

    @property
    def policy(self) -> FloatArray:
        """[S] the current policy."""

    @property
    def cumulative_plan(self) -> FloatArray:
        """[S] sum over episodes of the realization plans, as far as it is counted."""

    @property
    def parent_counted(self) -> FloatArray:
        """[I] the part of the parent sequence's cumulative plan that is counted here."""


State = TypeVar("State", bound=LearnerState)


class Exploration(NamedTuple):
    """An exploration policy, and how often a learner follows it instead of its own.

    Attributes
    ----------
    policy : FloatArray
        [S]
    probability : float
        Probability of drawing an action from `policy` instead of the current policy.
    """

    policy: FloatArray
    probability: float


class Feedback(NamedTuple):
    """Bandit feedback at the end of an episode.

    Attributes
    ----------
    utility : float
        In the game's units.
    loss : float
        (maximum utility - utility) / range of utilities, in [0, 1].
    episode : int
        Number of episodes the learner has learned from, this one included.
    """

    utility: float
    loss: float
    episode: int


class UpdateRule(Protocol[State]):
    """An algorithm with its parameters: the arrays it begins with, and its update of one player.

    In a user's own loop, infostates and sequences are those of one player, numbered as player 0.
    """

    @property
    def turn(self) -> int:
        """Number of episodes in which it explores before its policy moves; 0 if it never does."""

    def settings(self) -> dict[str, Any]:
        """Return the parameters that determine what is learned, as JSON values by name."""

    def begin(self, infostates: Infostates, depth: IntArray, num_sequences: int) -> State:
        """Return the arrays before the first episode; `depth` [I] counts own decisions above."""

    def initial_policies(self, state: State) -> tuple[FloatArray, ...]:
        """Return the arrays [S] that must be uniform at infostates discovered in play."""

    def exploration(self, state: State, episode: int, step: int) -> Exploration | None:
        """Return the exploration at a decision, or None; episode and step count from 0."""

    def learn(self, infostates: Infostates, paths: Paths, feedback: Feedback, state: State) -> None:
        """Add an episode to the average and learn from it, updating `state` in place."""
