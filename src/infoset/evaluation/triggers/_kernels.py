"""Kernels on pairs of a trigger and a sequence that may be played after it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.typing import FloatArray, IntArray, LongArray
from infoset.utils.compilation import inner_kernel, kernel


class TriggerPairs(NamedTuple):
    """All pairs of a trigger and a sequence that may follow it, in one numbering.

    A trigger g = (x_g, a_g) is a sequence that a player is recommended; whoever does not follow
    it goes on from x_g as it likes. So the sequences that may follow are all those at x_g and
    below it, whatever the action. The pair of a trigger g and a sequence s is number
    `start[g] + rank[s]`.

    Sequences are rows of S, of one player or of several, empty ones among them.

    Attributes
    ----------
    rank : IntArray
        [S] place of each sequence in an order in which those at an infostate stand together and
        those below it follow directly; of an empty sequence, 0.
    start : LongArray
        [S] see above; of an empty sequence, 0.
    order : IntArray
        [I] the infostates in that order: each before those below it.
    first_place, last_place : IntArray
        [I] the infostates at and below x are `order[first_place[x]:last_place[x]]`.
    owner : IntArray
        [S] the infostate of each sequence; -1 for empty ones.
    """

    rank: IntArray
    start: LongArray
    order: IntArray
    first_place: IntArray
    last_place: IntArray
    owner: IntArray


@kernel
def number_pairs(
    parent: IntArray, first: IntArray, num_actions: IntArray, pairs: TriggerPairs
) -> int:
    """Fill `pairs`, `owner` excepted, in place; return the number of pairs.

    parent, first, num_actions [I] of infostates, parents first, as in a treeplex.
    """
    num_infostates = len(first)
    sequences = num_actions.astype(np.int64)  # at each infostate and below it
    infostates = np.ones(num_infostates, np.int64)
    for here in range(num_infostates - 1, -1, -1):
        above = pairs.owner[parent[here]]
        if above >= 0:
            sequences[above] += sequences[here]
            infostates[above] += infostates[here]
    next_rank = np.zeros(num_infostates + 1, np.int64)  # the last is for infostates with none above
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
            pairs.rank[first[here] + action] = rank + action
            pairs.start[first[here] + action] = num_pairs - rank
            num_pairs += sequences[here]
    return num_pairs


@kernel
def add_triggered(
    first: IntArray,
    num_actions: IntArray,
    pairs: TriggerPairs,
    plan: FloatArray,
    gradient: FloatArray,
    gradients: FloatArray,
) -> None:
    """Add to `gradients` [P], in place, what a gradient is worth after each trigger.

    That is plan(g) · gradient(s) for the pair of g and s. plan, gradient [S].
    """
    for trigger in range(len(pairs.owner)):
        here = pairs.owner[trigger]
        if here < 0 or plan[trigger] == 0.0:
            continue
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
    """Return the value of the best play after a trigger; its part of `gradients` is used up."""
    here, start = pairs.owner[trigger], pairs.start[trigger]
    value = 0.0
    for place in range(pairs.last_place[here] - 1, pairs.first_place[here] - 1, -1):
        below = pairs.order[place]
        value = -np.inf
        for sequence in range(first[below], first[below] + num_actions[below]):
            value = max(value, gradients[start + pairs.rank[sequence]])
        if below != here:
            gradients[start + pairs.rank[parent[below]]] += value
    return value


@kernel
def trigger_gains(
    parent: IntArray,
    first: IntArray,
    num_actions: IntArray,
    pairs: TriggerPairs,
    gradients: FloatArray,
    gains: FloatArray,
    totals: FloatArray,
) -> None:
    """Fill in what each trigger gains by the best play after it, [S], in place.

    It is the value of that play less what is earned by following recommendations from the trigger
    on, the sum of `gradients` over the pairs of s and s for s at the trigger and below it.

    gradients : [P] sums of `add_triggered`; used up.
    totals : [S] becomes what a player gains, at and below each sequence, who may stop following
    wherever it pays; of empty sequences, all in all.
    """
    earned = np.zeros(len(gains))
    for sequence in range(len(gains)):
        if pairs.owner[sequence] >= 0:
            earned[sequence] = gradients[pairs.start[sequence] + pairs.rank[sequence]]
    totals[:] = 0.0
    gains[:] = 0.0
    for here in range(len(first) - 1, -1, -1):
        for sequence in range(first[here], first[here] + num_actions[here]):
            best = best_value(parent, first, num_actions, pairs, sequence, gradients)
            gains[sequence] = best - earned[sequence]
            totals[sequence] = max(totals[sequence], gains[sequence])
            earned[parent[here]] += earned[sequence]
            totals[parent[here]] += totals[sequence]
