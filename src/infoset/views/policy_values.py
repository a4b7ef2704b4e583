"""What a policy does in a game tree: reach, beliefs and values, for all states at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoset.evaluation import Evaluation, evaluate_policy, history_values
from infoset.evaluation.tree_reach import check_same_game, reach_without
from infoset.policy import TabularPolicy
from infoset.tree import GameTree
from infoset.typing import FloatArray, Player

__all__ = ["PolicyValues"]


@dataclass(frozen=True, eq=False)
class PolicyValues:
    """A policy in a game tree, with the arrays that the views of all its states share.

    Each array is computed on first use, by a few passes over the histories.

    Attributes
    ----------
    tree : GameTree
    policy : TabularPolicy

    Raises
    ------
    PolicyMismatchError
        If the policy belongs to another game.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> PolicyValues(kuhn, uniform_policy(kuhn.sequence_form)).state_reach.round(
    ...     3
    ... ).tolist()[:4]
    [1.0, 1.0, 0.5, 0.5]
    """

    tree: GameTree
    policy: TabularPolicy

    def __post_init__(self) -> None:
        check_same_game(self.tree, self.policy.form)

    @cached_property
    def evaluation(self) -> Evaluation:
        """Values, NashConv and, where it is defined, exploitability."""
        return evaluate_policy(self.policy)

    @cached_property
    def reach(self) -> FloatArray:
        """[H] probability of each history."""
        return reach_without(self.tree, self.policy)

    @cached_property
    def state_reach(self) -> FloatArray:
        """[P] probability of each public state."""
        tree = self.tree
        size = tree.public_tree.num_public_states
        return np.asarray(np.bincount(tree.public_state, self.reach, size), np.float64)

    @cached_property
    def history_values(self) -> FloatArray:
        """[H, N] expected utilities if everybody follows the policy from a history on."""
        return history_values(self.tree, self.policy)

    @cached_property
    def infostate_reach(self) -> tuple[FloatArray, ...]:
        """Per player [S] probability of each infostate."""
        return tuple(self._by_infostate(player, self.reach) for player in self._players)

    @cached_property
    def own_reach(self) -> tuple[FloatArray, ...]:
        """Per player [S] probability that its own actions lead to each infostate: its ranges."""
        return tuple(
            self.policy.realization_plan(own.player)[own.last_sequence]
            for own in self.tree.infostate_trees
        )

    @cached_property
    def counterfactual_reach(self) -> tuple[FloatArray, ...]:
        """Per player [S] probability that chance and the others lead to each infostate."""
        return tuple(
            self._by_infostate(player, self._reach_of_others(player)) for player in self._players
        )

    @cached_property
    def infostate_values(self) -> tuple[FloatArray, ...]:
        """Per player [S] its expected utility, given that it has reached an infostate.

        NaN where chance and the others never lead.
        """
        found = []
        for player in self._players:
            weighted = self._reach_of_others(player) * self.history_values[:, player]
            total, reach = self._by_infostate(player, weighted), self.counterfactual_reach[player]
            found.append(np.divide(total, reach, np.full(len(reach), np.nan), where=reach > 0))
        return tuple(found)

    @cached_property
    def action_values(self) -> tuple[FloatArray, ...]:
        """Per player [Q] what each action is worth, as `infoset.evaluation.decision_values`.

        Here the values of histories are known, so that one sum over them is enough: of the values
        after the action, weighted by the reach of chance and the others.
        """
        tree, found = self.tree, []
        before = np.maximum(tree.parent, 0)
        for player, own in enumerate(tree.infostate_trees):
            acted = own.num_actions[tree.infostate[before, player]] > 0
            acted[0] = True  # entry 0 is the value of the policy
            sequence = tree.sequence[acted, player]
            reach = self._reach_of_others(player)[acted]
            values = self.history_values[acted, player]
            total = np.bincount(sequence, reach * values, own.num_sequences)
            mass = np.bincount(sequence, reach, own.num_sequences)
            found.append(np.divide(total, mass, np.full(len(mass), np.nan), where=mass > 0))
        return tuple(found)

    @property
    def _players(self) -> range:
        return range(self.tree.num_players)

    def _reach_of_others(self, player: Player) -> FloatArray:
        return reach_without(self.tree, self.policy, [player])

    def _by_infostate(self, player: Player, values: FloatArray) -> FloatArray:
        """Return [S] the sum of values of histories [H] at each infostate of a player."""
        size = self.tree.infostate_trees[player].num_infostates
        return np.asarray(np.bincount(self.tree.infostate[:, player], values, size), np.float64)
