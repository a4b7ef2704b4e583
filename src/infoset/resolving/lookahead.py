"""The part of a tree that a depth-limited search looks at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoset.beliefs import TreePart, part_between
from infoset.tree import GameTree
from infoset.typing import BoolArray

__all__ = ["Lookahead"]


@dataclass(frozen=True, eq=False)
class Lookahead:
    """Depth limits on a tree, counted in public states at which players act.

    Attributes
    ----------
    tree : GameTree
    depth : int or None
        Search stops where every player has acted at this many public states since the root of the
        search. Chance moves that follow are inside. None for no limit.
    """

    tree: GameTree
    depth: int | None

    @cached_property
    def acts(self) -> BoolArray:
        """[P, N] whether a player acts at some history of each public state."""
        acts = np.zeros((self.tree.public_tree.num_public_states, self.tree.num_players), bool)
        for player, own in enumerate(self.tree.infostate_trees):
            acts[own.public_state[own.acting], player] = True
        return acts

    def leaves(self, root: int) -> list[int]:
        """Return the public states at which a search from `root` stops."""
        if self.depth is None:
            return []
        found, waiting = [], [(root, np.zeros(self.tree.num_players, int))]
        while waiting:
            state, count = waiting.pop()
            acts = self.acts[state]
            if acts.any() and count.min() >= self.depth:
                found.append(state)
                continue
            count = count + acts
            waiting += [(child, count) for child in self.tree.public_tree.children(state).tolist()]
        return sorted(found)

    def part(self, root: int, leaves: list[int] | None = None) -> TreePart:
        """Return the tree from a public state down to the leaves, by default of the depth limit."""
        return part_between(self.tree, root, self.leaves(root) if leaves is None else leaves)
