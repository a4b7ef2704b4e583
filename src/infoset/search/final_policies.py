"""Final policies of tree searches: functions from the visit counts at the root to probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

import numpy as np

from infoset.search._max_n_kernels import TIE_TOLERANCE
from infoset.typing import FloatArray, LongArray

FinalPolicy: TypeAlias = Callable[[LongArray | FloatArray], FloatArray]
"""Maps visit counts [..., A], which may be normalized, to probabilities [..., A]."""


def normalized_visits(visits: LongArray | FloatArray) -> FloatArray:
    """Return [..., A] the visit counts divided by their sum; uniform where all are zero.

    Examples
    --------
    >>> import numpy as np
    >>> normalized_visits(np.array([6, 2, 0])).tolist()
    [0.75, 0.25, 0.0]
    """
    counts = np.where(visits.any(axis=-1, keepdims=True), visits, 1)
    policy: FloatArray = counts / counts.sum(axis=-1, keepdims=True)
    return policy


def max_visits(visits: LongArray | FloatArray) -> FloatArray:
    """Return [..., A] equal probabilities of the actions with the largest visit count.

    Normalized counts are equal up to rounding.

    Examples
    --------
    >>> import numpy as np
    >>> max_visits(np.array([[6, 2, 0], [3, 3, 1]])).tolist()
    [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]]
    """
    most = visits.max(axis=-1, keepdims=True)
    return normalized_visits(visits >= most * (1 - TIE_TOLERANCE))


FINAL_POLICIES: Final[Mapping[str, FinalPolicy]] = MappingProxyType(
    {"normalized-visits": normalized_visits, "max-visits": max_visits}
)
"""Final policies by name, as in OpenSpiel's `ISMCTSBot`."""
