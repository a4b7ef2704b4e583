"""What LocalOMD does with the episodes of one player, wherever they are played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from infoset.learning.local_omd._kernels import LocalState, learn_locally_alone
from infoset.learning.simulation import Infostates, Paths
from infoset.learning.update_rule import Exploration, Feedback
from infoset.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from infoset.learning.local_omd.learner import LocalOMD

__all__ = ["LocalOMDUpdate"]


@dataclass(frozen=True, eq=False)
class LocalOMDUpdate:
    """LocalOMD of one player, as `infoset.learning.UpdateRule` has it.

    Attributes
    ----------
    row : LocalOMD
    numbers : FloatArray
        [6] see `LocalOMD.numbers`.
    """

    row: LocalOMD
    numbers: FloatArray

    turn = 1
    """It samples in the episodes that it learns from."""

    def settings(self) -> dict[str, Any]:
        """Return the numbers, and what baselines begin with."""
        return {"numbers": self.numbers.tolist(), "center": self.row.center}

    def begin(self, infostates: Infostates, depth: IntArray, num_slots: int) -> LocalState:
        """Return the arrays before the first episode."""
        return self.row.begin(self.numbers[None], infostates, depth, num_slots)

    def first_policies(self, state: LocalState) -> tuple[FloatArray, ...]:
        """Return nothing: the tree is known, and policies begin as its sizes have it."""
        return ()

    def exploration(self, state: LocalState, episode: int, step: int) -> Exploration:
        """Return the fixed policy and its exploration, the same at every decision."""
        return Exploration(state.sampling, self.row.exploration)

    def learn(
        self, infostates: Infostates, paths: Paths, feedback: Feedback, state: LocalState
    ) -> None:
        """Count an episode in the average, and learn from it, `state` in place."""
        learn_locally_alone(
            self.numbers, infostates, paths, feedback.loss, float(feedback.episode), state
        )
