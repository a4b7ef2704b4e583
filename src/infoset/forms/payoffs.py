"""Payoffs in the layout of the kernels: by blocks for two players, otherwise by terminals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infoset.errors import ParameterError
from infoset.forms._payoff_kernels import BlockPayoffs, TwoPlayerPayoffs, share_payoffs
from infoset.forms.layout import Layout, is_new
from infoset.forms.public_form import GameForm, PublicForm
from infoset.forms.public_payoff_terms import public_payoffs
from infoset.forms.sequence_form import SequenceForm
from infoset.typing import FloatArray, IndexArray, LongArray, Player
from infoset.utils.simd import LANES
from infoset.utils.sorting import lexicographic_order

__all__ = ["block_payoffs", "payoffs_by_player", "restrict_blocks"]

CACHE_LINE = 64
"""Size in bytes of a cache line, and of the longest vectors."""


_NONE = np.zeros(0, np.uint32)
NO_BLOCKS = BlockPayoffs(np.zeros(1, np.uint32), np.zeros(1, np.uint32), _NONE, _NONE, np.zeros(0))
"""Placeholder for games whose number of players is not two."""


def aligned_zeros(size: int, precision: str) -> FloatArray:
    """Return zeros aligned to a cache line, so that each vector is read in one access."""
    number = np.dtype(precision)
    spare = CACHE_LINE // number.itemsize
    zeros = np.zeros(size + spare, number)
    begin = -zeros.ctypes.data % CACHE_LINE // number.itemsize
    return zeros[begin : begin + size]


def restrict_blocks(payoffs: BlockPayoffs, begin: int, end: int) -> BlockPayoffs:
    """Return the payoffs of the blocks from `begin` up to `end`, as views of the same arrays.

    `block_gradient` then fills only the sequences of these blocks.
    """
    return payoffs._replace(
        start=payoffs.start[begin : end + 1], first=payoffs.first[begin : end + 1]
    )


def _with_precision(payoffs: BlockPayoffs, precision: str) -> BlockPayoffs:
    """Return payoffs in another precision, with rows aligned to cache lines."""
    payoff = aligned_zeros(len(payoffs.payoff), precision)
    payoff[:] = payoffs.payoff
    return payoffs._replace(payoff=payoff)


def block_payoffs(form: SequenceForm, layouts: tuple[Layout, ...], player: Player) -> BlockPayoffs:
    """Return the payoffs of one of two players in the form that `block_gradient` reads."""
    row, column = (layouts[p].position[form.terminal_sequence[:, p]] for p in (1 - player, player))
    start = layouts[player].blocks
    block_of = np.repeat(np.arange(len(start) - 1, dtype=np.uint32), np.diff(start))
    order = lexicographic_order(
        (block_of[column], row), [len(start) - 1, len(layouts[1 - player].position)]
    )
    order = order[form.payoff[order, player] != 0]
    row, column, payoff = row[order], column[order], form.payoff[order, player]
    block = block_of[column]
    begins = np.flatnonzero(is_new(block, row))
    lane = (column - start[block]).astype(np.uint8)
    where, shared = _share(np.append(begins, len(order)), lane, payoff)
    first = np.searchsorted(block[begins], np.arange(len(start), dtype=np.uint32))
    return BlockPayoffs(start, first.astype(np.uint32), row[begins], where, shared)


def _share(
    first: LongArray, lane: NDArray[np.uint8], payoff: FloatArray
) -> tuple[IndexArray, FloatArray]:
    """Return where each entry's row of payoffs begins among the distinct rows, and these rows."""
    num_entries = len(first) - 1
    where = np.zeros(num_entries, np.uint32)
    slots = np.full(1 << (2 * num_entries).bit_length(), -1, np.int32)
    rows = np.zeros((num_entries + 1, LANES), np.int64)
    with np.errstate(over="ignore"):  # hashes wrap around, also where kernels are interpreted
        used = share_payoffs(first, lane, payoff.view(np.int64), slots, rows, where)
    shared = aligned_zeros(used * LANES, "float64")
    shared[:] = rows[:used].view(np.float64).ravel()
    return where, shared


def payoffs_by_player(
    form: GameForm, layouts: tuple[Layout, ...], precision: str = "float64"
) -> tuple[tuple[TwoPlayerPayoffs, ...], IndexArray, FloatArray]:
    """Return the payoffs by pairs of players and by terminals; the unused form is empty.

    Two-player games use one `BlockPayoffs` (see `block_gradient`) or, as a public form, one
    `PublicPayoffs` (see `public_gradient`) per player. Other games use positions of sequences
    [M, N] and payoffs [M, N] by terminal (see `terminal_gradient`).

    Raises
    ------
    ParameterError
        If single precision cannot represent the payoffs.
    """
    if precision != "float64":
        _check_range(form, precision)
    players = range(form.num_players)
    no_sequences, no_payoffs = np.zeros((0, 2), np.uint32), np.zeros((0, 2), precision)
    if isinstance(form, PublicForm):
        positions = [layout.position for layout in layouts]
        hands = [public_payoffs(form, player, positions, precision) for player in players]
        return tuple(hands), no_sequences, no_payoffs
    if len(players) == 2:
        blocks = [block_payoffs(form, layouts, player) for player in players]
        return tuple(_with_precision(own, precision) for own in blocks), no_sequences, no_payoffs
    sequence = form.terminal_sequence
    positions = [layouts[p].position[sequence[:, p]] for p in players]
    no_blocks = (_with_precision(NO_BLOCKS, precision),) * len(players)
    return no_blocks, np.stack(positions, axis=1), form.payoff.astype(precision, order="C")


def _check_range(form: GameForm, precision: str) -> None:
    """Raise if a precision cannot represent the payoffs: too large, or all too small."""
    largest = float(np.abs(_payoffs(form)).max(initial=0.0))
    limits = np.finfo(precision)
    if largest and not float(limits.tiny) <= largest <= float(limits.max):
        raise ParameterError(
            f"the largest payoff times chance reach of {form.name} is {largest:.3g}, but "
            f"{precision} represents numbers from {limits.tiny:.2g} to {limits.max:.2g}: use "
            "precision='float64', or scale the payoffs"
        )


def _payoffs(form: GameForm) -> FloatArray:
    """Return the payoffs of a form; those of a public form without the prior."""
    if isinstance(form, SequenceForm):
        return form.payoff
    ends = form.terminals
    return ends.payoff * np.repeat(ends.chance_reach, np.diff(ends.first_payoff))[:, None]
