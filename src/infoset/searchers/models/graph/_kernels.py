"""A world graph as searches in kernels read it."""

from __future__ import annotations

from typing import NamedTuple

from infoset.searchers.models._kernels import CHANCE_MOVE, END, Position, implement
from infoset.typing import FloatArray, IntArray

WORLD, LOW, HIGH, NEXT = range(4)
"""The state: a world state, the edges `LOW:HIGH` that the actions chosen so far leave, and the
first player that may still have to choose."""

STATE_SIZE = 4


class Graph(NamedTuple):
    """The arrays of a world graph; see `WorldGraph`.

    Attributes
    ----------
    first_edge : IntArray
        [W + 1]
    num_actions : IntArray
        [W, N] zero for players who do not act.
    joint_action : IntArray
        [E, N]
    probability : FloatArray
        [E]
    next_world : IntArray
        [E]
    rewards : FloatArray
        [E, N]
    seen : IntArray
        [E, N] what an edge shows each player, its own action included.
    """

    first_edge: IntArray
    num_actions: IntArray
    joint_action: IntArray
    probability: FloatArray
    next_world: IntArray
    rewards: FloatArray
    seen: IntArray


def actor(model: Graph, position: Position) -> int:
    """Return the player to decide, `CHANCE_MOVE` or `END`."""
    state = position.state
    if state[LOW] == state[HIGH]:
        return END
    num_players = model.num_actions.shape[1]
    if state[NEXT] < num_players:
        return int(state[NEXT])
    return CHANCE_MOVE


def num_actions(model: Graph, position: Position) -> int:
    """Return how many actions the actor has."""
    return int(model.num_actions[position.state[WORLD], position.state[NEXT]])


def choose(model: Graph, position: Position, action: int) -> None:
    """Keep the edges on which the actor takes the action: they stand side by side."""
    state = position.state
    world, player = state[WORLD], state[NEXT]
    low, high = state[LOW], state[HIGH]
    if high - low == model.num_actions[world, player]:
        low, high = low + action, low + action + 1
    else:
        while model.joint_action[low, player] != action:
            low += 1
        end = low + 1
        while end < high and model.joint_action[end, player] == action:
            end += 1
        high = end
    player += 1
    while player < model.num_actions.shape[1] and model.num_actions[world, player] == 0:
        player += 1
    state[LOW], state[HIGH], state[NEXT] = low, high, player


def num_outcomes(model: Graph, position: Position) -> int:
    """Return how many edges are left."""
    return int(position.state[HIGH] - position.state[LOW])


def outcome_probability(model: Graph, position: Position, outcome: int) -> float:
    """Return the probability of an edge."""
    return float(model.probability[position.state[LOW] + outcome])


def follow(model: Graph, position: Position, outcome: int) -> None:
    """Take an edge."""
    state = position.state
    edge = state[LOW] + outcome
    num_players = model.num_actions.shape[1]
    for player in range(num_players):
        position.gains[player] += model.rewards[edge, player]
        position.seen[player] = model.seen[edge, player]
    world = model.next_world[edge]
    player = 0
    while player < num_players and model.num_actions[world, player] == 0:
        player += 1
    state[WORLD], state[NEXT] = world, player
    state[LOW], state[HIGH] = model.first_edge[world], model.first_edge[world + 1]


implement(Graph, actor, num_actions, choose, num_outcomes, outcome_probability, follow)
