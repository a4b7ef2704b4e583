"""What is known of a tree search after it."""

from __future__ import annotations

from dataclasses import dataclass

from infoset.search.budget import SearchRecord
from infoset.typing import LongArray

__all__ = ["TreeSearchRecord"]


@dataclass(frozen=True, eq=False, kw_only=True)
class TreeSearchRecord(SearchRecord):
    """What a tree search found, and what it took; its nodes are the infostates of the tree.

    Attributes
    ----------
    visits : LongArray
        [A] how many simulations took each action at the root, of all own infostates that are
        thought possible.
    num_simulations : int
    """

    visits: LongArray
    num_simulations: int
