"""Worlds that a search thinks through, as many as it may."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from infoset.search.budget import TimeBudget
from infoset.search.pimc.deciding import Scores
from infoset.typing import FloatArray

__all__ = ["Think", "Thought", "think_through"]


class Thought(NamedTuple):
    """What came of thinking worlds through.

    Attributes
    ----------
    scores : Scores
        Of the actions, over all the worlds.
    num_worlds : int
        How many were drawn, or how many there are.
    is_exact : bool
        Whether all were weighed by their probability.
    """

    scores: Scores
    num_worlds: int
    is_exact: bool


Think: TypeAlias = Callable[[FloatArray], Scores]
"""Thinks through worlds, or more of them than before: the scores of actions from weights [K]."""


def think_through(
    probability: FloatArray,
    budget: TimeBudget,
    rng: np.random.Generator,
    think: Think,
    start: float,
) -> Thought:
    """Draw worlds of probabilities [K], and think them through.

    Where neither their number nor the time is limited, or there was time to draw every one of
    them without a number set, each is weighed by its probability.

    Parameters
    ----------
    probability : FloatArray
    budget : TimeBudget
        Of worlds.
    rng : numpy.random.Generator
    think : Think
    start : float
        What `time.perf_counter` was when the search began.
    """
    weight, drawn = np.zeros(len(probability)), 0
    if budget.number is None and budget.seconds is None:
        return Thought(think(probability), len(probability), True)
    for batch in budget.batches(start):
        weight += rng.multinomial(batch, probability / probability.sum())
        drawn += batch
        scores = think(weight)
        if budget.number is None and weight.all():
            return Thought(think(probability), len(probability), True)
    return Thought(scores, drawn, False)
