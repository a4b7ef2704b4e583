"""Values at the depth limit as functions of the players' ranges, in place of choices there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from infoset.beliefs.public_belief_state import histories_at, infostates_at
from infoset.errors import PolicyMismatchError
from infoset.evaluation import TransformedValues
from infoset.tree import GameTree
from infoset.typing import FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_type

Ranges: TypeAlias = tuple[FloatArray, FloatArray]
"""Per player, [S_p] a number for each of its infostates at the leaves, in the order of the leaves
and, at each leaf, of the infostates' numbers."""

RangeFunction: TypeAlias = Callable[[Ranges, Player], FloatArray]
"""A function of both players' own reach at their infostates, and of a player. It returns [S_p] the
expected utility at each of that player's infostates against the opponent's range. Where this range
is zero, values are not used, but must be finite."""


@runtime_checkable
class RangeValues(Protocol):
    """Values of infostates at public states of a tree, given the ranges of both players.

    `ResponseValues` computes them; `infoset.deep.ValueNetwork` estimates them.
    """

    def tabulate(self, tree: GameTree) -> TransformedValues:
        """Return the values of a tree's histories from which these values are computed."""
        ...

    def at_leaves(self, player: Player, leaves: IntArray) -> RangeFunction:
        """Return the values at some public states, for searches of a player."""
        ...


@dataclass(frozen=True, eq=False)
class LeafHistories:
    """The L histories of some public states, and the infostates to which they belong."""

    histories: LongArray
    """[L] in the order of the public states."""
    infostates: tuple[LongArray, LongArray]
    """Per player, [S_p] its infostates, in the order of `Ranges`."""
    position: LongArray
    """[L, 2] the infostate of each player, as an index of `infostates`."""
    num_infostates: LongArray
    """[K, 2] number of infostates of each player at each public state."""

    @classmethod
    def of(cls, tree: GameTree, leaves: IntArray) -> LeafHistories:
        """Return the histories of public states of a tree."""
        states = leaves.tolist()
        histories = np.concatenate([histories_at(tree, state) for state in states]).astype(np.int64)
        found = [infostates_at(tree, state) for state in states]
        first, second = (np.concatenate([own[p] for own in found]).astype(np.int64) for p in (0, 1))
        columns = []
        for player, own in enumerate((first, second)):
            place = np.full(tree.infostate_trees[player].num_infostates, -1, np.int64)
            place[own] = np.arange(len(own))
            columns.append(place[tree.infostate[histories, player]])
        sizes = np.array([[len(own) for own in pair] for pair in found])
        return cls(histories, (first, second), np.stack(columns, axis=1), sizes)


class ResponseValues:
    """The values if the opponent best responds to the ranges, with one of its continuations.

    At each of its infostates at a leaf, the opponent chooses the continuation that is worst for the
    searching player, who has its range there and plays the blueprint. These are the values of
    `leaf_rule="stateless"` as a function of the ranges. A `ValueNetwork` approximates the function.

    Parameters
    ----------
    values : TransformedValues
        The values of all histories for each continuation, exact or estimated.

    Notes
    -----
    Source: Kubíček, Burch, Lisý, arXiv 2312.15220 (2023), equation 3.

    Examples
    --------
    >>> from infoset.evaluation import nash_conv, transformed_values
    >>> from infoset.games import load_game
    >>> from infoset.policy import TRANSFORMATIONS, uniform_policy
    >>> from infoset.resolving import ContinualResolving
    >>> from infoset.tree import build_tree
    >>> tree = build_tree(load_game("kuhn_poker"))
    >>> blueprint = uniform_policy(tree.sequence_form)
    >>> values = ResponseValues(transformed_values(tree, blueprint, TRANSFORMATIONS))
    >>> search = ContinualResolving(tree, blueprint, values, depth=1)
    >>> nash_conv(search.search_policy()) < 0.1
    True
    """

    def __init__(self, values: TransformedValues) -> None:
        instruction = "transformed_values(...), or critic.tabulate(tree)"
        check_type("values", values, TransformedValues, instruction)
        self.values = values
        self.blueprints = values.blueprints

    def tabulate(self, tree: GameTree) -> TransformedValues:
        """Return the values of all histories.

        Raises
        ------
        PolicyMismatchError
            If they are for another tree.
        """
        if tree is not self.values.tree:
            raise PolicyMismatchError("the values are for another tree; give those of this tree")
        return self.values

    def at_leaves(self, player: Player, leaves: IntArray) -> RangeFunction:
        """Return the values at some public states, for searches of a player."""
        tree, other = self.values.tree, 1 - player
        there = LeafHistories.of(tree, leaves)
        own, theirs = there.position[:, player], there.position[:, other]
        sizes = tuple(map(len, there.infostates))
        rows = self.values.against(player)[there.histories]
        chance = tree.chance_reach[there.histories]
        constant = tree.sequence_form.constant_sum
        assert constant is not None  # `against` has raised otherwise

        def values_at(ranges: Ranges, owner: Player) -> FloatArray:
            weight = ranges[player][own] * chance
            # [S_j, n] the searching player's weighted utility for each continuation.
            sums = _sums(theirs, weight[:, None] * rows, sizes[other])
            taken = rows[np.arange(len(rows)), sums.argmin(axis=1)[theirs]]
            if owner == other:
                return _means(theirs, weight, constant - taken, sizes[other])
            return _means(own, ranges[other][theirs] * chance, taken, sizes[player])

        return values_at


def _sums(place: LongArray, rows: FloatArray, size: int) -> FloatArray:
    """Return [size, n] the sums of rows [L, n] by place [L]."""
    return np.stack([np.bincount(place, column, size) for column in rows.T], axis=1)


def _means(place: LongArray, weight: FloatArray, values: FloatArray, size: int) -> FloatArray:
    """Return [size] the weighted means of values [L] by place [L]; 0 where the weight is 0."""
    total = np.bincount(place, weight, size)
    sums = np.bincount(place, weight * values, size)
    found: FloatArray = np.divide(sums, total, out=np.zeros(size), where=total > 0)
    return found
