"""Kernels of Balanced EFCE-OMD: mirror descent over trigger deviations, played at a fixed point.

A trigger g is a sequence (x_g, a_g). Its deviation follows the recommendations until a_g is
recommended at x_g; from there on it plays the policy m_g. The learner maintains a mixture of
deviations φ = Σ_g λ_g (I - E_g + m_g e_gᵀ). λ are weights, E_g projects on the sequences at or
below (x_g, a_g), and e_g selects the entry of g. The learner plays a policy μ with φ μ = μ, so its
regret against every deviation is the regret of the mixture.

A pair is a trigger g together with a sequence at or below x_g; `pairs.start[g] + pairs.rank[s]` is
the index of the pair of g and s. Source: Bai, Jin, Mei, Song and Yu, "Efficient Phi-regret
minimization in extensive-form games via online mirror descent" (2022b).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from infoset.evaluation.trigger_pairs import TriggerPairs
from infoset.forms import behavior_to_plan
from infoset.learning._simulator_kernels import Paths, PlayState, add_step
from infoset.learning._update_kernels import count_episode, count_rest
from infoset.tree.decision_nodes import (
    TERMINAL_NODE,
    DecisionNodes,
    Infostates,
    draw_action,
    draw_outcome,
)
from infoset.typing import FloatArray, IntArray
from infoset.utils.compilation import bare_kernel, inner_kernel, kernel, linear_kernel
from infoset.utils.splitmix import Stream

# The columns of `parameters`.
LEARNING_RATE = 0
IMPLICIT_EXPLORATION = 1
NUM_SEQUENCES = 2

SMALLEST_PROBABILITY = 1e-300


class TriggerState(NamedTuple):
    """The arrays of Balanced EFCE-OMD."""

    behavior: FloatArray
    """[P] m_g(a|x), by pair of g and (x, a)."""
    estimates: FloatArray
    """[P] M, the sum over episodes of μ(g) times the estimated loss at (x, a), by pair."""
    exponent: FloatArray
    """[S] log λ_g, up to a constant per player."""
    pair_weight: FloatArray
    """[P] μ*ʰ from x_g to (x, a), both included, with h the layer of x; constant."""
    weight: FloatArray
    """[I] μ*ʰ from the root to x; constant."""
    policy: FloatArray
    """[S] the policy μ; during an episode, only the entries of visited infostates are current."""
    flow: FloatArray
    """[P] workspace for λ_g μ(g) m_g(x, a), in a unit of each x."""
    inflow: FloatArray
    """[S] workspace for the sum of `flow` over triggers, in the same unit."""
    log_rate: FloatArray
    """[S] workspace for log Λ, with Λ the sum of λ_g over the triggers at or above a sequence."""
    jumps: FloatArray
    """[A, A] workspace for the Markov chain whose stationary distribution is the policy."""
    cumulative_plan: FloatArray
    parent_counted: FloatArray
    """[S] and [I] the average; see `infoset.learning._update_kernels`."""


# Deviations: the policies m_g and weights λ_g from the estimates M.


@linear_kernel
def fill_pair_weights(
    infostates: Infostates,
    pairs: TriggerPairs,
    layer: int,
    depth: IntArray,
    policy: FloatArray,
    pair_weight: FloatArray,
) -> None:
    """Fill `pair_weight` [P] at one layer's sequences with their reach from each trigger above.

    policy : [S] μ*ʰ of that layer. depth : [I] number of own decisions above.
    """
    plan = behavior_to_plan(
        infostates.parent_sequence, infostates.first_sequence, infostates.num_actions, policy
    )
    for trigger in range(len(pairs.owner)):
        here = pairs.owner[trigger]
        if here < 0:
            continue  # an empty sequence is not a trigger
        # The reach from x_g down is a ratio of two reaches from the root: balanced policies are
        # positive, so it exists.
        before = plan[infostates.parent_sequence[here]]
        # Infostates at and below x_g are adjacent in `order`.
        for place in range(pairs.first_place[here], pairs.last_place[here]):
            below = pairs.order[place]
            if depth[below] == layer:
                first = infostates.first_sequence[below]
                for sequence in range(first, first + infostates.num_actions[below]):
                    pair = pairs.start[trigger] + pairs.rank[sequence]
                    pair_weight[pair] = plan[sequence] / before


@inner_kernel
def soften(
    infostates: Infostates, pairs: TriggerPairs, trigger: int, here: int, state: TriggerState
) -> float:
    """Turn the logits in `behavior` at an infostate into a policy, in place; return F*.

    F* = (1 / w) log Σ_a exp(w · logit(a)), with w the pair weight; the policy is its gradient.
    """
    first = pairs.start[trigger] + pairs.rank[infostates.first_sequence[here]]
    end = first + infostates.num_actions[here]
    weight = state.pair_weight[first]
    # log-sum-exp about the largest logit: exponents are at most 0.
    top = -np.inf
    for pair in range(first, end):
        top = max(top, state.behavior[pair])
    total = 0.0
    for pair in range(first, end):
        state.behavior[pair] = np.exp(weight * (state.behavior[pair] - top))
        total += state.behavior[pair]
    for pair in range(first, end):
        state.behavior[pair] = max(state.behavior[pair] / total, SMALLEST_PROBABILITY)
    return float(top + np.log(total) / weight)


@kernel
def refresh(
    parameters: FloatArray,
    factor: float,
    infostates: Infostates,
    pairs: TriggerPairs,
    state: TriggerState,
) -> None:
    """Recompute `behavior` and `exponent` from `estimates`, in place.

    They are minus the gradient of the log-partition function F_bal. Bottom-up, with the logits
    -η M(x, a; g) + Σ F*(x') over the infostates x' that follow (x, a),

        log λ_g = (F*(x_g) + η Σ_s M(s; s) over s at and below g) / XA

    parameters : [N, 3] η, γ and XA of each player. factor : multiplies η.
    """
    for trigger in range(len(pairs.owner)):
        here = pairs.owner[trigger]
        if here < 0:
            continue
        # The dual step: minus the gradient of F_bal at η M, by one bottom-up pass per trigger.
        start, player = pairs.start[trigger], infostates.player[here]
        first = start + pairs.rank[infostates.first_sequence[here]]
        end = first  # the pairs of a trigger are adjacent
        for place in range(pairs.first_place[here], pairs.last_place[here]):
            end += infostates.num_actions[pairs.order[place]]
        rate = -parameters[player, LEARNING_RATE] * factor
        # A loop compiles faster than a slice assignment.
        for pair in range(first, end):
            state.behavior[pair] = rate * state.estimates[pair]
        value = 0.0
        # Children first: F* of an infostate is added to the logit of the pair that leads to it.
        for place in range(pairs.last_place[here] - 1, pairs.first_place[here] - 1, -1):
            below = pairs.order[place]
            value = soften(infostates, pairs, trigger, below, state)
            # The root x_g passes its F* on to the weight of the trigger instead.
            if below != here:
                state.behavior[start + pairs.rank[infostates.parent_sequence[below]]] += value
        state.exponent[trigger] = value / parameters[player, NUM_SEQUENCES]
    # The second term: Σ M(s; s) at and below each sequence, children before parents.
    followed = np.zeros(len(pairs.owner))
    for here in range(len(infostates.first_sequence) - 1, -1, -1):
        first, player = infostates.first_sequence[here], infostates.player[here]
        unit = parameters[player, LEARNING_RATE] * factor / parameters[player, NUM_SEQUENCES]
        for sequence in range(first, first + infostates.num_actions[here]):
            followed[sequence] += state.estimates[pairs.start[sequence] + pairs.rank[sequence]]
            state.exponent[sequence] += unit * followed[sequence]
            # Losses of following the recommendations, summed over ancestors: <I - E_g, M>.
            followed[infostates.parent_sequence[here]] += followed[sequence]


@inner_kernel
def tilt(first: int, count: int, taken: int, change: float, state: TriggerState) -> float:
    """Add `change` to the logit of one pair at an infostate, and update `behavior` in place.

    Return the change of F* (see `soften`).
    """
    weight = state.pair_weight[taken]
    others = 0.0  # summed anew: in 1 - behavior[taken] rounding errors would accumulate
    for pair in range(first, first + count):
        if pair != taken:
            others += state.behavior[pair]
    # Only one logit changes, so the new sum is the old one (1) with one term replaced.
    moved = state.behavior[taken] * np.exp(weight * change)
    total = others + moved
    for pair in range(first, first + count):
        state.behavior[pair] = max(state.behavior[pair] / total, SMALLEST_PROBABILITY)
    state.behavior[taken] = max(moved / total, SMALLEST_PROBABILITY)
    return float(np.log(total) / weight)


# Fixed points: the policy μ with φ μ = μ, one infostate after another.


@inner_kernel
def stationary_distribution(jumps: FloatArray, first: int, count: int, policy: FloatArray) -> None:
    """Write the stationary distribution of a Markov chain to `policy[first:first + count]`.

    jumps : [A, A] jump rates from one state to another; overwritten. The algorithm subtracts
    nothing, so small probabilities have the same relative precision as large ones.
    Source: Grassmann, Taksar and Heyman (1985).
    """
    # Eliminate the last state: redirect jumps into it to the states that it would jump to.
    for last in range(count - 1, 0, -1):
        # Positive, so that a state without jumps does not cause a division by 0.
        leaving = SMALLEST_PROBABILITY
        for other in range(last):
            leaving += jumps[last, other]
        for source in range(last):
            jumps[source, last] /= leaving
            for other in range(last):
                jumps[source, other] += jumps[source, last] * jumps[last, other]
    # Substitute back from the first state.
    policy[first] = total = 1.0
    for state in range(1, count):
        policy[first + state] = 0.0
        for source in range(state):
            policy[first + state] += policy[first + source] * jumps[source, state]
        total += policy[first + state]
    # Normalize, and keep all probabilities positive.
    for sequence in range(first, first + count):
        policy[sequence] = max(policy[sequence] / total, SMALLEST_PROBABILITY)


@inner_kernel
def pass_flow_down(
    infostates: Infostates,
    pairs: TriggerPairs,
    here: int,
    arriving_rate: float,
    state: TriggerState,
) -> None:
    """Pass the flow of the triggers above an infostate down to it; write the sum to `policy`.

    arriving_rate : total flow into the infostate, in the infostate's unit.
    """
    first, parent = infostates.first_sequence[here], infostates.parent_sequence[here]
    end = first + infostates.num_actions[here]
    for sequence in range(first, end):
        state.policy[sequence] = 0.0
    ancestor = parent
    above = pairs.owner[ancestor]
    # Visit all own infostates above; each action there is a trigger.
    while above >= 0:
        begin = infostates.first_sequence[above]
        for trigger in range(begin, begin + infostates.num_actions[above]):
            start = pairs.start[trigger]
            # `flow` at the parent is in the parent's unit; dividing by `inflow` there and
            # multiplying by the rate here changes to the unit of this infostate.
            arriving = arriving_rate * state.flow[start + pairs.rank[parent]] / state.inflow[parent]
            for sequence in range(first, end):
                pair = start + pairs.rank[sequence]
                # λ_g μ(g) m_g(x, a): the deviation continues with its own policy.
                state.flow[pair] = arriving * state.behavior[pair]
                state.policy[sequence] += state.flow[pair]
        ancestor = infostates.parent_sequence[above]
        above = pairs.owner[ancestor]


@inner_kernel
def solve_infostate(
    infostates: Infostates, pairs: TriggerPairs, here: int, state: TriggerState
) -> None:
    """Write the fixed point of φ at an infostate to `policy`; infostates above must be solved.

    At (x, a), with Λ(x) the sum of λ over the triggers above x, φ μ = μ says

        μ(x, a) (Λ(x) + λ_(x,a)) = Σ_b λ_(x,b) μ(x, b) m_(x,b)(a|x) + Σ_g λ_g μ(g) m_g(x, a)

    where the last sum is over the triggers g above x. Summed over a, it is Λ(x) μ(x). So μ(·|x) is
    the stationary distribution of the chain that jumps from b to a at the rate λ_(x,b) m_(x,b)(a|x)
    plus the flow into a from the triggers above, divided by μ(x).
    """
    first, count = infostates.first_sequence[here], infostates.num_actions[here]
    above_rate = state.log_rate[infostates.parent_sequence[here]]
    # All rates are divided by the largest, in logarithms: λ spans many orders of magnitude.
    top = above_rate
    for sequence in range(first, first + count):
        top = max(top, state.exponent[sequence])
    held = np.exp(above_rate - top)
    # `policy` stores the flow from the triggers above until the chain is solved.
    pass_flow_down(infostates, pairs, here, held, state)
    for action in range(count):
        sequence = first + action
        rate = np.exp(state.exponent[sequence] - top)
        # Λ(x, a) = Λ(x) + λ_(x,a), in the unit exp(top).
        state.inflow[sequence] = held + rate
        state.log_rate[sequence] = top + np.log(held + rate)
        for other in range(count):
            pair = pairs.start[sequence] + pairs.rank[first + other]
            state.flow[pair] = rate * state.behavior[pair]
            # Jumps by the action's own trigger, plus the flow from above, which does not depend
            # on the current action.
            state.jumps[action, other] = state.flow[pair] + state.policy[first + other]
    stationary_distribution(state.jumps, first, count, state.policy)
    # The infostates below need flows that contain the policy of this infostate.
    for sequence in range(first, first + count):
        state.inflow[sequence] *= state.policy[sequence]
        for other in range(first, first + count):
            state.flow[pairs.start[sequence] + pairs.rank[other]] *= state.policy[sequence]


@bare_kernel
def solve_all(infostates: Infostates, pairs: TriggerPairs, state: TriggerState) -> None:
    """Write the fixed point of φ at all infostates to `policy`."""
    for here in range(len(infostates.first_sequence)):  # parents come first
        solve_infostate(infostates, pairs, here, state)


# Learning from episodes.


@inner_kernel
def play_fixed_point(
    nodes: DecisionNodes,
    infostates: Infostates,
    pairs: TriggerPairs,
    state: TriggerState,
    stream: Stream,
    paths: Paths,
) -> int:
    """Play an episode like `play`, but solve the policy at each infostate that is reached."""
    paths.length[:] = 0
    node = 0
    while True:
        # The type for which `solve_all` compiles `solve_infostate`: int32 would compile it twice.
        here: Any = np.int64(nodes.kind[node])
        if here < 0:
            if here == TERMINAL_NODE:
                return int(nodes.first[node])
            node = draw_outcome(nodes, node, stream)
            continue
        # The infostates above were solved on the way here; no others are needed.
        solve_infostate(infostates, pairs, here, state)
        first_sequence, num_actions = infostates.first_sequence[here], infostates.num_actions[here]
        action = draw_action(state.policy, first_sequence, num_actions, stream)
        add_step(infostates, here, first_sequence + action, paths)
        node = nodes.first[node] + action


@inner_kernel
def update_trigger(
    rate: float,
    infostates: Infostates,
    pairs: TriggerPairs,
    player: int,
    paths: Paths,
    step: int,
    trigger: int,
    estimate: float,
    state: TriggerState,
) -> float:
    """Add an estimated loss to the last pair of a trigger, in place; return the change of F*(x_g).

    step : position of the trigger's infostate on the path.
    """
    change = -rate * estimate
    # Only logits on the path change. The change of F* at an infostate is the change of the logit
    # of the pair above it.
    for later in range(paths.length[player] - 1, step - 1, -1):
        here = paths.infostate[player, later]
        first = pairs.start[trigger] + pairs.rank[infostates.first_sequence[here]]
        taken = pairs.start[trigger] + pairs.rank[paths.sequence[player, later]]
        change = tilt(first, infostates.num_actions[here], taken, change, state)
    return change


@inner_kernel
def update_path(
    parameters: FloatArray,
    factor: float,
    infostates: Infostates,
    pairs: TriggerPairs,
    player: int,
    paths: Paths,
    loss: float,
    state: TriggerState,
) -> None:
    """Add the estimated loss of each trigger on a player's path, updating `state` in place.

    For every trigger g at an infostate of the path, recommended or not, and the last sequence s of
    the path, M(s; g) grows by

        μ(g) · loss / (μ(s) + γ (μ*(s) + μ(g) m_g(s)))

    parameters : [3] η, γ and XA. factor : multiplies η and γ.
    """
    length = paths.length[player]
    if length == 0:
        return
    rate = parameters[LEARNING_RATE] * factor
    exploration = parameters[IMPLICIT_EXPLORATION] * factor
    last = paths.sequence[player, length - 1]
    # μ(s): the player's own reach of the last sequence.
    own_reach = 1.0
    for step in range(length):
        own_reach *= state.policy[paths.sequence[player, step]]
    # The part of the denominator that does not depend on the trigger: μ(s) + γ μ*(s).
    covered = own_reach + exploration * state.weight[paths.infostate[player, length - 1]]
    reach, followed = 1.0, 0.0
    for step in range(length):
        first = infostates.first_sequence[paths.infostate[player, step]]
        count = infostates.num_actions[paths.infostate[player, step]]
        # Triggers not recommended in this episode learn too: their deviations would have reached s
        # with probability m_g(s).
        for trigger in range(first, first + count):
            recommended = reach * state.policy[trigger]  # μ(g)
            instead = recommended  # becomes μ(g) m_g(s)
            for later in range(step, length):
                taken = paths.sequence[player, later]
                instead *= state.behavior[pairs.start[trigger] + pairs.rank[taken]]
            # Implicit exploration: the denominator is larger than the probability, so the estimate
            # is biased downward, and its variance is bounded.
            estimate = recommended * loss / (covered + exploration * instead)
            state.estimates[pairs.start[trigger] + pairs.rank[last]] += estimate
            change = update_trigger(
                rate, infostates, pairs, player, paths, step, trigger, estimate, state
            )
            # λ_g by F*(x_g); the second term of log λ_g follows below.
            state.exponent[trigger] += change / parameters[NUM_SEQUENCES]
            if trigger == last:
                followed = estimate
        reach *= state.policy[paths.sequence[player, step]]
    # M(s; s) enters the weights of all triggers above s.
    for step in range(length):
        sequence = paths.sequence[player, step]
        state.exponent[sequence] += rate * followed / parameters[NUM_SEQUENCES]


@inner_kernel
def count_policy(infostates: Infostates, state: TriggerState) -> None:
    """Add the policy of an episode to the average, at all infostates, updating `state` in place."""
    count_episode(infostates, state.cumulative_plan)
    count_rest(infostates, state.policy, state.cumulative_plan, state.parent_counted)


@inner_kernel
def decay_factor(done: int) -> float:
    """Return 1 / √(number of the next episode, rounded up to a power of two)."""
    factor, limit = 1.0, 1
    # A product of √½ instead of a power: equal bit for bit on every machine.
    while limit <= done:
        limit *= 2
        factor *= np.sqrt(0.5)
    return factor


@inner_kernel
def refresh_at_doubling(
    parameters: FloatArray,
    done: int,
    infostates: Infostates,
    pairs: TriggerPairs,
    state: TriggerState,
) -> None:
    """Recompute the deviations if the decay factor changes with the next episode."""
    # A power of two has a single bit.
    if done & (done - 1) == 0:
        refresh(parameters, decay_factor(done), infostates, pairs, state)


@bare_kernel
def run_self_play(
    parameters: FloatArray,
    anytime: bool,
    every: int,
    pairs: TriggerPairs,
    play_state: PlayState,
    episodes: int,
    state: TriggerState,
) -> None:
    """Play episodes in which all players play fixed points of their deviations, and learn.

    At the end, `policy` is the policy of the next episode. The feedback consists of losses.

    parameters : [N, 3] of each player, see `update_path`.
    every : the average counts the first of every `every` episodes.
    anytime : whether η and γ are divided by the square root of the number of episodes so far,
    rounded up to a power of two. At each power of two, the deviations are recomputed.
    """
    nodes, infostates, losses, done, stream, paths = play_state
    for _ in range(episodes):
        if done[0] % every == 0:
            solve_all(infostates, pairs, state)
            count_policy(infostates, state)
        # Play, then learn: both use the deviations and rates of this episode.
        factor = decay_factor(done[0]) if anytime else 1.0
        end = play_fixed_point(nodes, infostates, pairs, state, stream, paths)
        done[0] += 1
        for player in range(len(parameters)):
            loss = losses[end, player]
            update_path(parameters[player], factor, infostates, pairs, player, paths, loss, state)
        if anytime:
            refresh_at_doubling(parameters, done[0], infostates, pairs, state)
    solve_all(infostates, pairs, state)
