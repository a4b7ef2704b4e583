"""The order in which groups of histories, such as public states, are drawn below their parent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

from infoset.tree import GameTree
from infoset.typing import IntArray


def sibling_ranks(tree: GameTree, group: IntArray, groups: Sequence[Sequence[int]]) -> list[int]:
    """Return the rank of each group among the groups below the same parent.

    The children of one history have the order of its transitions, but the histories of a group need
    not have the same children: no history leads to a public card that somebody holds. The order of
    the groups agrees with that of the children of every history, if there is such an order.

    Parameters
    ----------
    group
        [H] the group of each history.
    groups
        The histories of the first groups, in the order of their numbers.
    """
    ranks = [0] * len(groups)
    for histories in groups:
        children = (
            group[tree.first_child[history] : tree.first_child[history + 1]]
            for history in histories
        )
        drawn = (below[below < len(groups)].tolist() for below in children)
        for child, rank in merged_ranks(drawn).items():
            ranks[child] = rank
    return ranks


def merged_ranks(lists: Iterable[Sequence[int]]) -> dict[int, int]:
    """Rank the items of lists so that the order of each list is kept, if the lists agree.

    Where they leave a choice, or contradict each other, the item that appeared first comes first.

    Examples
    --------
    >>> merged_ranks([[2, 3], [1, 3], [1, 2]])
    {1: 0, 2: 1, 3: 2}
    >>> merged_ranks([[5, 4], [4, 5]])
    {5: 0, 4: 1}
    """
    later: dict[int, set[int]] = {}
    for items in lists:
        for item in items:
            later.setdefault(item, set())
        for one, other in pairwise(items):
            if one != other:
                later[one].add(other)
    # Topological sort: `waiting` counts the items that must come before each item.
    number = {item: place for place, item in enumerate(later)}
    waiting = dict.fromkeys(later, 0)
    for others in later.values():
        for other in others:
            waiting[other] += 1
    ready = [number[item] for item, count in waiting.items() if not count]
    heapify(ready)
    items, order = list(later), list[int]()
    while waiting:
        # If nothing is ready, the lists contradict each other: the first item breaks the circle.
        chosen = items[heappop(ready)] if ready else next(iter(waiting))
        if waiting.pop(chosen, None) is None:
            continue
        order.append(chosen)
        for other in later[chosen]:
            if other in waiting:
                waiting[other] -= 1
                if not waiting[other]:
                    heappush(ready, number[other])
    return {item: rank for rank, item in enumerate(order)}
