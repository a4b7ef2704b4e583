"""Kernels of trigger deviations: pairs of a trigger and a later sequence, and gains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.typing import FloatArray, IntArray, LongArray
from infoset.utils.compilation import inner_kernel, linear_kernel


class TriggerPairs(NamedTuple):
    """A numbering of all pairs of a trigger and a sequence that may be played after it.

    A trigger g = (x_g, a_g) is a recommended sequence. A player who does not follow it continues
    from x_g with another policy, so that every sequence at or below x_g may be played after g. The
    pair of trigger g and sequence s has index `start[g] + rank[s]`.

    S is the number of sequences of one or several players, including empty sequences.
    """

    rank: IntArray
    """[S] position of each sequence in depth-first order: the sequences at an infostate are
    adjacent and directly followed by those below it; 0 for empty sequences."""
    start: LongArray
    """[S] offset of the pairs of each trigger; 0 for empty sequences."""
    order: IntArray
    """[I] the infostates in depth-first order."""
    first_place: IntArray
    last_place: IntArray
    """[I] bounds of the subtree of each infostate x: the infostates at and below x are
    `order[first_place[x]:last_place[x]]`."""
    owner: IntArray
    """[S] the infostate of each sequence; -1 for empty sequences."""


@linear_kernel
def number_pairs(
    parent: IntArray, first: IntArray, num_actions: IntArray, pairs: TriggerPairs
) -> int:
    """Fill the arrays of `pairs` except `owner` in place; return the number of pairs.

    parent, first, num_actions : [I] as in a treeplex, with parents first.
    """
    num_infostates = len(first)
    # Sizes of subtrees, from the leaves up: infostates are numbered parents first.
    sequences = num_actions.astype(np.int64)  # at or below each infostate
    infostates = np.ones(num_infostates, np.int64)
    for here in range(num_infostates - 1, -1, -1):
        above = pairs.owner[parent[here]]
        if above >= 0:
            sequences[above] += sequences[here]
            infostates[above] += infostates[here]
    # Depth-first positions, from the roots down: the subtree of an infostate takes the next free
    # interval of its parent. Roots have `above` -1, which indexes the extra last entry.
    next_rank = np.zeros(num_infostates + 1, np.int64)
    next_place = np.zeros(num_infostates + 1, np.int64)
    num_pairs = 0
    for here in range(num_infostates):
        above = pairs.owner[parent[here]]
        rank, place = next_rank[above], next_place[above]
        next_rank[above] += sequences[here]
        next_place[above] += infostates[here]
        next_rank[here], next_place[here] = rank + num_actions[here], place + 1
        pairs.order[place] = here
        pairs.first_place[here], pairs.last_place[here] = place, place + infostates[here]
        for action in range(num_actions[here]):
            # The subtree of x_g has the ranks from `rank` on. Subtracting `rank` here makes
            # start[g] + rank[s] run through the block of pairs of g from its beginning.
            pairs.rank[first[here] + action] = rank + action
            pairs.start[first[here] + action] = num_pairs - rank
            num_pairs += sequences[here]
    return num_pairs


@linear_kernel
def add_triggered(
    first: IntArray,
    num_actions: IntArray,
    pairs: TriggerPairs,
    plan: FloatArray,
    gradient: FloatArray,
    gradients: FloatArray,
) -> None:
    """Add plan(g) · gradient(s) to `gradients` [P] in place, for every pair of g and s.

    plan, gradient : [S] of one policy of the mixture.
    """
    # A mixture is linear in its policies: P(g is recommended) times the gradient given this policy,
    # summed over the policies by repeated calls.
    for trigger in range(len(pairs.owner)):
        here = pairs.owner[trigger]
        if here < 0 or plan[trigger] == 0.0:  # empty sequence, or never recommended
            continue
        # All sequences at or below x_g, whether or not they extend the recommended action.
        for place in range(pairs.first_place[here], pairs.last_place[here]):
            below = pairs.order[place]
            for sequence in range(first[below], first[below] + num_actions[below]):
                pair = pairs.start[trigger] + pairs.rank[sequence]
                gradients[pair] += plan[trigger] * gradient[sequence]


@inner_kernel
def best_value(
    parent: IntArray,
    first: IntArray,
    num_actions: IntArray,
    pairs: TriggerPairs,
    trigger: int,
    gradients: FloatArray,
) -> float:
    """Return the value of a best response after a trigger, overwriting its part of `gradients`."""
    here, start = pairs.owner[trigger], pairs.start[trigger]
    value = 0.0
    # The sweep of `best_response_sweep` over the subtree of x_g, in reverse depth-first order; the
    # last infostate visited is x_g itself, whose value is returned.
    for place in range(pairs.last_place[here] - 1, pairs.first_place[here] - 1, -1):
        below = pairs.order[place]
        value = -np.inf
        for sequence in range(first[below], first[below] + num_actions[below]):
            value = max(value, gradients[start + pairs.rank[sequence]])
        # The value of an infostate is added to the pair of g and the sequence that leads to it.
        if below != here:
            gradients[start + pairs.rank[parent[below]]] += value
    return value


@linear_kernel
def trigger_gains(
    parent: IntArray,
    first: IntArray,
    num_actions: IntArray,
    pairs: TriggerPairs,
    gradients: FloatArray,
    gains: FloatArray,
    totals: FloatArray,
) -> None:
    """Fill the gain [S] of a best trigger deviation at each sequence, in place.

    The gain of trigger g is the value of a best response after g, minus the utility of following
    all recommendations at and below g. This utility is the sum of `gradients` over the pairs (s, s)
    for the sequences s at and below g.

    gradients : [P] sums of `add_triggered`, overwritten. totals : [S] output, the largest total
    gain at and below each sequence if the player may deviate at any set of triggers, none of which
    precedes another; at an empty sequence, the total gain of the player.
    """
    # Utility from terminals whose last sequence is s. The loop below sums over subtrees.
    earned = np.zeros(len(gains))
    for sequence in range(len(gains)):
        if pairs.owner[sequence] >= 0:
            earned[sequence] = gradients[pairs.start[sequence] + pairs.rank[sequence]]
    totals[:] = 0.0
    gains[:] = 0.0
    # Children before parents, so that `earned` and `totals` of a sequence are complete.
    for here in range(len(first) - 1, -1, -1):
        for sequence in range(first[here], first[here] + num_actions[here]):
            # The deviation begins at x_g and ignores everything recommended after g, so each
            # trigger has its own sweep.
            best = best_value(parent, first, num_actions, pairs, sequence, gradients)
            gains[sequence] = best - earned[sequence]
            # Either deviate here or at the best set of later triggers.
            totals[sequence] = max(totals[sequence], gains[sequence])
            earned[parent[here]] += earned[sequence]
            totals[parent[here]] += totals[sequence]
