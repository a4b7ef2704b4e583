"""Kernels on behavior and realization plans, in the order of a treeplex's sequences."""

from __future__ import annotations

import numpy as np

from infoset.typing import BoolArray, FloatArray, IndexArray, IntArray
from infoset.utils.array_kernels import copy
from infoset.utils.compilation import linear_kernel
from infoset.utils.simd import LANES, load, store, take


@linear_kernel
def behavior_to_plan(
    parent_sequence: IntArray,
    first_sequence: IntArray,
    num_actions: IntArray,
    probabilities: FloatArray,
) -> FloatArray:
    """Return [Q] the realization plan: plan[s] = plan[parent] * probabilities[s], plan[0] = 1.

    parent_sequence, first_sequence, num_actions [I], probabilities [Q].
    """
    # Every entry but that of the empty sequence is overwritten; `np.ones` sets that one.
    plan = np.ones(len(probabilities))
    # Parents come first, so the plan at the parent sequence is already computed.
    for infostate in range(len(num_actions)):
        reach = plan[parent_sequence[infostate]]
        first = first_sequence[infostate]
        for sequence in range(first, first + num_actions[infostate]):
            plan[sequence] = reach * probabilities[sequence]
    return plan


@linear_kernel
def normalize_behavior(
    first_sequence: IntArray, num_actions: IntArray, weights: FloatArray
) -> FloatArray:
    """Return [Q] weights divided by their sum at each infostate; uniform if the sum is zero.

    first_sequence, num_actions [I], weights [Q] nonnegative.
    """
    probabilities = np.ones(len(weights))
    for infostate in range(len(num_actions)):
        first = first_sequence[infostate]
        last = first + num_actions[infostate]
        total = 0.0
        for sequence in range(first, last):
            total += weights[sequence]
        # The sum is zero at infostates that an average plan does not reach: no policy is better
        # than another there.
        for sequence in range(first, last):
            if total > 0.0:
                probabilities[sequence] = weights[sequence] / total
            else:
                probabilities[sequence] = 1.0 / num_actions[infostate]
    return probabilities


@linear_kernel
def first_invalid(
    first_sequence: IntArray, num_actions: IntArray, probabilities: FloatArray, tolerance: float
) -> int:
    """Return the first infostate whose probabilities are not a distribution; -1 if all are.

    first_sequence, num_actions [I], probabilities [Q]. Their sum may differ from 1 by `tolerance`.
    """
    for infostate in range(len(num_actions)):
        first = first_sequence[infostate]
        total = 0.0
        smallest = 0.0
        for sequence in range(first, first + num_actions[infostate]):
            total += probabilities[sequence]
            smallest = min(smallest, probabilities[sequence])
        # Written so that a NaN is invalid, too.
        if not (smallest >= 0.0 and abs(total - 1.0) <= tolerance):
            return infostate
    return -1


@linear_kernel
def widest_plan(
    parent_sequence: IntArray,
    first_sequence: IntArray,
    num_actions: IntArray,
    rest: FloatArray,
    width: FloatArray,
    plan: BoolArray,
) -> None:
    """Find the pure plan that maximizes the minimum weight of its sequences.

    parent_sequence, first_sequence, num_actions [I], rest [Q] the weights. Two arrays are
    overwritten: width [Q] with the minimum weight at and below a sequence under the best plan, so
    that `width[0]` is that of the whole plan, and plan [Q] with whether the best plan contains a
    sequence.
    """
    copy(rest, width)
    # Children first: choose the best action, then take the minimum over all infostates that
    # follow the parent sequence, because a pure plan contains one action at each of them.
    for infostate in range(len(num_actions) - 1, -1, -1):
        first = first_sequence[infostate]
        best = width[first : first + num_actions[infostate]].max()
        parent = parent_sequence[infostate]
        width[parent] = min(width[parent], best)
    # Parents first: follow the chosen actions from the root.
    plan[:] = False
    plan[0] = True
    for infostate in range(len(num_actions)):
        if plan[parent_sequence[infostate]]:
            first = first_sequence[infostate]
            # `argmax` takes the first of tied actions, so the plan is the same in every run.
            # Actions at infostates that the plan does not reach remain unmarked: the plan is
            # reduced.
            plan[first + width[first : first + num_actions[infostate]].argmax()] = True


@linear_kernel
def realize_policy(
    groups: IndexArray, parent: IndexArray, policy: FloatArray, plan: FloatArray
) -> None:
    """Sweep one player's treeplex top down: fill its realization plan [Q] in place."""
    plan[0] = 1.0
    # x(I, a) = x(parent sequence of I) · σ(I, a). Groups are in order of depth, so the plan at the
    # parent sequences is final.
    for group in range(len(groups)):
        base, stride, actions, infostate, size = groups[group]
        for begin in range(0, size, LANES):
            count = min(LANES, size - begin)
            # A gather: neighboring infostates may have parent sequences anywhere in the layout.
            reach = take(plan, parent, infostate + begin, count)
            for action in range(actions):
                at = base + begin + action * stride
                store(plan, at, count, load(policy, at, count) * reach)


@linear_kernel
def last_sequences(parent: IntArray, action: IntArray, first_sequence: IntArray) -> IntArray:
    """Return [S] the last own sequence before each infostate.

    parent [S]; action [S] the player's action that leads from the parent, -1 for none;
    first_sequence [S] the first sequence of each acting infostate.
    """
    last = np.zeros(len(parent), np.int32)
    # Infostate 0 is the root, before which the last sequence is 0, the empty one. Parents have
    # smaller numbers, so `last[before]` is final.
    for infostate in range(1, len(parent)):
        before = parent[infostate]
        if action[infostate] >= 0:
            last[infostate] = first_sequence[before] + action[infostate]
        else:
            # The player did not act at the parent: the infostate differs by an observation only.
            last[infostate] = last[before]
    return last


@linear_kernel
def reach_sweep(
    parent_sequence: IntArray,
    first_sequence: IntArray,
    num_actions: IntArray,
    mass: FloatArray,
) -> FloatArray:
    """Return [I] the counterfactual reach of each infostate.

    parent_sequence, first_sequence, num_actions [I]; mass [Q]: the probability that play ends with
    each last sequence, given that the player plays to it; overwritten.
    """
    reach = np.zeros(len(num_actions))
    # Play ends somewhere after each action, and with the same probability: the first one will do.
    for infostate in range(len(num_actions) - 1, -1, -1):
        reach[infostate] = mass[first_sequence[infostate]]
        mass[parent_sequence[infostate]] += reach[infostate]
    return reach
