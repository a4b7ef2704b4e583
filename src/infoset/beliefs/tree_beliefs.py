"""Beliefs over the histories of a compiled tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TypeAlias

import numpy as np

from infoset.beliefs.belief import Belief, ModelNoise, reach_of_each, unreached_error
from infoset.beliefs.history_filter import HistoryFilter
from infoset.beliefs.public_belief_state import (
    PublicBeliefState,
    check_public_state,
    find_public_state,
    histories_at,
    infostates_at,
)
from infoset.errors import UnknownNameError
from infoset.forms import InfostateTree
from infoset.game import Infostate, PublicState
from infoset.policy import Policy, checked_probabilities
from infoset.tree import GameTree
from infoset.typing import FloatArray, Player

StateWithNoise: TypeAlias = Callable[[float], PublicBeliefState]
"""Returns a public belief state, given the weight of uniform play in the policies."""


@dataclass(frozen=True)
class TreeBeliefs:
    """Beliefs on a compiled tree under assumed policies."""

    tree: GameTree
    policies: Sequence[Policy | None]
    """One per player."""
    noise: ModelNoise

    def private(self, infostate: Infostate) -> Belief:
        """Return the belief of a player at an infostate."""
        public_state, number = self._place_of(infostate)
        states = partial(self._state, public_state)
        return self._belief(public_state, *self._private(states, infostate.player, number))

    def public(self, public_state: PublicState) -> Belief:
        """Return the belief given a public state."""
        return self.public_at(find_public_state(self.tree, public_state))

    def public_at(self, public_state: int) -> Belief:
        """Return the belief given the index of a public state."""
        check_public_state(self.tree, public_state)
        return self._belief(public_state, *self._public(partial(self._state, public_state)))

    def mixture(self, infostate: Infostate, public_weight: float) -> Belief:
        """Return the mixture `(1 - public_weight) * private + public_weight * public`."""
        public_state, number = self._place_of(infostate)
        states = cache(partial(self._state, public_state))
        public, noise = self._public(states)
        if public_weight == 1:
            return self._belief(public_state, public, noise)
        private, own_noise = self._private(states, infostate.player, number)
        mixed = (1 - public_weight) * private + public_weight * public
        return self._belief(public_state, mixed, max(noise, own_noise))

    def _place_of(self, infostate: Infostate) -> tuple[int, int]:
        """Return the indices of the public state of an infostate, and of the infostate."""
        own = self.tree.infostate_trees[infostate.player]
        try:
            number = own.index_of(infostate)
        except UnknownNameError:
            # The filter raises a better error, which names the first step that no history agrees
            # with.
            HistoryFilter(self.tree.game, self.tree.num_histories).enumerated(infostate)
            raise
        return int(own.public_state[number]), number

    def _state(self, public_state: int, noise: float) -> PublicBeliefState:
        """Return the public belief state under the policies.

        With noise, the maximum of each range is 1. A player without a policy has a range of ones.
        """
        ranges = []
        infostates = infostates_at(self.tree, public_state)
        for own, policy, numbers in zip(
            self.tree.infostate_trees, self.policies, infostates, strict=True
        ):
            if policy is None:
                ranges.append(np.ones(len(numbers)))
            else:
                paths = [_own_probabilities(own, policy, number) for number in numbers.tolist()]
                ranges.append(reach_of_each(paths, noise))
        return PublicBeliefState(self.tree, public_state, tuple(ranges))

    def _private(
        self, states: StateWithNoise, player: Player, infostate: int
    ) -> tuple[FloatArray, float]:
        """Return [R] the private belief, and the noise in the policies."""

        def weigh(noise: float) -> FloatArray:
            state = states(noise)
            if not state.counterfactual_reach(player)[state.infostates[player] == infostate] > 0:
                raise unreached_error(self.tree, player)
            return state.history_beliefs(player, infostate)

        return self.noise.attempt(weigh)

    def _public(self, states: StateWithNoise) -> tuple[FloatArray, float]:
        """Return [R] the public belief, and the noise in the policies."""

        def weigh(noise: float) -> FloatArray:
            state = states(noise)
            if not state.probability > 0:
                raise unreached_error(self.tree, None)
            return state.history_distribution

        return self.noise.attempt(weigh)

    def _belief(self, public_state: int, probability: FloatArray, noise: float) -> Belief:
        kept = probability > 0
        histories = histories_at(self.tree, public_state)[kept]
        return Belief(histories, probability[kept], self.tree, "tree", noise)


def _own_probabilities(
    tree: InfostateTree, policy: Policy, infostate: int
) -> Iterator[tuple[float, int]]:
    """Yield own probabilities and numbers of actions; see `InfostateIndex.own_probabilities`."""
    while infostate > 0:
        action, infostate = int(tree.action[infostate]), int(tree.parent[infostate])
        if action >= 0:
            legal = tree.legal_actions(infostate)
            probabilities = checked_probabilities(policy, tree.infostate_at(infostate), legal)
            yield float(probabilities[action]), len(legal)
