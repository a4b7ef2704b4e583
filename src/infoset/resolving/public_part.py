"""What a search looks at on a public form: what follows a public node, down to leaves."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoset.errors import ParameterError
from infoset.forms import (
    Form,
    GadgetForm,
    LeafFunction,
    PublicForm,
    add_gadget,
    behavior_to_plan,
    best_response_sweep,
    class_means,
    cut,
    cut_public_form,
    entered_public_form,
    nodes_below,
    sequences_of_nodes,
    unblocked_reach,
)
from infoset.policy import uniform_policy
from infoset.resolving.gadgets import GADGETS
from infoset.typing import FloatArray, LongArray, Player

__all__ = ["NUM_ENTRIES", "PublicPart", "dealt_weight", "nodes_after"]

NUM_ENTRIES = 2
"""Number of public nodes of forced moves that precede a subgame, one for each player."""


@dataclass(frozen=True, eq=False)
class PublicPart:
    """What follows a public node, with values of hands at its leaves; see `SearchedPart`.

    Ranges and the opponent's values have one entry for each hand.

    Attributes
    ----------
    form : PublicForm
        The whole game.
    root : int
        The public node.
    leaves : tuple[int, ...]
        The public nodes at which the search stops.
    leaf_function : LeafFunction or None
        Values of the hands there; None if there are no leaves.
    """

    form: PublicForm
    root: int
    leaves: tuple[int, ...] = ()
    leaf_function: LeafFunction | None = None

    @cached_property
    def nodes(self) -> LongArray:
        """The public nodes inside, in order."""
        outside = np.zeros(self.form.num_nodes, bool)
        for leaf in self.leaves:
            outside[nodes_below(self.form, leaf)] = True
        below = nodes_below(self.form, self.root)
        inside: LongArray = below[~outside[below]]
        return inside

    @cached_property
    def public_states(self) -> Collection[int]:
        """The public nodes inside."""
        return set(self.nodes.tolist())

    @cached_property
    def sequences(self) -> Sequence[LongArray]:
        """Per player, [Q'] the number in the whole game of each sequence."""
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
        return int(self.form.hand_sets[owner][self.form.hand_set[node]].sum())

    @cached_property
    def entered(self) -> Form:
        """The part after a forced move of each player, which a gadget replaces."""
        entered = entered_public_form(self.form, self.root)
        if not self.leaves or self.leaf_function is None:
            return entered
        function, below = self.leaf_function, nodes_below(self.form, self.root)

        def valued(
            leaf: int, ranges: tuple[FloatArray, FloatArray]
        ) -> tuple[FloatArray, FloatArray]:
            return function(int(below[leaf - NUM_ENTRIES]), ranges)

        places = np.searchsorted(below, self.leaves) + NUM_ENTRIES
        return cut(entered, valued, nodes=places.tolist())

    def gadget_form(
        self,
        player: Player,
        own_range: FloatArray,
        opponent: FloatArray,
        gadget: str = "resolving",
        gifts: FloatArray | None = None,
        *,
        is_zero_sum: bool = False,
    ) -> GadgetForm:
        """Return the part with a gadget at its root; see `infoset.resolving.gadget_form`.

        At the root of the game, the opponent cannot take anything.
        """
        if not self.root:
            ones = np.ones(self.form.num_hands[1 - player])
            return self._with_gadget(player, own_range, ones, "none", is_zero_sum)
        row = GADGETS[gadget]
        taken = row.with_gifts(opponent, gifts)
        return self._with_gadget(player, own_range, taken, row.base, is_zero_sum)

    def _with_gadget(
        self,
        player: Player,
        own_range: FloatArray,
        opponent: FloatArray,
        kind: str,
        is_zero_sum: bool = False,
    ) -> GadgetForm:
        return add_gadget(
            self.entered,
            player,
            _by_class(self.form, self.root, player, own_range),
            _by_class(self.form, self.root, 1 - player, opponent),
            kind,
            constant=self.form.constant_sum,
            is_zero_sum=is_zero_sum,
        )

    def response_values(
        self, player: Player, own_range: FloatArray, policies: Sequence[FloatArray]
    ) -> list[FloatArray]:
        """Return [hands] what a best response to each policy earns; one number at the root.

        Where a leaf function depends on the opponent's range, this is that of uniform play.
        """
        other = 1 - player
        ones = np.ones(self.form.num_hands[other])
        # Values of 1 that the opponent may take are worth the reach of its hands.
        form = self._with_gadget(player, own_range, ones, "resolving" if self.root else "none")
        own, theirs = form.treeplexes[player], form.treeplexes[other]
        plans = list(uniform_policy(form).realization_plans())
        classes = self.form.hand_classes[other][self.form.class_map[self.root]]
        follow = 1 + 2 * np.arange(int(classes.max()) + 1)
        found = []
        for policy in policies:
            plans[player] = behavior_to_plan(
                own.parent_sequence, own.first_sequence, own.num_actions, policy
            )
            values = form.gradient((plans[0], plans[1]), other)
            reach = values[follow + 1] if self.root else np.ones(1)
            best_response_sweep(
                theirs.parent_sequence, theirs.first_sequence, theirs.num_actions, values
            )
            total = values[follow] if self.root else values[:1]
            mean = np.divide(total, reach, out=np.zeros(len(total)), where=reach > 0)
            found.append(mean[classes] if self.root else mean)
        return found

    def below(self, public_state: int) -> PublicPart:
        """Return what follows a public node inside, down to the same leaves."""
        following = nodes_below(self.form, public_state)
        leaves = tuple(leaf for leaf in self.leaves if leaf in following)
        return PublicPart(self.form, public_state, leaves, self.leaf_function)


def nodes_after(form: PublicForm, root: int, depth: int) -> tuple[int, ...]:
    """Return the first public nodes before which players have acted `depth` times after a root."""
    leaves = cut_public_form(entered_public_form(form, root), depth=depth + NUM_ENTRIES).leaves
    return tuple(nodes_below(form, root)[leaves.node - NUM_ENTRIES].tolist())


def dealt_weight(
    form: PublicForm, node: int, player: Player, own_range: FloatArray, opponent: FloatArray
) -> float:
    """Return the probability of ranges [hands] in the deal, of hands that are left at a node."""
    alive = [hands[form.hand_set[node]].astype(np.float64) for hands in form.hand_sets]
    met = unblocked_reach(form.prior, player, alive[1 - player] * opponent)
    dealt = 1.0 if form.prior.joint is not None else form.prior.weights[player]
    return float((dealt * alive[player] * own_range * met).sum())


def _by_class(form: PublicForm, node: int, player: Player, values: FloatArray) -> FloatArray:
    """Return values by infostate at a node, given those [hands]: means over classes."""
    given = np.asarray(values, np.float64)
    if given.shape != (form.num_hands[player],) or not np.isfinite(given).all():
        raise ParameterError(
            f"a range or values have shape {given.shape}; give a finite number for each of the "
            f"{form.num_hands[player]} hands of player {player}"
        )
    means = class_means(form, player, np.array([node]), given[None])[0]
    _, first = np.unique(form.hand_classes[player][form.class_map[node]], return_index=True)
    found: FloatArray = means[first]
    return found
