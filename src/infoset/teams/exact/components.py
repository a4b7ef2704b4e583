"""Which nodes are in one public state: what is common knowledge from a stage on."""

from __future__ import annotations

import numpy as np

from infoset.teams.exact.team_tree import NOBODY, TeamTree, stages
from infoset.typing import LongArray
from infoset.utils.sorting import number_by_appearance

__all__ = ["find_components", "number_within", "sort_nodes"]


def find_components(tree: TeamTree) -> LongArray:
    """Return [N] the public state of each node, by stage and then by first appearance.

    Nodes of a stage are in one if a chain of nodes leads from one to the other, in which each
    shares with the next a cell, or one that comes later.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    component = np.empty(len(tree.cell), np.int64)
    node_of_edge = tree.node_of_edge
    for nodes in reversed(list(stages(tree))):
        edges = np.arange(tree.first_edge[nodes.start], tree.first_edge[nodes.stop])
        inner = edges[tree.child[edges] >= 0]
        known = np.flatnonzero(tree.cell[nodes] != NOBODY)
        after = component[tree.child[inner]]
        link = np.concatenate([after, tree.cell[nodes][known] + after.max(initial=-1) + 1])
        link = np.unique(link, return_inverse=True)[1]
        row = np.concatenate([node_of_edge[inner] - nodes.start, known])
        size = nodes.stop - nodes.start
        total = size + link.max(initial=-1) + 1
        graph = coo_array((np.ones(len(row)), (row, size + link)), shape=(total, total))
        component[nodes] = connected_components(graph, directed=False)[1][:size]
    return number_by_appearance(component + tree.stage * len(component)).astype(np.int64)


def sort_nodes(tree: TeamTree, component: LongArray) -> LongArray:
    """Return [N] the nodes in order of component, then of cell as these first appear in it."""
    by_component = np.argsort(component, kind="stable")
    cell = number_within(component[by_component], tree.cell[by_component])
    return by_component[np.lexsort((cell, component[by_component]))]


def number_within(group: LongArray, value: LongArray) -> LongArray:
    """Return values numbered by first appearance in each group; `group` is in order.

    Examples
    --------
    >>> number_within(np.array([0, 0, 0, 1, 1]), np.array([5, 3, 5, 3, 5])).tolist()
    [0, 1, 0, 0, 1]
    """
    if not len(value):
        return value
    shifted = value - value.min()
    number = number_by_appearance(group * (shifted.max() + 1) + shifted).astype(np.int64)
    return number - number[np.searchsorted(group, group)]
