"""Update rules: how a learner updates its arrays after an episode of one player.

Compiled self-play and learners in a user's own loop share these rules and their kernels.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, TypeVar

from infoset.learning._simulator_kernels import Paths
from infoset.tree.decision_nodes import Infostates
from infoset.typing import FloatArray, IntArray


class LearnerState(Protocol):
    """The arrays of a learner: a named tuple of these three and the arrays of its algorithm.

    If infostates are discovered in play, every array has one entry per sequence [S] or infostate
    [I], and grows with their number, or is empty.
    """

    @property
    def policy(self) -> FloatArray:
        """[S] the current policy."""

    @property
    def cumulative_plan(self) -> FloatArray:
        """[S] sum of the realization plans of all episodes, or of those accumulated so far."""

    @property
    def parent_counted(self) -> FloatArray:
        """[I] cumulative plan of the parent sequence when the infostate was last counted."""


State = TypeVar("State", bound=LearnerState)


class Exploration(NamedTuple):
    """An exploration policy, and the probability of following it."""

    policy: FloatArray
    """[S] the exploration policy."""
    probability: float
    """Probability of drawing an action from `policy` instead of the current policy."""


class Feedback(NamedTuple):
    """Bandit feedback at the end of an episode."""

    utility: float
    """In the game's units."""
    loss: float
    """(maximum utility - utility) / (maximum utility - minimum utility) of the player, in [0, 1].
    """
    episode: int
    """Number of episodes that the learner has learned from, including this one."""
    centered_utility: float
    """The utility minus the mean of minimum and maximum utility, in the game's units. Like the
    loss, it does not depend on a constant that is added to the payoffs of the player."""


class UpdateRule(Protocol[State]):
    """An algorithm with its parameters: its initial arrays, and its update of one player.

    In a user's own loop, infostates and sequences are those of one player, numbered as player 0.
    """

    @property
    def turn(self) -> int:
        """Number of episodes with exploration before the policy changes; 0 without exploration."""

    def settings(self) -> dict[str, Any]:
        """Return the parameters that determine what is learned, as JSON values by name."""

    def begin(self, infostates: Infostates, depth: IntArray, num_sequences: int) -> State:
        """Return the initial arrays; `depth` [I] is the number of own decisions above."""

    def initial_policies(self, state: State) -> tuple[FloatArray, ...]:
        """Return the arrays [S] that must be uniform at infostates discovered in play."""

    def exploration(self, state: State, episode: int, step: int) -> Exploration | None:
        """Return the exploration at a decision, or None; episode and step count from 0."""

    def learn(self, infostates: Infostates, paths: Paths, feedback: Feedback, state: State) -> None:
        """Add an episode to the average and learn from it, updating `state` in place."""
