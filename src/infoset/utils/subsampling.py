"""Selection of weighted items with given probabilities."""

from __future__ import annotations

import numpy as np

from infoset.typing import BoolArray, FloatArray


def inclusion_probabilities(weight: FloatArray, number: int) -> FloatArray:
    """Return [K] the probability `min(1, c · weight)` of selecting each item; the sum is `number`.

    The heaviest items are selected with certainty, the others with probability proportional to
    weight. Items of weight zero are never selected. If at most `number` items have positive weight,
    all of them are selected.

    Notes
    -----
    Source: Fearnhead and Clifford, "On-line inference for hidden Markov models via particle
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
    # If m items are certain, the others share number - m, so that c = (number - m) / below[m]. Find
    # the smallest m for which the next item has c · weight < 1.
    certain = int(np.argmax(falling[:number] * left < below[:number]))
    shared: FloatArray = weight * (number - certain) / below[certain]
    return shared.clip(max=1.0)


def systematic_sample(probability: FloatArray, rng: np.random.Generator) -> BoolArray:
    """Return [K] whether each item is selected; selection has the given probabilities.

    The probabilities are laid end to end as intervals. Points at unit distance, shifted by one
    random number, select the intervals in which they fall. The number selected is the sum of the
    probabilities.
    """
    # Where the integer part grows, a point lies in the interval; no interval is longer than 1.
    points = np.floor(np.cumsum(probability) + rng.random())
    return np.diff(points, prepend=0.0) > 0
