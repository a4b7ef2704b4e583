"""The payoffs of a game, laid out as the kernels read them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.errors import ParameterError
from infoset.regret.layout import Layout, is_new
from infoset.regret.payoffs._kernels import share_payoffs
from infoset.tree import SequenceForm
from infoset.typing import FloatArray, IndexArray, LongArray, Player
from infoset.utils.simd import LANES
from infoset.utils.sorting import lexicographic_order

__all__ = ["BlockPayoffs", "block_payoffs", "payoffs_by_player"]

CACHE_LINE = 64
"""Bytes; also those of the longest vectors."""


class BlockPayoffs(NamedTuple):
    """The payoffs of one of two players, as `block_gradient` reads them.

    The player's sequences are parted into blocks. A block has an entry for each of the opponent's
    sequences that meets it: a row of `LANES` payoffs, one per sequence of the block. Public states
    are much alike, so that most rows are equal to others, and each is kept once.

    Attributes
    ----------
    start : IndexArray
        [B + 1] positions where the blocks begin.
    first : IndexArray
        [B + 1] where the entries of each block begin.
    row : IndexArray
        [E] position of the opponent's sequence.
    where : IndexArray
        [E] where the entry's row begins in `payoff`.
    payoff : FloatArray
        [LANES * R] different rows, with zeros where sequences do not meet.
    """

    start: IndexArray
    first: IndexArray
    row: IndexArray
    where: IndexArray
    payoff: FloatArray

    def of_precision(self, precision: str) -> BlockPayoffs:
        """Return the same with payoffs of another precision, rows aligned to cache lines."""
        payoff = aligned_zeros(len(self.payoff), precision)
        payoff[:] = self.payoff
        return self._replace(payoff=payoff)

    def of_blocks(self, begin: int, end: int) -> BlockPayoffs:
        """Return those of the blocks from `begin` up to `end`; all share what they have in common.

        `block_gradient` then fills the sequences of these blocks and no others.
        """
        return self._replace(start=self.start[begin : end + 1], first=self.first[begin : end + 1])


_NONE = np.zeros(0, np.uint32)
NO_BLOCKS = BlockPayoffs(np.zeros(1, np.uint32), np.zeros(1, np.uint32), _NONE, _NONE, np.zeros(0))
"""What stands for them with other numbers of players."""


def aligned_zeros(size: int, precision: str) -> FloatArray:
    """Return zeros that begin where a cache line does: a vector is then read in one access."""
    number = np.dtype(precision)
    spare = CACHE_LINE // number.itemsize
    zeros = np.zeros(size + spare, number)
    begin = -zeros.ctypes.data % CACHE_LINE // number.itemsize
    return zeros[begin : begin + size]


def block_payoffs(
    sequence_form: SequenceForm, layouts: tuple[Layout, ...], player: Player
) -> BlockPayoffs:
    """Return the payoffs of one of two players, whose gradient `block_gradient` makes of them."""
    row, column = (
        layouts[seat].position[sequence_form.terminal_sequence[:, seat]]
        for seat in (1 - player, player)
    )
    start = layouts[player].blocks
    block_of = np.repeat(np.arange(len(start) - 1, dtype=np.uint32), np.diff(start))
    order = lexicographic_order(
        (block_of[column], row), [len(start) - 1, len(layouts[1 - player].position)]
    )
    order = order[sequence_form.payoff[order, player] != 0]
    row, column, payoff = row[order], column[order], sequence_form.payoff[order, player]
    block = block_of[column]
    begins = np.flatnonzero(is_new(block, row))
    lane = (column - start[block]).astype(np.uint8)
    where, shared = _share(np.append(begins, len(order)), lane, payoff)
    first = np.searchsorted(block[begins], np.arange(len(start), dtype=np.uint32))
    return BlockPayoffs(start, first.astype(np.uint32), row[begins], where, shared)


def _share(
    first: LongArray, lane: NDArray[np.uint8], payoff: FloatArray
) -> tuple[IndexArray, FloatArray]:
    """Return where each entry's row of payoffs is among the different ones, and these."""
    num_entries = len(first) - 1
    where = np.zeros(num_entries, np.uint32)
    slots = np.full(1 << (2 * num_entries).bit_length(), -1, np.int32)
    rows = np.zeros((num_entries + 1, LANES), np.int64)
    used = share_payoffs(first, lane, payoff.view(np.int64), slots, rows, where)
    shared = aligned_zeros(used * LANES, "float64")
    shared[:] = rows[:used].view(np.float64).ravel()
    return where, shared


def payoffs_by_player(
    sequence_form: SequenceForm, layouts: tuple[Layout, ...], precision: str = "float64"
) -> tuple[tuple[BlockPayoffs, ...], IndexArray, FloatArray]:
    """Return the payoffs by pairs for two players, by terminals for more; the other is empty.

    By pairs: one per player, see `block_gradient`. By terminals: positions of sequences [M, N] and
    payoffs [M, N], see `terminal_gradient`.

    Raises
    ------
    ParameterError
        If single precision cannot hold the payoffs.
    """
    if precision != "float64":
        _check_range(sequence_form, precision)
    players = range(sequence_form.num_players)
    if len(players) == 2:
        pairs = [block_payoffs(sequence_form, layouts, player) for player in players]
        nowhere, nothing = np.zeros((0, 2), np.uint32), np.zeros((0, 2), precision)
        return tuple(pair.of_precision(precision) for pair in pairs), nowhere, nothing
    sequence = sequence_form.terminal_sequence
    positions = np.stack([layouts[p].position[sequence[:, p]] for p in players], axis=1)
    no_pairs = (NO_BLOCKS.of_precision(precision),) * len(players)
    return no_pairs, positions, sequence_form.payoff.astype(precision, order="C")


def _check_range(sequence_form: SequenceForm, precision: str) -> None:
    """Refuse payoffs that a precision cannot hold: too large, or all too small."""
    largest = float(np.abs(sequence_form.payoff).max(initial=0.0))
    limits = np.finfo(precision)
    if largest and not float(limits.tiny) <= largest <= float(limits.max):
        raise ParameterError(
            f"the payoffs of {sequence_form.name}, times nature's reach, go up to {largest:.3g}; "
            f"{precision} holds {limits.tiny:.2g} to {limits.max:.2g}: use precision='float64', "
            "or scale the payoffs"
        )
