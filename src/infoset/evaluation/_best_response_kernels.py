"""Kernel of best responses on the sequence form: the bottom-up sweep."""

from __future__ import annotations

import numpy as np

from infoset.typing import FloatArray, IntArray
from infoset.utils.compilation import kernel


@kernel
def best_response_sweep(
    parent_sequence: IntArray,
    first_sequence: IntArray,
    num_actions: IntArray,
    gradient: FloatArray,
) -> IntArray:
    """Return [I] the best sequence at each infostate; ties go to the first action.

    parent_sequence, first_sequence, num_actions : [I]. gradient : [Q], overwritten with the
    counterfactual value of each sequence under best play, so that gradient[0] becomes the value of
    the best response.
    """
    best = np.empty(len(num_actions), np.int32)
    # Infostates are numbered parents first. Going backwards, the values of all infostates below
    # have already been added to the sequences of an infostate.
    for infostate in range(len(num_actions) - 1, -1, -1):
        first = first_sequence[infostate]
        chosen = first
        for sequence in range(first + 1, first + num_actions[infostate]):
            if gradient[sequence] > gradient[chosen]:
                chosen = sequence
        best[infostate] = chosen
        # v(I) = max_a v(Ia), added to the value of the sequence that leads to I.
        gradient[parent_sequence[infostate]] += gradient[chosen]
    return best
