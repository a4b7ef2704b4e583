"""Kernels of payoffs: storing them by blocks, and the gradients of utility."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.typing import FloatArray, IndexArray, IntArray, LongArray
from infoset.utils.compilation import kernel
from infoset.utils.simd import LANES, filled, load, store

HASH_FACTOR = 0x9E3779B97F4A7C1
"""About 2⁶⁰ over the golden ratio: consecutive keys land far apart (Fibonacci hashing)."""


class BlockPayoffs(NamedTuple):
    """The payoffs of one of two players, stored by blocks of its sequences.

    A block has an entry for each of the opponent's sequences that meets it at a terminal: a row of
    `LANES` payoffs, one per sequence of the block. Public states are much alike, so most rows are
    equal to others; each distinct row is stored once.

    Attributes
    ----------
    start : IndexArray
        [B + 1] positions at which the blocks begin.
    first : IndexArray
        [B + 1] index of the first entry of each block.
    row : IndexArray
        [E] position of the opponent's sequence.
    where : IndexArray
        [E] index in `payoff` at which the entry's row begins.
    payoff : FloatArray
        [LANES * R] distinct rows, with zeros where sequences do not meet.
    """

    start: IndexArray
    first: IndexArray
    row: IndexArray
    where: IndexArray
    payoff: FloatArray


@kernel
def share_payoffs(
    first: LongArray,
    lane: NDArray[np.uint8],
    payoff: LongArray,
    slots: IntArray,
    rows: LongArray,
    where: IndexArray,
) -> int:
    """Write each distinct row of payoffs once, and return their number.

    Entry e has the payoffs payoff[first[e] : first[e + 1]], as bits, in the given lanes, and zeros
    in the others. where [E]: filled with the position at which the row of each entry begins.
    slots: a hash table of rows, all -1, whose length is a power of two above E; rows
    [E + 1, LANES]: zeros.
    """
    used = 0
    for entry in range(len(where)):
        code = 0
        # The candidate row is written at the end of the table, where it stays if it is new.
        for i in range(first[entry], first[entry + 1]):
            rows[used, lane[i]] = payoff[i]
            code = (code ^ (payoff[i] >> 29) ^ payoff[i] ^ lane[i]) * HASH_FACTOR
        # The upper bits of the product are the best mixed ones.
        slot = (code >> 32) & (len(slots) - 1)
        while slots[slot] >= 0 and (rows[slots[slot]] != rows[used]).any():
            slot = (slot + 1) & (len(slots) - 1)
        if slots[slot] < 0:
            slots[slot] = used
            used += 1
        else:
            rows[used] = 0
        where[entry] = LANES * slots[slot]
    return used


@kernel
def block_gradient(blocks: BlockPayoffs, plan: FloatArray, gradient: FloatArray) -> None:
    """Fill `gradient` [Q] of one of two players in place: payoffs times the opponent's plan [Q]."""
    first, row, where, payoff = blocks.first, blocks.row, blocks.where, blocks.payoff
    for block in range(len(first) - 1):
        # One vector accumulates the whole block; it is stored once, without its unused lanes.
        total = filled(gradient, 0.0)
        for entry in range(first[block], first[block + 1]):
            total += load(payoff, where[entry], LANES) * plan[row[entry]]
        start = blocks.start[block]
        store(gradient, start, blocks.start[block + 1] - start, total)


@kernel
def terminal_gradient(
    player: int,
    sequence: IntArray | IndexArray,
    payoff: FloatArray,
    plans: tuple[FloatArray, ...],
    gradient: FloatArray,
) -> None:
    """Fill `gradient` [Q] of one of several players in place, from the list of terminals.

    sequence [M, N], payoff [M, N], plans: per player [Q].
    """
    gradient[:] = 0.0
    for entry in range(len(sequence)):
        # counterfactual reach of the terminal (chance is in the payoff) times the player's payoff
        weight = payoff[entry, player]
        for other in range(len(plans)):
            if other != player:
                weight *= plans[other][sequence[entry, other]]
        gradient[sequence[entry, player]] += weight


@kernel
def fill_gradient(
    player: int,
    pairs: tuple[BlockPayoffs, ...],
    sequence: IndexArray,
    payoff: FloatArray,
    plans: tuple[FloatArray, ...],
    gradient: FloatArray,
) -> None:
    """Fill `gradient` [Q] of a player in place: by blocks for two players, else by terminals."""
    if len(plans) == 2:
        block_gradient(pairs[player], plans[1 - player], gradient)
    else:
        terminal_gradient(player, sequence, payoff, plans, gradient)
