"""Arrays of a game in product form, and the rules that they must satisfy."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.errors import GameRuleError
from infoset.typing import Action, FloatArray, IntArray, LongArray
from infoset.utils.arguments import SUM_TOLERANCE


class ProductArrays(NamedTuple):
    """A game in which chance moves once, at the start: N nodes, E edges, L stages, P agents.

    A node is a prefix of a play: an outcome of chance and the actions taken since then. One agent
    acts at each node, and each edge is one of its actions. Nodes are ordered by stage, then by
    outcome, then as in the game. So parents precede children, and every cell of an information map
    has its nodes in one stage. Each outcome has one root, in the stage in which its first agent
    acts.
    """

    first_node: LongArray
    """[L + 1] the nodes of stage l, from 0, are `first_node[l]:first_node[l + 1]`."""
    chance: FloatArray
    """[N] probability of the node's outcome of chance."""
    agent: IntArray
    """[N] the acting agent."""
    first_edge: LongArray
    """[N + 1] the edges of node n are `first_edge[n]:first_edge[n + 1]`, in the order of its
    actions."""
    child: IntArray
    """[E] the node that an edge leads to, in a later stage; -1 where play ends."""
    parent_edge: LongArray
    """[N] the edge that leads to a node; -1 at roots."""
    payoff_edge: LongArray
    """[Z] the edges that end play with a payoff other than zero, in order."""
    payoff: FloatArray
    """[Z, P] payoff of each agent for the whole play, in the game's units."""

    @property
    def num_actions(self) -> LongArray:
        """[N] number of actions at each node."""
        return np.diff(self.first_edge)

    @property
    def node_of_edge(self) -> IntArray:
        """[E] the node at which an edge begins."""
        return np.repeat(np.arange(len(self.agent), dtype=np.int32), self.num_actions)

    @property
    def stage(self) -> IntArray:
        """[N] the stage of each node, from 0."""
        stages = np.arange(len(self.first_node) - 1, dtype=np.int32)
        return np.repeat(stages, np.diff(self.first_node))


class Description(NamedTuple):
    """The fields of a `ProductForm` that the rules below check."""

    arrays: ProductArrays
    num_agents: int
    outcomes: Sequence[Hashable]
    outcome: LongArray
    action_sets: tuple[tuple[Action, ...], ...]
    action_set: IntArray
    original: IntArray


def check_well_posed(name: str, description: Description) -> None:
    """Raise unless every choice of actions gives exactly one play for each outcome of chance.

    This is true if each outcome has one root, every node has actions, each edge either ends play or
    leads to a later node that no other edge leads to, and probabilities of outcomes sum to one.

    Raises
    ------
    GameRuleError
        If one of these rules is violated, or the lengths of arrays do not agree.
    """
    for rule, find in RULES:
        found = find(description)
        if found:
            raise GameRuleError(rule, found=f"{name}: {found}")


def _find_length_mismatch(form: Description) -> str:
    arrays = form.arrays
    num_nodes, num_edges = len(arrays.agent), int(arrays.first_edge[-1])
    columns: tuple[NDArray[Any], ...] = (
        arrays.chance,
        arrays.parent_edge,
        form.outcome,
        form.action_set,
        form.original,
    )
    lengths = [len(arrays.first_edge) - 1, int(arrays.first_node[-1]), *map(len, columns)]
    if any(length != num_nodes for length in lengths):
        return f"`agent` has {num_nodes} nodes, but other arrays have {lengths} nodes"
    if len(arrays.child) != num_edges:
        return f"`first_edge` ends at {num_edges} edges, but `child` has {len(arrays.child)}"
    shape = (len(arrays.payoff_edge), form.num_agents)
    wrong = f"payoff.shape={arrays.payoff.shape}, not {shape}"
    return "" if arrays.payoff.shape == shape else wrong


def _find_bad_chance(form: Description) -> str:
    chance = form.arrays.chance[form.arrays.parent_edge < 0]
    if not (chance > 0).all():
        return f"an outcome has probability {chance[~(chance > 0)][0]}"
    total = float(chance.sum())
    return "" if abs(total - 1) <= SUM_TOLERANCE else f"probabilities of outcomes sum to {total}"


def _find_bad_root(form: Description) -> str:
    roots = form.outcome[form.arrays.parent_edge < 0]
    outcomes, count = np.unique(roots, return_counts=True)
    if (count > 1).any():
        return f"the outcome {form.outcomes[int(outcomes[count > 1][0])]} has more than one root"
    missing = np.setdiff1d(form.outcome, outcomes)
    return f"the outcome {form.outcomes[int(missing[0])]} has no root" if len(missing) else ""


def _find_bad_link(form: Description) -> str:
    arrays = form.arrays
    inner = np.flatnonzero(arrays.parent_edge >= 0)
    edges = np.flatnonzero(arrays.child >= 0)
    if not np.array_equal(np.sort(arrays.parent_edge[inner]), edges):
        return "`parent_edge` does not contain exactly the edges that lead to nodes"
    wrong = np.flatnonzero(arrays.child[arrays.parent_edge[inner]] != inner)
    return f"the parent edge of node {inner[wrong[0]]} leads to another node" if len(wrong) else ""


def _find_bad_order(form: Description) -> str:
    arrays, stage = form.arrays, form.arrays.stage
    inner = np.flatnonzero(arrays.parent_edge >= 0)
    parent = arrays.node_of_edge[arrays.parent_edge[inner]]
    backward = inner[stage[parent] >= stage[inner]]
    if len(backward):
        return f"node {backward[0]} is not in a later stage than its parent"
    differs = form.outcome[parent] != form.outcome[inner]
    differs |= arrays.chance[parent] != arrays.chance[inner]
    return f"node {inner[differs][0]} has another outcome than its root" if differs.any() else ""


def _find_bad_actions(form: Description) -> str:
    num_actions = form.arrays.num_actions
    sizes = np.array([*map(len, form.action_sets)], np.int64)[form.action_set]
    wrong = np.flatnonzero((sizes != num_actions) | (sizes == 0))
    if len(wrong):
        node = wrong[0]
        return f"node {node} has {num_actions[node]} edges and {sizes[node]} actions"
    agent = form.arrays.agent
    outside = np.flatnonzero((agent < 0) | (agent >= form.num_agents))
    return f"node {outside[0]} has agent {agent[outside[0]]}" if len(outside) else ""


def _find_bad_payoff(form: Description) -> str:
    edge, payoff = form.arrays.payoff_edge, form.arrays.payoff
    if not np.isfinite(payoff).all():
        return f"a payoff is {payoff[~np.isfinite(payoff)][0]}"
    if (np.diff(edge) <= 0).any():
        return "edges with payoffs are out of order"
    inner = edge[form.arrays.child[edge] >= 0]
    return f"edge {inner[0]} has a payoff but does not end play" if len(inner) else ""


RULES = (
    ("arrays over nodes, over edges and over payoffs agree in length", _find_length_mismatch),
    ("every node has an agent, at least one action, and one edge per action", _find_bad_actions),
    ("every outcome has one root", _find_bad_root),
    ("outcomes have positive probabilities that sum to one", _find_bad_chance),
    ("an edge either ends play or leads to a node that no other edge leads to", _find_bad_link),
    ("a node has the outcome of its parent, in a later stage", _find_bad_order),
    ("payoffs are finite numbers at edges that end play, in order", _find_bad_payoff),
)
