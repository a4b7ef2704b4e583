"""Re-solving on a public form: the subclass of `PublicStateResolver` for public forms."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from infoset.evaluation import PublicContinuation, PublicValues
from infoset.forms import (
    LeafFunction,
    PublicForm,
    chance_reach_of_nodes,
    leaf_values_at,
    sequences_of_nodes,
)
from infoset.game import Infostate
from infoset.policy import TRANSFORMATIONS, TabularPolicy, transform_policy
from infoset.resolving.lookahead import Lookahead
from infoset.resolving.opponent_values import gifts_of_hands
from infoset.resolving.public_part import PublicPart, dealt_weight
from infoset.resolving.public_state_resolver import Decision, PublicStateResolver
from infoset.resolving.resolution import ResolvingSettings
from infoset.typing import FloatArray, LongArray, Player


class PublicResolver(PublicStateResolver):
    """Searches of one player on a public form; see `PublicStateResolver`.

    Public states are public nodes, and ranges and values have one entry for each hand.

    Parameters
    ----------
    form
        A constant-sum game.
    blueprint
        The policy of both players outside searches.
    values
        Values of hands at the depth limit, and for the opponent where a search begins there; None
        for those of the blueprint.
    """

    def __init__(
        self,
        form: PublicForm,
        player: Player,
        blueprint: TabularPolicy,
        values: LeafFunction | None,
        settings: ResolvingSettings,
    ) -> None:
        payoffs = form.centered.payoff_range
        lookahead = Lookahead.on_public_form(form, settings.depth)
        super().__init__(player, blueprint, settings, lookahead, payoffs)
        self.form = form
        self._is_given = values is not None
        self._values = PublicContinuation(blueprint) if values is None else values
        self._chance = chance_reach_of_nodes(form)
        self._blueprint_values = PublicValues(blueprint)

    def find(self, infostate: Infostate) -> Decision:
        """Return the decision at an infostate of the player."""
        number = self.form.find(infostate)
        node = int(self.form.infostates[self.player][0][number])
        first = int(self.form.treeplexes[self.player].first_sequence[number])
        return Decision(node, first, self.form.legal_actions(node))

    def sequences_at(self, public_state: int) -> LongArray:
        """Return the sequences of the player's actions at a public node."""
        return sequences_of_nodes(self.form, self.player, np.array([public_state]))

    def part(self, public_state: int, *, is_whole: bool = False) -> PublicPart:
        """Return the part to search from a public node, or without leaves if `is_whole`."""
        leaves = () if is_whole else tuple(self.lookahead.leaves(public_state))
        return PublicPart(self.form, public_state, leaves, self._values if leaves else None)

    def range_of(self, policy: FloatArray, public_state: int) -> FloatArray:
        """Return [hands] the player's range at a public node under a policy [Q]."""
        both = list(self.blueprint.probabilities)
        both[self.player] = policy.copy()  # policies freeze their arrays
        whole = PublicValues(TabularPolicy(self.form, (both[0], both[1])))
        return whole.own_reach(public_state, self.player)

    def weight(self, public_state: int, own_range: FloatArray) -> float:
        """Return the reach of a public node by chance and the player's range."""
        ones = np.ones(self.form.num_hands[1 - self.player])
        weight = dealt_weight(self.form, public_state, self.player, own_range, ones)
        return float(weight * self._chance[public_state])

    def opponent_range(self, public_state: int) -> FloatArray:
        """Return [hands] the opponent's range under the blueprint."""
        return self._blueprint_values.own_reach(public_state, 1 - self.player)

    @cached_property
    def _continuations(self) -> list[LeafFunction]:
        """The given values; or those of each transformation of the blueprint by the opponent."""
        if self._is_given:
            return [self._values]
        other = 1 - self.player
        found: list[LeafFunction] = []
        for transformation in TRANSFORMATIONS:
            both = list(self.blueprint.probabilities)
            both[other] = transform_policy(self.blueprint, other, transformation).probabilities[
                other
            ]
            found.append(PublicContinuation(TabularPolicy(self.form, (both[0], both[1]))))
        return found

    def continuation_values(self, public_state: int, own_range: FloatArray) -> FloatArray:
        """Return [hands, n] the opponent's value for each of its continuations."""
        other = 1 - self.player
        alive = self.form.possible_hands(public_state, other).astype(np.float64)
        ranges = [alive, alive]
        ranges[self.player] = own_range
        columns = [
            leaf_values_at(own, self.form, public_state, (ranges[0], ranges[1]))[other]
            for own in self._continuations
        ]
        return np.nan_to_num(np.stack(columns, axis=1), nan=0.0)

    def gifts(self, policy: TabularPolicy, public_state: int, since: int) -> FloatArray:
        """Return [hands] the opponent's gifts since a public node; see `gifts_of_hands`."""
        return gifts_of_hands(PublicValues(policy), self.player, public_state, since)
