"""Algorithm 1: the best response to a shadow, found from the last stage to the first."""

from __future__ import annotations

from typing import NamedTuple

from infoset.regret.prox._kernels import project_on_simplex
from infoset.teams.hiding._hiding_kernels import cast_shadow, keep_best, measure, weigh_nodes
from infoset.teams.hiding._pass_kernels import clear, fill_reach
from infoset.teams.hiding._projector_kernels import sum_by_label
from infoset.teams.hiding.arrays import Game, Numbers, Room, State
from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import inner_kernel, kernel


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


@inner_kernel
def add_endings(team: int, game: Game, room: Room) -> None:
    """Add to the gains of a team what plays that end pay."""
    nodes = game.nodes
    for ending in range(len(nodes.payoff_node)):
        node = nodes.payoff_node[ending]
        if nodes.team[node] == team:
            slot = game.fine.payoff_slot[ending]
            room.gain[slot] += room.weight[node] * nodes.payoff[team, ending]


@inner_kernel
def add_children(team: int, first: int, end: int, game: Game, room: Room) -> None:
    """Add to the gains of a team, at the nodes between two, the values of what follows."""
    for node in range(first, end):
        if game.nodes.team[node] == team:
            for edge in range(game.below.first_edge[node], game.below.first_edge[node + 1]):
                child = game.below.child[edge]
                if child >= 0:
                    room.gain[game.fine.slot[child]] += room.weight[node] * room.value[child]


@inner_kernel
def fill_values(
    team: int, gamma: float, first: int, end: int, game: Game, state: State, room: Room
) -> None:
    """Fill the values of the nodes between two for a team, its penalties paid."""
    num_endings = len(game.nodes.payoff_node)
    for node in range(first, end):
        label = game.fine.label[node]
        value = -gamma * room.distance[label] if game.nodes.team[node] == team else 0.0
        first_edge = game.below.first_edge[node]
        for edge in range(first_edge, game.below.first_edge[node + 1]):
            child = game.below.child[edge]
            chance = state.policy[game.fine.first_slot[label] + edge - first_edge]
            if child >= 0:
                value += chance * room.value[child]
            elif -1 - child < num_endings:
                value += chance * game.nodes.payoff[team, -1 - child]
        room.value[node] = value


@kernel
def respond(team: int, gamma: float, stages: Stages, game: Game, state: State, room: Room) -> None:
    """Replace the policy of a team by the best one against its shadow, penalties paid, in place.

    `room.weight` has beliefs; `room.value` is 0 in the end, as it was.
    """
    add_endings(team, game, room)
    for stage in range(len(stages.first_node) - 2, -1, -1):
        first, end = stages.first_node[stage], stages.first_node[stage + 1]
        first_label, end_label = stages.first_label[stage], stages.first_label[stage + 1]
        add_children(team, first, end, game, room)
        respond_at_labels(team, gamma, first_label, end_label, game, state, room)
        fill_values(team, gamma, first, end, game, state, room)
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
