"""Kernels that measure policies on the sequence form."""

from __future__ import annotations

import numpy as np

from infoset.kernels import kernel
from infoset.typing import FloatArray, IntArray


@kernel
def best_response_sweep(
    parent_sequence: IntArray,
    first_sequence: IntArray,
    num_actions: IntArray,
    gradient: FloatArray,
) -> IntArray:
    """Return [I] the best sequence at each infostate; the lowest action among equals.

    parent_sequence, first_sequence, num_actions [I]; gradient [Q] becomes, in place, the
    counterfactual value of each sequence under best play: gradient[0] is the value of the game.
    """
    best = np.empty(len(num_actions), np.int32)
    for infostate in range(len(num_actions) - 1, -1, -1):
        first = first_sequence[infostate]
        chosen = first
        for sequence in range(first + 1, first + num_actions[infostate]):
            if gradient[sequence] > gradient[chosen]:
                chosen = sequence
        best[infostate] = chosen
        gradient[parent_sequence[infostate]] += gradient[chosen]
    return best
