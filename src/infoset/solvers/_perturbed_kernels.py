"""Kernel of best responses with minimum action probabilities."""

from __future__ import annotations

from infoset.typing import FloatArray, IntArray
from infoset.utils.compilation import kernel


@kernel
def perturbed_best_value(
    parent_sequence: IntArray,
    first_sequence: IntArray,
    num_actions: IntArray,
    minimum: FloatArray,
    gradient: FloatArray,
) -> float:
    """Return the value of the best plan whose actions have at least the probabilities `minimum`.

    parent_sequence, first_sequence, num_actions : [I] as in `Treeplex`.
    minimum : [Q] minimum probability of the last action of each sequence.
    gradient : [Q] set in place to the counterfactual value of each sequence under that plan.
    """
    # Bottom up: v(I) = Σ_a ε(I, a) q(I, a) + (1 − Σ_a ε(I, a)) max_a q(I, a). A best action gets
    # all the probability that the minimums do not use.
    for infostate in range(len(num_actions) - 1, -1, -1):
        first = first_sequence[infostate]
        best = gradient[first]
        rest, value = 1.0, 0.0
        for sequence in range(first, first + num_actions[infostate]):
            best = max(best, gradient[sequence])
            rest -= minimum[sequence]
            value += minimum[sequence] * gradient[sequence]
        # Parents come before children, so the value of this infostate is complete here.
        gradient[parent_sequence[infostate]] += value + rest * best
    return float(gradient[0])
