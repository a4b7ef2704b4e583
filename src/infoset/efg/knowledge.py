"""Common knowledge in extensive forms: closures under information sets."""

from __future__ import annotations

import numpy as np

from infoset.efg._kernels import inherit
from infoset.efg.form import ExtensiveForm, number_by_appearance
from infoset.typing import BoolArray, IntArray

__all__ = ["closure", "common_knowledge_sets", "merge_intersecting"]


def common_knowledge_sets(form: ExtensiveForm) -> IntArray:
    """Return the finest partition of histories that no information set crosses.

    Two histories are in one set exactly when a chain of histories leads from one to the other,
    each of which some player cannot tell from the next: what is common knowledge is what holds
    all over such a set. In a classical form only the information sets of whoever acts count.

    Returns
    -------
    IntArray
        [H] number of the set of each history, by first appearance. Of an augmented form it
        refines `public_set`, and can be finer: what is common knowledge need not have been
        announced (Kovařík et al. 2022, footnote 39).
    """
    return merge_intersecting(form.infoset)


def merge_intersecting(infoset: IntArray) -> IntArray:
    """Return the finest common coarsening of several partitions.

    Parameters
    ----------
    infoset : IntArray
        [H, number of partitions] the set of each history in each; -1 for a set of its own.

    Returns
    -------
    IntArray
        [H] numbers of the merged sets, by first appearance.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    num_histories = len(infoset)
    rows, columns = [], []
    for sets in infoset.T:
        _, first, inverse = np.unique(sets, return_index=True, return_inverse=True)
        members = np.flatnonzero(sets >= 0)
        rows.append(members)
        columns.append(first[inverse[members]])
    links = np.concatenate(rows), np.concatenate(columns)
    graph = coo_array((np.ones(len(links[0])), links), shape=(num_histories, num_histories))
    return number_by_appearance(connected_components(graph, directed=False)[1])


def closure(form: ExtensiveForm, history: int, sets: IntArray) -> BoolArray:
    """Return the smallest set with a history that is closed under descendants and under `sets`.

    With `sets` the public sets this is definition (i) of a subgame in Proposition A.1 (Kovařík
    et al. 2022).

    Parameters
    ----------
    form : ExtensiveForm
    history : int
    sets : IntArray
        [H] a partition, such as `form.public_set`, a column of `form.infoset` (sets below 0 do
        not count), or `common_knowledge_sets(form)`.

    Returns
    -------
    BoolArray
        [H] whether each history is in it.
    """
    inside = np.zeros(form.num_histories, dtype=bool)
    inside[history] = True
    size = 0
    while size < np.count_nonzero(inside):
        size = int(np.count_nonzero(inside))
        touched = np.unique(sets[inside])
        inside |= np.isin(sets, touched[touched >= 0])
        inside = inherit(form.parent, np.where(inside, 1, -1).astype(np.int32)) > 0
    return inside
