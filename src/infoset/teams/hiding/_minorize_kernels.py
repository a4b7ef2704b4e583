"""Algorithm 1: the best response to a shadow, found from the last stage to the first."""

from __future__ import annotations

from typing import NamedTuple

from infoset.kernels import kernel
from infoset.regret.prox._kernels import project_on_simplex
from infoset.teams.hiding._hiding_kernels import (
    Game,
    Numbers,
    Room,
    State,
    cast_shadow,
    keep_best,
    measure,
    weigh_nodes,
)
from infoset.teams.hiding._pass_kernels import clear, fill_reach
from infoset.teams.hiding._projector_kernels import sum_by_label
from infoset.typing import FloatArray, LongArray


class Stages(NamedTuple):
    """The stages of play.

    Attributes
    ----------
    first_node : LongArray
        [L + 1]
    first_label : LongArray
        [L + 1] the labels of each stage, in the same way.
    """

    first_node: LongArray
    first_label: LongArray


@kernel
def respond_at_labels(
    team: int, gamma: float, first: int, end: int, game: Game, state: State, room: Room
) -> None:
    """Set the policy at the labels of a team between two, from what actions are worth there.

    x = the nearest probabilities to π̂ + Q / 2γ, which are the best of <x, Q> - γ ‖x - π̂‖².

    What actions are worth is in `room.gain`, summed with weights that sum to 1; it is 0 after that.
    """
    for label in range(first, end):
        if game.label_team[label] != team:
            continue
        slot, to = game.fine.first_slot[label], game.coarse.first_slot[game.known[label]]
        num_actions = game.fine.first_slot[label + 1] - slot
        for action in range(num_actions):
            worth = room.gain[slot + action] / (2.0 * gamma)
            state.policy[slot + action] = state.shadow[to + action] + worth
            room.gain[slot + action] = 0.0
        project_on_simplex(state.policy, slot, 1, num_actions)
        distance = 0.0
        for action in range(num_actions):
            distance += (state.policy[slot + action] - state.shadow[to + action]) ** 2
        room.distance[label] = distance


@kernel
def respond(team: int, gamma: float, stages: Stages, game: Game, state: State, room: Room) -> None:
    """Replace the policy of a team by the best one against its shadow, penalties paid, in place.

    With weights that are beliefs in `room.weight`, and zeros in `room.value`, which are left there.
    """
    nodes, view, below = game.nodes, game.fine, game.below
    for place in range(len(nodes.payoff_node)):
        node = nodes.payoff_node[place]
        if nodes.team[node] == team:
            room.gain[view.payoff_slot[place]] += room.weight[node] * nodes.payoff[team, place]
    for stage in range(len(stages.first_node) - 2, -1, -1):
        first, end = stages.first_node[stage], stages.first_node[stage + 1]
        for node in range(first, end):
            if nodes.team[node] == team:
                for edge in range(below.first_edge[node], below.first_edge[node + 1]):
                    child = below.child[edge]
                    if child >= 0:
                        room.gain[view.slot[child]] += room.weight[node] * room.value[child]
        respond_at_labels(
            team,
            gamma,
            stages.first_label[stage],
            stages.first_label[stage + 1],
            game,
            state,
            room,
        )
        for node in range(first, end):
            label = view.label[node]
            base = view.first_slot[label]
            value = -gamma * room.distance[label] if nodes.team[node] == team else 0.0
            for edge in range(below.first_edge[node], below.first_edge[node + 1]):
                child = below.child[edge]
                chance = state.policy[base + edge - below.first_edge[node]]
                if child >= 0:
                    value += chance * room.value[child]
                elif -1 - child < len(nodes.payoff_node):
                    value += chance * nodes.payoff[team, -1 - child]
            room.value[node] = value
    clear(room.value)


@kernel
def minorize_maximize(
    stages: Stages, game: Game, numbers: Numbers, state: State, room: Room, trace: FloatArray
) -> None:
    """Run one iteration for each row of `trace` [I, T, 4], which is filled; `state` in place.

    Source: Heymann and Lanctot (2025), Algorithm 1.
    """
    team = game.teams[0]
    for row in trace:
        state.done[0] += 1
        fill_reach(game.nodes, game.fine, state.policy, room.reach)
        cast_shadow(game, numbers, state, room)
        weigh_nodes(game, numbers, state, room)
        respond(team, state.gamma[team], stages, game, state, room)
        fill_reach(game.nodes, game.fine, state.policy, room.reach)
        sum_by_label(game.fine.label, room.reach, room.reached)
        cast_shadow(game, numbers, state, room)
        measure(game, state, room, row)
        keep_best(game, state, row)
