"""Putting nodes in order: by stage, then by outcome of chance, then as they were made."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.teams.product_form.arrays import ProductArrays
from infoset.teams.product_form.chance import ChanceOutcomes
from infoset.teams.product_form.histories import Histories
from infoset.teams.product_form.ragged import edges_in_order, spread
from infoset.teams.product_form.stages import stage_of_cells
from infoset.teams.product_form.unfolding import Nodes, Plays
from infoset.typing import LongArray

__all__ = ["Layout", "assemble_arrays", "lay_out"]


class Layout(NamedTuple):
    """What nodes, as they were made, are known by, and their order.

    Attributes
    ----------
    infostate : LongArray
        [N] what its agent knows at a node; -1 where it only waits.
    cell : LongArray
        [N] a number for agent and infostate.
    stage : LongArray
        [N] the stage, from 0.
    order : LongArray
        [N] the nodes in order.
    """

    infostate: LongArray
    cell: LongArray
    stage: LongArray
    order: LongArray


def lay_out(histories: Histories, plays: Plays, nodes: Nodes, max_stages: int, name: str) -> Layout:
    """Return the layout of nodes."""
    known = histories.known[plays.history[nodes.row], nodes.agent].astype(np.int64)
    infostate = np.where(nodes.action_set < len(histories.action_sets), known, -1)
    codes = (infostate + 1) * histories.num_agents + nodes.agent
    cell = np.unique(codes, return_inverse=True)[1]
    parent = _parents(nodes)
    stage = stage_of_cells(cell, parent, max_stages, name)[cell]
    order = np.lexsort((plays.outcome[nodes.row], stage))
    return Layout(infostate, cell, stage, order)


def assemble_arrays(
    histories: Histories, outcomes: ChanceOutcomes, plays: Plays, nodes: Nodes, layout: Layout
) -> ProductArrays:
    """Return the arrays of a product form, its nodes in order."""
    order = layout.order
    edge, first_edge = edges_in_order(nodes.first_edge, order)
    rank = np.empty(len(order) + 1, np.int64)
    rank[order] = np.arange(len(order))
    rank[-1] = -1
    child = rank[nodes.child[edge]]
    ends = np.flatnonzero(child < 0)
    payoff = np.ascontiguousarray(histories.utility[plays.history[nodes.last_row[edge[ends]]]])
    pays = payoff.any(axis=1)
    stages = np.arange(layout.stage.max() + 2)
    return ProductArrays(
        first_node=np.searchsorted(layout.stage[order], stages),
        chance=outcomes.probability[plays.outcome[nodes.row[order]]],
        agent=nodes.agent[order].astype(np.int32),
        first_edge=first_edge,
        child=child.astype(np.int32),
        parent_edge=_parent_edge(child, len(order)),
        payoff_edge=ends[pays],
        payoff=payoff[pays],
    )


def _parent_edge(child: LongArray, num_nodes: int) -> LongArray:
    """Return [N] the edge that leads to each node; -1 at roots."""
    parent_edge = np.full(num_nodes, -1, np.int64)
    inner = np.flatnonzero(child >= 0)
    parent_edge[child[inner]] = inner
    return parent_edge


def _parents(nodes: Nodes) -> LongArray:
    """Return [N] the node before each; -1 at roots."""
    node_of_edge, _ = spread(np.diff(nodes.first_edge))
    parent_edge = _parent_edge(nodes.child, len(nodes.row))
    return np.where(parent_edge < 0, -1, node_of_edge[parent_edge])
