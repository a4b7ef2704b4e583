"""Kernel of best responses with minimum action probabilities."""

from __future__ import annotations

from infoset.typing import FloatArray, IntArray
from infoset.utils.compilation import kernel


@kernel
def perturbed_best_value(
    parent_sequence: IntArray,
    first_sequence: IntArray,
    num_actions: IntArray,
    least: FloatArray,
    gradient: FloatArray,
) -> float:
    """Return the most that a plan earns whose actions have at least the probabilities `least` [Q].

    parent_sequence, first_sequence, num_actions [I]; gradient [Q] becomes, in place, the
    counterfactual value of each sequence under best play.
    """
    for infostate in range(len(num_actions) - 1, -1, -1):
        first = first_sequence[infostate]
        best = gradient[first]
        share, value = 1.0, 0.0
        for sequence in range(first, first + num_actions[infostate]):
            best = max(best, gradient[sequence])
            share -= least[sequence]
            value += least[sequence] * gradient[sequence]
        gradient[parent_sequence[infostate]] += value + share * best
    return float(gradient[0])
