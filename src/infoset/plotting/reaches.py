"""How probable each step of a picture is when the players follow a policy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.policy import TabularPolicy
from infoset.tree import GameTree
from infoset.typing import FloatArray, IntArray, Player

__all__ = ["Reaches"]


@dataclass(frozen=True)
class Reaches:
    """Probabilities of the steps of a game tree under a policy of all players, and nature's.

    A step out of what is never reached has no probability where it depends on how one got
    there: NaN.
    """

    tree: GameTree
    policy: TabularPolicy

    def of_histories(self) -> FloatArray:
        """Return [H] the probability of the step to each history; 1 at the root."""
        tree, graph = self.tree, self.tree.graph
        shares = graph.probability[tree.edge]
        for player in range(tree.num_players):
            acted = graph.joint_action[tree.edge, player] >= 0
            own = self.policy.probabilities[player][tree.sequence[:, player]]
            shares = shares * np.where(acted, own, 1.0)
        shares[0] = 1.0
        return shares

    def of_infostates(self, player: Player) -> FloatArray:
        """Return [S] the probability of the step to each infostate of a player from the last.

        It is that of the player's own action, if any, times that of what it sees next, given
        what it knew: `policy(a) · P₋ᵢ(s') / P₋ᵢ(s)`.
        """
        infostates = self.tree.infostate_trees[player]
        others = self._reach(without=player)
        share = _conditional(self.tree.infostate[:, player], infostates.parent, others)
        own = self.policy.probabilities[player][infostates.last_sequence]
        return share * np.where(infostates.action >= 0, own, 1.0)

    def of_public_states(self) -> FloatArray:
        """Return [P] the probability of the step to each public state from the last."""
        return _conditional(self.tree.public_state, self.tree.public_tree.parent, self._reach())

    def _reach(self, without: Player | None = None) -> FloatArray:
        """Return [H] the product of everyone's reach, nature's included, of one player's not."""
        reach = self.tree.chance_reach
        for player in range(self.tree.num_players):
            if player != without:
                plan = self.policy.realization_plan(player)
                reach = reach * plan[self.tree.sequence[:, player]]
        return reach


def _conditional(group: IntArray, parent: IntArray, reach: FloatArray) -> FloatArray:
    """Return [number of groups] the reach of each group given that of its parent.

    group [H], parent [number of groups], reach [H].
    """
    total = np.bincount(group, reach, minlength=len(parent))
    before = total[parent]
    shares = np.full(len(parent), np.nan)
    np.divide(total, before, out=shares, where=before > 0)
    shares[0] = 1.0
    return shares
