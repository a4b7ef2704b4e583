"""Parts of a public form that a search solves: from a public node down to leaves."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoset.errors import ParameterError
from infoset.forms import (
    Form,
    LeafFunction,
    PublicForm,
    class_means,
    count_actions,
    cut,
    entered_public_form,
    leaf_values_at,
    nodes_below,
    sequences_of_nodes,
    unblocked_reach,
)
from infoset.resolving.gadgets import with_gadget
from infoset.resolving.opponent_values import responses_at_root
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray, Player

NUM_ENTRIES = 2
"""Number of public nodes of forced moves that precede a subgame, one for each player."""


@dataclass(frozen=True, eq=False)
class PublicPart:
    """A part of a public form, with values of hands at its leaves; see `SearchedPart`.

    Ranges and the opponent's values have one entry for each hand.
    """

    form: PublicForm
    """The full game."""
    root: int
    """The public node at the root."""
    leaves: tuple[int, ...] = ()
    """The public nodes at which the search stops."""
    leaf_function: LeafFunction | None = None
    """The values of hands at the leaves; None without leaves."""

    @cached_property
    def nodes(self) -> LongArray:
        """The public nodes inside, without the leaves, in order."""
        outside = np.zeros(self.form.num_nodes, bool)
        for leaf in self.leaves:
            outside[nodes_below(self.form, leaf)] = True
        below = nodes_below(self.form, self.root)
        inside: LongArray = below[~outside[below]]
        return inside

    @cached_property
    def public_states(self) -> Collection[int]:
        """The public nodes inside, without the leaves."""
        return set(self.nodes.tolist())

    @cached_property
    def sequences(self) -> Sequence[LongArray]:
        """Per player, [Q'] the number in the full game of each sequence."""
        return [np.append(0, sequences_of_nodes(self.form, p, self.nodes)) for p in range(2)]

    @property
    def num_nodes(self) -> int:
        """Number of pairs of a public node and a hand of the player that acts there."""
        return sum(self._num_hands(node) for node in self.nodes.tolist())

    @property
    def num_roots(self) -> int:
        """Number of hands at the root."""
        return self._num_hands(self.root)

    @property
    def num_ends(self) -> int:
        """Number of public terminals and leaves."""
        return int(np.isin(self.form.terminals.node, self.nodes).sum()) + len(self.leaves)

    def _num_hands(self, node: int) -> int:
        owner = max(int(self.form.player[node]), 0)
        return int(self.form.possible_hands(node, owner).sum())

    @cached_property
    def entered(self) -> Form:
        """The part with a forced move of each player at its root; without them in the full game."""
        form, first = self.form, 0
        if self.root:
            form, first = entered_public_form(self.form, self.root), NUM_ENTRIES
        function, below = self.leaf_function, nodes_below(self.form, self.root)
        if not self.leaves or function is None:
            return form

        def valued(
            leaf: int, ranges: tuple[FloatArray, FloatArray]
        ) -> tuple[FloatArray, FloatArray]:
            return leaf_values_at(function, self.form, int(below[leaf - first]), ranges)

        return cut(form, valued, nodes=(np.searchsorted(below, self.leaves) + first).tolist())

    def gadget_form(
        self,
        player: Player,
        own_range: FloatArray,
        opponent: FloatArray,
        gadget: str = "resolving",
        gifts: FloatArray | None = None,
        *,
        is_zero_sum: bool = False,
    ) -> Form:
        """Return the part with a gadget at its root; see `infoset.resolving.gadget_form`."""
        return with_gadget(
            self.entered,
            self.root,
            player,
            self._by_class(player, own_range),
            self._by_class(1 - player, opponent) if self.root else opponent,
            gadget,
            None if gifts is None or not self.root else self._by_class(1 - player, gifts),
            constant=self.form.constant_sum,
            is_zero_sum=is_zero_sum,
        )

    def response_values(
        self, player: Player, own_range: FloatArray, policies: Sequence[FloatArray]
    ) -> list[FloatArray]:
        """Return [hands] the opponent's best-response values at the root, against each policy."""
        own = self._by_class(player, own_range)
        found = responses_at_root(self.entered, self.root, player, own, policies)
        classes = self._classes(1 - player)
        return [values[classes] if self.root else values for values in found]

    def leaf_decisions(self, form: Form, player: Player) -> tuple[BoolArray, ...]:
        """Return per player [I] False: nobody chooses at leaves, where hands have values."""
        return tuple(np.zeros(plex.num_infostates, bool) for plex in form.treeplexes)

    def solution(
        self, form: Form, player: Player, probabilities: FloatArray
    ) -> tuple[FloatArray, PublicPart]:
        """Return the policy and the part: nobody chooses at leaves."""
        return probabilities, self

    def with_blueprint(self, player: Player) -> PublicPart:
        """Return the part: nobody chooses at leaves."""
        return self

    def _classes(self, player: Player) -> IntArray:
        """Return [hands] the number of the infostate of each hand at the root."""
        form = self.form
        classes: IntArray = form.hand_classes[player][form.class_map[self.root]]
        return classes

    def _by_class(self, player: Player, values: FloatArray) -> FloatArray:
        """Return the values of infostates at the root: means of values [hands] over classes."""
        given, form = np.asarray(values, np.float64), self.form
        if given.shape != (form.num_hands[player],) or not np.isfinite(given).all():
            raise ParameterError(
                f"a range or values have shape {given.shape}; give a finite number for each of the "
                f"{form.num_hands[player]} hands of player {player}"
            )
        means = class_means(form, player, np.array([self.root]), given[None])[0]
        found: FloatArray = means[np.unique(self._classes(player), return_index=True)[1]]
        return found

    def below(self, public_state: int) -> PublicPart:
        """Return the part below one of its public nodes, down to the same leaves."""
        following = nodes_below(self.form, public_state)
        leaves = tuple(leaf for leaf in self.leaves if leaf in following)
        return PublicPart(self.form, public_state, leaves, self.leaf_function)


def nodes_after(form: PublicForm, root: int, depth: int) -> tuple[int, ...]:
    """Return the first public nodes before which players have acted `depth` times after a root."""
    below, actions = nodes_below(form, root)[1:], count_actions(form)
    is_after = actions >= actions[root] + depth
    return tuple(below[is_after[below] & ~is_after[form.parent[below]]].tolist())


def dealt_weight(
    form: PublicForm, node: int, player: Player, own_range: FloatArray, opponent: FloatArray
) -> float:
    """Return the deal's probability of hands possible at a node, weighted by ranges [hands]."""
    alive = [hands[form.hand_set[node]].astype(np.float64) for hands in form.hand_sets]
    met = unblocked_reach(form.prior, player, alive[1 - player] * opponent)
    dealt = 1.0 if form.prior.joint is not None else form.prior.weights[player]
    return float((dealt * alive[player] * own_range * met).sum())
