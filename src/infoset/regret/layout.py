"""The order in which the kernels keep a player's sequences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.lanes import LANES
from infoset.regret._kernels import share_payoffs
from infoset.tree import SequenceForm, Treeplex, stable_order
from infoset.typing import BoolArray, FloatArray, IndexArray, IntArray, LongArray, Player

__all__ = [
    "Layout",
    "PairPayoffs",
    "action_major_layout",
    "game_layouts",
    "pair_payoffs",
    "payoffs_by_seat",
]

CACHE_LINE = 64
"""Bytes; also those of the longest vectors."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Sequences ordered by groups of infostates, and inside a group action by action.

    Attributes
    ----------
    groups : IndexArray
        [G, 4] first position, number of infostates, number of actions, first infostate; by depth.
    parent : IndexArray
        [I] position of the parent sequence, infostates in the order of the groups.
    position : IndexArray
        [Q] position of each sequence of the treeplex.
    infostate : IntArray
        [I] the infostates in the order of the groups.
    blocks : IndexArray
        [B + 1] positions that part the sequences into runs of at most `LANES`: one action at
        infostates of one group and public state.
    """

    groups: IndexArray
    parent: IndexArray
    position: IndexArray
    infostate: IntArray
    blocks: IndexArray

    @property
    def largest_group(self) -> int:
        """Number of infostates of the largest group."""
        return int(self.groups[:, 1].max(initial=0))

    def to_positions(self, by_sequence: FloatArray) -> FloatArray:
        """Return [Q] values in order of position, given those in order of sequence."""
        by_position = np.empty_like(by_sequence)
        by_position[self.position] = by_sequence
        return by_position

    def to_sequences(self, by_position: FloatArray) -> FloatArray:
        """Return [Q] values in order of sequence, given those in order of position."""
        return by_position[self.position]

    def uniform_policy(self) -> FloatArray:
        """Return [Q] the uniform behaviour, in order of position; 1 for the empty sequence."""
        policy = np.ones(len(self.position))
        for base, count, actions, _ in self.groups.tolist():
            policy[base : base + count * actions] = 1.0 / actions
        return policy


class PairPayoffs(NamedTuple):
    """The payoffs of one of two players, as `pair_gradient` reads them.

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

    def of_precision(self, precision: str) -> PairPayoffs:
        """Return the same with payoffs of another precision, rows aligned to cache lines."""
        payoff = aligned_zeros(len(self.payoff), precision)
        payoff[:] = self.payoff
        return self._replace(payoff=payoff)


_NONE = np.zeros(0, np.uint32)
NO_PAIRS = PairPayoffs(np.zeros(1, np.uint32), np.zeros(1, np.uint32), _NONE, _NONE, np.zeros(0))
"""What stands for them with other numbers of players."""


def aligned_zeros(size: int, precision: str) -> FloatArray:
    """Return zeros that begin where a cache line does: a vector is then read in one access."""
    number = np.dtype(precision)
    spare = CACHE_LINE // number.itemsize
    zeros = np.zeros(size + spare, number)
    begin = -zeros.ctypes.data % CACHE_LINE // number.itemsize
    return zeros[begin : begin + size]


def game_layouts(sequence_form: SequenceForm) -> tuple[Layout, ...]:
    """Return the layouts of all players of a game, infostates of one public state together."""
    pairs = zip(sequence_form.treeplexes, sequence_form.infostate_trees, strict=True)
    return tuple(action_major_layout(plex, tree.public_state[tree.acting]) for plex, tree in pairs)


def action_major_layout(treeplex: Treeplex, public_state: IntArray | None = None) -> Layout:
    """Return the layout of a treeplex; public_state [I] of its infostates, where it is known."""
    public = np.zeros(treeplex.num_infostates, np.int32) if public_state is None else public_state
    depth = _own_depth(treeplex)
    order = np.lexsort((public, treeplex.num_actions, depth)).astype(np.int32)
    num_actions = treeplex.num_actions[order]
    starts = np.flatnonzero(_is_new(depth[order], num_actions))
    counts = np.diff([*starts, len(order)])
    sizes = counts * num_actions[starts]
    bases = 1 + np.cumsum(sizes) - sizes
    groups = np.stack([bases, counts, num_actions[starts], starts], axis=1).astype(np.uint32)
    position = _positions(treeplex, order, groups)
    blocks = _blocks(groups, public[order])
    return Layout(groups, position[treeplex.parent_sequence[order]], position, order, blocks)


def _is_new(*columns: IntArray | IndexArray) -> BoolArray:
    """Return where one of the columns differs from what it is just before."""
    is_new = np.zeros(len(columns[0]), dtype=bool)
    is_new[:1] = True
    for column in columns:
        is_new[1:] |= column[1:] != column[:-1]
    return is_new


def _own_depth(treeplex: Treeplex) -> IntArray:
    """Return [I] how many own acting infostates lie above each."""
    owner = treeplex.infostate_of_sequence[treeplex.parent_sequence]
    depth = np.zeros(treeplex.num_infostates, dtype=np.int32)
    above = owner
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, owner[above], -1)
    return depth


def _positions(treeplex: Treeplex, order: IntArray, groups: IndexArray) -> IndexArray:
    position = np.zeros(treeplex.num_sequences, dtype=np.uint32)
    for base, count, actions, start in groups.tolist():
        members = order[start : start + count]
        for action in range(actions):
            where = base + action * count + np.arange(count)
            position[treeplex.first_sequence[members] + action] = where
    return position


def _blocks(groups: IndexArray, public_state: IntArray) -> IndexArray:
    """Return where blocks begin, and where the last ends; public states in order of the groups."""
    starts, end = [np.zeros(1, np.int64)], 1
    for base, count, actions, first in groups.tolist():
        rank = np.arange(count)
        begins = _is_new(public_state[first : first + count])
        rank -= np.maximum.accumulate(np.where(begins, rank, 0))
        block = base + np.flatnonzero(rank % LANES == 0)
        starts += [block + action * count for action in range(actions)]
        end = base + count * actions
    return np.concatenate([*starts, [end]]).astype(np.uint32)


def pair_payoffs(
    sequence_form: SequenceForm, layouts: tuple[Layout, ...], player: Player
) -> PairPayoffs:
    """Return the payoffs of one of two players, whose gradient `pair_gradient` makes of them."""
    row, column = (
        layouts[seat].position[sequence_form.terminal_sequence[:, seat]]
        for seat in (1 - player, player)
    )
    start = layouts[player].blocks
    block_of = np.repeat(np.arange(len(start) - 1, dtype=np.uint32), np.diff(start))
    order = stable_order(
        (block_of[column], row), [len(start) - 1, len(layouts[1 - player].position)]
    )
    order = order[sequence_form.payoff[order, player] != 0]
    row, column, payoff = row[order], column[order], sequence_form.payoff[order, player]
    block = block_of[column]
    begins = np.flatnonzero(_is_new(block, row))
    lane = (column - start[block]).astype(np.uint8)
    where, shared = _share(np.append(begins, len(order)), lane, payoff)
    first = np.searchsorted(block[begins], np.arange(len(start), dtype=np.uint32))
    return PairPayoffs(start, first.astype(np.uint32), row[begins], where, shared)


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


def payoffs_by_seat(
    sequence_form: SequenceForm, layouts: tuple[Layout, ...], precision: str = "float64"
) -> tuple[tuple[PairPayoffs, ...], IndexArray, FloatArray]:
    """Return the payoffs by pairs for two players, by terminals for more; the other is empty.

    By pairs: one per player, see `pair_gradient`. By terminals: positions of sequences [M, N] and
    payoffs [M, N], see `terminal_gradient`.
    """
    players = range(sequence_form.num_players)
    if len(players) == 2:
        pairs = [pair_payoffs(sequence_form, layouts, player) for player in players]
        nowhere, nothing = np.zeros((0, 2), np.uint32), np.zeros((0, 2), precision)
        return tuple(pair.of_precision(precision) for pair in pairs), nowhere, nothing
    sequence = sequence_form.terminal_sequence
    positions = np.stack([layouts[p].position[sequence[:, p]] for p in players], axis=1)
    no_pairs = (NO_PAIRS.of_precision(precision),) * len(players)
    return no_pairs, positions, sequence_form.payoff.astype(precision, order="C")
