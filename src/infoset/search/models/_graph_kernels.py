"""Kernels that play on the nodes of a world graph."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.search.models._model_kernels import Position, implement, inlined
from infoset.typing import FloatArray, IntArray
from infoset.utils.splitmix import Stream, next_uniform


class GraphNodes(NamedTuple):
    """A `DecisionGraph` with rewards and observations. The state of a `Position` is its node."""

    actor: IntArray
    first_child: IntArray
    num_children: IntArray
    next_node: IntArray
    """As in `infoset.tree.decision_nodes.DecisionGraph`."""
    probability: FloatArray
    """[C] probability of a transition."""
    cumulative: FloatArray
    """[C] cumulative probability within a node, including the transition; infinite at its last one.
    """
    rewards: FloatArray
    """[C, N]"""
    observations: IntArray
    """[C, N] as in `Position`."""


def actor(model: GraphNodes, position: Position) -> int:
    """Return the player to act, `CHANCE_MOVE` or `END`."""
    # Nodes use the same negative codes for chance and ends as searches do.
    return int(model.actor[position.state[0]])


def num_actions(model: GraphNodes, position: Position) -> int:
    """Return the number of legal actions of the actor."""
    # The children of an actor's node are its legal actions, in their order.
    return int(model.num_children[position.state[0]])


def choose_action(model: GraphNodes, position: Position, action: int) -> None:
    """Move to the next actor of the world state, or to its transitions."""
    # Each actor of a world state has its own node. The nodes of simultaneous actors follow one
    # another; after the last actor comes a transition node.
    position.state[0] = model.next_node[model.first_child[position.state[0]] + action]


def num_outcomes(model: GraphNodes, position: Position) -> int:
    """Return the number of transitions."""
    # All actors have chosen, so the current node is a transition node: its children are outcomes.
    return int(model.num_children[position.state[0]])


def outcome_probability(model: GraphNodes, position: Position, outcome: int) -> float:
    """Return the probability of a transition."""
    return float(model.probability[model.first_child[position.state[0]] + outcome])


@inlined
def apply_outcome(model: GraphNodes, position: Position, outcome: int) -> None:
    """Apply a transition."""
    # Only transitions have rewards and observations; actions only lead to the next actor.
    child = model.first_child[position.state[0]] + outcome
    for player in range(model.rewards.shape[1]):
        position.rewards_so_far[player] += model.rewards[child, player]
        position.observations[player] = model.observations[child, player]
    position.state[0] = model.next_node[child]


def draw_outcome(model: GraphNodes, position: Position, stream: Stream) -> None:
    """Draw a transition and apply it."""
    node = position.state[0]
    outcome = drawn_outcome(model, model.first_child[node], model.num_children[node], stream)
    # The same outcome as `draw_by_inversion`, without summing the probabilities again.
    apply_outcome(model, position, outcome)


@inlined
def drawn_outcome(model: GraphNodes, first: int, count: int, stream: Stream) -> int:
    """Return the outcome drawn by inversion; a single outcome uses no random number."""
    # The stream must advance as in `draw_by_inversion`, so that all models draw the same plays.
    if count == 1:
        return 0
    uniform = next_uniform(stream)
    # The first guess is exact for equal probabilities. Otherwise walk up or down to the first child
    # whose cumulative probability exceeds the number. Infinity at the last child ends the walk up.
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
