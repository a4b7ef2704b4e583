"""Beliefs over the histories of a compiled tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from infoset.beliefs.assumed_policies import ranges_at, unreached_error
from infoset.beliefs.belief import Belief
from infoset.beliefs.history_filter import HistoryFilter
from infoset.beliefs.public_belief_state import PublicBeliefState
from infoset.beliefs.public_states import check_public_state, find_public_state
from infoset.errors import UnknownNameError
from infoset.game import Infostate, PublicState
from infoset.policy import Policy
from infoset.tree import GameTree
from infoset.typing import FloatArray, Player

__all__ = ["TreeBeliefs"]


@dataclass(frozen=True)
class TreeBeliefs:
    """Beliefs on a compiled tree under assumed policies.

    Attributes
    ----------
    tree : GameTree
    policies : Sequence[Policy or None]
        One per player.
    """

    tree: GameTree
    policies: Sequence[Policy | None]

    def private(self, infostate: Infostate) -> Belief:
        """Return the belief of a player at an infostate."""
        state, number = self._state_of(infostate)
        return self._belief(state, self._private(state, infostate.player, number))

    def public(self, public_state: PublicState) -> Belief:
        """Return the belief given a public state."""
        return self.public_at(find_public_state(self.tree, public_state))

    def public_at(self, public_state: int) -> Belief:
        """Return the belief given the index of a public state."""
        check_public_state(self.tree, public_state)
        state = self._state(public_state)
        return self._belief(state, self._public(state))

    def mixture(self, infostate: Infostate, public_weight: float) -> Belief:
        """Return the mixture `(1 - public_weight) * private + public_weight * public`."""
        state, number = self._state_of(infostate)
        public = self._public(state)
        if public_weight == 1:
            return self._belief(state, public)
        private = self._private(state, infostate.player, number)
        return self._belief(state, (1 - public_weight) * private + public_weight * public)

    def _state_of(self, infostate: Infostate) -> tuple[PublicBeliefState, int]:
        """Return the public belief state of an infostate, and the infostate's index."""
        own = self.tree.infostate_trees[infostate.player]
        try:
            number = own.index_of(infostate)
        except UnknownNameError:
            # The filter raises a better error, which names the first step that no history agrees
            # with.
            HistoryFilter(self.tree.game, self.tree.num_histories).enumerated(infostate)
            raise
        return self._state(int(own.public_state[number])), number

    def _state(self, public_state: int) -> PublicBeliefState:
        ranges = ranges_at(self.tree, self.policies, public_state)
        return PublicBeliefState(self.tree, public_state, ranges)

    def _private(self, state: PublicBeliefState, player: Player, infostate: int) -> FloatArray:
        if not state.counterfactual_reach(player)[state.infostates[player] == infostate] > 0:
            raise unreached_error(self.tree, player)
        return state.history_beliefs(player, infostate)

    def _public(self, state: PublicBeliefState) -> FloatArray:
        if not state.probability > 0:
            raise unreached_error(self.tree, None)
        return state.history_distribution

    def _belief(self, state: PublicBeliefState, probability: FloatArray) -> Belief:
        kept = probability > 0
        return Belief(state.histories[kept], probability[kept], self.tree, "tree")
