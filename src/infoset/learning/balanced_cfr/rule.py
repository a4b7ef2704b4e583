"""What Balanced CFR does with the episodes of one player, wherever they are played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from infoset.learning.balance import layer_policies
from infoset.learning.balanced_cfr._kernels import LayerState, learn_layer_alone
from infoset.learning.simulation import Infostates, Paths
from infoset.learning.update_rule import Exploration, Feedback
from infoset.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from infoset.learning.balanced_cfr.learner import BalancedCFR

__all__ = ["BalancedCFRUpdate"]


class BalancedCFRUpdate:
    """Balanced CFR of one player, as `infoset.learning.UpdateRule` has it.

    Its turns have an episode for each layer of its tree; then its policy moves.

    Parameters
    ----------
    row : BalancedCFR
    numbers : tuple
        See `BalancedCFR.numbers`.
    num_layers : int
        H, the most own decisions in an episode.
    """

    def __init__(self, row: BalancedCFR, numbers: tuple[float, ...], num_layers: int) -> None:
        self.row = row
        self.turn = num_layers
        self._numbers = np.array([numbers])
        self._layer_policies = np.ones((0, 0))

    def settings(self) -> dict[str, Any]:
        """Return the numbers, and what baselines begin with."""
        return {"numbers": self._numbers[0].tolist(), "center": self.row.center}

    def begin(self, infostates: Infostates, depth: IntArray, num_slots: int) -> LayerState:
        """Return the arrays before the first episode."""
        self._layer_policies = layer_policies(infostates, depth)
        return self.row.begin(infostates, depth, num_slots, self.turn)

    def first_policies(self, state: LayerState) -> tuple[FloatArray, ...]:
        """Return nothing: the tree is known, and policies begin as uniform."""
        return ()

    def exploration(self, state: LayerState, episode: int, step: int) -> Exploration | None:
        """Return the balanced policy of the layer whose episode it is, down to that layer."""
        layer = episode % self.turn
        return Exploration(self._layer_policies[layer], 1.0) if step <= layer else None

    def learn(
        self, infostates: Infostates, paths: Paths, feedback: Feedback, state: LayerState
    ) -> None:
        """Learn from an episode for one layer, `state` in place."""
        before, layer = divmod(feedback.episode - 1, self.turn)
        learn_layer_alone(
            self._numbers, infostates, layer, paths, feedback.loss, before + 1.0, state
        )
