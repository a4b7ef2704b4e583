"""A numbering of the pairs of a trigger and a sequence that may be played after it."""

from __future__ import annotations

import numpy as np

from infoset.errors import GameTooLargeError
from infoset.evaluation._trigger_kernels import TriggerPairs as TriggerPairs
from infoset.evaluation._trigger_kernels import number_pairs
from infoset.typing import IntArray

MAX_PAIRS = 20_000_000
"""Limit on the number of pairs, at which an array of pairs takes 160 MB."""


def enumerate_trigger_pairs(
    parent: IntArray, first: IntArray, num_actions: IntArray, num_sequences: int, game: str
) -> tuple[TriggerPairs, int]:
    """Return the pairs of one or several treeplexes in a single numbering, and their number.

    If a play has at most H decisions with at most A actions each, there are at most H·A pairs for
    each sequence. This is far fewer than the square of the number of sequences.

    Parameters
    ----------
    parent, first, num_actions
        [I] parent sequence, first sequence and number of actions of each infostate, parents
        first.
    num_sequences
        Number S of sequences, including empty sequences.
    game
        Name of the game in error messages.

    Raises
    ------
    GameTooLargeError
        If there are more than 20,000,000 pairs.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> plex = build_tree(load_game("kuhn_poker")).sequence_form.treeplexes[0]
    >>> enumerate_trigger_pairs(
    ...     plex.parent_sequence,
    ...     plex.first_sequence,
    ...     plex.num_actions,
    ...     plex.num_sequences,
    ...     "Kuhn",
    ... )[1]
    36
    """
    owner = np.full(num_sequences, -1, np.int32)
    # First sequence less place in the concatenation: adding the places counts on from the first.
    at_infostates = np.repeat(first - np.cumsum(num_actions) + num_actions, num_actions)
    owner[at_infostates + np.arange(len(at_infostates))] = np.repeat(
        np.arange(len(first), dtype=np.int32), num_actions
    )
    pairs = TriggerPairs(
        rank=np.zeros(num_sequences, np.int32),
        start=np.zeros(num_sequences, np.int64),
        order=np.zeros(len(first), np.int32),
        first_place=np.zeros(len(first), np.int32),
        last_place=np.zeros(len(first), np.int32),
        owner=owner,
    )
    num_pairs = int(number_pairs(parent, first, num_actions, pairs))
    if num_pairs > MAX_PAIRS:
        raise GameTooLargeError(
            f"{game} has {num_pairs:,} pairs of a recommended sequence and a sequence that may be "
            f"played after it, more than {MAX_PAIRS:,}: compute the CCE gap with evaluate_cce, or "
            f"use a smaller game",
            {"sequences": num_sequences, "pairs": num_pairs},
        )
    return pairs, num_pairs
