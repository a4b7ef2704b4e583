"""Probability of each step of a picture when the players follow a policy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.policy import TabularPolicy
from infoset.tree import GameTree
from infoset.typing import FloatArray, IntArray, Player


@dataclass(frozen=True)
class StepProbabilities:
    """Probabilities of the steps of a game tree under a policy of all players, and of chance.

    A step that leaves an infostate or public state of reach 0 has no conditional probability: NaN.
    At an infostate to which the others do not lead, the steps of a player's own actions have the
    probabilities of the actions.
    """

    tree: GameTree
    policy: TabularPolicy

    def of_histories(self) -> FloatArray:
        """Return [H] the probability of the step to each history; 1 at the root."""
        tree, graph = self.tree, self.tree.graph
        probabilities = graph.probability[tree.edge]
        for player in range(tree.num_players):
            acted = graph.joint_action[tree.edge, player] >= 0
            own = self.policy.probabilities[player][tree.sequence[:, player]]
            probabilities = probabilities * np.where(acted, own, 1.0)
        probabilities[0] = 1.0  # the root has no step: its edge is -1
        return probabilities

    def of_infostates(self, player: Player) -> FloatArray:
        """Return [S] the probability of the step to each infostate of a player from its parent.

        It is the probability of the player's own action, if any, times that of the next observation
        given the parent infostate: `policy(a) · P₋ᵢ(s') / P₋ᵢ(s)`. If the others do not lead to
        the parent, it is that of the own action alone.
        """
        infostates = self.tree.infostate_trees[player]
        others = self._reach(without=player)
        probability = _conditional(self.tree.infostate[:, player], infostates.parent, others)
        own, acted = (
            self.policy.probabilities[player][infostates.last_sequence],
            infostates.action >= 0,
        )
        # Reach of the others 0 at the parent: only the factor of the own action is left.
        probability[np.isnan(probability) & acted] = 1.0
        return probability * np.where(acted, own, 1.0)

    def of_public_states(self) -> FloatArray:
        """Return [P] the probability of the step to each public state from its parent."""
        return _conditional(self.tree.public_state, self.tree.public_tree.parent, self._reach())

    def _reach(self, without: Player | None = None) -> FloatArray:
        """Return [H] the product of the reaches of chance and of all players except `without`."""
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
    before = total[parent]  # of the root it is that of the last group, replaced below
    probabilities = np.full(len(parent), np.nan)
    np.divide(total, before, out=probabilities, where=before > 0)
    probabilities[0] = 1.0
    return probabilities
