"""Kernels on the structures of a player's infostate trees, of which equal ones are stored once."""

from __future__ import annotations

import numpy as np

from infoset.typing import IntArray, LongArray
from infoset.utils.compilation import linear_kernel
from infoset.utils.interning_kernels import grown_to

WAIT = -1
"""Code of a step after which the player has the same decisions ahead as before it."""
END = -2
"""Code of a step with action 0 after which the player has no more decisions; less 1 for each
further action."""
EMPTY = 0
"""Number of the structure without decisions."""


@linear_kernel
def list_decisions(
    root: int,
    items: LongArray,
    first: LongArray,
    child_sequence: LongArray,
    child_infostate: LongArray,
    parent: IntArray,
    begins: IntArray,
    actions: IntArray,
) -> None:
    """Fill in [I] parent sequence, first sequence and number of actions of each acting infostate.

    For the other arrays see `InfostateShapes`. The work is linear in the arrays that are filled.
    """
    # Structures still to be listed: structure, first sequence, last sequence, and infostate.
    stack = np.zeros(4 * 64, np.int64)
    stack[0], stack[1] = root, 1
    top = 1
    while top > 0:
        top -= 1
        structure, own, last, number = stack[4 * top : 4 * top + 4]
        begin, end = first[structure], first[structure + 1]
        if items[begin] > 0:
            parent[number], begins[number], actions[number] = last, own, items[begin]
        stack = grown_to(stack, 4 * top + 2 * (end - begin))
        for i in range(begin + 1, end, 2):
            action, at = items[i], 4 * top
            stack[at], stack[at + 1] = items[i + 1], own + child_sequence[i + 1]
            stack[at + 2] = own + action if action >= 0 else last
            stack[at + 3] = number + child_infostate[i + 1]
            top += 1
