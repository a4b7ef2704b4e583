"""A world graph as searches in kernels read it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.search.models._kernels import Position, implement, inlined
from infoset.typing import FloatArray, IntArray
from infoset.utils.splitmix import Stream, next_uniform


class Graph(NamedTuple):
    """The nodes of a world graph: a world state, and which actions its first actors have chosen.

    The state of a position is the number of its node. The children of a node are its actions, or,
    where all have chosen, the transitions that there may be.

    Attributes
    ----------
    kind : IntArray
        [K] player to decide, `CHANCE_MOVE` or `END`.
    first_child, num_children : IntArray
        [K] the children of a node are `first_child:first_child + num_children`.
    next_node : IntArray
        [C] where a child leads.
    probability : FloatArray
        [C] of a transition.
    below : FloatArray
        [C] sum of the probabilities up to a transition; infinite for the last.
    rewards : FloatArray
        [C, N]
    observations : IntArray
        [C, N] what a transition shows each player, its own action included.
    """

    kind: IntArray
    first_child: IntArray
    num_children: IntArray
    next_node: IntArray
    probability: FloatArray
    below: FloatArray
    rewards: FloatArray
    observations: IntArray


def actor(model: Graph, position: Position) -> int:
    """Return the player to decide, `CHANCE_MOVE` or `END`."""
    return int(model.kind[position.state[0]])


def num_actions(model: Graph, position: Position) -> int:
    """Return how many actions the actor has."""
    return int(model.num_children[position.state[0]])


def choose(model: Graph, position: Position, action: int) -> None:
    """Go on to the next actor of the world state, or to its transitions."""
    position.state[0] = model.next_node[model.first_child[position.state[0]] + action]


def num_outcomes(model: Graph, position: Position) -> int:
    """Return how many transitions there may be."""
    return int(model.num_children[position.state[0]])


def outcome_probability(model: Graph, position: Position, outcome: int) -> float:
    """Return the probability of a transition."""
    return float(model.probability[model.first_child[position.state[0]] + outcome])


@inlined
def follow(model: Graph, position: Position, outcome: int) -> None:
    """Make a transition."""
    child = model.first_child[position.state[0]] + outcome
    for player in range(model.rewards.shape[1]):
        position.rewards_so_far[player] += model.rewards[child, player]
        position.observations[player] = model.observations[child, player]
    position.state[0] = model.next_node[child]


def draw(model: Graph, position: Position, stream: Stream) -> None:
    """Make a transition drawn by nature."""
    node = position.state[0]
    outcome = drawn_outcome(model, model.first_child[node], model.num_children[node], stream)
    follow(model, position, outcome)


@inlined
def drawn_outcome(model: Graph, first: int, count: int, stream: Stream) -> int:
    """Return the outcome that nature takes, tried first where it is if all are alike."""
    if count == 1:
        return 0
    place = next_uniform(stream)
    child = first + np.int64(place * count)
    while place >= model.below[child]:
        child += 1
    while child > first and place < model.below[child - 1]:
        child -= 1
    return int(child - first)


implement(
    Graph,
    actor,
    num_actions,
    choose,
    num_outcomes,
    outcome_probability,
    follow,
    draw,
)
