"""Kernels that find the policy which a deviation leaves as it is, infostate by infostate."""

from __future__ import annotations

import numpy as np

from infoset.evaluation.trigger_pairs import TriggerPairs
from infoset.learning.efce.deviation import LEAST_PROBABILITY, TriggerState
from infoset.learning.simulation import Infostates
from infoset.typing import FloatArray
from infoset.utils.compilation import bare_kernel, inner_kernel


@inner_kernel
def settle(jumps: FloatArray, first: int, count: int, policy: FloatArray) -> None:
    """Write the stationary distribution of a chain to `policy[first:first + count]`.

    jumps : [A, A] rates from a state to another; used up. Nothing is subtracted, so that small
    probabilities are as exact as large ones.
    Source: Grassmann, Taksar and Heyman (1985).
    """
    for last in range(count - 1, 0, -1):
        leaving = LEAST_PROBABILITY
        for other in range(last):
            leaving += jumps[last, other]
        for source in range(last):
            jumps[source, last] /= leaving
            for other in range(last):
                jumps[source, other] += jumps[source, last] * jumps[last, other]
    policy[first] = total = 1.0
    for state in range(1, count):
        policy[first + state] = 0.0
        for source in range(state):
            policy[first + state] += policy[first + source] * jumps[source, state]
        total += policy[first + state]
    for slot in range(first, first + count):
        policy[slot] = max(policy[slot] / total, LEAST_PROBABILITY)


@inner_kernel
def pull_down(
    infostates: Infostates,
    pairs: TriggerPairs,
    here: int,
    held: float,
    state: TriggerState,
) -> None:
    """Let the flow of the triggers above an infostate go on by their policies; sum it in `policy`.

    held : what all that reaches the infostate comes to.
    """
    first, parent = infostates.first_slot[here], infostates.parent_slot[here]
    end = first + infostates.num_actions[here]
    state.policy[first:end] = 0.0
    sequence = parent
    above = pairs.owner[sequence]
    while above >= 0:
        begin = infostates.first_slot[above]
        for trigger in range(begin, begin + infostates.num_actions[above]):
            start = pairs.start[trigger]
            arriving = held * state.flow[start + pairs.rank[parent]] / state.inflow[parent]
            for slot in range(first, end):
                pair = start + pairs.rank[slot]
                state.flow[pair] = arriving * state.behavior[pair]
                state.policy[slot] += state.flow[pair]
        sequence = infostates.parent_slot[above]
        above = pairs.owner[sequence]


@inner_kernel
def solve_infostate(
    infostates: Infostates, pairs: TriggerPairs, here: int, state: TriggerState
) -> None:
    """Write the fixed point of φ at an infostate to `policy`; those above must be solved.

    φ μ = μ says at (x, a), with Λ(x) the sum of λ over triggers on the way to x:

        μ(x, a) (Λ(x) + λ_(x,a)) = Σ_b λ_(x,b) μ(x, b) m_(x,b)(a|x) + Σ_g λ_g μ(g) m_g(x, a),

    the last sum over the triggers g above. That sum, over all a, is Λ(x) μ(x). So μ(·|x) is the
    stationary distribution of a chain that goes from b to a at the rate λ_(x,b) m_(x,b)(a|x) plus
    what the triggers above send to a, in proportion to μ(x).
    """
    first, count = infostates.first_slot[here], infostates.num_actions[here]
    above_rate = state.log_rate[infostates.parent_slot[here]]
    top = above_rate
    for slot in range(first, first + count):
        top = max(top, state.exponent[slot])
    held = np.exp(above_rate - top)
    pull_down(infostates, pairs, here, held, state)
    for action in range(count):
        slot = first + action
        rate = np.exp(state.exponent[slot] - top)
        state.inflow[slot] = held + rate
        state.log_rate[slot] = top + np.log(held + rate)
        for other in range(count):
            pair = pairs.start[slot] + pairs.rank[first + other]
            state.flow[pair] = rate * state.behavior[pair]
            state.jumps[action, other] = state.flow[pair] + state.policy[first + other]
    settle(state.jumps, first, count, state.policy)
    for slot in range(first, first + count):
        state.inflow[slot] *= state.policy[slot]
        for other in range(first, first + count):
            state.flow[pairs.start[slot] + pairs.rank[other]] *= state.policy[slot]


@bare_kernel
def solve_all(infostates: Infostates, pairs: TriggerPairs, state: TriggerState) -> None:
    """Write the fixed point of φ at all infostates to `policy`."""
    for here in range(len(infostates.first_slot)):
        solve_infostate(infostates, pairs, here, state)
