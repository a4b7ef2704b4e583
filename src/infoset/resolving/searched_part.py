"""Parts of a game that a search solves: from a public state down to leaves with values."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from infoset.beliefs import TreePart, part_between
from infoset.beliefs.public_belief_state import histories_at
from infoset.forms import Form, TransformedForm
from infoset.resolving.gadgets import entered_form, has_equal_forms, with_gadget
from infoset.resolving.opponent_values import responses_at_root
from infoset.resolving.range_form import part_by_range
from infoset.resolving.range_values import RangeValues
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray, Player


class SearchedPart(Protocol):
    """A part of a game: from a public state down to terminals and to leaves, which have values.

    Ranges and the opponent's values have one entry for each infostate at the root or, on a public
    form, for each hand. A policy [Q'] has one entry for each of `sequences`, in order.
    """

    @property
    def root(self) -> int:
        """The public state at the root; 0 for the root of the game, which has no gadget."""

    @property
    def public_states(self) -> Collection[int]:
        """The public states inside, without the leaves."""

    @property
    def sequences(self) -> Sequence[IntArray | LongArray]:
        """Per player, [Q'] the number in the full game of each sequence; the first one is 0."""

    @property
    def num_nodes(self) -> int:
        """Number of histories, or of pairs of a public node and a hand."""

    @property
    def num_roots(self) -> int:
        """Number of histories or hands at the root."""

    @property
    def num_ends(self) -> int:
        """Number of terminals and leaves."""

    def gadget_form(
        self,
        player: Player,
        own_range: FloatArray,
        opponent: FloatArray,
        gadget: str,
        gifts: FloatArray | None,
    ) -> Form:
        """Return the part with a gadget at its root, as in `infoset.resolving.gadget_form`."""

    def response_values(
        self, player: Player, own_range: FloatArray, policies: Sequence[FloatArray]
    ) -> list[FloatArray]:
        """Return the opponent's best-response values at the root, against each policy [Q'].

        There is one value for each of its infostates or hands, or a single value at the root of the
        game. Infostates and hands of weight zero get 0.
        """

    def leaf_decisions(self, form: Form, player: Player) -> tuple[BoolArray, ...]:
        """Return per player [I] where it chooses a continuation in a gadget form of `player`."""

    def solution(
        self, form: Form, player: Player, probabilities: FloatArray
    ) -> tuple[FloatArray, SearchedPart]:
        """Return [Q'] a searching player's policy, and the part with its choices at the leaves.

        probabilities : its policy at the sequences of `form`, a gadget form of the player.
        """

    def with_blueprint(self, player: Player) -> SearchedPart:
        """Return the part as if the searching player followed the blueprint at the leaves."""

    def below(self, public_state: int) -> SearchedPart:
        """Return the part below one of its public states, down to the same leaves."""


@dataclass(frozen=True, eq=False)
class ValuedTreePart:
    """A part of a tree, with values at its leaves; see `SearchedPart`."""

    part: TreePart
    leaf_values: FloatArray
    """[L, n] or [L, m, n] as in `gadget_form`."""
    choices: FloatArray | None = None
    """[L, m] the probabilities with which a searching player chose continuations, if it did; they
    are contained in the values."""
    range_values: RangeValues | None = None
    """The values at the leaves by range, in place of `leaf_values`."""

    @property
    def root(self) -> int:
        """The public state at the root."""
        return self.part.root

    @property
    def public_states(self) -> set[int]:
        """The public states inside, without the leaves."""
        return set(self.part.public_states.tolist())

    @property
    def sequences(self) -> Sequence[IntArray | LongArray]:
        """Per player, [Q'] the number in the full tree of each sequence."""
        return self.part.sequences

    @property
    def num_nodes(self) -> int:
        """Number of histories."""
        return len(self.part.histories)

    @property
    def num_roots(self) -> int:
        """Number of histories at the root."""
        return len(histories_at(self.part.tree, self.part.root))

    @property
    def num_ends(self) -> int:
        """Number of terminal histories and leaves."""
        return len(self.part.terminals) + len(self.part.leaf_histories)

    @cached_property
    def _entered(self) -> dict[Player, Form]:
        return {}

    def entered(self, player: Player) -> Form:
        """Return the part with forced moves at its root; see `entered_form`."""
        found = self._entered
        if player not in found:
            if not len(self.part.leaves):
                found[player] = entered_form(self.part, player)
                if has_equal_forms(self.part):
                    found[1 - player] = found[player]
            elif self.range_values is None:
                found[player] = entered_form(self.part, player, self.leaf_values)
            else:
                found[player] = part_by_range(self.part, player, self.range_values)
        return found[player]

    def gadget_form(
        self,
        player: Player,
        own_range: FloatArray,
        opponent: FloatArray,
        gadget: str,
        gifts: FloatArray | None,
    ) -> Form:
        """Return the part with a gadget at its root."""
        constant = self.part.tree.sequence_form.constant_sum
        return with_gadget(
            self.entered(player),
            self.root,
            player,
            own_range,
            opponent,
            gadget,
            gifts,
            constant=constant,
        )

    def response_values(
        self, player: Player, own_range: FloatArray, policies: Sequence[FloatArray]
    ) -> list[FloatArray]:
        """Return [S_j] the opponent's best-response values at the root, against each policy."""
        entered = self.entered(player)
        # Policies contain neither the forced moves at the root nor those at the leaves, if any.
        at_leaf = self._at_leaves(entered, player)[len(own_range) if self.root else 0 :]
        whole = []
        for policy in policies:
            whole.append(np.ones(len(at_leaf)))
            whole[-1][~at_leaf] = policy
        return responses_at_root(entered, self.root, player, own_range, whole)

    def leaf_decisions(self, form: Form, player: Player) -> tuple[BoolArray, ...]:
        """Return per player [I] where it chooses a continuation in a gadget form of `player`."""
        return tuple(self._moves_at_leaves(form, player, own) for own in range(2))

    def _moves_at_leaves(self, form: Form, player: Player, own: Player) -> BoolArray:
        """Return [I] where `own` moves at leaves, in a form of the searching `player`."""
        part = self.part
        above = [-1] if part.root else []
        # Parts number the public states that they contain; nobody else acts at leaves.
        states = np.sort(np.concatenate([above, part.public_states, part.leaves]))
        is_leaf = np.zeros(len(states), bool)
        is_leaf[np.searchsorted(states, part.leaves)] = True
        found: BoolArray = is_leaf[self.entered(player).public_states[own]]
        if isinstance(form, TransformedForm):
            kept = form.infostates[own]
            found = found[np.maximum(kept, 0)] & (kept >= 0)
        return found

    def _at_leaves(self, form: Form, player: Player) -> BoolArray:
        """Return [Q] whether each of a searching player's sequences in a form is at a leaf."""
        moves = self._moves_at_leaves(form, player, player)
        return np.append(False, np.repeat(moves, form.treeplexes[player].num_actions))

    def solution(
        self, form: Form, player: Player, probabilities: FloatArray
    ) -> tuple[FloatArray, ValuedTreePart]:
        """Return [Q'] a searching player's policy, and the part with its choices at the leaves."""
        if self.leaf_values.ndim == 2 and self.range_values is None:
            return probabilities, self  # the player does not move at leaves
        of_leaf = self._at_leaves(form, player)
        if self.leaf_values.ndim == 2:
            return probabilities[~of_leaf], self
        choices = probabilities[of_leaf].reshape(-1, self.leaf_values.shape[1])
        if not len(choices):  # one continuation, or a part without leaves
            return probabilities, self.with_blueprint(player)
        infostates = self.part.leaf_infostates(player)
        choice = choices[np.unique(infostates, return_inverse=True)[1]]
        mixed = np.einsum("la,lan->ln", choice, self.leaf_values)
        return probabilities[~of_leaf], ValuedTreePart(self.part, mixed, choice)

    def with_blueprint(self, player: Player) -> ValuedTreePart:
        """Return the part as if the searching player followed the blueprint at the leaves."""
        both_choose = self.leaf_values.ndim == 3
        return ValuedTreePart(self.part, self.leaf_values[:, 0]) if both_choose else self

    def below(self, public_state: int) -> ValuedTreePart:
        """Return the part below one of its public states, down to the same leaves."""
        whole = self.part
        parent = whole.tree.public_tree.parent.tolist()
        leaves = [leaf for leaf in whole.leaves.tolist() if is_below(parent, leaf, public_state)]
        part = part_between(whole.tree, public_state, leaves)
        rows = np.searchsorted(whole.leaf_histories, part.leaf_histories)
        return ValuedTreePart(part, self.leaf_values[rows], range_values=self.range_values)


def is_below(parent: Sequence[int], state: int, ancestor: int) -> bool:
    """Return whether a public state is `ancestor` or below it, given the parent of each."""
    while state > ancestor:
        state = parent[state]
    return state == ancestor
