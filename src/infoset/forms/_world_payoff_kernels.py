"""Kernels that compute the gradients of utility by possible worlds, without listing histories."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.typing import FloatArray, IndexArray, IntArray, LongArray
from infoset.utils.compilation import bare_kernel, inner_kernel

# Kinds of transfers of a vector to a slot. The slot then shares the vector; adds it to a vector of
# its own; adds it to a copy of a shared vector; or has a copy of it, times a probability.
PASS = 0
ADD = 1
ADD_TO_COPY = 2
SCALE = 3

# Columns of `ranges`: where each range begins; the next column is its end.
TRANSFERS, ENDS, CHILDREN = range(0, 6, 2)

# Columns of the frames of `world_gradient`.
SET, FIRST_SEQUENCE, LAST_SEQUENCE, FIRST_SLOT, FREE, CHILD = range(6)


class WorldPayoffs(NamedTuple):
    """The payoffs of one player by sets of possible worlds.

    A slot holds, for one possible world of an infostate, the opponent's plan at all its sequences
    below the world, summed over the opponent's infostates there.
    """

    own_position: IndexArray
    """[Q] position of each of the player's sequences; empty if the order is that of sequences."""
    other_position: IndexArray
    """[Q of the opponent] the same of the opponent."""
    constant: FloatArray
    """[1] what the player gets in addition in each play."""
    num_slots: LongArray
    """[S] the number of worlds of each set. Set 0 is that of the beginning."""
    ranges: LongArray
    """[S, 6] beginning and end of the transfers inside each set, of its ends, and of its children.
    """
    transfers: IntArray
    """[K, 6] slot, slot to which its vector is transferred, offset of the opponent's sequences that
    remain, their number, the opponent's action or -1, and kind."""
    chance: FloatArray
    """[K] probability of each transfer."""
    ends: IntArray
    """[T, 3] slot, action of the opponent and of the player, or -1, where something is paid."""
    paid: FloatArray
    """[T] what is paid, times its probability."""
    children: LongArray
    """[C, 6] set, offset of the player's sequences, the player's action or -1, range of transfers,
    and number of the player's sequences, of each step to another infostate."""
    work: FloatArray
    """[S] count of numbers read from each set on."""
    part: LongArray
    """[2] the first of the player's sequences whose entries are computed, and the end of them."""
    copied: LongArray
    """[2] the first of the opponent's sequences whose entries are copied before, and the end."""
    free: int
    """Where the workspace `values` is free."""
    values: FloatArray
    """Workspace: the opponent's plan in the order of sequences, and sums of parts of it."""
    earned: FloatArray
    """Workspace: the gradient in the order of sequences."""
    begins: LongArray
    """Workspace: where the vector of each slot begins in `values`."""
    reach: FloatArray
    """Workspace: the opponent's plan at its last sequence, by slot."""
    frames: LongArray
    """[depth, 6] workspace: the infostates from the first to the current one."""

    def divided(self, divisor: float) -> WorldPayoffs:
        """Return the payoffs divided by a number."""
        return self._replace(constant=self.constant / divisor, paid=self.paid / divisor)

    def absolute(self) -> WorldPayoffs:
        """Return the absolute values of the payoffs."""
        return self._replace(constant=np.abs(self.constant), paid=np.abs(self.paid))

    def with_own_results(self) -> WorldPayoffs:
        """Return the payoffs with separate arrays for intermediate results."""
        return self._replace(
            values=np.empty_like(self.values),
            earned=np.empty_like(self.earned),
            begins=np.empty_like(self.begins),
            reach=np.empty_like(self.reach),
            frames=np.empty_like(self.frames),
        )


@inner_kernel
def transfer_vectors(
    transfers: IntArray,
    chances: FloatArray,
    values: FloatArray,
    begins: LongArray,
    reach: FloatArray,
    begin: int,
    end: int,
    source: int,
    into: int,
    free: int,
) -> int:
    """Do the transfers from `begin` to `end`; return where the workspace is free.

    For the arrays see `WorldPayoffs`. source, into: first slots of the sets; free: where it is
    free before.
    """
    for number in range(begin, end):
        slot, goal = source + transfers[number, 0], into + transfers[number, 1]
        at, size, action = begins[slot], np.uint64(transfers[number, 3]), transfers[number, 4]
        kind = transfers[number, 5]
        chance = chances[number]
        arrives = (values[at + action] if action >= 0 else reach[slot]) * chance
        at += transfers[number, 2]
        # Without signed indices, for which the compiler would check whether they are negative.
        first = np.uint64(at)
        if kind == PASS:
            begins[goal], reach[goal] = at, arrives
        elif kind == ADD:
            reach[goal] += arrives
            sums = np.uint64(begins[goal])
            if chance == 1.0:
                for i in range(size):
                    values[sums + i] += values[first + i]
            else:
                for i in range(size):
                    values[sums + i] += chance * values[first + i]
        else:
            sums = np.uint64(free)
            if kind == SCALE:
                reach[goal] = arrives
                for i in range(size):
                    values[sums + i] = chance * values[first + i]
            else:
                reach[goal] += arrives
                other = np.uint64(begins[goal])
                for i in range(size):
                    values[sums + i] = values[other + i] + chance * values[first + i]
            begins[goal] = free
            free += transfers[number, 3]
    return free


@inner_kernel
def has_part(last: int, first: int, size: int, begin: int, end: int) -> bool:
    """Return whether the last sequence, or `size` ones from the first, are in a part."""
    return begin <= last < end or (first < end and first + size > begin)


@bare_kernel
def copy_plan(
    values: FloatArray, position: IndexArray, plan: FloatArray, begin: int, end: int
) -> None:
    """Copy entries of a plan [Q] in the order of sequences, given their positions; see payoffs."""
    if len(position) == 0:
        for sequence in range(begin, end):
            values[sequence] = plan[sequence]
    else:
        for sequence in range(begin, end):
            values[sequence] = plan[position[sequence]]


@bare_kernel
def world_gradient(payoffs: WorldPayoffs, plan: FloatArray, gradient: FloatArray) -> None:
    """Fill `gradient` [Q] of one of two players in place, given the opponent's plan [Q].

    Depth first over the player's infostates: at each, the vectors of its possible worlds move on
    by the opponent's actions and by chance, and those of equal worlds are added. Utility is linear
    in the plan, so that a sum of plans earns the sum.
    """
    values, begins, reach = payoffs.values, payoffs.begins, payoffs.reach
    frames, ranges, children = payoffs.frames, payoffs.ranges, payoffs.children
    transfers, chances = payoffs.transfers, payoffs.chance
    ends, paid = payoffs.ends, payoffs.paid
    first, end_of_part = payoffs.part[0], payoffs.part[1]
    in_order = len(payoffs.own_position) == 0
    earned = gradient if in_order else payoffs.earned
    copy_plan(values, payoffs.other_position, plan, payoffs.copied[0], payoffs.copied[1])
    for sequence in range(first, end_of_part):
        earned[sequence] = 0.0
    if first == 0:
        earned[0] = payoffs.constant[0] * values[0]
    begins[0], reach[0] = 1, values[0]
    depth = 0
    frames[0, SET], frames[0, FIRST_SEQUENCE], frames[0, LAST_SEQUENCE] = 0, 1, 0
    frames[0, FIRST_SLOT], frames[0, FREE], frames[0, CHILD] = 0, payoffs.free, -1
    while depth >= 0:
        number, slots, child = frames[depth, SET], frames[depth, FIRST_SLOT], frames[depth, CHILD]
        own, last = frames[depth, FIRST_SEQUENCE], frames[depth, LAST_SEQUENCE]
        goal, into = depth, slots
        if child < 0:
            begin, end = ranges[number, TRANSFERS], ranges[number, TRANSFERS + 1]
        elif child < ranges[number, CHILDREN + 1]:
            goal, into = depth + 1, slots + payoffs.num_slots[number]
            action, after = children[child, 2], own + children[child, 1]
            last = own + action if action >= 0 else last
            if not has_part(last, after, children[child, 5], first, end_of_part):
                frames[depth, CHILD] = child + 1
                continue
            frames[goal, SET], frames[goal, FIRST_SEQUENCE] = children[child, 0], after
            frames[goal, LAST_SEQUENCE] = last
            frames[goal, FIRST_SLOT], frames[goal, CHILD] = into, -1
            begin, end = children[child, 3], children[child, 4]
        else:
            depth -= 1
            continue
        # One call, because it is inlined.
        free = frames[depth, FREE]
        frames[goal, FREE] = transfer_vectors(
            transfers, chances, values, begins, reach, begin, end, slots, into, free
        )
        if goal > depth:
            frames[depth, CHILD] = child + 1
            depth = goal
            continue
        frames[depth, CHILD] = ranges[number, CHILDREN]
        for place in range(ranges[number, ENDS], ranges[number, ENDS + 1]):
            slot, theirs, mine = slots + ends[place, 0], ends[place, 1], ends[place, 2]
            sequence = own + mine if mine >= 0 else last
            if first <= sequence < end_of_part:
                weight = values[begins[slot] + theirs] if theirs >= 0 else reach[slot]
                earned[sequence] += paid[place] * weight
    if not in_order:
        for sequence in range(first, end_of_part):
            gradient[payoffs.own_position[sequence]] = earned[sequence]
