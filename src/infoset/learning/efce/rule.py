"""What a learner of deviations does with the episodes of one player, wherever they are played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from infoset.learning.efce._kernels import learn_alone
from infoset.learning.efce.deviation import TriggerState
from infoset.learning.efce.start import begin_deviations
from infoset.learning.simulation import Infostates, Paths
from infoset.learning.update_rule import Feedback
from infoset.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from infoset.learning.efce.learner import BalancedEFCEOMD

__all__ = ["BalancedEFCEOMDUpdate"]


class BalancedEFCEOMDUpdate:
    """Balanced EFCE-OMD of one player, as `infoset.learning.UpdateRule` has it.

    The average is of all episodes. Its policy is solved everywhere after each, in proportion to
    the pairs of the tree.

    Parameters
    ----------
    row : BalancedEFCEOMD
    numbers : FloatArray
        [1, 3] see `BalancedEFCEOMD.numbers`.
    """

    turn = 0
    """It plays the policy that it learns."""

    def __init__(self, row: BalancedEFCEOMD, numbers: FloatArray) -> None:
        self.row = row
        self._numbers = numbers

    def settings(self) -> dict[str, Any]:
        """Return the numbers, and whether rates fall."""
        return {"numbers": self._numbers[0].tolist(), "anytime": self.row.anytime}

    def begin(self, infostates: Infostates, depth: IntArray, num_slots: int) -> TriggerState:
        """Return the arrays before the first episode."""
        self._pairs, state = begin_deviations(
            self._numbers, infostates, depth, num_slots, "the game"
        )
        return state

    def first_policies(self, state: TriggerState) -> tuple[FloatArray, ...]:
        """Return nothing: the tree is known."""
        return ()

    def exploration(self, state: TriggerState, episode: int, step: int) -> None:
        """Return nothing to mix in."""

    def learn(
        self, infostates: Infostates, paths: Paths, feedback: Feedback, state: TriggerState
    ) -> None:
        """Count an episode in the average, and learn from it, `state` in place."""
        learn_alone(
            self._numbers,
            self.row.anytime,
            infostates,
            self._pairs,
            feedback.episode - 1,
            paths,
            feedback.loss,
            state,
        )
