"""Numbering of lists of integers inside kernels: equal lists get the same number."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np

from infoset.typing import FloatArray, IntArray, LongArray
from infoset.utils.compilation import linear_kernel

HASH_FACTOR = 0x9E3779B97F4A7C1
"""About 2⁶⁰ divided by the golden ratio: it spreads consecutive numbers (Fibonacci hashing)."""


class Lists(NamedTuple):
    """Different lists of integers, and a hash table of them.

    The arrays are longer than their content; the number of lists is known to the caller.
    """

    items: LongArray
    """The items of all lists, one list after the other."""
    first: LongArray
    """[lists + 1] where each list begins in `items`."""
    codes: LongArray
    """[lists] the hash of each list."""
    slots: IntArray
    """The hash table: numbers of lists, and -1 where there is none. Its length is a power of 2."""


@linear_kernel
def no_lists() -> Lists:
    """Return an empty table."""
    return Lists(
        np.zeros(64, np.int64),
        np.zeros(16, np.int64),
        np.zeros(16, np.int64),
        np.full(32, -1, np.int32),
    )


Numbers = TypeVar("Numbers", IntArray, LongArray, FloatArray)


@linear_kernel
def grown_to(values: Numbers, size: int) -> Numbers:
    """Return values [n] in an array of at least `size` entries: the same one if it is that long."""
    if size <= len(values):
        return values
    # Doubling makes the total cost of all copies proportional to the final size.
    larger = np.empty(max(size, 2 * len(values)), values.dtype)
    larger[: len(values)] = values
    return larger


@linear_kernel
def add_list(lists: Lists, used: int, candidate: LongArray, size: int) -> tuple[Lists, int]:
    """Return the table with the list candidate[:size], and the list's number.

    The number is `used`, the number of lists so far, if the list is new.
    """
    items, first, codes, slots = lists
    code = np.int64(size)
    for i in range(size):
        code = (code ^ candidate[i]) * HASH_FACTOR
        code ^= code >> 29
    slot = (code >> 20) & (len(slots) - 1)
    while slots[slot] >= 0:
        known = slots[slot]
        # Equal hashes do not imply equal lists, so all items are compared.
        if codes[known] == code and first[known + 1] - first[known] == size:
            same, begin = True, first[known]
            for i in range(size):
                same = same and items[begin + i] == candidate[i]
            if same:
                return lists, known
        slot = (slot + 1) & (len(slots) - 1)
    if 2 * (used + 1) >= len(slots):
        slots = np.full(4 * len(slots), -1, np.int32)
        for number in range(used):
            slot = (codes[number] >> 20) & (len(slots) - 1)
            while slots[slot] >= 0:
                slot = (slot + 1) & (len(slots) - 1)
            slots[slot] = number
        slot = (code >> 20) & (len(slots) - 1)
        while slots[slot] >= 0:
            slot = (slot + 1) & (len(slots) - 1)
    first, codes = grown_to(first, used + 2), grown_to(codes, used + 1)
    items = grown_to(items, first[used] + size)
    items[first[used] : first[used] + size] = candidate[:size]
    first[used + 1] = first[used] + size
    codes[used], slots[slot] = code, used
    return Lists(items, first, codes, slots), used
