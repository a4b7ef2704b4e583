"""Cutting a compiled tree into its trunk and the subgames below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoset.beliefs._names import check_public_state
from infoset.beliefs._selection import group_by_owner, topmost
from infoset.beliefs.tree_part import TreePart
from infoset.errors import ParameterError
from infoset.tree import GameTree
from infoset.tree.sequence_form import TREE_EXAMPLE
from infoset.typing import IntArray, LongArray
from infoset.utils.arguments import check_type

__all__ = ["TreeCut", "cut_tree"]

Groups = tuple[IntArray, LongArray]


@dataclass(frozen=True, eq=False)
class TreeCut:
    """A compiled tree in parts: every history, infostate and public state is in exactly one.

    Parts are made when they are asked for; their index arrays are views of arrays held here.

    Attributes
    ----------
    tree : GameTree
        The whole game.
    roots : IntArray
        [number of parts] public states that parts begin with, increasing; the first is 0, with
        which the trunk begins.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> cut = cut_tree(build_tree(load_game("kuhn_poker")), depth=2)
    >>> len(cut.trunk.histories), [len(part.histories) for part in cut.subgames()]
    (7, [30, 18])
    """

    tree: GameTree
    roots: IntArray

    @property
    def trunk(self) -> TreePart:
        """What lies above all cuts."""
        return self[0]

    def subgames(self) -> Iterator[TreePart]:
        """Yield the part below each cut, in the order of `roots`."""
        for root in self.roots[1:].tolist():
            yield self[root]

    def __getitem__(self, root: int) -> TreePart:
        """Return the part that begins with a public state.

        Raises
        ------
        ParameterError
            If no part begins there.
        """
        if root not in self.roots:
            raise ParameterError(
                f"no part begins with public state {root}; parts begin with {self.roots.tolist()}"
            )
        part = int(np.searchsorted(self.roots, root))
        return TreePart(
            tree=self.tree,
            public_states=_members(self._public_states, part),
            leaves=self.roots[1:][_members(self._leaves, part)],
            histories=_members(self._histories, part),
            infostates=tuple(_members(groups, part) for groups in self._infostates),
        )

    @cached_property
    def _owner(self) -> LongArray:
        """[P] the part that each public state is in."""
        parent = self.tree.public_tree.parent.copy()
        parent[self.roots] = -1
        return np.searchsorted(self.roots, topmost(parent))

    @cached_property
    def _public_states(self) -> Groups:
        return group_by_owner(self._owner, len(self.roots))

    @cached_property
    def _leaves(self) -> Groups:
        above = self.tree.public_tree.parent[self.roots[1:]]
        return group_by_owner(self._owner[above], len(self.roots))

    @cached_property
    def _histories(self) -> Groups:
        return group_by_owner(self._owner[self.tree.public_state], len(self.roots))

    @cached_property
    def _infostates(self) -> tuple[Groups, ...]:
        return tuple(
            group_by_owner(self._owner[tree.public_state], len(self.roots))
            for tree in self.tree.infostate_trees
        )


def _members(groups: Groups, part: int) -> IntArray:
    order, starts = groups
    return order[starts[part] : starts[part + 1]]


def cut_tree(
    tree: GameTree, *, depth: int | None = None, public_states: Iterable[int] | None = None
) -> TreeCut:
    """Cut a compiled tree above some public states, without compiling anything again.

    Parameters
    ----------
    tree : GameTree
    depth : int, optional
        Cut above all public states after this many transitions, those where the game is over
        included; what ended before stays in the trunk.
    public_states : Iterable[int], optional
        Cut above these. One that extends another cuts the subgame of that one again, which then
        has leaves, as the trunk has. Public state 0 alone makes the trunk the whole game.

    Raises
    ------
    ParameterError
        If it is no tree, not exactly one of the two is given, no play is that long, or there is no
        such public state.
    """
    check_type("tree", tree, GameTree, f"a GameTree, such as {TREE_EXAMPLE}")
    if (depth is None) == (public_states is None):
        raise ParameterError("give either a depth to cut at, or the public states to cut above")
    if depth is not None:
        chosen = _public_states_at(tree, depth)
    else:
        chosen = list(public_states or ())
        for public_state in chosen:
            check_public_state(tree, public_state)
    return TreeCut(tree, np.unique([0, *chosen]).astype(np.int32))


def _public_states_at(tree: GameTree, depth: int) -> Iterable[int]:
    """Return the public states after a number of transitions; they stand together."""
    longest = len(tree.level_offsets) - 2
    if not 1 <= depth <= longest:
        raise ParameterError(
            f"cannot cut at depth {depth}: the plays of {tree.game} have up to {longest} "
            "transitions, and the first cut is at depth 1"
        )
    start, stop = tree.level_offsets[depth : depth + 2]
    there = tree.public_state[start:stop]
    return range(int(there.min()), int(there.max()) + 1)
