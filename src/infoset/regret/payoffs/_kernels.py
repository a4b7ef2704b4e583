"""Kernels of payoffs: laying them out, and the gradients that they make of plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from infoset.typing import FloatArray, IndexArray, IntArray, LongArray
from infoset.utils.compilation import kernel
from infoset.utils.simd import LANES, filled, load, store

if TYPE_CHECKING:
    from infoset.regret.payoffs.pairs import BlockPayoffs

HASH_FACTOR = 0x9E3779B97F4A7C1


@kernel
def share_payoffs(
    first: LongArray,
    lane: NDArray[np.uint8],
    payoff: LongArray,
    slots: IntArray,
    rows: LongArray,
    where: IndexArray,
) -> int:
    """Write each different row of payoffs once; set `where` [E] each entry's begins; count them.

    Entry e has payoff[first[e] : first[e + 1]], as bits, in these lanes, and zeros elsewhere.
    slots: a hash table of rows, -1 throughout, its length a power of two above E; rows
    [E + 1, LANES] zeros.
    """
    used = 0
    for entry in range(len(where)):
        code = 0
        for i in range(first[entry], first[entry + 1]):
            rows[used, lane[i]] = payoff[i]
            code = (code ^ (payoff[i] >> 29) ^ payoff[i] ^ lane[i]) * HASH_FACTOR
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
def block_gradient(pairs: BlockPayoffs, plan: FloatArray, gradient: FloatArray) -> None:
    """Fill `gradient` [Q] of one of two players in place: payoff times the opponent's plan [Q]."""
    first, row, where, payoff = pairs.first, pairs.row, pairs.where, pairs.payoff
    for block in range(len(first) - 1):
        total = filled(gradient, 0.0)
        for entry in range(first[block], first[block + 1]):
            total += load(payoff, where[entry], LANES) * plan[row[entry]]
        start = pairs.start[block]
        store(gradient, start, pairs.start[block + 1] - start, total)


@kernel
def terminal_gradient(
    player: int,
    sequence: IntArray | IndexArray,
    payoff: FloatArray,
    plans: tuple[FloatArray, ...],
    gradient: FloatArray,
) -> None:
    """Fill `gradient` [Q] of one of several players in place, from the terminal list.

    sequence [M, N], payoff [M, N], plans: per player [Q].
    """
    gradient[:] = 0.0
    for entry in range(len(sequence)):
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
    """Fill `gradient` [Q] of a player in place: of two by pairs, of more from the terminals."""
    if len(plans) == 2:
        block_gradient(pairs[player], plans[1 - player], gradient)
    else:
        terminal_gradient(player, sequence, payoff, plans, gradient)
