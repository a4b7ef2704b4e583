"""Kernels that play on the nodes of a world graph."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.search.models._model_kernels import Position, implement, inlined
from infoset.typing import FloatArray, IntArray
from infoset.utils.splitmix import Stream, next_uniform


class GraphNodes(NamedTuple):
    """A `DecisionGraph` with what searches need at its children. A `Position`'s state is its node.

    Attributes
    ----------
    actor, first_child, num_children, next_node : IntArray
        As in `infoset.tree.decision_nodes.DecisionGraph`.
    probability : FloatArray
        [C] probability of a transition.
    cumulative : FloatArray
        [C] sum of the probabilities up to and including a transition; infinite for the last.
    rewards : FloatArray
        [C, N]
    observations : IntArray
        [C, N] see `Position`.
    """

    actor: IntArray
    first_child: IntArray
    num_children: IntArray
    next_node: IntArray
    probability: FloatArray
    cumulative: FloatArray
    rewards: FloatArray
    observations: IntArray


def actor(model: GraphNodes, position: Position) -> int:
    """Return the player to act, `CHANCE_MOVE` or `END`."""
    return int(model.actor[position.state[0]])


def num_actions(model: GraphNodes, position: Position) -> int:
    """Return the number of legal actions of the actor."""
    return int(model.num_children[position.state[0]])


def choose_action(model: GraphNodes, position: Position, action: int) -> None:
    """Move to the next actor of the world state, or to its transitions."""
    # Actors of a world state are nodes of their own, one after another; the last one's children are
    # transition nodes.
    position.state[0] = model.next_node[model.first_child[position.state[0]] + action]


def num_outcomes(model: GraphNodes, position: Position) -> int:
    """Return the number of transitions."""
    return int(model.num_children[position.state[0]])


def outcome_probability(model: GraphNodes, position: Position, outcome: int) -> float:
    """Return the probability of a transition."""
    return float(model.probability[model.first_child[position.state[0]] + outcome])


@inlined
def apply_outcome(model: GraphNodes, position: Position, outcome: int) -> None:
    """Apply a transition."""
    # only transitions carry rewards and observations; actions lead to the next actor
    child = model.first_child[position.state[0]] + outcome
    for player in range(model.rewards.shape[1]):
        position.rewards_so_far[player] += model.rewards[child, player]
        position.observations[player] = model.observations[child, player]
    position.state[0] = model.next_node[child]


def draw_outcome(model: GraphNodes, position: Position, stream: Stream) -> None:
    """Draw a transition and apply it."""
    node = position.state[0]
    outcome = drawn_outcome(model, model.first_child[node], model.num_children[node], stream)
    # The same draw as `draw_by_inversion`, with a stored cumulative distribution.
    apply_outcome(model, position, outcome)


@inlined
def drawn_outcome(model: GraphNodes, first: int, count: int, stream: Stream) -> int:
    """Return the outcome drawn by inversion; a single outcome uses no random number."""
    if count == 1:
        return 0
    uniform = next_uniform(stream)
    # With equal probabilities this first guess is exact; otherwise walk from it to the answer.
    # Infinity at the last child stops the walk upwards.
    child = first + np.int64(uniform * count)
    while uniform >= model.cumulative[child]:
        child += 1
    while child > first and uniform < model.cumulative[child - 1]:
        child -= 1
    return int(child - first)


implement(
    GraphNodes,
    actor,
    num_actions,
    choose_action,
    num_outcomes,
    outcome_probability,
    apply_outcome,
    draw_outcome,
)
