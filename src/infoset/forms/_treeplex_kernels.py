"""Kernels on treeplexes: behavior, realization plans, best responses, and bounds on rounding.

Arrays [Q] are in the order of a treeplex, or, with groups [G, 5], in that of a `Layout`. There,
neighboring infostates of a public state are the lanes of one vector.
"""

from __future__ import annotations

import numpy as np

from infoset.typing import BoolArray, FloatArray, IndexArray, IntArray, LongArray
from infoset.utils.array_kernels import copy
from infoset.utils.compilation import kernel, linear_kernel
from infoset.utils.simd import (
    LANES,
    add_at,
    filled,
    load,
    maximum,
    store,
    take,
    where_positive,
)


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
def own_depths(
    parent_sequence: IntArray, first_sequence: IntArray, num_actions: IntArray, num_sequences: int
) -> IntArray:
    """Return [I] the number of the player's decisions before each acting infostate.

    parent_sequence, first_sequence, num_actions [I].
    """
    depth = np.zeros(len(num_actions), np.int32)
    length = np.zeros(num_sequences, np.int32)  # of the path of each sequence, in decisions
    # Parents come first, so the length at the parent sequence is final.
    for infostate in range(len(num_actions)):
        depth[infostate] = length[parent_sequence[infostate]]
        first = first_sequence[infostate]
        length[first : first + num_actions[infostate]] = depth[infostate] + 1
    return depth


@linear_kernel
def group_sequences(
    order: IntArray,
    depth: IntArray,
    num_actions: IntArray,
    first_sequence: IntArray,
    public_state: IntArray,
    groups: IndexArray,
    position: IndexArray,
    blocks: IndexArray,
) -> tuple[int, int]:
    """Fill the arrays of a `Layout`, and return the numbers of groups and of blocks.

    order [I] sorts infostates by depth, then by number of actions, then by public state; depth,
    num_actions, first_sequence, public_state [I]. Written in place: groups [I, 5], position [Q] and
    blocks [Q + 1], which begin with zeros; the rest of groups and blocks is not used.
    """
    # The empty sequence is a block.
    num_groups, num_blocks, base, begin = 0, 1, 1, 0
    while begin < len(order):
        leader = order[begin]
        end = begin
        while (
            end < len(order)
            and depth[order[end]] == depth[leader]
            and num_actions[order[end]] == num_actions[leader]
        ):
            end += 1
        groups[num_groups, 0], groups[num_groups, 2] = base, num_actions[leader]
        groups[num_groups, 1] = groups[num_groups, 4] = end - begin
        groups[num_groups, 3] = begin
        num_groups += 1
        # Action by action, so that one action of all infostates is one vector.
        for action in range(num_actions[leader]):
            rank = 0  # in the run of infostates of one public state
            for place in range(begin, end):
                infostate = order[place]
                if place > begin and public_state[infostate] != public_state[order[place - 1]]:
                    rank = 0
                if rank % LANES == 0:
                    blocks[num_blocks] = base
                    num_blocks += 1
                position[first_sequence[infostate] + action] = base
                rank += 1
                base += 1
        begin = end
    blocks[num_blocks] = base
    return num_groups, num_blocks


@linear_kernel
def first_sequences(num_actions: IntArray) -> tuple[IntArray, IntArray]:
    """Return the infostates [I] that have actions, and [S] the first sequence of each infostate.

    num_actions [S]. Sequences are numbered from 1; infostates without actions have the number 0.
    """
    acting, first = np.empty(len(num_actions), np.int32), np.zeros(len(num_actions), np.int32)
    num_acting, following = 0, 1
    for infostate in range(len(num_actions)):
        if num_actions[infostate] > 0:
            acting[num_acting] = infostate
            num_acting += 1
            first[infostate] = following
            following += num_actions[infostate]
    return acting[:num_acting].copy(), first


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


@linear_kernel
def max_additions(
    parent_sequence: IntArray,
    first_sequence: IntArray,
    num_actions: IntArray,
    multiplicity: LongArray,
    additions: LongArray,
) -> int:
    """Return the maximum number of additions that a payoff takes part in on its way up a treeplex.

    parent_sequence, first_sequence, num_actions [I]; multiplicity [I] the number of infostates that
    each one stands for; additions [Q] the number of payoffs at each sequence, overwritten.
    """
    # A payoff at sequence q is added to the others at q, then the values of the infostates below
    # q are added one by one. The bound at an infostate is the maximum over its actions.
    children = np.zeros(len(additions), np.int64)
    # Parents have smaller numbers, so in reverse order everything below an infostate is counted.
    for infostate in range(len(num_actions) - 1, -1, -1):
        first = first_sequence[infostate]
        largest = 0
        for sequence in range(first, first + num_actions[infostate]):
            largest = max(largest, additions[sequence] + children[sequence])
        parent = parent_sequence[infostate]
        additions[parent] = max(additions[parent], largest)
        # Each infostate below the sequence is one more addition there, whichever of them has the
        # payoff with the most additions so far.
        children[parent] += multiplicity[infostate]
    return int(additions[0] + children[0])


@linear_kernel
def max_roundings(
    parent_sequence: IntArray, first_sequence: IntArray, num_actions: IntArray, num_sequences: int
) -> int:
    """Return the maximum number of roundings in an entry of a plan made from normalized weights.

    parent_sequence, first_sequence, num_actions [I]. An infostate with n actions on the path adds n
    - 1 roundings for the sum of the weights, one for the division and one for the product.
    """
    roundings = np.zeros(num_sequences, np.int64)
    largest = 0
    for infostate in range(len(num_actions)):
        first = first_sequence[infostate]
        # (n - 1) + 1 + 1 = n + 1 roundings at this infostate, on top of those of the plan above it.
        here = roundings[parent_sequence[infostate]] + num_actions[infostate] + 1
        largest = max(largest, here)
        for sequence in range(first, first + num_actions[infostate]):
            roundings[sequence] = here
    return int(largest)
