"""What a search of worlds found, and what it took."""

from __future__ import annotations

from dataclasses import dataclass

from infoset.search.budget import SearchRecord

__all__ = ["WorldSearchRecord"]


@dataclass(frozen=True, eq=False, kw_only=True)
class WorldSearchRecord(SearchRecord):
    """What a search of worlds found, and what it took; its nodes are positions.

    Attributes
    ----------
    num_worlds : int
        How many were drawn; where all of them were weighed by their probability, how many there
        are.
    is_exact : bool
        Whether all of them were.
    """

    num_worlds: int
    is_exact: bool
