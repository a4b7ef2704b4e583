"""What threads do side by side: parts of a player's treeplex and payoffs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from infoset.regret.layout import Layout, is_new
from infoset.regret.payoffs import BlockPayoffs
from infoset.typing import IndexArray, IntArray, LongArray

__all__ = ["Parts", "parts_of"]


@dataclass(frozen=True, eq=False)
class Parts:
    """One player's payoffs and treeplex, in parts that have nothing to do with each other.

    The parts of the treeplex are made of all that is below some of the sequences of a top. So a
    sweep bottom up does the parts in any order and then the top, and one top down the reverse.
    Neither rounds otherwise than one sweep over the whole.

    Attributes
    ----------
    payoffs : tuple[BlockPayoffs, ...]
        The payoffs of ranges of blocks.
    top : IndexArray
        [G, 5] groups of the top, see `Layout`.
    below : tuple[IndexArray, ...]
        Per part [R, 5] parts of groups, later infostates of a group before earlier ones; none where
        none are independent.
    """

    payoffs: tuple[BlockPayoffs, ...]
    top: IndexArray
    below: tuple[IndexArray, ...]


def parts_of(layout: Layout, public_state: IntArray, pairs: BlockPayoffs, number: int) -> Parts:
    """Return about `number` parts of about the same work each.

    Parameters
    ----------
    layout : Layout
    public_state : IntArray
        [I] of the infostates, in the order of the layout. A public state is in one part, so that
        its infostates stay side by side.
    pairs : BlockPayoffs
        The player's payoffs in this layout.
    number : int
    """
    owner = _owners(layout)
    levels = _levels(layout, owner)
    work = np.repeat(layout.groups[:, 2], layout.groups[:, 1]).astype(np.int64)
    least, first, part = int(work.sum()), len(work), np.zeros(0, np.int64)
    for depth in range(1, len(levels) - 1):
        top = int(work[: levels[depth]].sum())
        if top >= least:
            break
        unit = _units(layout.parent, public_state, owner, levels[depth:])
        by_unit = np.bincount(unit, work[levels[depth] :])
        part_of_unit = _equal_shares(by_unit, number)
        longest = top + int(np.bincount(part_of_unit, by_unit).max())
        if longest < least:
            least, first, part = longest, levels[depth], part_of_unit[unit]
    top_groups = np.searchsorted(layout.groups[:, 3], first)
    return Parts(
        _payoffs_in_ranges(pairs, number), layout.groups[:top_groups], _runs(layout, first, part)
    )


def _owners(layout: Layout) -> LongArray:
    """Return [I] the infostate whose action is the last before each, -1 for none."""
    base, count, _, first, _ = layout.groups.astype(np.int64).T
    group = np.searchsorted(base, layout.parent, side="right") - 1
    owner = first[group] + (layout.parent - base[group]) % count[group]
    return np.where(layout.parent > 0, owner, -1)


def _levels(layout: Layout, owner: LongArray) -> list[int]:
    """Return where the infostates of each own depth begin, and where the last ones end."""
    begins = [0]
    for infostate in layout.groups[:, 3].tolist():
        if owner[infostate] >= begins[-1]:
            begins.append(infostate)
    return [*begins, len(layout.parent)]


def _units(
    parent: IndexArray, public_state: IntArray, owner: LongArray, levels: list[int]
) -> LongArray:
    """Return [I'] in which unit each infostate of these levels is, the first level and below.

    At the first level those that share a parent sequence or a public state are in one unit, and
    what is below an infostate is in its unit. Units are numbered in order of appearance.
    """
    begin, end = levels[:2]
    unit = np.empty(levels[-1] - begin, np.int64)
    unit[: end - begin] = _components(parent[begin:end], public_state[begin:end])
    for start, stop in pairwise(levels[1:]):
        unit[start - begin : stop - begin] = unit[owner[start:stop] - begin]
    return unit


def _components(left: IndexArray, right: IntArray) -> LongArray:
    """Return [E] the components of the edges between two kinds of nodes, by first appearance."""
    lefts, at_left = np.unique(left, return_inverse=True)
    rights, at_right = np.unique(right, return_inverse=True)
    size = len(lefts) + len(rights)
    edges = coo_array((np.ones(len(left)), (at_left, len(lefts) + at_right)), (size, size))
    label = connected_components(edges, directed=False)[1][at_left]
    _, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[inverse])


def _equal_shares(work: LongArray, number: int) -> LongArray:
    """Return [U] one of `number` shares for each unit, neighbors together, of about equal work."""
    middle = np.cumsum(work) - work / 2
    return np.asarray(middle * (number / work.sum()), np.int64)


def _runs(layout: Layout, first: int, part: LongArray) -> tuple[IndexArray, ...]:
    """Return the runs of each part, given that of every infostate from `first` on."""
    base, count, actions, start, _ = layout.groups.astype(np.int64).T
    group = np.repeat(np.arange(len(start)), count)[first:]
    begins = np.flatnonzero(is_new(group, part))
    sizes = np.diff(begins, append=len(part))
    group, part, begins = group[begins], part[begins], begins + first
    runs = np.stack(
        [base[group] + begins - start[group], count[group], actions[group], begins, sizes], axis=1
    )
    order = np.lexsort((-begins, group))
    runs, part = runs[order].astype(np.uint32), part[order]
    return tuple(runs[part == number] for number in np.unique(part))


def _payoffs_in_ranges(pairs: BlockPayoffs, number: int) -> tuple[BlockPayoffs, ...]:
    """Return the payoffs of `number` ranges of blocks, with about as many entries and blocks."""
    work = pairs.first.astype(np.int64) + np.arange(len(pairs.first))
    cuts = np.searchsorted(work, np.linspace(0, work[-1], number + 1)).tolist()
    return tuple(pairs.of_blocks(begin, end) for begin, end in pairwise(cuts) if begin < end)
