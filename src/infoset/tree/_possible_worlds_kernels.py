"""Kernels that find the possible worlds of a player, the shapes below them, and their structures.

A set of possible worlds consists of the worlds of all histories of an infostate, which the player
considers possible there. Infostates with equal sets have equal trees below them.
"""

from __future__ import annotations

import numpy as np

from infoset.forms import EMPTY, END, WAIT
from infoset.typing import IntArray, LongArray
from infoset.utils.compilation import linear_kernel
from infoset.utils.interning_kernels import add_list, grown_to, no_lists


@linear_kernel
def possible_worlds(
    first_edge: IntArray, next_world: IntArray, step: IntArray, limit: int
) -> tuple[LongArray, LongArray, LongArray, LongArray, LongArray]:
    """Find the sets of worlds that a player considers possible, breadth first.

    first_edge [W + 1], next_world [E]; step [E] what the player observes and does. Terminal worlds
    are left out. Returns members [M] and first_member [S + 1], sorted worlds of each set; and
    first_child [K + 1], child_step, child_set [C]: the steps from the first K sets, which are all
    of them unless M exceeds `limit`.
    """
    lists, used = no_lists(), 1
    candidate, pairs = np.zeros(64, np.int64), np.zeros(64, np.int64)
    lists, _ = add_list(lists, 0, candidate, 1)
    first_child = np.zeros(16, np.int64)
    child_step, child_set = np.zeros(16, np.int64), np.zeros(16, np.int64)
    done = 0
    children = 0
    while done < used and lists.first[used] <= limit:
        found = 0
        for i in range(lists.first[done], lists.first[done + 1]):
            world = lists.items[i]
            begin, end = first_edge[world], first_edge[world + 1]
            pairs = grown_to(pairs, found + end - begin)
            for edge in range(begin, end):
                target = np.int64(next_world[edge])
                if first_edge[target + 1] > first_edge[target]:
                    pairs[found] = (np.int64(step[edge]) << 32) | target
                    found += 1
        pairs[:found].sort()
        candidate = grown_to(candidate, found)
        first_child = grown_to(first_child, done + 2)
        child_step, child_set = (
            grown_to(child_step, children + found),
            grown_to(child_set, children + found),
        )
        i = 0
        while i < found:
            taken, size = pairs[i] >> 32, 0
            while i < found and pairs[i] >> 32 == taken:
                target = pairs[i] & 0xFFFFFFFF
                if size == 0 or candidate[size - 1] != target:
                    candidate[size] = target
                    size += 1
                i += 1
            lists, number = add_list(lists, used, candidate, size)
            used += number == used
            child_step[children], child_set[children] = taken, number
            children += 1
        done += 1
        first_child[done] = children
    return (
        lists.items[: lists.first[used]].copy(),
        lists.first[: used + 1].copy(),
        first_child[: done + 1].copy(),
        child_step[:children].copy(),
        child_set[:children].copy(),
    )


@linear_kernel
def set_heights(members: LongArray, first_member: LongArray, height: LongArray) -> LongArray:
    """Return [S] the largest `height` [W] of the worlds of each set."""
    largest = np.zeros(len(first_member) - 1, np.int64)
    for number in range(len(largest)):
        for i in range(first_member[number], first_member[number + 1]):
            largest[number] = max(largest[number], height[members[i]])
    return largest


@linear_kernel
def world_heights(order: IntArray, first_edge: IntArray, next_world: IntArray) -> LongArray:
    """Return [W] the length of the longest play from each world; order [W] topological."""
    height = np.zeros(len(order), np.int64)
    for place in range(len(order) - 1, -1, -1):
        world = order[place]
        for edge in range(first_edge[world], first_edge[world + 1]):
            height[world] = max(height[world], 1 + height[next_world[edge]])
    return height


@linear_kernel
def other_actions(
    members: LongArray, first_member: LongArray, action_set: IntArray
) -> tuple[int, int]:
    """Return two worlds of a set with different legal actions [W]; -1, -1 if there are none."""
    for number in range(len(first_member) - 1):
        one = members[first_member[number]]
        for i in range(first_member[number] + 1, first_member[number + 1]):
            if action_set[members[i]] != action_set[one]:
                return one, members[i]
    return -1, -1


@linear_kernel
def find_shapes(
    order: LongArray,
    members: LongArray,
    first_member: LongArray,
    action_set: IntArray,
    first_child: LongArray,
    child_step: LongArray,
    child_set: LongArray,
) -> tuple[LongArray, LongArray, LongArray]:
    """Find the distinct infostate trees below sets of possible worlds.

    order [S]: the sets, later ones first. Returns items and first [L + 1]: each shape is its action
    set, and then a step and a shape for each child; and [S] the shape of each set. Children have
    smaller numbers.
    """
    lists, used = no_lists(), 0
    shape = np.zeros(len(order), np.int64)
    candidate = np.zeros(64, np.int64)
    for number in order:
        begin, end = first_child[number], first_child[number + 1]
        candidate = grown_to(candidate, 1 + 2 * (end - begin))
        candidate[0] = action_set[members[first_member[number]]]
        size = 1
        for child in range(begin, end):
            candidate[size], candidate[size + 1] = child_step[child], shape[child_set[child]]
            size += 2
        lists, shape[number] = add_list(lists, used, candidate, size)
        used += shape[number] == used
    return lists.items[: lists.first[used]].copy(), lists.first[: used + 1].copy(), shape


@linear_kernel
def find_structures(
    items: LongArray, first: LongArray, num_actions: LongArray, step_action: IntArray
) -> tuple[LongArray, LongArray, LongArray, LongArray, LongArray, LongArray]:
    """Find the distinct decisions in the shapes of a player, without observations and labels.

    items, first: shapes, see `find_shapes`; num_actions [action sets + 1], the last for -1;
    step_action [steps] the player's action. Returns [L] the structure of each shape; [items] the
    code of the step to each child, in the place of its shape; items and first [T + 1]: each
    structure is its number of actions, and then an action and a structure for each child; and [T]
    the numbers of sequences and of acting infostates of each structure.
    """
    lists, used = no_lists(), 1
    candidate = np.zeros(64, np.int64)
    lists, _ = add_list(lists, 0, candidate, 1)
    structure = np.zeros(len(first) - 1, np.int64)
    code = np.full(len(items), WAIT, np.int64)
    sequences, infostates = np.zeros(16, np.int64), np.zeros(16, np.int64)
    for shape in range(len(structure)):
        begin, end = first[shape] + 1, first[shape + 1]
        actions = num_actions[items[begin - 1]]
        candidate = grown_to(candidate, end - begin + 1)
        candidate[0] = actions
        size = 1
        for i in range(begin, end, 2):
            action, child = step_action[items[i]], structure[items[i + 1]]
            if child != EMPTY:
                code[i + 1] = size // 2
                candidate[size], candidate[size + 1] = action, child
                size += 2
            elif action >= 0:
                code[i + 1] = END - action
        if actions == 0 and size <= 3:
            # The player has no choice here and at most one structure ahead, so that a step tells it
            # nothing that it could use.
            structure[shape] = candidate[2] if size == 3 else EMPTY
            code[begin:end] = WAIT
            continue
        lists, number = add_list(lists, used, candidate, size)
        structure[shape] = number
        if number == used:
            used += 1
            sequences, infostates = grown_to(sequences, used), grown_to(infostates, used)
            sequences[number], infostates[number] = actions, actions > 0
            for i in range(2, size, 2):
                sequences[number] += sequences[candidate[i]]
                infostates[number] += infostates[candidate[i]]
    return (
        structure,
        code,
        lists.items[: lists.first[used]].copy(),
        lists.first[: used + 1].copy(),
        sequences[:used].copy(),
        infostates[:used].copy(),
    )
