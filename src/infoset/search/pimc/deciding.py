"""From the scores of actions to a policy."""

from __future__ import annotations

from typing import NamedTuple

from infoset.search.pimc._max_n_kernels import TIE_TOLERANCE
from infoset.typing import FloatArray

__all__ = ["Scores", "split_ties"]


class Scores(NamedTuple):
    """Scores of actions.

    Attributes
    ----------
    score : FloatArray
        [A] sum over worlds of what each action is worth there.
    size : float
        Sum over worlds of the largest absolute value, by which ties are told from differences.
    """

    score: FloatArray
    size: float


def split_ties(scores: Scores) -> FloatArray:
    """Return [A] the policy that plays the actions of the best score alike.

    Scores are tied that differ by no more than a billionth of their size.

    Examples
    --------
    >>> import numpy as np
    >>> split_ties(Scores(np.array([0.1 + 0.2, 0.3, -1.0]), 1.0)).tolist()
    [0.5, 0.5, 0.0]
    """
    is_best = scores.score >= scores.score.max() - TIE_TOLERANCE * scores.size
    policy: FloatArray = is_best / is_best.sum()
    return policy
