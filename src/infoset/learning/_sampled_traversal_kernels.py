"""Kernels of Monte Carlo CFR by traversals: external, chance and average-strategy sampling.

A traversal visits a sampled part of the game tree depth first. It is written as a loop with an
explicit stack, which has one frame for each decision on the way down.
Sources: Zinkevich et al. (2007), Lanctot et al. (2009), Gibson et al. (2012).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.learning._simulator_kernels import PlayState
from infoset.learning._update_kernels import (
    count_episode,
    count_infostate,
    match_clipped_regrets,
)
from infoset.tree.decision_nodes import (
    CHANCE_NODE,
    TERMINAL_NODE,
    DecisionNodes,
    Infostates,
    draw_action,
    draw_outcome,
)
from infoset.typing import FloatArray, IntArray, LongArray
from infoset.utils.compilation import bare_kernel, inner_kernel, kernel
from infoset.utils.splitmix import Stream, next_uniform


class TraversalParameters(NamedTuple):
    """The parameters of a traversal, which determine the actions that it enters.

    The learning player enters action a with probability
    `max(min_probability, (bonus + threshold · s(a)) / (bonus + Σ s))`, at most 1, where s is its
    cumulative plan. The other players enter all of their actions, or one drawn from their policies.
    """

    all_opponents: bool
    """Whether the other players enter all of their actions."""
    min_probability: float
    threshold: float
    bonus: float
    """ε, τ and β of average-strategy sampling; with `min_probability` 1, the learning player enters
    all actions."""
    min_regret: float
    """0 for regret matching+, -∞ for regret matching."""


class TraversalState(NamedTuple):
    """The arrays of traversals."""

    policy: FloatArray
    """[S] the current policy σ."""
    regret: FloatArray
    """[S] sums of estimated counterfactual regrets."""
    ends: LongArray
    """[1] number of terminals visited."""
    cumulative_plan: FloatArray
    parent_counted: FloatArray
    """[S] and [I] the average; see `infoset.learning._update_kernels`."""


class Frames(NamedTuple):
    """The stack of a traversal: decisions whose actions are being entered; frame 0 is the root."""

    node: IntArray
    action: IntArray
    """[D] node of the decision, and index of the action entered."""
    weight: FloatArray
    """[D] reach of the opponents that are not sampled, divided by the probability that the decision
    is entered."""
    scale: FloatArray
    """[D] inverse of the probability of entering `action`."""
    value: FloatArray
    """[D, A] estimated values of the actions."""
    changed: IntArray
    """Infostates whose regrets have changed; as long as the maximum number of nodes of a player."""


@inner_kernel
def sample_down(
    parameters: TraversalParameters,
    nodes: DecisionNodes,
    infostates: Infostates,
    player: int,
    node: int,
    policy: FloatArray,
    stream: Stream,
) -> int:
    """Draw actions from a node down to a terminal or a decision to enter; return that node."""
    while True:
        here = nodes.kind[node]
        if here == CHANCE_NODE:
            node = draw_outcome(nodes, node, stream)
            continue
        # Stop at a terminal, or at a decision whose actions are entered one by one.
        if here == TERMINAL_NODE or parameters.all_opponents or infostates.player[here] == player:
            return int(node)
        first_sequence, num_actions = infostates.first_sequence[here], infostates.num_actions[here]
        # External sampling: an opponent's action is drawn from its policy, whose probability
        # cancels in the estimate.
        node = nodes.first[node] + draw_action(policy, first_sequence, num_actions, stream)


@kernel
def expected_nodes(
    parameters: TraversalParameters, nodes: DecisionNodes, infostates: Infostates, player: int
) -> float:
    """Return the expected number of nodes in a traversal with uniform draws."""
    probability = np.zeros(len(nodes.kind))
    probability[0] = 1.0
    total = 0.0
    for node in range(len(nodes.kind)):
        here = nodes.kind[node]
        total += probability[node]
        is_drawn = here == CHANCE_NODE
        if here >= 0 and infostates.player[here] != player:
            is_drawn = not parameters.all_opponents
        # Parents come before their children. If one child is drawn, the children share the node's
        # probability equally; otherwise all are entered, each with the node's probability.
        for child in range(nodes.first[node], nodes.first[node] + nodes.num_children[node]):
            probability[child] = probability[node] / (nodes.num_children[node] if is_drawn else 1)
    return float(total)


@inner_kernel
def inclusion_probability(
    parameters: TraversalParameters, here: int, sequence: int, state: TraversalState
) -> float:
    """Return the probability ρ with which the learning player enters an action."""
    if parameters.min_probability >= 1.0:
        return 1.0
    # Gibson et al. (2012): ρ(x, a) = max(ε, (β + τ s(a)) / (β + Σ s)), at most 1.
    likely = parameters.bonus + parameters.threshold * state.cumulative_plan[sequence]
    # The cumulative plan of an infostate's actions sums to its parent's, which was just counted.
    total = parameters.bonus + state.parent_counted[here]
    return float(min(1.0, max(parameters.min_probability, likely / total)))


@inner_kernel
def next_action(
    parameters: TraversalParameters,
    infostates: Infostates,
    player: int,
    here: int,
    depth: int,
    stream: Stream,
    frames: Frames,
    state: TraversalState,
) -> float:
    """Advance a frame to the next action to enter; return the weight below it, or 0 for none.

    Actions that are not entered have value 0.
    """
    weight = 0.0
    while weight == 0.0 and frames.action[depth] + 1 < infostates.num_actions[here]:
        frames.action[depth] += 1
        sequence = infostates.first_sequence[here] + frames.action[depth]
        frames.value[depth, frames.action[depth]] = 0.0
        if infostates.player[here] == player:
            # The learning player's actions are entered independently of each other.
            probability = inclusion_probability(parameters, here, sequence, state)
            # An action with probability 1 needs no random number.
            if probability == 1.0 or next_uniform(stream) < probability:
                # `scale` makes the estimate of v(ha) unbiased; `weight` does the same for the
                # regrets of decisions below.
                frames.scale[depth] = 1.0 / probability
                weight = frames.weight[depth] / probability
        else:
            frames.scale[depth] = 1.0
            # In chance sampling all opponents' actions are entered, so their reach does not cancel.
            # Actions with probability 0 are skipped: everything below them would have weight 0.
            weight = frames.weight[depth] * state.policy[sequence]
    return weight


@inner_kernel
def close_frame(
    infostates: Infostates,
    player: int,
    here: int,
    depth: int,
    frames: Frames,
    state: TraversalState,
) -> float:
    """Return the value of a decision; add its regrets if the learning player made it."""
    first_sequence, num_actions = infostates.first_sequence[here], infostates.num_actions[here]
    value = 0.0
    # v(h) = Σ_a σ(a|x) v(ha)
    for action in range(num_actions):
        value += state.policy[first_sequence + action] * frames.value[depth, action]
    if infostates.player[here] == player:
        for action in range(num_actions):
            # Counterfactual regret: weighted by the opponents' reach, not by the player's own.
            gain = frames.value[depth, action] - value
            state.regret[first_sequence + action] += frames.weight[depth] * gain
    return value


@inner_kernel
def store_value(frames: Frames, depth: int, value: float) -> None:
    """Store the value below the action that a frame has entered."""
    # Each value is divided once by the probability of entering the action, at its own level.
    action = frames.action[depth]
    frames.value[depth, action] = frames.scale[depth] * value


@inner_kernel
def traverse(
    parameters: TraversalParameters,
    nodes: DecisionNodes,
    infostates: Infostates,
    player: int,
    utility: FloatArray,
    stream: Stream,
    frames: Frames,
    state: TraversalState,
) -> int:
    """Add the regrets of one traversal to `state`; return the number of changed infostates.

    Bottom-up, with σ the policies,

        v(h) = Σ_a σ(a|x) v(ha),    R(x, a) += weight (v(ha) - v(h))

    where v(ha) is divided by the probability of entering a, and is 0 if a was not entered. The
    policies do not change.
    """
    # Frame 0 is not a decision: it receives the value of the root.
    depth, num_changed, weight = 0, 0, 1.0
    frames.action[0], frames.scale[0] = 0, 1.0
    # Only decisions that are entered get a frame: of a sampled move, one child is visited.
    node = sample_down(parameters, nodes, infostates, player, 0, state.policy, stream)
    while True:
        # Down: a terminal passes its value to the frame above; a decision opens a frame.
        here = nodes.kind[node]
        if here == TERMINAL_NODE:
            # The unit in which the costs of different ways of sampling are compared.
            state.ends[0] += 1
            store_value(frames, depth, utility[nodes.first[node], player])
        else:
            depth += 1
            frames.node[depth], frames.action[depth], frames.weight[depth] = node, -1, weight
            if infostates.player[here] == player:
                # The policy changes after the traversal, so the average is updated here.
                count_infostate(
                    infostates, here, state.policy, state.cumulative_plan, state.parent_counted
                )
                frames.changed[num_changed] = here
                num_changed += 1
        # Up: close frames until one has another action to enter.
        while depth > 0:
            here = nodes.kind[frames.node[depth]]
            # The weight of the next subtree; 0 means that no action of the frame is left.
            weight = next_action(parameters, infostates, player, here, depth, stream, frames, state)
            if weight > 0.0:
                break
            value = close_frame(infostates, player, here, depth, frames, state)
            depth -= 1
            store_value(frames, depth, value)
        # All frames are closed: the root has its value.
        if depth == 0:
            return num_changed
        child = nodes.first[frames.node[depth]] + frames.action[depth]
        node = sample_down(parameters, nodes, infostates, player, child, state.policy, stream)


@bare_kernel
def run_self_play(
    parameters: TraversalParameters,
    play_state: PlayState,
    episodes: int,
    frames: Frames,
    state: TraversalState,
) -> None:
    """Run traversals in which the players alternate in learning, updating `state`.

    A traversal counts as an episode. The feedback consists of utilities.
    """
    nodes, infostates, utility, done, stream, _ = play_state
    num_players = len(infostates.root_sequence)
    for _ in range(episodes):
        player = done[0] % num_players
        done[0] += 1
        count_episode(infostates, state.cumulative_plan)
        num_changed = traverse(
            parameters, nodes, infostates, player, utility, stream, frames, state
        )
        # Policies are fixed during a traversal and change afterward. An infostate may be listed
        # twice: regret matching then gives the same result twice.
        for place in range(num_changed):
            here = frames.changed[place]
            match_clipped_regrets(
                infostates, here, parameters.min_regret, state.regret, state.policy
            )
