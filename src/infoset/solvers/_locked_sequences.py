"""The sequences that are left to a player whose choices at some infostates are locked."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.forms import Treeplex
from infoset.typing import BoolArray, FloatArray, LongArray

__all__ = ["LockedSequences", "locked_sequences"]


class LockedSequences(NamedTuple):
    """The map from a player's sequences to those of the reduced treeplex.

    Attributes
    ----------
    last : LongArray
        [Q] the last sequence of the reduced treeplex on the path to each sequence.
    weight : FloatArray
        [Q] the product of the locked probabilities on that path.
    kept : LongArray
        [Q'] the indices of the sequences that remain.
    """

    last: LongArray
    weight: FloatArray
    kept: LongArray


def locked_sequences(
    plex: Treeplex, probabilities: FloatArray, locked: BoolArray
) -> LockedSequences:
    """Return what is left of a treeplex if probabilities [Q] are locked at infostates [I]."""
    above = np.concatenate([[0], np.repeat(plex.parent_sequence, plex.num_actions)])
    held = np.concatenate([[False], np.repeat(locked, plex.num_actions)])
    kept = np.flatnonzero(~held)
    last = np.where(held, above, np.arange(plex.num_sequences))
    # Pointer doubling: each pass halves the lengths of paths.
    while held[last].any():
        last = last[last]
    weight = np.where(held, probabilities, 1.0)
    while above.any():
        weight *= weight[above]
        above = above[above]
    return LockedSequences(np.searchsorted(kept, last), weight, kept)
