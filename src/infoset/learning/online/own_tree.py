"""The infostates of one player, all of which it was given."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from infoset.errors import UnknownNameError, nearest_names
from infoset.game import Infostate
from infoset.learning._simulator_kernels import Infostates
from infoset.learning.online.infostates import InfostateTable
from infoset.learning.simulator import infostate_depths
from infoset.tree import InfostateTree
from infoset.typing import Action

__all__ = ["TreeInfostates"]


class TreeInfostates(InfostateTable):
    """The acting infostates of a player's own tree, known by what is met in play or by label.

    Where a tree has names, and nothing is observed in it, by label only.
    """

    def __init__(self, tree: InfostateTree) -> None:
        self.tree = tree
        self.player = tree.player
        self.num_sequences = tree.num_sequences
        acting = tree.acting
        self.infostates = Infostates(
            first_sequence=tree.first_sequence[acting],
            num_actions=tree.num_actions[acting],
            player=np.zeros(len(acting), np.int32),
            parent_sequence=tree.last_sequence[acting],
            root_sequence=np.zeros(1, np.int32),
        )
        self.depth = infostate_depths(self.infostates)
        self._numbers = {label: number for number, label in enumerate(tree.acting_labels)}

    @property
    def num_known(self) -> int:
        """Number of infostates in the tree where the player acts."""
        return self.tree.num_acting

    def find(self, infostate: Hashable) -> int:
        """Return the number of an infostate; -1 where it is not in the tree."""
        if not isinstance(infostate, Infostate) or self.tree.names is not None:
            return self._numbers.get(infostate, -1)  # type: ignore[call-overload, no-any-return]
        try:
            position = self.tree.index_of(infostate)
        except UnknownNameError:
            return -1
        is_acting = self.tree.num_actions[position] > 0
        return int(np.searchsorted(self.tree.acting, position)) if is_acting else -1

    def legal_actions(self, number: int) -> tuple[Action, ...]:
        """Return the actions at an infostate."""
        return self.tree.legal_actions(int(self.tree.acting[number]))

    def _add(
        self, infostate: Hashable, legal_actions: Sequence[Action] | None, parent_sequence: int
    ) -> int:
        near = nearest_names(str(infostate), self.tree.acting_labels)
        raise UnknownNameError(
            f"player {self.player} has no decision at {infostate} in the tree that it was given; "
            f"give infostates as they are met in play, or labels; {near}"
        )

    def _text(self, number: int) -> str:
        return self.tree.acting_labels[number]

    def contents(self) -> NDArray[np.uint8]:
        """Return nothing: all is in the tree."""
        return np.zeros(0, np.uint8)

    def restored(self, contents: NDArray[np.uint8]) -> TreeInfostates:
        """Return this very table, which never changes."""
        return self

    @property
    def fingerprint(self) -> str:
        """A digest of the tree and the labels of its actions."""
        digest = hashlib.sha256()
        for array in (self.tree.parent, self.tree.action, self.tree.action_set):
            digest.update(np.ascontiguousarray(array).astype("<i4").tobytes())
        digest.update("\n".join(map(str, self.tree.action_sets)).encode())
        return digest.hexdigest()
