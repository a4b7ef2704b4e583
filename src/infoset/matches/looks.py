"""When to look again at what is estimated, until it is sure enough."""

from __future__ import annotations

from math import ceil

__all__ = ["next_look"]

LEAST_GROWTH, MOST_GROWTH = 1.05, 2.0
"""How many times as many samples there are at the next look."""


def next_look(count: int, excess: float) -> int:
    """Return how many samples should be enough, at most twice as many as there are.

    Parameters
    ----------
    count : int
        Number of samples so far.
    excess : float
        How many times as large as wanted the error is; it falls with the root of the number.
    """
    return ceil(count * min(max(excess**2, LEAST_GROWTH), MOST_GROWTH))
