"""All pairs of a trigger and a sequence that may be played after it."""

from __future__ import annotations

import numpy as np

from infoset.errors import GameTooLargeError
from infoset.evaluation.triggers._kernels import TriggerPairs, number_pairs
from infoset.typing import IntArray

__all__ = ["MOST_PAIRS", "trigger_pairs"]

MOST_PAIRS = 20_000_000
"""Above which a game is refused: an array of pairs then takes 160 MB."""


def trigger_pairs(
    parent: IntArray, first: IntArray, num_actions: IntArray, num_sequences: int, game: str
) -> tuple[TriggerPairs, int]:
    """Return the pairs of a treeplex, or of several in one numbering, and how many they are.

    They are at most H·A times the sequences, for H decisions of A actions in a row: much fewer
    than the square of the sequences.

    Parameters
    ----------
    parent, first, num_actions : IntArray
        [I] the sequence before each infostate, the first of its own, and how many they are;
        parents first.
    num_sequences : int
        S, empty ones included.
    game : str
        What it is called in messages.

    Raises
    ------
    GameTooLargeError
        If there are more than 20,000,000.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> plex = build_tree(load_game("kuhn_poker")).sequence_form.treeplexes[0]
    >>> trigger_pairs(
    ...     plex.parent_sequence, plex.first_sequence, plex.num_actions, plex.num_sequences, "Kuhn"
    ... )[1]
    36
    """
    owner = np.full(num_sequences, -1, np.int32)
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
    if num_pairs > MOST_PAIRS:
        raise GameTooLargeError(
            f"{game} has {num_pairs:,} pairs of a recommended sequence and one that may be played "
            f"after it, more than {MOST_PAIRS:,}: measure the coarse correlated gap "
            "(evaluate_cce), or take a smaller game",
            {"sequences": num_sequences, "pairs": num_pairs},
        )
    return pairs, num_pairs
