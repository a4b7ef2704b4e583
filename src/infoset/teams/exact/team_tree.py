"""What a team can do in a product form: its nodes, fewer where play is the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from infoset.teams.product_form.ragged import edges_in_order
from infoset.typing import FloatArray, LongArray

__all__ = ["NOBODY", "TeamTree", "arrange", "merge_equivalent_roots", "pad_stages", "stages"]

RELATIVE_TOLERANCE = 1e-13
NOBODY = -1
"""The cell of nodes at which the team has nothing to choose, and all edges count."""


class TeamTree(NamedTuple):
    """The nodes of a product form as one team sees them: N nodes, E edges, L stages.

    Attributes
    ----------
    first_node : LongArray
        [L + 1] the nodes of each stage.
    cell : LongArray
        [N] what is known where one of the team chooses; `NOBODY` elsewhere.
    first_edge : LongArray
        [N + 1] the edges of each node.
    child : LongArray
        [E] the node that an edge leads to; -1 where play ends.
    gain : FloatArray
        [E] what the team gets where play ends with an edge, times the probability of all that is
        not the team's choice.
    """

    first_node: LongArray
    cell: LongArray
    first_edge: LongArray
    child: LongArray
    gain: FloatArray

    @property
    def tolerance(self) -> float:
        """How much better is no better, for rounding."""
        return RELATIVE_TOLERANCE * float(np.abs(self.gain).sum())

    @property
    def node_of_edge(self) -> LongArray:
        """[E] the node that an edge begins at."""
        return np.repeat(np.arange(len(self.cell)), np.diff(self.first_edge))

    @property
    def parent_edge(self) -> LongArray:
        """[N] the edge that leads to a node; -1 at roots."""
        parent = np.full(len(self.cell), -1, np.int64)
        inner = np.flatnonzero(self.child >= 0)
        parent[self.child[inner]] = inner
        return parent

    @property
    def stage(self) -> LongArray:
        """[N] the stage of each node."""
        return np.repeat(np.arange(len(self.first_node) - 1), np.diff(self.first_node))


def stages(tree: TeamTree) -> Iterator[slice]:
    """Return the nodes of each stage."""
    ends = tree.first_node.tolist()
    return map(slice, ends[:-1], ends[1:])


def merge_equivalent_roots(tree: TeamTree, equivalent: LongArray) -> tuple[TeamTree, LongArray]:
    """Make one of all roots below which play is the same; what they win is added up.

    Parameters
    ----------
    tree : TeamTree
    twin : LongArray
        [N] the first node that stands where each stands, below a twin of its root.

    Returns
    -------
    tuple[TeamTree, LongArray]
        The smaller tree, and [its N] the node of `tree` that each stands for.
    """
    node = tree.node_of_edge
    edge = np.arange(len(node)) + (tree.first_edge[equivalent] - tree.first_edge[:-1])[node]
    gain = np.zeros(len(edge))
    np.add.at(gain, edge, tree.gain)
    kept = np.flatnonzero(equivalent == np.arange(len(equivalent)))
    return arrange(tree._replace(gain=gain), kept, tree.stage), kept


def pad_stages(tree: TeamTree) -> tuple[TeamTree, LongArray]:
    """Have every play pass through all stages until it ends, with nodes to wait at.

    Returns
    -------
    tuple[TeamTree, LongArray]
        The tree, and [its N] the node of `tree` that each is, or waits for.
    """
    num_nodes, stage, parent_edge = len(tree.cell), tree.stage, tree.parent_edge
    before = np.where(parent_edge < 0, -1, stage[tree.node_of_edge[parent_edge]])
    count = stage - before - 1
    owner = np.repeat(np.arange(num_nodes), count)
    first = num_nodes + np.cumsum(count) - count
    waiting = np.arange(num_nodes, num_nodes + len(owner))
    is_last = np.append(owner[1:] != owner[:-1], True)[: len(owner)]
    inner = tree.child >= 0
    child = np.where(inner & (count[tree.child] > 0), first[tree.child], tree.child)
    padded = TeamTree(
        first_node=tree.first_node,
        cell=np.concatenate([tree.cell, np.full(len(owner), NOBODY)]),
        first_edge=np.concatenate([tree.first_edge, tree.first_edge[-1] + 1 + waiting - num_nodes]),
        child=np.concatenate([child, np.where(is_last, owner, waiting + 1)]),
        gain=np.concatenate([tree.gain, np.zeros(len(owner))]),
    )
    owner_of = np.concatenate([np.arange(num_nodes), owner])
    stage_of = np.concatenate([stage, before[owner] + 1 + waiting - first[owner]])
    order = np.lexsort((owner_of, stage_of))
    return arrange(padded, order, stage_of), owner_of[order]


def arrange(tree: TeamTree, nodes: LongArray, stage: LongArray) -> TeamTree:
    """Return the tree of some nodes, in another order; [N] the `stage` of each before."""
    edge, first_edge = edges_in_order(tree.first_edge, nodes)
    rank = np.full(len(tree.cell) + 1, -1, np.int64)
    rank[nodes] = np.arange(len(nodes))
    return TeamTree(
        first_node=np.searchsorted(stage[nodes], np.arange(len(tree.first_node))),
        cell=tree.cell[nodes],
        first_edge=first_edge,
        child=rank[tree.child[edge]],
        gain=tree.gain[edge],
    )
