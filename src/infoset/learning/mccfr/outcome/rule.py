"""What outcome sampling does with the episodes of one player, wherever they are played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from infoset.learning.mccfr.outcome._kernels import (
    OutcomeParameters,
    OutcomeState,
    learn_outcome_alone,
)
from infoset.learning.simulation import Infostates, Paths
from infoset.learning.update_rule import Exploration, Feedback
from infoset.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from infoset.learning.mccfr.outcome.learner import OutcomeSampling

__all__ = ["OutcomeSamplingUpdate"]


@dataclass(frozen=True, eq=False)
class OutcomeSamplingUpdate:
    """Outcome sampling of one player, as `infoset.learning.update_rule.UpdateRule` has it.

    Attributes
    ----------
    row : OutcomeSampling
    numbers : OutcomeParameters
    """

    row: OutcomeSampling
    numbers: OutcomeParameters

    turn = 1
    """It explores in the episodes that it learns from."""

    def settings(self) -> dict[str, Any]:
        """Return the numbers of the row, and how it explores."""
        return {"exploration_policy": self.row.exploration_policy_name, **self.numbers._asdict()}

    def begin(self, infostates: Infostates, depth: IntArray, num_slots: int) -> OutcomeState:
        """Return the arrays before the first episode."""
        return self.row.begin(infostates, depth, num_slots)

    def first_policies(self, state: OutcomeState) -> tuple[FloatArray, ...]:
        """Return the arrays [S] that begin as policies."""
        return state.policy, state.exploration_policy

    def exploration(self, state: OutcomeState, episode: int, step: int) -> Exploration:
        """Return what to mix in, the same at every decision."""
        return Exploration(state.exploration_policy, self.numbers.exploration)

    def learn(
        self, infostates: Infostates, paths: Paths, feedback: Feedback, state: OutcomeState
    ) -> None:
        """Count an episode in the average, and learn from it, `state` in place."""
        learn_outcome_alone(self.numbers, infostates, paths, feedback.utility, state)
