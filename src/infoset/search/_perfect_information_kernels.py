"""Kernels of perfect-information values: backward induction on a graph, and one-step successors."""

from __future__ import annotations

from typing import Any

import numpy as np

from infoset.search._depth_first_kernels import skip_forced_moves, take_forced_actions
from infoset.search._max_n_kernels import TIE_TOLERANCE
from infoset.search.models._graph_kernels import GraphNodes
from infoset.search.models._model_kernels import (
    CHANCE_MOVE,
    Position,
    actor,
    apply_outcome,
    choose_action,
    empty_position,
    inlined,
    num_actions,
    num_outcomes,
    outcome_probability,
    play_out,
)
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray
from infoset.utils.array_kernels import copy
from infoset.utils.compilation import kernel, linear_kernel
from infoset.utils.splitmix import Stream

# Backward induction over all nodes of an explored game


@linear_kernel
def topological_order(graph: GraphNodes) -> IntArray:
    """Return [K] the nodes of an acyclic graph in topological order (Kahn's algorithm)."""
    missing = np.zeros(len(graph.actor), np.int32)  # predecessors not yet in the order
    for target in graph.next_node:
        missing[target] += 1
    order = np.empty(len(graph.actor), np.int32)  # also the queue of nodes to expand
    filled = 0
    for node in range(len(missing)):
        if missing[node] == 0:
            order[filled] = node
            filled += 1
    done = 0
    while done < filled:
        node = order[done]
        done += 1
        first = graph.first_child[node]
        for child in range(first, first + graph.num_children[node]):
            target = graph.next_node[child]
            # A node is appended when its last predecessor is done. Nodes on a cycle never are.
            missing[target] -= 1
            if missing[target] == 0:
                order[filled] = target
                filled += 1
    return order


@linear_kernel
def moves_are_sequential(graph: GraphNodes, order: IntArray, has_choice: BoolArray) -> bool:
    """Return whether at most one player has a choice between any two transitions.

    order : [K] from `topological_order`. has_choice : [K] output, whether any player has a choice
    between the node and the next transition.
    """
    is_sequential = True
    # Backwards, so that children are done before their parents.
    for place in range(len(order) - 1, -1, -1):
        node = order[place]
        has_choice[node] = False
        if graph.actor[node] < 0:
            continue
        first, count = graph.first_child[node], graph.num_children[node]
        for child in range(first, first + count):
            # The children of an actor's node are later actors at the same world state. If one of
            # them has a choice, this actor must not have one.
            if has_choice[graph.next_node[child]]:
                has_choice[node] = True
                is_sequential = is_sequential and count == 1
        if count > 1:
            has_choice[node] = True
    return is_sequential


@linear_kernel
def max_n_values(graph: GraphNodes, order: IntArray, values: FloatArray) -> None:
    """Write values [K, N] of all nodes when every player maximizes its own utility.

    Ties between best actions take the mean of their values. order : [K] from `topological_order`.
    values : all 0 on entry.
    """
    # [K] the largest absolute sum of rewards after each node, which bounds rounding errors there.
    largest = np.zeros(len(order))
    for place in range(len(order) - 1, -1, -1):
        node = order[place]
        # Ends have no children and remain at 0: values are sums of future rewards.
        mover, first = graph.actor[node], graph.first_child[node]
        best, num_best = 0.0, 0
        for child in range(first, first + graph.num_children[node]):
            target = graph.next_node[child]
            reward = 0.0
            if mover == CHANCE_MOVE:
                for player in range(values.shape[1]):
                    reward = max(reward, abs(graph.rewards[child, player]))
            largest[node] = max(largest[node], reward + largest[target])
        # Relative to the size of the sums at this node, as in the depth-first search, where the
        # whole search has one size.
        tolerance = TIE_TOLERANCE * largest[node]
        for child in range(first, first + graph.num_children[node]):
            target = graph.next_node[child]
            if mover == CHANCE_MOVE:
                # Expectation over transitions, including their rewards.
                total = graph.rewards[child] + values[target]
                values[node] += graph.probability[child] * total
                num_best = 1
                continue
            # Actions have no rewards; transitions do.
            if num_best == 0 or values[target, mover] > best + tolerance:
                best, num_best = values[target, mover], 1
                # Strictly better: drop the ties so far.
                values[node] = values[target]
            elif values[target, mover] >= best - tolerance:
                num_best += 1
                values[node] += values[target]
        # The mean over ties, as in the depth-first search. An end divides by 1.
        values[node] /= max(num_best, 1)


@kernel
def minimax_values(graph: GraphNodes, order: IntArray, values: FloatArray) -> None:
    """Write values [K, N] of all nodes to each player when all others minimize its utility.

    order : [K] from `topological_order`. values : all 0 on entry.
    """
    for place in range(len(order) - 1, -1, -1):
        node = order[place]
        # Backward in topological order: the values of all children are final.
        mover, first = graph.actor[node], graph.first_child[node]
        for child in range(first, first + graph.num_children[node]):
            target = graph.next_node[child]
            # One pass solves N zero-sum games: column p is player p against all others.
            for player in range(values.shape[1]):
                value = values[target, player]
                if mover == CHANCE_MOVE:
                    total = graph.rewards[child, player] + value
                    values[node, player] += graph.probability[child] * total
                elif child == first:  # the first action initializes the maximum or minimum
                    values[node, player] = value
                elif player == mover:
                    values[node, player] = max(values[node, player], value)
                else:
                    values[node, player] = min(values[node, player], value)


# Successors of many positions


@inlined
def reach_turn(model: Any, position: Position, player: int) -> tuple[int, bool]:
    """Let the actors before a player take their first action, in place.

    Returns the player's number of actions, which is 0 if it does not act, and whether all earlier
    actors had a single action.
    """
    mover, is_alone = actor(model, position), True
    # Actors of a world state choose one after another without seeing each other's choices, so that
    # earlier choices do not change the player's legal actions.
    while mover >= 0 and mover != player:
        is_alone = is_alone and num_actions(model, position) == 1
        choose_action(model, position, 0)
        mover = actor(model, position)
    return num_actions(model, position) if mover == player else 0, is_alone


@kernel
def after_actions(
    model: Any, states: LongArray, rewards_so_far: FloatArray, player: int
) -> tuple[LongArray, LongArray, LongArray]:
    """Return the states after each action of a player at K positions.

    Returns the states [M, L], the position [M] that each comes from, and the action [M] that leads
    to it. The action is -1 if another player chooses simultaneously. Positions at which the player
    does not act have no successors.
    """
    here = empty_position(states.shape[1], rewards_so_far.shape[1])
    counts = np.zeros(len(states), np.int64)
    for row in range(len(states)):
        copy(states[row], here.state)
        counts[row], _ = reach_turn(model, here, player)
    # Two passes: count the successors, then allocate and write them.
    total = counts.sum()
    after = np.empty((total, states.shape[1]), np.int64)
    origin, action = np.empty(total, np.int64), np.empty(total, np.int64)
    filled = 0
    for row in range(len(states)):
        for branch in range(counts[row]):
            copy(states[row], here.state)
            _, is_alone = reach_turn(model, here, player)
            choose_action(model, here, branch)
            # If a later actor has a choice, the state after the action has no value yet.
            is_alone = is_alone and take_forced_actions(model, here) < 0
            copy(here.state, after[filled])
            origin[filled], action[filled] = row, branch if is_alone else -1
            filled += 1
    return after, origin, action


@kernel
def next_movers(model: Any, states: LongArray, num_players: int) -> LongArray:
    """Return [K] the player to act at each position, `CHANCE_MOVE` or `END`.

    Takes forced actions, changing states [K, L] in place, but applies no transition.
    """
    here = empty_position(states.shape[1], num_players)
    movers = np.empty(len(states), np.int64)
    for row in range(len(states)):
        copy(states[row], here.state)
        movers[row] = take_forced_actions(model, here)
        copy(here.state, states[row])
    return movers


@kernel
def next_branchings(model: Any, states: LongArray, rewards_so_far: FloatArray) -> LongArray:
    """Play K positions on to decisions, chance moves with several outcomes, or ends, in place.

    Returns [K] the player to act, `CHANCE_MOVE` or `END`.
    """
    here = empty_position(states.shape[1], rewards_so_far.shape[1])
    movers = np.empty(len(states), np.int64)
    for row in range(len(states)):
        copy(states[row], here.state)
        copy(rewards_so_far[row], here.rewards_so_far)
        movers[row] = skip_forced_moves(model, here)
        copy(here.state, states[row])
        copy(here.rewards_so_far, rewards_so_far[row])
    return movers


@kernel
def after_transitions(
    model: Any, states: LongArray, rewards_so_far: FloatArray, player: int
) -> tuple[LongArray, FloatArray, LongArray, LongArray, FloatArray]:
    """Return the positions after each transition from K positions whose actors have all chosen.

    Returns the states [M, L], the rewards so far [M, N], the player's observations [M], the
    position [M] that each comes from, and the transition probabilities [M].
    """
    here = empty_position(states.shape[1], rewards_so_far.shape[1])
    counts = np.empty(len(states), np.int64)
    for row in range(len(states)):  # count first, as in `after_actions`
        copy(states[row], here.state)
        counts[row] = num_outcomes(model, here)
    total = counts.sum()
    after = np.empty((total, states.shape[1]), np.int64)
    rewarded = np.empty((total, rewards_so_far.shape[1]))
    observation, origin, probability = (
        np.empty(total, np.int64),
        np.empty(total, np.int64),
        np.empty(total),
    )
    filled = 0
    for row in range(len(states)):
        for outcome in range(counts[row]):
            copy(states[row], here.state)
            # Restored for every outcome, because `apply_outcome` changes the position in place.
            copy(rewards_so_far[row], here.rewards_so_far)
            # Read the probability first: `outcome` refers to the state before the transition.
            probability[filled] = outcome_probability(model, here, outcome)
            apply_outcome(model, here, outcome)
            copy(here.state, after[filled])
            copy(here.rewards_so_far, rewarded[filled])
            observation[filled], origin[filled] = here.observations[player], row
            filled += 1
    return after, rewarded, observation, origin, probability


@kernel
def mean_playouts(
    model: Any,
    states: LongArray,
    rewards_so_far: FloatArray,
    num_rollouts: int,
    stream: Stream,
    values: FloatArray,
) -> None:
    """Add to values [K, N] the mean utilities of uniformly random plays from K positions."""
    here = empty_position(states.shape[1], rewards_so_far.shape[1])
    for row in range(len(states)):
        for _ in range(num_rollouts):
            copy(states[row], here.state)
            copy(rewards_so_far[row], here.rewards_so_far)
            play_out(model, here, stream)
            for player in range(values.shape[1]):
                values[row, player] += here.rewards_so_far[player] / num_rollouts
