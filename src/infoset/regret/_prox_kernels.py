"""Kernels of the treeplex prox, over the action-major layout of `layout.py`.

Points of a treeplex are stored as coordinates [Q]: the logarithms of the behavior for entropy, the
behavior itself for the Euclidean distance. In both cases, zeros as magnet or center mean that there
is none: the divergence from zeros is the regularizer itself.

The maximum over the treeplex separates into one problem per infostate, solved bottom up (Hoda et
al. 2010). With q(a) the gradient of action a plus the values v below it, β the dilation weight, and
φ the entropy or half the squared norm, infostate I solves

    v(I) = max_b <q, b> − β · (D_φ(b, center) / η + temperature · D_φ(b, magnet))
"""

from __future__ import annotations

import math
from typing import NamedTuple

from infoset.typing import FloatArray, IndexArray, IntArray
from infoset.utils.compilation import kernel, nested_kernel

MIN_LOGARITHM = -700.0
"""About the logarithm of the smallest normal float64; as a minimum it keeps behavior positive."""


class ProxProblem(NamedTuple):
    """A prox problem: maximize <gradient, x> − D(x, center) / η − temperature · D(x, magnet)."""

    inverse_step_size: float
    temperature: float
    """1 / η and the temperature; not negative, and their sum is positive."""
    gradient: FloatArray
    """[Q] the gradient. It is overwritten with the value of each sequence; the value of the empty
    sequence is the maximum."""
    center: FloatArray
    magnet: FloatArray
    """[Q] coordinates."""
    coordinate: FloatArray
    policy: FloatArray
    """[Q] filled with the maximizer's coordinates and behavior. `coordinate` and `center` may be
    the same array."""


@nested_kernel
def respond_by_entropy(
    base: int,
    count: int,
    actions: int,
    weight: FloatArray,
    prox: ProxProblem,
    value: FloatArray,
    total: FloatArray,
) -> None:
    """Solve a prox problem at one group, with entropy as the distance; fill value [count].

    Let k be the dilation weight times the sum of inverse step size and temperature, and c the mean
    of the coordinates of center and magnet, weighted by these two. The behavior is proportional to
    exp((q + k · c) / k). The value is k times the logarithm of the sum of these exponentials.
    """
    inverse_step, temperature, gradient, center, magnet, coordinate, policy = prox
    regularization = inverse_step + temperature
    # Logits (q/β + log center / η + temperature · log magnet) / (1/η + temperature), and their
    # maximum per infostate: subtracted below, it keeps exponentials finite.
    for i in range(count):
        value[i] = -math.inf
        total[i] = 0.0
    for action in range(actions):
        own = slice(base + action * count, base + (action + 1) * count)
        q, c, m, logit = gradient[own], center[own], magnet[own], coordinate[own]
        # Equal to (q + k c̄) / k with k = β (1/η + temperature) and c̄ the weighted mean of center
        # and magnet: β cancels in all terms but q.
        for i in range(count):
            logit[i] = (
                q[i] / weight[i] + inverse_step * c[i] + temperature * m[i]
            ) / regularization
            value[i] = max(value[i], logit[i])
    # Softmax, action by action: the inner loops run over neighboring infostates and vectorize.
    for action in range(actions):
        own = slice(base + action * count, base + (action + 1) * count)
        logit, sigma = coordinate[own], policy[own]
        for i in range(count):
            # At most 1, and exactly 1 for the largest logit: the sum can neither overflow nor be 0.
            sigma[i] = math.exp(logit[i] - value[i])
            total[i] += sigma[i]
    # log-sum-exp, the convex conjugate of negative entropy; multiplied by k below
    for i in range(count):
        value[i] += math.log(total[i])
    for action in range(actions):
        own = slice(base + action * count, base + (action + 1) * count)
        logit, sigma = coordinate[own], policy[own]
        for i in range(count):
            # log σ, at least MIN_LOGARITHM, so that it can be the center of the next step
            logit[i] = max(logit[i] - value[i], MIN_LOGARITHM)
            sigma[i] /= total[i]
    # v(I) = k log Σ exp
    for i in range(count):
        value[i] *= weight[i] * regularization


@nested_kernel
def project_on_simplex(point: FloatArray, first: int, step: int, num: int) -> None:
    """Replace the `num` numbers at first, first + step, … with the nearest probabilities, in place.

    The same shift is subtracted from all remaining numbers. Numbers that become negative are set to
    0, and the shift is recomputed from the others, at most `num` times (Michelot 1986). The largest
    number is subtracted first, so that rounding always leaves at least one positive number.
    """
    largest = -math.inf
    for a in range(num):
        largest = max(largest, point[first + a * step])
    # Begin with all numbers, whose shift may be too small. Each round drops those that it would
    # make negative; the shift never decreases, so dropped numbers never return.
    shift = -math.inf
    num_kept = num + 1
    while True:
        total = 0.0
        num_above = 0
        for a in range(num):
            number = point[first + a * step] - largest
            if number > shift:
                total += number
                num_above += 1
        # No further number became negative: the shift is final.
        if num_above >= num_kept:
            break
        num_kept = num_above
        # the shift for which the remaining numbers sum to 1
        shift = (total - 1.0) / num_above
    for a in range(num):
        # Karush-Kuhn-Tucker: the nearest point is max(point - shift, 0), with the shift that makes
        # it sum to 1.
        point[first + a * step] = max(point[first + a * step] - largest - shift, 0.0)


@nested_kernel
def respond_by_projection(
    base: int,
    count: int,
    actions: int,
    weight: FloatArray,
    prox: ProxProblem,
    value: FloatArray,
) -> None:
    """Solve a prox problem at one group, with the Euclidean distance; fill value [count].

    The behavior is the projection onto the simplex of q / k plus the weighted mean of center and
    magnet, with k the dilation weight times the sum of inverse step size and temperature.
    """
    inverse_step, temperature, gradient, center, magnet, coordinate, policy = prox
    regularization = inverse_step + temperature
    for i in range(count):
        value[i] = 0.0
    # The unconstrained maximizer. Its nearest point of the simplex is the constrained one.
    for action in range(actions):
        own = slice(base + action * count, base + (action + 1) * count)
        # Slices of one action, so that the inner loop is over contiguous memory.
        q, c, m, sigma = gradient[own], center[own], magnet[own], policy[own]
        for i in range(count):
            sigma[i] = (
                q[i] / weight[i] + inverse_step * c[i] + temperature * m[i]
            ) / regularization
    # The actions of one infostate are `count` apart.
    for i in range(count):
        project_on_simplex(policy, base + i, count, actions)
    for action in range(actions):
        own = slice(base + action * count, base + (action + 1) * count)
        q, c, m, sigma, x = gradient[own], center[own], magnet[own], policy[own], coordinate[own]
        for i in range(count):
            # ½ |b − center|² / η + ½ temperature |b − magnet|², of the objective above
            from_center, from_magnet = sigma[i] - c[i], sigma[i] - m[i]
            distance = (
                inverse_step * from_center * from_center + temperature * from_magnet * from_magnet
            )
            value[i] += q[i] * sigma[i] - 0.5 * weight[i] * distance
            x[i] = sigma[i]  # last: coordinate and center may be one array


@kernel
def prox_sweep(
    is_euclidean: bool,
    groups: IndexArray,
    parent: IndexArray,
    weight: FloatArray,
    prox: ProxProblem,
    value: FloatArray,
    total: FloatArray,
) -> None:
    """Solve a prox problem on a treeplex, bottom up, one group after another.

    Parameters
    ----------
    is_euclidean
        Whether the distance is Euclidean; otherwise it is entropy.
    groups, parent
        See `Layout`.
    weight
        [I] dilation weights, with infostates in the order of the groups.
    prox
        The problem, which receives the solution.
    value, total
        Workspaces of the size of the largest group.
    """
    for group in range(len(groups) - 1, -1, -1):
        base, count, actions, infostate, _ = groups[group]
        here = slice(infostate, infostate + count)
        # In reverse order of depth, `gradient` of a group contains the values of everything below.
        if is_euclidean:
            respond_by_projection(base, count, actions, weight[here], prox, value)
        else:
            respond_by_entropy(base, count, actions, weight[here], prox, value, total)
        # v(I) is added to the gradient of the parent sequence, like a payoff.
        up = parent[here]
        for i in range(count):
            prox.gradient[up[i]] += value[i]


@kernel
def deepest_sums(
    parent_sequence: IntArray,
    first_sequence: IntArray,
    num_actions: IntArray,
    own: FloatArray,
    factor: float,
    below: FloatArray,
) -> FloatArray:
    """Return [I] s = own + factor · max over actions of the sum of s over the infostates below.

    parent_sequence, first_sequence, num_actions, own: [I]; below [Q]: zeros, which are overwritten
    with the sum of s over the infostates directly below each sequence.
    """
    sums = own.copy()
    # Parents have smaller numbers, so in reverse order all sums below an infostate are complete.
    for infostate in range(len(own) - 1, -1, -1):
        first = first_sequence[infostate]
        best = below[first]
        for sequence in range(first + 1, first + num_actions[infostate]):
            best = max(best, below[sequence])
        sums[infostate] += factor * best
        # Several infostates may follow one sequence: a plan reaches them all, so their sums add up,
        # whereas only one of the actions is taken.
        below[parent_sequence[infostate]] += sums[infostate]
    return sums
