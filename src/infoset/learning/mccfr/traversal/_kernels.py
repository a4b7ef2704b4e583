"""Traversals of the part of a game tree that some of nature's and the players' actions leave."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.learning._kernels import count_for_all, count_infostate
from infoset.learning.mccfr._kernels import match_floored
from infoset.learning.simulation import (
    CHANCE_NODE,
    TERMINAL_NODE,
    Infostates,
    Nodes,
    PlayState,
    draw_action,
    draw_outcome,
)
from infoset.typing import FloatArray, IntArray, LongArray
from infoset.utils.compilation import bare_kernel, inner_kernel, kernel
from infoset.utils.splitmix import Stream, next_uniform


class TraversalParameters(NamedTuple):
    """The numbers of a row of traversals, which say what actions one goes into.

    The player that learns goes into action a with probability
    `max(min_probability, (bonus + threshold · s(a)) / (bonus + Σ s))`, at most 1, where s is the
    cumulative plan; the others into all of theirs, or into one drawn from their policies.

    Attributes
    ----------
    all_opponents : bool
        Whether the others go into all.
    min_probability, threshold, bonus : float
        ε, τ and β of average-strategy sampling; with `min_probability` 1 the player goes into all.
    min_regret : float
        0 for regret matching+, -∞ for regret matching.
    """

    all_opponents: bool
    min_probability: float
    threshold: float
    bonus: float
    min_regret: float


class TraversalState(NamedTuple):
    """The arrays that traversals read and move.

    Attributes
    ----------
    policy : FloatArray
        [S] the current policy.
    regret : FloatArray
        [S] sums of estimated counterfactual regrets.
    ends : LongArray
        [1] number of terminal nodes visited.
    mass, counted : FloatArray
        [S] and [I] the average; see `infoset.learning._kernels`.
    """

    policy: FloatArray
    regret: FloatArray
    ends: LongArray
    mass: FloatArray
    counted: FloatArray


class Frames(NamedTuple):
    """The decisions that a traversal is in the middle of, the first to be made first.

    Attributes
    ----------
    node, action : IntArray
        [D] where, and the action gone into.
    weight : FloatArray
        [D] the others' reach, where they are not drawn, over the probability of being traversed.
    scale : FloatArray
        [D] inverse of the probability with which `action` is gone into.
    value : FloatArray
        [D, A] estimates of what follows each action.
    changed : IntArray
        [at least as many as nodes of one player] infostates whose regrets have changed.
    """

    node: IntArray
    action: IntArray
    weight: FloatArray
    scale: FloatArray
    value: FloatArray
    changed: IntArray


@inner_kernel
def go_on(
    numbers: TraversalParameters,
    nodes: Nodes,
    infostates: Infostates,
    player: int,
    node: int,
    policy: FloatArray,
    stream: Stream,
) -> int:
    """Draw from a node on; return the first end, or decision with actions to go into."""
    while True:
        here = nodes.kind[node]
        if here == CHANCE_NODE:
            node = draw_outcome(nodes, node, stream)
            continue
        if here == TERMINAL_NODE or numbers.all_opponents or infostates.player[here] == player:
            return int(node)
        first_slot, num_actions = infostates.first_slot[here], infostates.num_actions[here]
        node = nodes.first[node] + draw_action(policy, first_slot, num_actions, stream)


@kernel
def expected_passages(
    numbers: TraversalParameters, nodes: Nodes, infostates: Infostates, player: int
) -> float:
    """Return how many nodes a traversal passes, were all that is drawn drawn alike."""
    share = np.zeros(len(nodes.kind))
    share[0] = 1.0
    total = 0.0
    for node in range(len(nodes.kind)):
        here = nodes.kind[node]
        total += share[node]
        is_drawn = here == CHANCE_NODE
        if here >= 0 and infostates.player[here] != player:
            is_drawn = not numbers.all_opponents
        for child in range(nodes.first[node], nodes.first[node] + nodes.num_children[node]):
            share[child] = share[node] / (nodes.num_children[node] if is_drawn else 1)
    return float(total)


@inner_kernel
def inclusion(numbers: TraversalParameters, here: int, slot: int, state: TraversalState) -> float:
    """Return the probability with which the player that learns goes into an action, at most 1."""
    if numbers.min_probability >= 1.0:
        return 1.0
    likely = numbers.bonus + numbers.threshold * state.mass[slot]
    return float(
        min(1.0, max(numbers.min_probability, likely / (numbers.bonus + state.counted[here])))
    )


@inner_kernel
def next_action(
    numbers: TraversalParameters,
    infostates: Infostates,
    player: int,
    here: int,
    depth: int,
    stream: Stream,
    frames: Frames,
    state: TraversalState,
) -> float:
    """Move a frame to the next action to go into; return the weight below it, or 0 at the end.

    Actions that are left out have the value 0.
    """
    weight = 0.0
    while weight == 0.0 and frames.action[depth] + 1 < infostates.num_actions[here]:
        frames.action[depth] += 1
        slot = infostates.first_slot[here] + frames.action[depth]
        frames.value[depth, frames.action[depth]] = 0.0
        if infostates.player[here] == player:
            probability = inclusion(numbers, here, slot, state)
            if probability == 1.0 or next_uniform(stream) < probability:
                frames.scale[depth] = 1.0 / probability
                weight = frames.weight[depth] / probability
        else:
            frames.scale[depth] = 1.0
            weight = frames.weight[depth] * state.policy[slot]
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
    """Return the value of a decision; add regrets where the player that learns made it."""
    first_slot, num_actions = infostates.first_slot[here], infostates.num_actions[here]
    value = 0.0
    for action in range(num_actions):
        value += state.policy[first_slot + action] * frames.value[depth, action]
    if infostates.player[here] == player:
        for action in range(num_actions):
            gain = frames.value[depth, action] - value
            state.regret[first_slot + action] += frames.weight[depth] * gain
    return value


@inner_kernel
def take_value(frames: Frames, depth: int, value: float) -> None:
    """Keep the value of what follows the action that a frame has gone into."""
    action = frames.action[depth]
    frames.value[depth, action] = frames.scale[depth] * value


@inner_kernel
def traverse(
    numbers: TraversalParameters,
    nodes: Nodes,
    infostates: Infostates,
    player: int,
    utility: FloatArray,
    stream: Stream,
    frames: Frames,
    state: TraversalState,
) -> int:
    """Add the estimated regrets of a traversal, `state` in place; return how many infostates.

    With σ the policies, from the ends up, v the estimate of what follows an action,

        v(h) = Σ_a σ(a|x) v(ha),    R(x, a) += weight (v(ha) - v(h))

    where v(ha) counts 1 / probability if the action was drawn to be gone into, 0 if not.
    Policies do not change.
    """
    depth, num_changed, weight = 0, 0, 1.0
    frames.action[0], frames.scale[0] = 0, 1.0
    node = go_on(numbers, nodes, infostates, player, 0, state.policy, stream)
    while True:
        here = nodes.kind[node]
        if here == TERMINAL_NODE:
            state.ends[0] += 1
            take_value(frames, depth, utility[nodes.first[node], player])
        else:
            depth += 1
            frames.node[depth], frames.action[depth], frames.weight[depth] = node, -1, weight
            if infostates.player[here] == player:
                count_infostate(infostates, here, state.policy, state.mass, state.counted)
                frames.changed[num_changed] = here
                num_changed += 1
        while depth > 0:
            here = nodes.kind[frames.node[depth]]
            weight = next_action(numbers, infostates, player, here, depth, stream, frames, state)
            if weight > 0.0:
                break
            value = close_frame(infostates, player, here, depth, frames, state)
            depth -= 1
            take_value(frames, depth, value)
        if depth == 0:
            return num_changed
        child = nodes.first[frames.node[depth]] + frames.action[depth]
        node = go_on(numbers, nodes, infostates, player, child, state.policy, stream)


@bare_kernel
def learn_by_traversals(
    numbers: TraversalParameters,
    arena: PlayState,
    episodes: int,
    frames: Frames,
    state: TraversalState,
) -> None:
    """Traverse the game of an arena for one player after another, who learn.

    A traversal counts as an episode. What players are told is utilities.
    """
    nodes, infostates, utility, done, stream, _ = arena
    num_players = len(infostates.root_slot)
    for _ in range(episodes):
        player = done[0] % num_players
        done[0] += 1
        count_for_all(infostates, state.mass)
        num_changed = traverse(numbers, nodes, infostates, player, utility, stream, frames, state)
        for place in range(num_changed):
            here = frames.changed[place]
            match_floored(infostates, here, numbers.min_regret, state.regret, state.policy)
