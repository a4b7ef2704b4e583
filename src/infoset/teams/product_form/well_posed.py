"""Whether arrays are a game in product form: one play for every outcome, whatever is chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import GameRuleError
from infoset.utils.arguments import SUM_TOLERANCE

if TYPE_CHECKING:
    from infoset.teams.product_form.form import ProductForm

__all__ = ["check_well_posed"]


def check_well_posed(form: ProductForm) -> None:
    """Raise unless every choice of actions gives one play for each outcome of chance.

    That is so if each outcome has one root, all nodes have actions, an edge leads to a node of
    its own in a later stage or ends the play, and probabilities of outcomes sum to one.

    Raises
    ------
    GameRuleError
        If one of these is not so, or arrays do not fit together.
    """
    for rule, find in RULES:
        found = find(form)
        if found:
            raise GameRuleError(rule, found=f"{form.name}: {found}")


def _misfit(form: ProductForm) -> str:
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
        return f"there are {num_nodes} agents of nodes, but other arrays are of {lengths} nodes"
    if len(arrays.child) != num_edges:
        return f"nodes have {num_edges} edges, but there are children of {len(arrays.child)}"
    shape = (len(arrays.payoff_edge), len(form.agent_names))
    return "" if arrays.payoff.shape == shape else f"payoffs are {arrays.payoff.shape}, not {shape}"


def _bad_chance(form: ProductForm) -> str:
    chance = form.arrays.chance[form.arrays.parent_edge < 0]
    if not (chance > 0).all():
        return f"an outcome has probability {chance[~(chance > 0)][0]}"
    total = float(chance.sum())
    return "" if abs(total - 1) <= SUM_TOLERANCE else f"probabilities of outcomes sum to {total}"


def _bad_roots(form: ProductForm) -> str:
    roots = form.outcome[form.arrays.parent_edge < 0]
    outcomes, count = np.unique(roots, return_counts=True)
    if (count > 1).any():
        return f"the outcome {form.outcomes[int(outcomes[count > 1][0])]} has more than one root"
    lacking = np.setdiff1d(form.outcome, outcomes)
    return f"the outcome {form.outcomes[int(lacking[0])]} has no root" if len(lacking) else ""


def _bad_links(form: ProductForm) -> str:
    arrays = form.arrays
    inner = np.flatnonzero(arrays.parent_edge >= 0)
    edges = np.flatnonzero(arrays.child >= 0)
    if not np.array_equal(np.sort(arrays.parent_edge[inner]), edges):
        return "edges that lead to nodes are not those that nodes come from"
    wrong = np.flatnonzero(arrays.child[arrays.parent_edge[inner]] != inner)
    return f"the edge that node {inner[wrong[0]]} comes from leads elsewhere" if len(wrong) else ""


def _bad_order(form: ProductForm) -> str:
    inner = np.flatnonzero(form.arrays.parent_edge >= 0)
    parent = form.node_of_edge[form.arrays.parent_edge[inner]]
    backward = inner[form.stage[parent] >= form.stage[inner]]
    if len(backward):
        return f"node {backward[0]} is in no later stage than the node before it"
    differs = form.outcome[parent] != form.outcome[inner]
    differs |= form.arrays.chance[parent] != form.arrays.chance[inner]
    return f"node {inner[differs][0]} is of another outcome than its root" if differs.any() else ""


def _bad_actions(form: ProductForm) -> str:
    sizes = np.array([*map(len, form.action_sets)], np.int64)[form.action_set]
    wrong = np.flatnonzero((sizes != form.num_actions) | (sizes == 0))
    if len(wrong):
        node = wrong[0]
        return f"node {node} has {form.num_actions[node]} edges and {sizes[node]} actions"
    agent = form.arrays.agent
    outside = np.flatnonzero((agent < 0) | (agent >= form.num_agents))
    return f"node {outside[0]} is of agent {agent[outside[0]]}" if len(outside) else ""


def _bad_payoffs(form: ProductForm) -> str:
    edge, payoff = form.arrays.payoff_edge, form.arrays.payoff
    if not np.isfinite(payoff).all():
        return f"a payoff is {payoff[~np.isfinite(payoff)][0]}"
    if (np.diff(edge) <= 0).any():
        return "edges with payoffs are not in order"
    inner = edge[form.arrays.child[edge] >= 0]
    return f"edge {inner[0]} pays, though play goes on" if len(inner) else ""


RULES: Iterable[tuple[str, Callable[[ProductForm], str]]] = (
    ("arrays of nodes, edges and payoffs have one length each", _misfit),
    ("every node has an agent, and an edge for each of its actions, one at least", _bad_actions),
    ("every outcome has one root", _bad_roots),
    ("outcomes have positive probabilities that sum to one", _bad_chance),
    ("an edge leads to a node that no other leads to, or ends the play", _bad_links),
    ("a node is of the outcome of the node before it, in a later stage", _bad_order),
    ("payoffs are finite numbers at edges that end play, in order", _bad_payoffs),
)
