"""Continual re-solving at successive public states, on any form with numbered public states."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from infoset.game import Infostate
from infoset.policy import TabularPolicy
from infoset.resolving.gadgets import GADGETS
from infoset.resolving.lookahead import Lookahead
from infoset.resolving.resolution import (
    MIN_WEIGHT,
    Resolution,
    ResolvingAnswer,
    ResolvingSettings,
    resolve_part,
    values_after,
)
from infoset.resolving.searched_part import SearchedPart
from infoset.typing import Action, FloatArray, LongArray, Player
from infoset.utils.clocks import working_seconds


class Decision(NamedTuple):
    """A decision of a player: its public state, first sequence and legal actions."""

    public_state: int
    first: int
    actions: tuple[Action, ...]


class PublicStateResolver(ABC):
    """Searches of one player, each based on those at the public states before.

    A search takes five steps: compute the player's range, choose the part to search, compute the
    values that the opponent may take instead, solve the part with a gadget, and compare the
    solution with the fallback. Subclasses implement the operations that depend on the form.

    Parameters
    ----------
    blueprint
        The policy of both players outside searches.
    lookahead
        The public states, who acts there, and where searches stop.
    payoffs
        The range of payoffs.
    """

    def __init__(
        self,
        player: Player,
        blueprint: TabularPolicy,
        settings: ResolvingSettings,
        lookahead: Lookahead,
        payoffs: tuple[float, float],
    ) -> None:
        self.player, self.blueprint, self.settings = player, blueprint, settings
        self._uses_gifts = GADGETS[settings.gadget].uses_gifts
        self.lookahead, self._payoffs = lookahead, payoffs
        self._policy = blueprint.probabilities[player].copy()
        self._searches: dict[int, Resolution | None] = {}

    @abstractmethod
    def find(self, infostate: Infostate) -> Decision:
        """Return the decision at an infostate of the player.

        Raises
        ------
        UnknownNameError
            If no play leads to the infostate.
        ParameterError
            If its player does not act there.
        """

    def acts(self, public_state: int) -> bool:
        """Return whether the player acts at some history of a public state."""
        return bool(self.lookahead.acts[public_state, self.player])

    @abstractmethod
    def sequences_at(self, public_state: int) -> LongArray:
        """Return the sequences of the player's actions at a public state."""

    @abstractmethod
    def part(self, public_state: int, *, is_whole: bool = False) -> SearchedPart:
        """Return the part to search from a public state, or without leaves if `is_whole`."""

    @abstractmethod
    def range_of(self, policy: FloatArray, public_state: int) -> FloatArray:
        """Return the player's range at a public state under a policy [Q]."""

    @abstractmethod
    def weight(self, public_state: int, own_range: FloatArray) -> float:
        """Return the reach of a public state by chance and the player's range."""

    @abstractmethod
    def opponent_range(self, public_state: int) -> FloatArray:
        """Return the opponent's range under the blueprint."""

    @abstractmethod
    def continuation_values(self, public_state: int, own_range: FloatArray) -> FloatArray:
        """Return [S_j, n] the opponent's value for each of its continuations.

        In column 0, both players play the blueprint; in the others, the opponent plays a
        transformation of it.
        """

    @abstractmethod
    def gifts(self, policy: TabularPolicy, public_state: int, since: int) -> FloatArray:
        """Return [S_j] the opponent's gifts since a public state; see `accumulated_gifts`."""

    def answer(self, infostate: Infostate) -> ResolvingAnswer:
        """Answer by a search at the public state of an infostate, or by the fallback.

        Raises
        ------
        UnknownNameError, ParameterError
            As in `find`.
        """
        state, first, actions = self.find(infostate)
        policy = self.policy_at(state)[first : first + len(actions)]
        found = self.resolve(state)
        if found is None:
            return ResolvingAnswer(actions=actions, policy=policy)
        method = "complete"
        if not found.is_played:
            method = "blueprint" if self._played_before(state) is None else "earlier"
        return ResolvingAnswer(
            actions=actions,
            policy=policy,
            method=method,
            is_rejected=found.is_rejected,
            is_carried=bool(self._played_above(state)),
            num_nodes=found.part.num_nodes,
            num_histories=found.part.num_roots,
            num_ends=found.part.num_ends,
            num_iterations=found.num_iterations,
        )

    def forget(self, public_state: int) -> None:
        """Drop the search at a public state, below which no further search is made."""
        self._searches.pop(public_state, None)

    def policy_at(self, public_state: int) -> FloatArray:
        """Return [Q] a policy that is the player's after a search at the public state."""
        found = self.resolve(public_state)
        if self.settings.is_continual or found is None or not found.is_played:
            return self._policy
        policy = self._policy.copy()
        policy[found.part.sequences[self.player]] = found.policy
        return policy

    def resolve(self, public_state: int) -> Resolution | None:
        """Search at a public state at which the player acts; None if it is never reached.

        A solution that is played is the fallback in its whole part, until a later one replaces it.
        """
        if public_state not in self._searches:
            found = self._search(public_state)
            self._searches[public_state] = found
            if found is None:
                here = self.sequences_at(public_state)
                self._policy[here] = self.blueprint.probabilities[self.player][here]
            elif found.is_played and self.settings.is_continual:
                self._policy[found.part.sequences[self.player]] = found.policy
        return self._searches[public_state]

    def own_range(self, public_state: int) -> FloatArray:
        """Return the player's range, given its searches at earlier public states."""
        for state in self._searched_above(public_state) if self.settings.is_continual else []:
            self.resolve(state)
        return self.range_of(self._policy, public_state)

    def _searched_above(self, public_state: int) -> list[int]:
        """Return the public states above at which a search is made, the root first.

        These are the ones at which the player acts. For `previous`, the root of the game is one of
        them in any case: a search there gives the values for the player's first decision.
        """
        found = []
        state = self.lookahead.parent[public_state]
        while state >= 0:
            if self.acts(state) or (state == 0 and self.settings.opponent == "previous"):
                found.append(state)
            state = self.lookahead.parent[state]
        return found[::-1]

    def _played_above(self, public_state: int) -> list[tuple[int, Resolution]]:
        """Return the public states above whose solutions are played, and these, the root first."""
        if not self.settings.is_continual:
            return []
        found = [(state, self._searches.get(state)) for state in self._searched_above(public_state)]
        return [(state, search) for state, search in found if search and search.is_played]

    def _played_before(self, public_state: int) -> Resolution | None:
        """Return the last solution above that extends to a public state, if there is one."""
        for _, search in self._played_above(public_state)[::-1]:
            if public_state in search.part.public_states:
                return search
        return None

    def _fallback(self, public_state: int) -> FloatArray:
        """Return [Q] the policy that is played at a public state and below if no search is.

        Above it is the policy that leads there.
        """
        policy = self.blueprint.probabilities[self.player].copy()
        for _, search in self._played_above(public_state):
            policy[search.part.sequences[self.player]] = search.policy
        return policy

    def _search(self, public_state: int) -> Resolution | None:
        start = working_seconds()
        own_range = self.own_range(public_state)  # step 1, by the searches above
        if not self.weight(public_state, own_range) > MIN_WEIGHT:
            return None
        part = self.part(public_state)  # step 2
        opponent = self._opponent(public_state, own_range)  # step 3
        gifts = self._gifts(public_state) if self._uses_gifts else None
        fallback = None
        if self.settings.is_checked:
            fallback = self._fallback(public_state)[part.sequences[self.player]]
        return resolve_part(  # steps 4 and 5
            part,
            self.player,
            own_range,
            opponent,
            self.settings,
            start,
            fallback=fallback,
            gifts=gifts,
            payoffs=self._payoffs,
        )

    def _opponent(self, public_state: int, own_range: FloatArray) -> FloatArray:
        """Return [S_j] the opponent's values at the root, or its range for the gadget `none`.

        The result is empty at the root of the game, where there is no gadget.
        """
        if not public_state:
            return np.zeros(0)
        if self.settings.gadget == "none":
            return self.opponent_range(public_state)
        if self.settings.opponent == "best_response":
            part = self.part(public_state, is_whole=True)
            own = self.blueprint.probabilities[self.player][part.sequences[self.player]]
            return part.response_values(self.player, own_range, [own])[0]
        if self.settings.opponent == "previous":
            before = self._played_before(public_state)
            if before is not None:
                return values_after(before, self.player, public_state, own_range)
        values = self.continuation_values(public_state, own_range)
        best: FloatArray = values.max(axis=1)
        return values[:, 0] if self.settings.opponent == "profile" else best

    def _gifts(self, public_state: int) -> FloatArray:
        """Return [S_j] the opponent's gifts since the last solution above that is played.

        The gifts before it have been used by it. The policy is the one that leads to the
        public state; below it, the fallback for `previous`, and otherwise the blueprint, to which
        the opponent's values belong.
        """
        whole = fallback = self._fallback(public_state)
        played = self._played_above(public_state)
        if self.settings.opponent != "previous" and self.settings.is_continual:
            whole = self.blueprint.probabilities[self.player].copy()
            for state in self._searched_above(public_state):
                here = self.sequences_at(state)
                whole[here] = fallback[here]
        both = list(self.blueprint.probabilities)
        both[self.player] = whole
        policy = TabularPolicy(self.blueprint.form, tuple(both))
        return self.gifts(policy, public_state, played[-1][0] if played else 0)


def whole_policies(resolvers: Sequence[PublicStateResolver]) -> tuple[FloatArray, ...]:
    """Return per player [Q] its policy at all public states, by one search at each.

    The resolvers of both players are those of one game. Both search at a public state before the
    next one, so that the part of the game there is built once.
    """
    lookahead = resolvers[0].lookahead
    policies = tuple(own.blueprint.probabilities[own.player].copy() for own in resolvers)
    above: list[int] = []  # the public states above the next one
    waiting = [0]
    while waiting:
        state = waiting.pop()
        while above and above[-1] != lookahead.parent[state]:
            # Only searches above are needed again; all of them together may not fit in memory.
            left = above.pop()
            for own in resolvers:
                own.forget(left)
        for own, policy in zip(resolvers, policies, strict=True):
            if own.acts(state):
                here = own.sequences_at(state)
                policy[here] = own.policy_at(state)[here]
        above.append(state)
        waiting += lookahead.children[state]
    return policies
