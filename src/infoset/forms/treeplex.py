"""The treeplex: the acting infostates of one player and their sequences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoset.forms._sequence_form_kernels import max_roundings
from infoset.typing import BoolArray, IntArray
from infoset.utils.frozen_arrays import freeze
from infoset.utils.short_repr import Facts, ShortRepr

__all__ = ["Treeplex"]


@dataclass(frozen=True, eq=False, repr=False)
class Treeplex(ShortRepr):
    """The acting infostates of one player and their sequences, parents first.

    Sequence 0 is the empty one; the sequences of acting infostate i are
    `first_sequence[i]:first_sequence[i] + num_actions[i]`, one per action.

    Attributes
    ----------
    parent_sequence : IntArray
        [I] the player's last sequence before the infostate.
    first_sequence, num_actions : IntArray
        [I] first sequence and number of actions of each infostate, as above.
    num_sequences : int
        Q, including the empty sequence.
    """

    parent_sequence: IntArray
    first_sequence: IntArray
    num_actions: IntArray
    num_sequences: int

    def _facts(self) -> Facts:
        return Facts("", {"infostates": self.num_infostates, "sequences": self.num_sequences})

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def num_infostates(self) -> int:
        """Number I of acting infostates."""
        return len(self.num_actions)

    @cached_property
    def infostate_of_sequence(self) -> IntArray:
        """[Q] the acting infostate of each sequence; -1 for the empty one."""
        owners = np.repeat(np.arange(self.num_infostates, dtype=np.int32), self.num_actions)
        return np.concatenate([np.array([-1], np.int32), owners])

    def restricted(self, infostates: BoolArray) -> Treeplex:
        """Return the treeplex of some infostates [I], which include the ones before them."""
        kept = np.append(True, np.repeat(infostates, self.num_actions))
        place = (np.cumsum(kept) - 1).astype(np.int32)
        return Treeplex(
            parent_sequence=place[self.parent_sequence[infostates]],
            first_sequence=place[self.first_sequence[infostates]],
            num_actions=self.num_actions[infostates],
            num_sequences=int(kept.sum()),
        )

    @cached_property
    def own_depth(self) -> IntArray:
        """[I] number of the player's decisions before each acting infostate."""
        before = self.infostate_of_sequence[self.parent_sequence]
        depth = np.zeros(self.num_infostates, dtype=np.int32)
        above = before
        while (above >= 0).any():
            depth += above >= 0
            above = np.where(above >= 0, before[above], -1)
        return depth

    @cached_property
    def plan_roundings(self) -> int:
        """Maximum number of roundings in an entry of a plan made from normalized weights."""
        return max_roundings(
            self.parent_sequence, self.first_sequence, self.num_actions, self.num_sequences
        )
