"""Kernels of learners that estimate the game from their episodes, and run CFR on the estimate.

An estimate, or model, has the tree of the game, but its own chance probabilities and rewards. The
reward of a player at a terminal is minus its loss, in [-1, 0]; it is known after the first visit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.learning._simulator_kernels import PlayState, play
from infoset.learning._update_kernels import count_episode, count_rest
from infoset.regret import match_regrets
from infoset.tree.decision_nodes import CHANCE_NODE, TERMINAL_NODE, DecisionNodes, Infostates
from infoset.typing import FloatArray, IntArray
from infoset.utils.compilation import bare_kernel, inner_kernel, kernel, nested_kernel
from infoset.utils.splitmix import Stream, next_uniform


class Model(NamedTuple):
    """An estimate of the game, and workspaces over its nodes."""

    parent: IntArray
    """[K] parent of each node; -1 for the root."""
    terminal: IntArray
    """[Z] node of each terminal."""
    probability: FloatArray
    """[K] probability of a node whose parent is a chance node; unused for the others."""
    bonus: FloatArray
    """[K] optimism bonus at a chance node, which is added to the reward of every player."""
    reward: FloatArray
    """[Z, N] rewards at terminals."""
    chance: FloatArray
    others: FloatArray
    """[K] workspaces of `find_reaches` for a player: reach by chance, and by the other players."""
    last: IntArray
    """[K] workspace: the last sequence of that player on the path to each node."""
    value: FloatArray
    """[S] workspace: counterfactual values of sequences."""


class ModelBasedState(NamedTuple):
    """The arrays of learners with a model."""

    policy: FloatArray
    """[S] the current policy σ."""
    response: FloatArray
    """[S] the exploring policy of each player; empty if there is none."""
    regret: FloatArray
    """[S] sums of counterfactual regrets in the models so far."""
    visits: FloatArray
    """[K] number of episodes through each node."""
    gradient: FloatArray
    opponent_reach: FloatArray
    """[S] sums over the models so far of the players' gradients; [Z, N] sums of the reach of all
    players but one. Both are empty if there is no exploring policy."""
    cumulative_plan: FloatArray
    parent_counted: FloatArray
    """[S] and [I] the average; see `infoset.learning._update_kernels`."""


@inner_kernel
def next_gamma(shape: float, stream: Stream) -> float:
    """Draw from the gamma distribution of a shape of at least 1, with scale 1.

    Source: Marsaglia and Tsang, "A simple method for generating gamma variables" (2000).
    """
    d = shape - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * d)
    while True:
        # Box and Muller; 1 - u is never 0.
        radius = np.sqrt(-2.0 * np.log(1.0 - next_uniform(stream)))
        normal = radius * np.cos(2.0 * np.pi * next_uniform(stream))
        cube = (1.0 + c * normal) ** 3
        bound = 1.0 - next_uniform(stream)
        if cube > 0.0 and np.log(bound) < 0.5 * normal * normal + d * (1.0 - cube + np.log(cube)):
            return float(d * cube)


@nested_kernel
def draw_model(
    nodes: DecisionNodes,
    is_constant_sum: bool,
    rewards: FloatArray,
    visits: FloatArray,
    stream: Stream,
    model: Model,
) -> None:
    """Draw a model from its posterior distribution given the visits [K], in place.

    The prior of chance is uniform over distributions, that of an unknown reward uniform in [-1, 0].
    rewards : [Z, N] the true rewards, which are read at visited terminals only.
    """
    for node in range(len(nodes.kind)):
        if nodes.kind[node] == CHANCE_NODE:
            first, end = nodes.first[node], nodes.first[node] + nodes.num_children[node]
            total = 0.0
            # Dirichlet: gamma variables with shapes 1 + count, divided by their sum.
            for child in range(first, end):
                model.probability[child] = next_gamma(1.0 + visits[child], stream)
                total += model.probability[child]
            for child in range(first, end):
                model.probability[child] /= total
    for end, node in enumerate(model.terminal):
        for player in range(rewards.shape[1]):
            if visits[node] > 0.0:
                model.reward[end, player] = rewards[end, player]
            elif player == 1 and is_constant_sum:
                model.reward[end, player] = -1.0 - model.reward[end, 0]
            else:
                model.reward[end, player] = next_uniform(stream) - 1.0


@nested_kernel
def fill_bounds(
    nodes: DecisionNodes,
    factor: float,
    log_confidence: float,
    rewards: FloatArray,
    visits: FloatArray,
    model: Model,
) -> None:
    """Fill the model with frequencies and upper confidence bounds of the rewards, in place.

    An unvisited terminal has reward 0, the upper bound. With n visits and A outcomes, a chance node
    has the bonus √((A log 2 + log(n (n + 1)) + log_confidence) / (2 n)), times `factor`, at most 1.
    rewards : as in `draw_model`.
    """
    for node in range(len(nodes.kind)):
        if nodes.kind[node] == CHANCE_NODE:
            first, count, seen = nodes.first[node], nodes.num_children[node], visits[node]
            model.bonus[node] = 0.0  # without a visit, every terminal below has the upper bound
            if seen > 0.0:
                terms = count * np.log(2.0) + np.log(seen * (seen + 1.0)) + log_confidence
                model.bonus[node] = min(1.0, factor * np.sqrt(terms / (2.0 * seen)))
            for child in range(first, first + count):
                model.probability[child] = visits[child] / seen if seen > 0.0 else 1.0 / count
    for end, node in enumerate(model.terminal):
        for player in range(rewards.shape[1]):
            # Exactly 0, so that regrets where nothing is known are 0, and not rounding errors.
            model.reward[end, player] = rewards[end, player] if visits[node] > 0.0 else 0.0


@nested_kernel
def find_reaches(
    nodes: DecisionNodes, infostates: Infostates, player: int, policy: FloatArray, model: Model
) -> None:
    """Fill `chance`, `others` and `last` of the model for a player under a policy [S], in place."""
    model.chance[0], model.others[0] = 1.0, 1.0
    model.last[0] = infostates.root_sequence[player]
    for node in range(len(nodes.kind)):
        here, first = nodes.kind[node], nodes.first[node]
        for action in range(nodes.num_children[node]):
            child = first + action
            model.chance[child], model.others[child] = model.chance[node], model.others[node]
            model.last[child] = model.last[node]
            if here == CHANCE_NODE:
                model.chance[child] *= model.probability[child]
            elif infostates.player[here] == player:
                model.last[child] = infostates.first_sequence[here] + action
            else:
                model.others[child] *= policy[infostates.first_sequence[here] + action]


@inner_kernel
def end_of_sequences(infostates: Infostates, player: int, num_sequences: int) -> int:
    """Return the end of a player's sequences, which begin with its empty sequence."""
    roots = infostates.root_sequence
    return int(roots[player + 1]) if player + 1 < len(roots) else num_sequences


@nested_kernel
def find_gradient(
    nodes: DecisionNodes, infostates: Infostates, player: int, policy: FloatArray, model: Model
) -> None:
    """Write the gradient of a player's expected reward in the model to `model.value`, in place.

    policy : [S] of the other players. The gradient is with respect to the player's plan.
    """
    find_reaches(nodes, infostates, player, policy, model)
    end = end_of_sequences(infostates, player, len(model.value))
    for sequence in range(infostates.root_sequence[player], end):
        model.value[sequence] = 0.0
    for node in range(len(nodes.kind)):
        reach = model.chance[node] * model.others[node]
        if nodes.kind[node] == TERMINAL_NODE:
            model.value[model.last[node]] += reach * model.reward[nodes.first[node], player]
        elif nodes.kind[node] == CHANCE_NODE:
            model.value[model.last[node]] += reach * model.bonus[node]


@nested_kernel
def add_regrets(
    infostates: Infostates, player: int, value: FloatArray, state: ModelBasedState
) -> None:
    """Add the counterfactual regrets of a gradient, and turn it into counterfactual values.

    value : [S] the gradient; the values of sequences below are added to it, in place.
    """
    for here in range(len(infostates.player) - 1, -1, -1):
        if infostates.player[here] != player:
            continue
        first = infostates.first_sequence[here]
        expected = 0.0
        for sequence in range(first, first + infostates.num_actions[here]):
            expected += state.policy[sequence] * value[sequence]
        for sequence in range(first, first + infostates.num_actions[here]):
            state.regret[sequence] += value[sequence] - expected
        value[infostates.parent_sequence[here]] += expected


@nested_kernel
def respond(infostates: Infostates, player: int, value: FloatArray, response: FloatArray) -> None:
    """Write the pure policy of a player that maximizes a gradient to `response` [S], in place.

    value : [S] the gradient; afterwards its entry at the player's empty sequence is the maximum.
    """
    for here in range(len(infostates.player) - 1, -1, -1):
        if infostates.player[here] != player:
            continue
        first = infostates.first_sequence[here]
        best = first
        for sequence in range(first, first + infostates.num_actions[here]):
            response[sequence] = 0.0
            if value[sequence] > value[best]:
                best = sequence
        response[best] = 1.0
        value[infostates.parent_sequence[here]] += value[best]


@inner_kernel
def count_visits(end: int, model: Model, visits: FloatArray) -> None:
    """Count the nodes on the path to a terminal, in place."""
    node = model.terminal[end]
    while node >= 0:
        visits[node] += 1.0
        node = model.parent[node]


@inner_kernel
def change_policies(infostates: Infostates, state: ModelBasedState) -> None:
    """Add the policies to the average, and match regrets at all infostates, in place."""
    count_rest(infostates, state.policy, state.cumulative_plan, state.parent_counted)
    for here in range(len(infostates.player)):
        first = infostates.first_sequence[here]
        match_regrets(first, first + infostates.num_actions[here], state.regret, state.policy)


@nested_kernel
def learn_from_model(
    nodes: DecisionNodes, infostates: Infostates, model: Model, state: ModelBasedState
) -> None:
    """Add the regrets of the policies in a model, for all players, in place.

    The sums over models are updated, too, unless they are empty.
    """
    for player in range(len(infostates.root_sequence)):
        find_gradient(nodes, infostates, player, state.policy, model)
        if len(state.gradient):
            end = end_of_sequences(infostates, player, len(model.value))
            for sequence in range(infostates.root_sequence[player], end):
                state.gradient[sequence] += model.value[sequence]
            for rank, node in enumerate(model.terminal):
                state.opponent_reach[rank, player] += model.others[node]
        add_regrets(infostates, player, model.value, state)


@nested_kernel
def find_responses(
    nodes: DecisionNodes, infostates: Infostates, model: Model, state: ModelBasedState
) -> None:
    """Write the policies that explore the difference between models to `state.response`, in place.

    With d_t and σ_t the models and policies so far, and d another model, player i maximizes
    Σ_t u_i(·, σ_t | d) - u_i(·, σ_t | d_t).

    Source: Zhou, Li and Zhu (2020), eq. (5).
    """
    for player in range(len(infostates.root_sequence)):
        find_reaches(nodes, infostates, player, state.policy, model)
        end = end_of_sequences(infostates, player, len(model.value))
        for sequence in range(infostates.root_sequence[player], end):
            model.value[sequence] = -state.gradient[sequence]
        for rank, node in enumerate(model.terminal):
            # The sum over t of the others' reach: chance and rewards are those of d for all t.
            reach = model.chance[node] * state.opponent_reach[rank, player]
            model.value[model.last[node]] += reach * model.reward[rank, player]
        respond(infostates, player, model.value, state.response)


@bare_kernel
def run_posterior_sampling(
    is_constant_sum: bool,
    play_state: PlayState,
    episodes: int,
    model: Model,
    state: ModelBasedState,
) -> None:
    """Play episodes in rounds, in which each player explores once; update `state`.

    A round learns from a model drawn from the posterior distribution, and explores the difference
    from another draw. Policies change at the end of a round.

    Source: Zhou, Li and Zhu (2020), Algorithm 2 and eq. (6).
    """
    nodes, infostates, rewards, done, stream, paths = play_state
    num_players, max_steps = paths.sequence.shape
    for _ in range(episodes):
        player = done[0] % num_players
        if player == 0:
            draw_model(nodes, is_constant_sum, rewards, state.visits, stream, model)
            learn_from_model(nodes, infostates, model, state)
            draw_model(nodes, is_constant_sum, rewards, state.visits, stream, model)
            find_responses(nodes, infostates, model, state)
        done[0] += 1
        end = play(
            nodes, infostates, state.policy, player, state.response, 1.0, max_steps, stream, paths
        )
        count_visits(end, model, state.visits)
        count_episode(infostates, state.cumulative_plan)
        if player == num_players - 1:
            change_policies(infostates, state)


@bare_kernel
def run_with_bounds(
    factor: float,
    log_confidence: float,
    play_state: PlayState,
    episodes: int,
    model: Model,
    state: ModelBasedState,
) -> None:
    """Play episodes with the current policies, and learn from optimistic models; update `state`.

    factor, log_confidence : see `fill_bounds`.
    """
    nodes, infostates, rewards, done, stream, paths = play_state
    for _ in range(episodes):
        done[0] += 1
        end = play(nodes, infostates, state.policy, -1, state.policy, 0.0, 0, stream, paths)
        count_visits(end, model, state.visits)
        count_episode(infostates, state.cumulative_plan)
        fill_bounds(nodes, factor, log_confidence, rewards, state.visits, model)
        learn_from_model(nodes, infostates, model, state)
        change_policies(infostates, state)


@kernel
def bound_gains(
    factor: float,
    log_confidence: float,
    play_state: PlayState,
    policy: FloatArray,
    model: Model,
    state: ModelBasedState,
    response: FloatArray,
    bounds: FloatArray,
) -> None:
    """Write upper bounds [N] on each player's best-response value against a policy [S], in place.

    factor, log_confidence : see `fill_bounds`. response : [S] workspace.
    """
    nodes, infostates, rewards = play_state.nodes, play_state.infostates, play_state.feedback
    fill_bounds(nodes, factor, log_confidence, rewards, state.visits, model)
    for player in range(len(bounds)):
        find_gradient(nodes, infostates, player, policy, model)
        respond(infostates, player, model.value, response)
        # Bonuses can add up to more than 0, the largest reward.
        bounds[player] = min(0.0, model.value[infostates.root_sequence[player]])
