"""Where searches with a depth limit stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import add

import numpy as np

from infoset.forms import PublicForm
from infoset.tree import GameTree
from infoset.typing import BoolArray


@dataclass(frozen=True, eq=False)
class Lookahead:
    """Depth limits, counted in public states at which players act."""

    parent: Sequence[int]
    """[P] the public state above each; -1 for the root, which has number 0."""
    acts: BoolArray
    """[P, N] whether a player acts at some history of each public state."""
    depth: int | None
    """A search stops where every player has acted at this many public states since the root of the
    search. Chance moves that follow are inside. None for no limit."""

    @classmethod
    def on_tree(cls, tree: GameTree, depth: int | None) -> Lookahead:
        """Return depth limits on a tree."""
        acts = np.zeros((tree.public_tree.num_public_states, tree.num_players), bool)
        for player, own in enumerate(tree.infostate_trees):
            acts[own.public_state[own.acting], player] = True
        return cls(tree.public_tree.parent.tolist(), acts, depth)

    @classmethod
    def on_public_form(cls, form: PublicForm, depth: int | None) -> Lookahead:
        """Return depth limits on a public form."""
        return cls(form.parent.tolist(), form.player[:, None] == np.arange(2), depth)

    @cached_property
    def children(self) -> list[list[int]]:
        """[P] the public states right below each."""
        found: list[list[int]] = [[] for _ in self.parent]
        for state, above in enumerate(self.parent[1:], start=1):
            found[above].append(state)
        return found

    @cached_property
    def _acts(self) -> list[list[bool]]:
        """`acts` as lists, which are faster than arrays to read one entry at a time."""
        found: list[list[bool]] = self.acts.tolist()
        return found

    def leaves(self, root: int) -> list[int]:
        """Return the public states at which a search from `root` stops."""
        if self.depth is None:
            return []
        found, waiting = [], [(root, [0] * self.acts.shape[1])]
        while waiting:
            state, count = waiting.pop()
            acts = self._acts[state]
            if any(acts) and min(count) >= self.depth:
                found.append(state)
                continue
            count = list(map(add, count, acts))
            waiting += [(child, count) for child in self.children[state]]
        return sorted(found)
