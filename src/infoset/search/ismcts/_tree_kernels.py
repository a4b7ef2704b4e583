"""The tree of a search, in kernels: infostates in a hash table, and what was found at each.

Infostates are numbered as they are met: those at which the search begins, and then each by the one
before and what the transition showed, looked up in a hash table whose keys are compared in full.
"""

from __future__ import annotations

from math import log, sqrt
from typing import NamedTuple

import numpy as np

from infoset.search.models._kernels import inlined
from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import kernel
from infoset.utils.splitmix import Stream, next_uniform

PREVIOUS, SEEN, NEXT, SEARCH = range(4)
"""Columns of `Tree.steps`: an infostate and what is seen there, the infostate that follows, and the
search that wrote the row; those of other searches are empty."""

INFOSTATE, CHOSEN, PLAYER = range(3)
"""Columns of `Tree.path`: where the tree was passed, the slot of the action, and who took it."""

NUM_INFOSTATES, NUM_SLOTS, THIS_SEARCH = range(3)
"""Places in `Tree.counts`."""

NO_NODE = -1
NO_ROOM = -1

FACTORS = (0x5BD1E995, 0x2545F491)
"""Odd numbers without a pattern, by which keys are spread; products with 31 bits fit."""
LOW_BITS = 0x7FFFFFFF


class Tree(NamedTuple):
    """The memory of a search.

    Attributes
    ----------
    steps : LongArray
        [2 I, 4] the hash table of infostates, open addressing; its length is a power of 2.
    first_slot : LongArray
        [I] the first of an infostate's slots, one per action, or `NO_NODE`.
    visits : LongArray
        [I] how many simulations passed a node, not counting the one that made it.
    slot_visits : LongArray
        [S] how many of them took an action.
    returns : FloatArray
        [S] the sum of what the player got, in the game's units.
    path : LongArray
        [D, 3] the actions that a simulation took inside the tree.
    counts : LongArray
        [3] how many infostates and slots there are, and the number of the search.
    """

    steps: LongArray
    first_slot: LongArray
    visits: LongArray
    slot_visits: LongArray
    returns: FloatArray
    path: LongArray
    counts: LongArray


@inlined
def begin_search(tree: Tree, num_known: int) -> None:
    """Forget what there was; infostates up to `num_known` have their numbers already."""
    tree.counts[NUM_INFOSTATES], tree.counts[NUM_SLOTS] = num_known, 0
    tree.counts[THIS_SEARCH] += 1
    for infostate in range(num_known):
        tree.first_slot[infostate] = NO_NODE


@inlined
def place_of(steps: LongArray, previous: int, seen: int, search: int) -> int:
    """Return the row of a step, or the empty one where it belongs."""
    mask = len(steps) - 1
    folded = (seen ^ (seen >> 31)) & LOW_BITS
    mixed = (previous * FACTORS[0]) ^ (folded * FACTORS[1])
    place = (mixed ^ (mixed >> 29)) & mask
    while steps[place, SEARCH] == search and (
        steps[place, PREVIOUS] != previous or steps[place, SEEN] != seen
    ):
        place = (place + 1) & mask
    return int(place)


@inlined
def next_infostate(tree: Tree, previous: int, seen: int) -> int:
    """Return the infostate after another, given a new number where it was not met; or `NO_ROOM`."""
    search = tree.counts[THIS_SEARCH]
    place = place_of(tree.steps, previous, seen, search)
    if tree.steps[place, SEARCH] == search:
        return int(tree.steps[place, NEXT])
    number = tree.counts[NUM_INFOSTATES]
    if number == len(tree.visits):
        return NO_ROOM
    tree.counts[NUM_INFOSTATES] += 1
    tree.first_slot[number] = NO_NODE
    tree.steps[place, PREVIOUS] = previous
    tree.steps[place, SEEN] = seen
    tree.steps[place, NEXT] = number
    tree.steps[place, SEARCH] = search
    return int(number)


@kernel
def copy_steps(old: LongArray, new: LongArray, search: int) -> None:
    """Write what a search knows into a larger, empty table."""
    for row in range(len(old)):
        if old[row, SEARCH] == search:
            place = place_of(new, old[row, PREVIOUS], old[row, SEEN], search)
            for column in range(4):
                new[place, column] = old[row, column]


@inlined
def make_node(tree: Tree, infostate: int, count: int) -> bool:
    """Make a node with as many actions; return whether there is room."""
    first = tree.counts[NUM_SLOTS]
    if first + count > len(tree.returns):
        return False
    tree.counts[NUM_SLOTS] += count
    tree.first_slot[infostate] = first
    tree.visits[infostate] = 0
    for slot in range(first, first + count):
        tree.slot_visits[slot] = 0
        tree.returns[slot] = 0.0
    return True


@inlined
def draw_untried(tree: Tree, first: int, number: int, stream: Stream) -> int:
    """Return one of the actions not tried yet, of which there are `number`, all alike."""
    rank = int(next_uniform(stream) * number)
    action = 0
    while tree.slot_visits[first + action] > 0 or rank > 0:
        if tree.slot_visits[first + action] == 0:
            rank -= 1
        action += 1
    return action


@inlined
def best_action(tree: Tree, infostate: int, count: int, width: float, stream: Stream) -> int:
    """Return the action of the highest bound, or one not tried yet; ties are drawn.

    With N visits of the node, n of an action and mean m of its returns the bound is
    `m + width * sqrt(ln N / n)`.
    """
    first, visits = tree.first_slot[infostate], tree.visits[infostate]
    if visits < count:
        return draw_untried(tree, first, count - visits, stream)
    widened = width * sqrt(log(visits))
    best, ties, highest = 0, 0, -np.inf
    for action in range(count):
        tried = tree.slot_visits[first + action]
        bound = (tree.returns[first + action] + widened * sqrt(tried)) / tried
        if bound > highest:
            best, ties, highest = action, 1, bound
        elif bound == highest:
            ties += 1
            if next_uniform(stream) * ties < 1.0:
                best = action
    return best


@kernel
def add_totals(
    tree: Tree, infostates: LongArray, numbers: LongArray, visits: LongArray, returns: FloatArray
) -> None:
    """Add [A] visits and returns of actions, those of infostates [M], in place.

    The actions have the numbers [M, A] there; -1 for one that is not legal there.
    """
    for row in range(len(infostates)):
        first = tree.first_slot[infostates[row]]
        for action in range(len(visits)):
            if first != NO_NODE and numbers[row, action] >= 0:
                slot = first + numbers[row, action]
                visits[action] += tree.slot_visits[slot]
                returns[action] += tree.returns[slot]


@inlined
def count_path(tree: Tree, length: int) -> None:
    """Count a simulation at the nodes and actions that it passed."""
    for step in range(length):
        tree.visits[tree.path[step, INFOSTATE]] += 1
        tree.slot_visits[tree.path[step, CHOSEN]] += 1


@inlined
def add_returns(tree: Tree, length: int, rewards_so_far: FloatArray, num_rollouts: int) -> None:
    """Add what a play brought to the actions on the path, as one of so many plays."""
    for step in range(length):
        gain = rewards_so_far[tree.path[step, PLAYER]]
        tree.returns[tree.path[step, CHOSEN]] += gain / num_rollouts
