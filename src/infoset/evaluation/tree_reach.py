"""Reach probabilities of the histories of a compiled tree, and related lookups."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from infoset.errors import PolicyMismatchError, UnknownNameError
from infoset.forms import Form
from infoset.game import History
from infoset.policy import TabularPolicy
from infoset.tree import GameTree
from infoset.typing import FloatArray, IntArray, LongArray, Player


def check_same_game(tree: GameTree, form: Form) -> None:
    """Raise an error if a form is not the sequence form of a tree.

    Raises
    ------
    PolicyMismatchError
        If it belongs to another game, or is another form of the same game.
    """
    if form is not tree.sequence_form and form.fingerprint != tree.sequence_form.fingerprint:
        raise PolicyMismatchError(
            f"the policy is for {form.name}, not for {tree.sequence_form.name}; give a policy for "
            "the same game with the same parameters"
        )


def reach_without(
    tree: GameTree, policy: TabularPolicy, players: Collection[Player] = ()
) -> FloatArray:
    """Return [H] the reach of each history, leaving out the factors of some players."""
    reach = tree.chance_reach.copy()
    for player in range(tree.num_players):
        if player not in players:
            reach *= policy.realization_plan(player)[tree.sequence[:, player]]
    return reach


def acting_histories(tree: GameTree) -> LongArray:
    """Return the histories at which a player acts."""
    is_acting = np.zeros(tree.num_histories, bool)
    for own, infostate in zip(tree.infostate_trees, tree.infostate.T, strict=True):
        is_acting |= own.num_actions[infostate] > 0
    return np.flatnonzero(is_acting)


def step_probability(tree: GameTree, policy: TabularPolicy) -> FloatArray:
    """Return [H] the probability of the last transition to each history; 1 at the root."""
    probability = np.ones(tree.num_histories)
    probability[1:] = tree.graph.probability[tree.edge[1:]]
    for player, states in enumerate(tree.infostate_trees):
        acted = states.num_actions[tree.infostate[tree.parent, player]] > 0
        acted[0] = False  # the root follows no action
        probability[acted] *= policy.probabilities[player][tree.sequence[acted, player]]
    return probability


def find_history(tree: GameTree, history: History) -> int:
    """Return the index in the tree of a `History`.

    Raises
    ------
    UnknownNameError
        If the tree does not contain the history.
    """
    number = 0
    for step in history.path()[1:]:
        number = _find_child(tree, number, step)
    return number


def _find_child(tree: GameTree, number: int, step: History) -> int:
    """Return the index of the history to which the last transition of `step` leads."""
    graph, world = tree.graph, int(tree.world[number])
    taken = [
        graph.action_sets[known].index(action) if known >= 0 else -1
        for known, action in zip(graph.action_set[world].tolist(), step.joint_action, strict=True)
    ]
    start, stop = int(graph.first_edge[world]), int(graph.first_edge[world + 1])
    for edge in range(start, stop):
        if graph.worlds[graph.next_world[edge]] != step.world:
            continue
        if graph.joint_action[edge].tolist() == taken:
            # The children of a history have the order of the edges of its world state.
            return int(tree.first_child[number]) + edge - start
    raise UnknownNameError(
        f"no history of {tree} leads to the world state {step.world!r}; give a history of "
        f"the same game with the same parameters"
    )


def sum_by(position: LongArray | IntArray, values: FloatArray, size: int) -> FloatArray:
    """Return [size, ...] the sum of the values [n, ...] at each position [n]."""
    total = np.zeros((size, *values.shape[1:]))
    np.add.at(total, position, values)
    return total
