"""Kernels of values and best responses, in the order of a treeplex and in that of a layout.

In a layout, neighboring infostates of a public state are the lanes of one vector; see
`infoset.forms.layout`.
"""

from __future__ import annotations

import numpy as np

from infoset.typing import FloatArray, IndexArray, IntArray
from infoset.utils.compilation import kernel, linear_kernel
from infoset.utils.simd import LANES, add_at, filled, load, maximum, store, where_positive


@linear_kernel
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


@kernel
def normalize_weights(groups: IndexArray, weights: FloatArray) -> None:
    """Divide weights [Q] by their sum at each infostate, in place; uniform if the sum is zero.

    groups [G, 5]: see `Layout`. The result has the bits of `normalize_behavior`.
    """
    for group in range(len(groups)):
        base, stride, actions, _, size = groups[group]
        for begin in range(0, size, LANES):
            count = min(LANES, size - begin)
            total = filled(weights, 0.0)
            for action in range(actions):
                total += load(weights, base + begin + action * stride, count)
            for action in range(actions):
                at = base + begin + action * stride
                sigma = where_positive(total, load(weights, at, count) / total, 1.0 / actions)
                store(weights, at, count, sigma)


@kernel
def best_response_value(groups: IndexArray, parent: IndexArray, gradient: FloatArray) -> float:
    """Return the value of a best response.

    groups [G, 5], parent [I]: see `Layout`; gradient [Q]: becomes the counterfactual value of each
    sequence under best play.
    """
    # Deepest groups first, as in `best_response_sweep`: v(I) = max_a v(Ia) is added to the value of
    # the sequence that leads to I.
    for group in range(len(groups) - 1, -1, -1):
        base, stride, actions, infostate, size = groups[group]
        for begin in range(0, size, LANES):
            count = min(LANES, size - begin)
            best = load(gradient, base + begin, count)
            for action in range(1, actions):
                best = maximum(best, load(gradient, base + begin + action * stride, count))
            add_at(gradient, parent, infostate + begin, count, best)
    return float(gradient[0])
