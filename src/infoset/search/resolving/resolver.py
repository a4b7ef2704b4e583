"""Re-solving on a tree, one public state after another."""

from __future__ import annotations

import numpy as np

from infoset.beliefs import GADGETS, PublicBeliefState
from infoset.beliefs.public_belief_state import histories_at, infostates_at
from infoset.evaluation import TransformedValues
from infoset.game import Infostate
from infoset.policy import TabularPolicy
from infoset.search.resolving.lookahead import Lookahead
from infoset.search.resolving.opponent_values import (
    accumulated_gifts,
    best_response_values,
    mean_values,
)
from infoset.search.resolving.resolution import (
    MIN_WEIGHT,
    Resolution,
    ResolvingAnswer,
    ResolvingSettings,
    resolve_part,
    values_after,
)
from infoset.tree import GameTree
from infoset.typing import FloatArray, Player
from infoset.utils.clocks import working_seconds

__all__ = ["TreeResolver"]


class TreeResolver:
    """Searches of one player on a tree, each based on those at the public states before.

    Parameters
    ----------
    tree : GameTree
        A two-player constant-sum game.
    player : Player
    blueprint : TabularPolicy
        The policy of both players where nothing is searched.
    values : TransformedValues
        Values of histories under transformed blueprints.
    settings : ResolvingSettings
    """

    def __init__(
        self,
        tree: GameTree,
        player: Player,
        blueprint: TabularPolicy,
        values: TransformedValues,
        settings: ResolvingSettings,
    ) -> None:
        self.tree, self.player, self.blueprint = tree, player, blueprint
        self.settings = settings
        self._uses_gifts = GADGETS[settings.gadget].uses_gifts
        self.lookahead = Lookahead(tree, settings.depth)
        self._own_values = values.against(player)
        constant = tree.sequence_form.constant_sum
        assert constant is not None  # `against` has raised otherwise
        self._their_values = constant - self._own_values
        self._own = tree.infostate_trees[player]
        self._policy = blueprint.probabilities[player].copy()
        self._searches: dict[int, Resolution | None] = {}

    def answer(self, infostate: Infostate) -> ResolvingAnswer:
        """Answer by a search at the public state of an infostate, or by the fallback.

        Raises
        ------
        UnknownNameError
            If no play leads to the infostate.
        """
        number = self._own.index_of(infostate)
        state, first = int(self._own.public_state[number]), self._own.first_sequence[number]
        actions = self._own.legal_actions(number)
        policy = self._policy_at(state)[first : first + len(actions)]
        found = self.resolve(state)
        if found is None:
            return ResolvingAnswer(actions=actions, policy=policy)
        part, method = found.part, "complete"
        if not found.is_played:
            method = "blueprint" if self._played_before(state) is None else "earlier"
        return ResolvingAnswer(
            actions=actions,
            policy=policy,
            method=method,
            is_rejected=found.is_rejected,
            is_carried=bool(self._played_above(state)),
            num_nodes=len(part.histories),
            num_histories=len(histories_at(self.tree, state)),
            num_ends=len(part.terminals) + len(part.leaf_histories),
            num_iterations=found.num_iterations,
        )

    def whole_policy(self) -> FloatArray:
        """Return [Q] the player's policy at all public states, by one search at each."""
        policy = self.blueprint.probabilities[self.player].copy()
        above: list[int] = []  # the public states above the next one
        waiting = [0]
        parent = self.tree.public_tree.parent
        while waiting:
            state = waiting.pop()
            while above and above[-1] != parent[state]:
                # Only searches above are needed again; all of them together may not fit in memory.
                self._searches.pop(above.pop(), None)
            if self.lookahead.acts[state, self.player]:
                self._copy(state, self._policy_at(state), policy)
            above.append(state)
            waiting += self.tree.public_tree.children(state).tolist()
        return policy

    def _policy_at(self, public_state: int) -> FloatArray:
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
                self._copy(public_state, self.blueprint.probabilities[self.player], self._policy)
            elif found.is_played and self.settings.is_continual:
                self._policy[found.part.sequences[self.player]] = found.policy
        return self._searches[public_state]

    def _copy(self, public_state: int, source: FloatArray, target: FloatArray) -> None:
        """Copy the probabilities at a public state from a policy [Q] to another."""
        own = self._own
        for infostate in infostates_at(self.tree, public_state)[self.player].tolist():
            first = own.first_sequence[infostate]
            here = slice(first, first + own.num_actions[infostate])
            target[here] = source[here]

    def own_range(self, public_state: int) -> FloatArray:
        """Return [S_i] the player's range, after the searches at the public states before."""
        above = self._searched_above(public_state) if self.settings.is_continual else []
        for state in above:
            self.resolve(state)
        own = self._own
        here = infostates_at(self.tree, public_state)[self.player]
        found = np.ones(len(here))
        for place, infostate in enumerate(here.tolist()):
            node = infostate
            while node > 0:
                if own.action[node] >= 0:
                    found[place] *= self._policy[
                        own.first_sequence[own.parent[node]] + own.action[node]
                    ]
                node = int(own.parent[node])
        return found

    def _searched_above(self, public_state: int) -> list[int]:
        """Return the public states above at which a search is made, the root first.

        These are the ones at which the player acts. For `previous`, the root of the game is one of
        them in any case: a search there gives the values for the player's first decision.
        """
        parent, found = self.tree.public_tree.parent, []
        state = int(parent[public_state])
        while state >= 0:
            if self.lookahead.acts[state, self.player] or (
                state == 0 and self.settings.opponent == "previous"
            ):
                found.append(state)
            state = int(parent[state])
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
        own_range = self.own_range(public_state)
        root = PublicBeliefState.with_unit_ranges(self.tree, public_state)
        weight = own_range[root.position[:, self.player]] * root.chance_reach
        if not weight.sum() > MIN_WEIGHT:
            return None
        part = self.lookahead.part(public_state)
        leaf_values = self._own_values[part.leaf_histories]
        opponent = self._opponent(public_state, root, own_range)
        gifts = self._gifts(public_state) if self._uses_gifts else None
        fallback = None
        if self.settings.is_checked:
            fallback = self._fallback(public_state)[part.sequences[self.player]]
        return resolve_part(
            part,
            self.player,
            own_range,
            opponent,
            leaf_values,
            self.settings,
            start,
            fallback=fallback,
            gifts=gifts,
            payoffs=self.tree.sequence_form.centered.payoff_range,
        )

    def _opponent(
        self, public_state: int, root: PublicBeliefState, own_range: FloatArray
    ) -> FloatArray:
        """Return [S_j] the opponent's values at the root, or its range for the gadget `none`."""
        other = 1 - self.player
        if self.settings.gadget == "none":
            return PublicBeliefState.from_policy(self.tree, self.blueprint, public_state).ranges[
                other
            ]
        if self.settings.opponent == "best_response":
            part = self.lookahead.part(public_state, [])
            own = self.blueprint.probabilities[self.player][part.sequences[self.player]]
            return best_response_values(part, self.player, own_range, own)
        if self.settings.opponent == "previous":
            before = self._played_before(public_state)
            if before is not None:
                return values_after(before, self.player, public_state, own_range)
        means = mean_values(root, self.player, own_range, self._their_values[root.histories])
        return means[:, 0] if self.settings.opponent == "profile" else means.max(axis=1)

    def _gifts(self, public_state: int) -> FloatArray:
        """Return [S_j] what the opponent has given up since the last solution above that is played.

        The gifts before it have been used by it. The policy is the one that leads to the
        public state; below it, the fallback for `previous`, and otherwise the blueprint, to which
        the opponent's values belong.
        """
        whole = fallback = self._fallback(public_state)
        played = self._played_above(public_state)
        if self.settings.opponent != "previous" and self.settings.is_continual:
            whole = self.blueprint.probabilities[self.player].copy()
            for state in self._searched_above(public_state):
                self._copy(state, fallback, whole)
        both = list(self.blueprint.probabilities)
        both[self.player] = whole
        policy = TabularPolicy(self.tree.sequence_form, tuple(both))
        since = played[-1][0] if played else 0
        return accumulated_gifts(self.tree, self.player, policy, public_state, since)
