"""What a path learner does with the episodes of one player, wherever they are played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from infoset.learning.path._kernels import MirrorDescentState, learn_alone
from infoset.learning.simulation import Infostates, Paths
from infoset.learning.update_rule import Feedback
from infoset.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from infoset.learning.path.learner import OnlineMirrorDescent

__all__ = ["OnlineMirrorDescentUpdate"]


@dataclass(frozen=True, eq=False)
class OnlineMirrorDescentUpdate:
    """A path learner of one player, as `infoset.learning.update_rule.UpdateRule` has it.

    Attributes
    ----------
    row : OnlineMirrorDescent
    numbers : FloatArray
        [6] see `OnlineMirrorDescent.numbers`.
    """

    row: OnlineMirrorDescent
    numbers: FloatArray

    turn = 0
    """It plays the policy that it learns."""

    def settings(self) -> dict[str, Any]:
        """Return the numbers of the player, and those of the row."""
        return {"numbers": self.numbers.tolist(), "center": self.row.center}

    def begin(self, infostates: Infostates, depth: IntArray, num_slots: int) -> MirrorDescentState:
        """Return the arrays before the first episode."""
        return self.row.begin(self.numbers[None], infostates, depth, num_slots)

    def first_policies(self, state: MirrorDescentState) -> tuple[FloatArray, ...]:
        """Return the arrays [S] that begin as policies."""
        return state.policy, state.initial

    def exploration(self, state: MirrorDescentState, episode: int, step: int) -> None:
        """Return nothing to mix in."""

    def learn(
        self, infostates: Infostates, paths: Paths, feedback: Feedback, state: MirrorDescentState
    ) -> None:
        """Count an episode in the average, and learn from it, `state` in place."""
        loss, episode = feedback.loss - self.row.center, float(feedback.episode)
        learn_alone(self.numbers, infostates, paths, loss, episode, state)
