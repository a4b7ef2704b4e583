"""Kernels on deviations: mirror descent over what each trigger would do instead."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.evaluation.trigger_pairs import TriggerPairs
from infoset.learning.simulation import Infostates
from infoset.typing import FloatArray, IntArray
from infoset.utils.compilation import inner_kernel, kernel

RATE = 0
EXPLORATION = 1
SEQUENCES = 2

LEAST_PROBABILITY = 1e-300


class TriggerState(NamedTuple):
    """The arrays that learners against trigger deviations read and move.

    For every trigger g there is a policy m_g for what is at and below it, and a logarithm of its
    share λ_g in the deviation φ = Σ λ_g (I - E_g + m_g e_gᵀ); the players' policies are its
    fixed points.

    Attributes
    ----------
    behavior : FloatArray
        [P] m_g(a|x), by pair of g and (x, a).
    estimates : FloatArray
        [P] M, the sum over episodes of μ(g) times the estimated loss at (x, a).
    exponent : FloatArray
        [S] log λ_g up to a constant of each player.
    pair_weight : FloatArray
        [P] μ*ʰ from x_g to (x, a), both included, h the layer of x; not moved.
    weight : FloatArray
        [I] μ*ʰ from the root to x; not moved.
    policy : FloatArray
        [S] the policy; inside of an episode, at the infostates that it has met only.
    flow : FloatArray
        [P] room for λ_g μ(g) m_g(x, a), in a unit of each x.
    inflow : FloatArray
        [S] room for the sum of `flow` over triggers, in the same unit.
    log_rate : FloatArray
        [S] room for the logarithm of Λ, the sum of λ_g over triggers g on the way to a sequence.
    jumps : FloatArray
        [A, A] room for the chain of which a policy is the stationary distribution.
    mass, counted : FloatArray
        [S] and [I] the average; see `infoset.learning._kernels`.
    """

    behavior: FloatArray
    estimates: FloatArray
    exponent: FloatArray
    pair_weight: FloatArray
    weight: FloatArray
    policy: FloatArray
    flow: FloatArray
    inflow: FloatArray
    log_rate: FloatArray
    jumps: FloatArray
    mass: FloatArray
    counted: FloatArray


@kernel
def fill_pair_weights(
    infostates: Infostates,
    pairs: TriggerPairs,
    layer: int,
    depth: IntArray,
    policy: FloatArray,
    pair_weight: FloatArray,
) -> None:
    """Fill in [P] the reach of one layer's sequences, from every infostate above, in place.

    policy : [S] μ*ʰ of that layer. depth : [I] how many own decisions are above.
    """
    plan = np.ones(len(policy))
    for here in range(len(depth)):
        first = infostates.first_slot[here]
        for slot in range(first, first + infostates.num_actions[here]):
            plan[slot] = policy[slot] * plan[infostates.parent_slot[here]]
    for trigger in range(len(pairs.owner)):
        here = pairs.owner[trigger]
        if here < 0:
            continue
        before = plan[infostates.parent_slot[here]]
        for place in range(pairs.first_place[here], pairs.last_place[here]):
            below = pairs.order[place]
            if depth[below] == layer:
                first = infostates.first_slot[below]
                for slot in range(first, first + infostates.num_actions[below]):
                    pair_weight[pairs.start[trigger] + pairs.rank[slot]] = plan[slot] / before


@inner_kernel
def soften(
    infostates: Infostates, pairs: TriggerPairs, trigger: int, here: int, state: TriggerState
) -> float:
    """Turn what is in `behavior` at an infostate into a policy, in place; return the value F*.

    F* = 1/w log Σ exp(w · logit), and the policy is its gradient.
    """
    first = pairs.start[trigger] + pairs.rank[infostates.first_slot[here]]
    end = first + infostates.num_actions[here]
    weight = state.pair_weight[first]
    top = -np.inf
    for pair in range(first, end):
        top = max(top, state.behavior[pair])
    total = 0.0
    for pair in range(first, end):
        state.behavior[pair] = np.exp(weight * (state.behavior[pair] - top))
        total += state.behavior[pair]
    for pair in range(first, end):
        state.behavior[pair] = max(state.behavior[pair] / total, LEAST_PROBABILITY)
    return float(top + np.log(total) / weight)


@kernel
def refresh(
    numbers: FloatArray,
    factor: float,
    infostates: Infostates,
    pairs: TriggerPairs,
    state: TriggerState,
) -> None:
    """Set `behavior` and `exponent` to what follows from `estimates`, in place.

    With F* of `soften`, bottom-up with logits -η M(x, a; g) + Σ F*(x') over the infostates x' that
    follow (x, a), log λ_g = (F*(x_g) + η Σ M(s; s) over s at and below g) / XA. They are minus
    the gradient of the log-partition function, λ and m as in `TriggerState`.

    numbers : [N, 3] η, γ and XA of each player; factor : of η.
    """
    for trigger in range(len(pairs.owner)):
        here = pairs.owner[trigger]
        if here < 0:
            continue
        start, player = pairs.start[trigger], infostates.player[here]
        first = start + pairs.rank[infostates.first_slot[here]]
        end = first  # the pairs of a trigger stand together
        for place in range(pairs.first_place[here], pairs.last_place[here]):
            end += infostates.num_actions[pairs.order[place]]
        state.behavior[first:end] = -numbers[player, RATE] * factor * state.estimates[first:end]
        value = 0.0
        for place in range(pairs.last_place[here] - 1, pairs.first_place[here] - 1, -1):
            below = pairs.order[place]
            value = soften(infostates, pairs, trigger, below, state)
            if below != here:
                state.behavior[start + pairs.rank[infostates.parent_slot[below]]] += value
        state.exponent[trigger] = value / numbers[player, SEQUENCES]
    followed = np.zeros(len(pairs.owner))
    for here in range(len(infostates.first_slot) - 1, -1, -1):
        first, player = infostates.first_slot[here], infostates.player[here]
        unit = numbers[player, RATE] * factor / numbers[player, SEQUENCES]
        for slot in range(first, first + infostates.num_actions[here]):
            followed[slot] += state.estimates[pairs.start[slot] + pairs.rank[slot]]
            state.exponent[slot] += unit * followed[slot]
            followed[infostates.parent_slot[here]] += followed[slot]


@inner_kernel
def tilt(first: int, count: int, taken: int, change: float, state: TriggerState) -> float:
    """Add a number to the logit of one pair at an infostate, `behavior` in place.

    Return by how much F* (see `soften`) changes.
    """
    weight = state.pair_weight[taken]
    others = 0.0  # summed anew each time: 1 - behavior[taken] would drift off
    for pair in range(first, first + count):
        if pair != taken:
            others += state.behavior[pair]
    moved = state.behavior[taken] * np.exp(weight * change)
    total = others + moved
    for pair in range(first, first + count):
        state.behavior[pair] = max(state.behavior[pair] / total, LEAST_PROBABILITY)
    state.behavior[taken] = max(moved / total, LEAST_PROBABILITY)
    return float(np.log(total) / weight)
