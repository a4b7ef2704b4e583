"""Kernels that evaluate policies on public forms, in the order in which CFR stores sequences.

In this order, the hands of a public action are neighbors, and eight of them are the lanes of one
vector; see `infoset.forms.layout`.
"""

from __future__ import annotations

from infoset.typing import FloatArray, IndexArray
from infoset.utils.compilation import kernel
from infoset.utils.simd import LANES, add_at, filled, load, maximum, store, where_positive


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
