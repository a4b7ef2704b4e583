"""Common knowledge in extensive forms: sets of histories that are closed under information sets."""

from __future__ import annotations

import numpy as np

from infoset.efg._history_kernels import inherit
from infoset.efg.histories import HistoryTree
from infoset.typing import BoolArray, IntArray
from infoset.utils.sorting import number_by_appearance


def common_knowledge_sets(form: HistoryTree) -> IntArray:
    """Return the finest partition of histories in which every information set lies in one part.

    Two histories are in the same part if and only if they are connected by a chain of histories in
    which, at each link, some player cannot distinguish the two. A fact is common knowledge if it is
    true throughout a part. In a classical form only the information sets of acting players are
    used.

    Returns
    -------
    IntArray
        [H] part of each history, numbered by first appearance. In an augmented form the partition
        refines `public_set`, and may be strictly finer because facts can be common knowledge
        without a public announcement (Kovařík et al. 2022, footnote 39).
    """
    return merge_intersecting(form.infoset)


def merge_intersecting(infoset: IntArray) -> IntArray:
    """Return the finest common coarsening of several partitions.

    Parameters
    ----------
    infoset
        [H, number of partitions] the set of each history in each partition; -1 for a singleton.

    Returns
    -------
    IntArray
        [H] the merged set of each history, numbered by first appearance.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    num_histories = len(infoset)
    rows, columns = [], []
    for sets in infoset.T:
        _, first, inverse = np.unique(sets, return_index=True, return_inverse=True)
        members = np.flatnonzero(sets >= 0)
        rows.append(members)
        columns.append(first[inverse[members]])  # a link to the first history of the set
    links = np.concatenate(rows), np.concatenate(columns)
    graph = coo_array((np.ones(len(links[0])), links), shape=(num_histories, num_histories))
    return number_by_appearance(connected_components(graph, directed=False)[1])


def closure(form: HistoryTree, history: int, sets: IntArray) -> BoolArray:
    """Return the smallest set containing a history that is closed under descendants and `sets`.

    If `sets` are the public sets, this is definition (i) of a subgame in Proposition A.1 (Kovařík
    et al. 2022).

    Parameters
    ----------
    form : ExtensiveForm
    sets
        [H] a partition, such as `form.public_set`, a column of `form.infoset` (negative entries
        are ignored), or `common_knowledge_sets(form)`.

    Returns
    -------
    BoolArray
        [H] True for the histories in the closure.
    """
    inside = np.zeros(form.num_histories, dtype=bool)
    inside[history] = True
    size = 0
    # Each of the two closures can break the other one, so both repeat until nothing is added.
    while size < np.count_nonzero(inside):
        size = int(np.count_nonzero(inside))
        touched = np.unique(sets[inside])
        inside |= np.isin(sets, touched[touched >= 0])
        inside = inherit(form.parent, np.where(inside, 1, -1).astype(np.int32)) > 0
    return inside
