"""Leaving out histories at random, so that what is kept stands for all."""

from __future__ import annotations

import numpy as np

from infoset.typing import BoolArray, FloatArray

__all__ = ["inclusion_probabilities", "systematic_sample"]


def inclusion_probabilities(weight: FloatArray, number: int) -> FloatArray:
    """Return [K] the probability to keep each item, `min(1, c * weight)`, of sum `number`.

    The heaviest items are kept for certain, the others in proportion to their weights. Items of
    weight zero are never kept; with at most `number` others, all of them are.

    Notes
    -----
    Source: Fearnhead, Clifford, "On-line inference for hidden Markov models via particle
    filters", Journal of the Royal Statistical Society B 65 (2003), section 3.

    Examples
    --------
    >>> inclusion_probabilities(np.array([6.0, 1.0, 1.0]), 2).tolist()
    [1.0, 0.5, 0.5]
    """
    if np.count_nonzero(weight) <= number:
        return (weight > 0).astype(float)
    falling = np.sort(weight)[::-1]
    below = np.cumsum(falling[::-1])[::-1]  # weight of each item and all lighter ones
    left = number - np.arange(number)
    certain = int(np.argmax(falling[:number] * left < below[:number]))
    shared: FloatArray = weight * (number - certain) / below[certain]
    return shared.clip(max=1.0)


def systematic_sample(probability: FloatArray, rng: np.random.Generator) -> BoolArray:
    """Return [K] which items are kept, each with its probability, and as many as these sum to.

    One random number shifts a comb of unit distance over the probabilities laid end to end.
    """
    teeth = np.floor(np.cumsum(probability) + rng.random())
    return np.diff(teeth, prepend=0.0) > 0
