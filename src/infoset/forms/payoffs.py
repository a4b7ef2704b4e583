"""Payoffs: their sums, and their layout for kernels, for two players or by terminals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from infoset.errors import ParameterError
from infoset.forms._contraction_kernels import merge_rows
from infoset.forms._payoff_kernels import (
    BlockPayoffs,
    ComposedPayoffs,
    PlayerPayoffs,
    TerminalPayoffs,
    TwoPlayerPayoffs,
    group_entries,
    share_payoffs,
)
from infoset.forms._public_payoff_kernels import Composition
from infoset.forms.treeplex import Layout, is_new
from infoset.typing import FloatArray, IndexArray, IntArray, LongArray, Player
from infoset.utils.simd import LANES
from infoset.utils.sorting import lexicographic_order

SUM_TOLERANCE = 1e-9

ROUNDING_TOLERANCE = 1e-12
"""Relative difference up to which two numbers are equal except for rounding."""


def merge_payoffs(
    columns: IndexArray, sizes: Sequence[int], outcome: IndexArray, payoff: FloatArray
) -> tuple[IntArray, FloatArray, int]:
    """Sum the payoffs of terminal histories with equal tuples of sequences.

    Parameters
    ----------
    columns
        [N, Z] sequence of every player at each terminal history.
    sizes
        Number of sequences of every player.
    outcome
        [Z] row of `payoff` of each terminal history.
    payoff
        [number of outcomes, N]

    Returns
    -------
    tuple[IntArray, FloatArray, int]
        [M, N] the distinct tuples, sorted, without those whose payoffs are all zero; [M, N] their
        payoffs, added in the order of the terminal histories; the maximum number of payoffs in one
        sum.
    """
    num_players, num_terminals = columns.shape
    if not num_terminals:
        return np.zeros((0, num_players), np.int32), np.zeros((0, num_players)), 0
    order = lexicographic_order(tuple(columns), sizes)
    merged = np.empty((num_terminals, num_players), np.int32)
    total = np.empty((num_terminals, num_players))
    count, max_equal = merge_rows(columns, order, outcome, payoff, merged, total)
    merged.resize((count, num_players), refcheck=False)
    total.resize((count, num_players), refcheck=False)
    return merged, total, max_equal


def places_among(listed: IntArray, sought: IntArray, sizes: Sequence[int]) -> LongArray:
    """Return [K] the row of `listed` [M, N] that equals each row of `sought` [K, N].

    The rows of `listed` are distinct and sorted, and the numbers in column c are below `sizes[c]`.
    """
    columns = np.concatenate([listed, sought]).T.astype(np.uint32, order="C")
    order = lexicographic_order(tuple(columns), sizes)
    # Sorting is stable, so a listed row precedes the rows that equal it, and begins their group.
    place = np.empty(len(order), np.int64)
    place[order] = np.cumsum(is_new(*columns[:, order])) - 1
    return place[len(listed) :]


EXTREME: Final = 2.0**13
"""Number of median distances from the median beyond which a utility is extreme."""


def usual_range(utility: FloatArray) -> tuple[float, float]:
    """Return the range around the median outside which utilities [Z] are extreme; see `EXTREME`."""
    with np.errstate(over="ignore"):  # an infinite range excludes nothing
        median = float(np.median(utility))
        distance = np.abs(utility - median)
    distance = distance[distance > 0]
    reach = EXTREME * float(np.median(distance)) if len(distance) else 0.0
    return median - reach, median + reach


def usual_part(utility: FloatArray) -> FloatArray:
    """Return the utilities [Z] in their usual range."""
    low, high = usual_range(utility)
    return utility[(low <= utility) & (utility <= high)]


def midranges(utility: FloatArray) -> FloatArray:
    """Return [N] the midrange of each column of `utility` [Z, N]; 0.0 if it is only rounding.

    The midrange is the mean of minimum and maximum.
    """
    return middles_of(*column_limits(utility))


def column_limits(utility: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return [N] the minimum and the maximum of each column of `utility` [Z, N]."""
    # Column by column: NumPy needs ten times as long for minima over the rows of a thin array.
    columns = utility.T
    return np.array([own.min() for own in columns]), np.array([own.max() for own in columns])


def middles_of(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return [N] the midranges of columns, given their limits [N]; see `midranges`."""
    # Halved before they are added, because the sum of two large numbers may overflow.
    low, high = low / 2, high / 2
    middle = low + high
    is_rounding = np.abs(middle) <= ROUNDING_TOLERANCE * (high - low)
    return np.where(is_rounding, 0.0, middle)


def row_sums(utility: FloatArray) -> FloatArray:
    """Return [Z] the sum of each row of `utility` [Z, N]."""
    # Whole columns are added, because NumPy sums short rows slowly.
    return np.asarray(sum(utility.T))


def common_sum(utility: FloatArray) -> float | None:
    """Return the sum of each row of `utility` [Z, N], up to rounding; None if sums differ.

    The tolerance for rounding depends on the differences between utilities, and less on their size,
    so that a large constant in all utilities does not hide different sums.
    """
    limits = np.stack(column_limits(utility))
    largest = float(np.abs(limits).max())
    centered = limits - middles_of(*limits)
    tolerance = SUM_TOLERANCE * float(np.abs(centered).max()) + ROUNDING_TOLERANCE * largest
    # The sums of large utilities may overflow, so they are added as fractions of the largest.
    unit = 2.0 ** np.floor(np.log2(largest)) if largest > 0 else 1.0
    sums = row_sums(utility / unit)
    if np.ptp(sums) > tolerance / unit:
        return None
    constant = float(sums[0])
    return 0.0 if abs(constant) <= tolerance / unit else constant * unit


class FormPayoffs(NamedTuple):
    """The payoffs of all players as `fill_gradient` reads them."""

    by_player: tuple[PlayerPayoffs, ...]
    """Of a sequence form, `BlockPayoffs` if it has two players, otherwise `TerminalPayoffs`; of
    other forms, `ComposedPayoffs`."""
    refresh: Callable[[Player, tuple[FloatArray, ...]], None] | None = None
    """Function of a player and all plans [Q] that changes payoffs in place; call it before each
    gradient of the player. Usually None: payoffs are fixed."""

    @property
    def pairs(self) -> tuple[TwoPlayerPayoffs, ...]:
        """Payoffs by player, for a form with two players or one that is not a sequence form."""
        return cast("tuple[TwoPlayerPayoffs, ...]", self.by_player)


CACHE_LINE = 64
"""Size in bytes of a cache line, and of the longest vectors."""


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


def block_payoffs(
    terminal_sequence: IntArray, payoff: FloatArray, layouts: tuple[Layout, ...], player: Player
) -> BlockPayoffs:
    """Return the payoffs of one of two players in the form that `block_gradient` reads.

    Parameters
    ----------
    terminal_sequence
        [M, 2] the players' last sequences.
    payoff
        [M] what the player earns, times chance reach.
    layouts : tuple[Layout, Layout]
    """
    row, column = (layouts[p].position[terminal_sequence[:, p]] for p in (1 - player, player))
    start = layouts[player].blocks
    # Terminals are sorted by block of the own sequence, and then by the opponent's sequence.
    block_of = np.repeat(np.arange(len(start) - 1, dtype=np.uint32), np.diff(start))
    block = block_of[column]
    order = lexicographic_order((block, row), [len(start) - 1, len(layouts[1 - player].position)])
    # Equal pairs are one entry, with a payoff in the lane of each own sequence of the block.
    kept, begins = np.empty_like(order), np.empty(len(order) + 1, np.int64)
    first = np.zeros(len(start), np.uint32)
    num_kept, size = group_entries(order, block, row, payoff, kept, begins, first)
    kept, begins = kept[:num_kept], begins[: size + 1]
    lane = (column - start[block]).astype(np.uint8)
    where, shared = _share(begins, lane[kept], payoff[kept])
    return BlockPayoffs(start, first, row[kept[begins[:-1]]], where, shared)


def _share(
    first: LongArray, lane: NDArray[np.uint8], payoff: FloatArray
) -> tuple[IndexArray, FloatArray]:
    """Return where each entry's row of payoffs begins among the distinct rows, and these rows."""
    num_entries = len(first) - 1
    where = np.zeros(num_entries, np.uint32)
    # At most half of the slots are filled, and one row more holds the candidate.
    slots = np.full(1 << (2 * num_entries).bit_length(), -1, np.int32)
    rows = np.zeros((num_entries + 1, LANES), np.int64)
    # Rows are compared by their bits, so that 0.0 and -0.0 differ.
    with np.errstate(over="ignore"):  # hashes wrap around, also where kernels are interpreted
        used = share_payoffs(first, lane, payoff.view(np.int64), slots, rows, where)
    return where, rows[:used].view(np.float64).ravel()


def divided_payoffs(payoffs: TwoPlayerPayoffs, divisor: float) -> TwoPlayerPayoffs:
    """Return payoffs divided by a number."""
    if divisor == 1.0:
        return payoffs
    if isinstance(payoffs, BlockPayoffs):
        return payoffs._replace(payoff=payoffs.payoff / divisor)
    base, composition = payoffs
    return ComposedPayoffs(
        base=base.divided(divisor),
        composition=composition._replace(
            offset=composition.offset / divisor, transfer=composition.transfer / divisor
        ),
    )


def absolute_payoffs(payoffs: FormPayoffs) -> FormPayoffs:
    """Return the absolute values of payoffs, whose gradients bound the terms of all gradients."""
    return FormPayoffs(tuple(map(_absolute, payoffs.by_player)))


def _absolute(payoffs: PlayerPayoffs) -> PlayerPayoffs:
    if isinstance(payoffs, BlockPayoffs | TerminalPayoffs):
        return payoffs._replace(payoff=np.abs(payoffs.payoff))
    base, composition = payoffs
    return ComposedPayoffs(
        base=base.absolute(),
        composition=composition._replace(
            weight=np.abs(composition.weight),
            scale=np.abs(composition.scale),
            offset=np.abs(composition.offset),
            transfer=np.abs(composition.transfer),
        ),
    )


def no_composition(precision: str) -> Composition:
    """Return the composition of a form that is not transformed."""
    numbers, indices = np.zeros(0, precision), np.zeros(0, np.uint32)
    runs = np.zeros((1, 2), np.int64)
    return Composition(
        source=indices,
        weight=numbers,
        source_runs=runs,
        member=indices,
        scale=numbers,
        member_runs=runs,
        owner=indices,
        offset_at=indices,
        offset=numbers,
        transfer_at=indices,
        transfer=numbers,
        plan=numbers,
        gradient=numbers,
    )


def composition_of(payoffs: TwoPlayerPayoffs) -> Composition | None:
    """Return how plans of a transform become those of the payoffs; None if they are the same."""
    if isinstance(payoffs, BlockPayoffs) or not len(payoffs.composition.source):
        return None
    return payoffs.composition


def with_collection(payoffs: FormPayoffs) -> FormPayoffs:
    """Return payoffs of a transform with a workspace for gradients, so that scales can change."""
    changed = [*payoffs.by_player]
    for player, pair in enumerate(changed):
        if isinstance(pair, ComposedPayoffs) and not len(pair.composition.gradient):
            # Without changes, the gradient needs no workspace and has the same size.
            gradient = np.zeros_like(pair.composition.scale)
            changed[player] = pair._replace(
                composition=pair.composition._replace(gradient=gradient)
            )
    return payoffs._replace(by_player=tuple(changed))


def with_own_payoffs(payoffs: FormPayoffs) -> FormPayoffs:
    """Return payoffs with separate arrays for intermediate results, as each thread needs them."""
    changed = [*payoffs.by_player]
    for player, pair in enumerate(changed):
        if isinstance(pair, ComposedPayoffs):
            base, composition = pair
            plan, gradient = composition.plan.copy(), composition.gradient.copy()
            own = composition._replace(plan=plan, gradient=gradient)
            changed[player] = ComposedPayoffs(base.with_own_results(), own)
    return payoffs._replace(by_player=tuple(changed))


def terminal_payoffs(
    terminal_sequence: IntArray, payoff: FloatArray, layouts: tuple[Layout, ...], precision: str
) -> FormPayoffs:
    """Return payoffs [M, N] of tuples of sequences [M, N]: by blocks if there are two players."""
    players = range(len(layouts))
    if len(players) == 2:
        blocks = (block_payoffs(terminal_sequence, payoff[:, p], layouts, p) for p in players)
        return FormPayoffs(tuple(_with_precision(own, precision) for own in blocks))
    positions = [layouts[p].position[terminal_sequence[:, p]] for p in players]
    shared = TerminalPayoffs(np.stack(positions, axis=1), payoff.astype(precision, order="C"))
    return FormPayoffs((shared,) * len(players))


def check_range(name: str, payoff: FloatArray, precision: str) -> None:
    """Raise if a precision cannot represent the payoffs of a game: too large, or all too small."""
    if precision == "float64":
        return
    largest = float(np.abs(payoff).max(initial=0.0))
    limits = np.finfo(precision)
    if largest and not float(limits.tiny) <= largest <= float(limits.max):
        raise ParameterError(
            f"the largest payoff times chance reach of {name} is {largest:.3g}, but "
            f"{precision} represents numbers from {limits.tiny:.2g} to {limits.max:.2g}: use "
            "precision='float64', or scale the payoffs"
        )
