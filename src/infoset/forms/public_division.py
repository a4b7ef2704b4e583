"""The division of a public form into a top and parts, each of which fits in a processor's cache.

In poker, the part of a board is all play after its last card: the lines differ, but hands and their
strengths do not. The top is all earlier play. Methods process one part at a time, so that plans and
gradients of a part stay in the cache, and those of the whole game are never stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from infoset.forms._public_division_kernels import (
    Parts,
    RowWorkspace,
    best_values_of_part,
    fill_part_gradient,
    measure_parts,
    realize_part,
)
from infoset.forms._public_payoff_kernels import PublicPayoffs
from infoset.forms.derived_members import plan_value
from infoset.forms.form import PlayerValues
from infoset.forms.packed_rows import PackedRows, PlanWeights, row_numbers
from infoset.forms.public_payoff_terms import (
    check_payoffs,
    in_parts,
    public_payoffs,
    share_arrays,
    terminals_of_terms,
)
from infoset.forms.public_structure import PublicStructure
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray, Player

GOLDEN_RATIO = (1 + 5**0.5) / 2

MAX_WAVES, PARTS_OF_WAVE = 12, 48
"""Maximum number of waves, and minimum number of parts in a wave: in smaller waves, threads wait
for each other too often. See `PublicDivision.waves`."""


class PartWorkspace(NamedTuple):
    """Arrays that one thread reuses for each part: per player, and shared."""

    payoffs: tuple[PublicPayoffs, PublicPayoffs]
    plans: tuple[FloatArray, FloatArray]
    gradients: tuple[FloatArray, FloatArray]
    rows: RowWorkspace


@dataclass(frozen=True, eq=False)
class PublicDivision:
    """The division of a form whose layouts are ordered by `PublicStructure.parts`.

    A form without later deals has no parts, only the top.
    """

    form: PublicStructure

    @cached_property
    def num_parts(self) -> int:
        """Number P of parts, including the top."""
        return 1 + int(self.form.parts.max())

    @cached_property
    def of_terminal(self) -> IntArray:
        """[T] the part of each terminal.

        After an all-in before the last card, it is the part in which the same hands are possible.
        """
        form, node = self.form, self.form.parts
        of_set = np.zeros(len(form.hand_sets[0]), np.int32)
        of_set[form.hand_set[node > 0]] = node[node > 0]
        return of_set[form.terminals.hand_set]

    @cached_property
    def of_sequence(self) -> tuple[LongArray, LongArray]:
        """Per player, the part of each public sequence."""
        first, second = (
            np.append(0, np.repeat(runs.part, runs.actions)) for runs in self.form.runs
        )
        return first, second

    @cached_property
    def rows(self) -> tuple[LongArray, LongArray]:
        """Per player, [rows, 2] a part, and a public sequence of the top that it continues."""
        first, second = (self._rows(player) for player in range(2))
        return first, second

    def _rows(self, player: Player) -> LongArray:
        runs, last = self.form.runs[player], self.form.terminal_sequence[:, player]
        part = np.concatenate([runs.part, self.of_terminal])
        sequence = np.concatenate([runs.last, last])
        is_row = self._is_row(player, part, sequence)
        return np.unique(np.stack([part, sequence], axis=1)[is_row], axis=0)

    def _is_row(self, player: Player, part: LongArray | IntArray, sequence: IntArray) -> BoolArray:
        is_row: BoolArray = (part > 0) & (self.of_sequence[player][sequence] == 0)
        return is_row

    @cached_property
    def parts(self) -> tuple[Parts, Parts]:
        """Per player, the arrays that kernels read."""
        first, second = (self._parts(player) for player in range(2))
        return first, second

    def _parts(self, player: Player) -> Parts:
        runs = self.form.runs[player]
        order, bounds = np.argsort(runs.place), np.arange(self.num_parts + 1)
        of_run = runs.part[order]
        first_run = np.searchsorted(of_run, bounds)
        position = np.append(runs.first[order], runs.num_sequences)[first_run]
        position[0] = 0  # the empty sequence is in the top
        infostate = np.append(runs.place[order], runs.num_infostates)[first_run]
        rows, (row_size, first_copy) = self.rows[player], self._copies(player)
        above = np.diff(first_copy)
        parent = self.places(player, runs.part, runs.last, position, above)
        # Classes of hands are mostly those of the decision before.
        differs = runs.class_above != np.arange(runs.class_above.shape[1])
        first_other = np.append(differs, np.ones((len(differs), 1)), axis=1).argmax(axis=1)
        is_same = runs.count <= first_other[runs.row]
        columns = (
            runs.first + (above - position[:-1])[runs.part],
            runs.stride,
            runs.actions,
            runs.count,
            runs.place - infostate[runs.part],
            parent,
            np.minimum(runs.above_step, 1),  # positions of the hands of an action are consecutive
            np.where(is_same, -1, runs.row),
            np.searchsorted(self.row_begins[player], runs.first),
        )
        place, stride, actions, size, first_infostate, parent, step, row_above, row = (
            own[order].astype(np.int32) for own in columns
        )
        second = np.searchsorted(self.row_begins[player], (runs.first + runs.stride)[order])
        return Parts(
            position=position,
            infostate=infostate,
            above=above,
            first_row=np.searchsorted(rows[:, 0], bounds),
            row_position=runs.positions(self.form.sequences[player].start[rows[:, 1]]),
            row_size=row_size,
            first_copy=first_copy,
            first_run=first_run,
            place=place,
            stride=stride,
            actions=actions,
            size=size,
            first_infostate=first_infostate,
            parent=parent,
            parent_step=step,
            parent_row=row_above,
            class_above=runs.class_above,
            row=row,
            row_stride=(second - row).astype(np.int32),
        )

    @cached_property
    def row_begins(self) -> tuple[LongArray, LongArray]:
        """Per player, [rows] the first position of each row of `RowNumbers`."""
        first, second = (
            np.sort(runs.positions(sequences.start))
            for runs, sequences in zip(self.form.runs, self.form.sequences, strict=True)
        )
        return first, second

    def packed(self, player: Player, kind: str) -> PackedRows:
        """Return zeros for a player's sequences, of type int16 or uint16."""
        begins = self.row_begins[player]
        packed = np.zeros(self.form.layouts[player].num_sequences, kind)
        packed[0] = 1  # the number of the empty sequence is then the scale
        return PackedRows(packed, np.zeros(len(begins), np.float32), begins)

    def _copies(self, player: Player) -> tuple[LongArray, LongArray]:
        """Return the number of copies of each row, and [P + 1] the first copy of each part."""
        sequences, (part, public) = self.form.sequences[player], self.rows[player].T
        size = self.form.num_classes[player][sequences.class_map[public]].astype(np.int64)
        size[public == 0] = 1
        by_part = np.bincount(part, size, minlength=self.num_parts).astype(np.int64)
        return size, np.append(0, np.cumsum(by_part))

    def places(
        self,
        player: Player,
        part: LongArray | IntArray,
        sequence: IntArray,
        position: LongArray,
        above: LongArray,
    ) -> IntArray:
        """Return [n] places of public sequences in parts, for the first class of hands.

        position, above: as in `Parts`.
        """
        start = self.form.sequences[player].start[sequence]
        place = self.form.runs[player].positions(start) + (above - position[:-1])[part]
        is_row = self._is_row(player, part, sequence)
        rows, (size, first_copy) = self.rows[player], self._copies(player)
        width = len(self.of_sequence[player])
        sought = part[is_row].astype(np.int64) * width + sequence[is_row]
        row = np.searchsorted(rows[:, 0] * width + rows[:, 1], sought)
        place[is_row] = (np.cumsum(size) - size - first_copy[rows[:, 0]])[row]
        return place.astype(np.int32)

    @cached_property
    def _divided(self) -> tuple[tuple[PublicPayoffs, LongArray], tuple[PublicPayoffs, LongArray]]:
        """Per player, the payoffs in double precision by part, and [P + 1] first batches."""
        (one, first), (other, second) = (self._divide(player) for player in range(2))
        # Only the division needs these arrays.
        for name in ("of_terminal", "of_sequence", "rows"):
            vars(self).pop(name, None)
        return (one, first), (share_arrays(other, one), second)

    def _divide(self, player: Player) -> tuple[PublicPayoffs, LongArray]:
        payoffs = public_payoffs(self.form, player, self.form.layouts)
        part, own, other = self._places_of_terms(player)
        payoffs = payoffs._replace(own_start=own, other_start=other)
        return in_parts(payoffs, part, self.num_parts)

    def _places_of_terms(self, player: Player) -> tuple[IntArray, IntArray, IntArray]:
        """Return the part of each term, and the places of both players' last sequences in it."""
        terminal = terminals_of_terms(self.form, player)
        part = self.of_terminal[terminal]
        own, other = (
            self.places(
                p,
                part,
                self.form.terminal_sequence[terminal, p],
                self.parts[p].position,
                self.parts[p].above,
            )
            for p in (player, 1 - player)
        )
        return part, own, other

    @property
    def first_batch(self) -> tuple[LongArray, LongArray]:
        """Per player, [P + 1] the batches of each part."""
        (_, first), (_, second) = self._divided
        return first, second

    def payoffs(self, precision: str = "float64") -> tuple[PublicPayoffs, PublicPayoffs]:
        """Return, per player, the payoffs by part, indexed by places in the part."""
        check_payoffs(self.form, precision)
        first, second = (own.in_precision(precision) for own, _ in self._divided)
        return first, share_arrays(second, first)

    def workspace(self, payoffs: tuple[PublicPayoffs, PublicPayoffs]) -> PartWorkspace:
        """Return arrays for one thread, in the precision of the payoffs."""
        number = payoffs[0].factor.dtype
        sizes = [int((own.above + np.diff(own.position))[1:].max(initial=0)) for own in self.parts]
        first, second = (own.with_own_results() for own in payoffs)
        plans, gradients = ([np.zeros(size, number) for size in sizes] for _ in range(2))
        return PartWorkspace(
            (first, second),
            (plans[0], plans[1]),
            (gradients[0], gradients[1]),
            self.row_workspace(number.name),
        )

    def row_workspace(self, precision: str) -> RowWorkspace:
        """Return arrays for one public decision of either player."""
        hands = max(int(own.size.max(initial=1)) for own in self.parts)
        actions = max(int(own.actions.max(initial=1)) for own in self.parts)
        total, value, reach, row = (np.zeros(hands, precision) for _ in range(4))
        weights = np.zeros(actions * hands, precision)
        dither = (np.arange(hands) * GOLDEN_RATIO % 1).astype(precision)
        return RowWorkspace(total, value, reach, weights, row, dither)

    def of_top(self, precision: str) -> tuple[FloatArray, FloatArray]:
        """Return, per player, zeros for the sequences of the top."""
        first, second = (np.zeros(int(own.position[1]), precision) for own in self.parts)
        return first, second

    def of_copies(self, precision: str) -> tuple[FloatArray, FloatArray]:
        """Return, per player, zeros for the copies of the parts of a wave."""
        ends = np.reshape(self.waves, (-1, 2)).T.astype(np.int64)
        sizes = [int(np.diff(own.first_copy[ends], axis=0).max(initial=0)) for own in self.parts]
        first, second = (np.zeros(size, precision) for size in sizes)
        return first, second

    @cached_property
    def waves(self) -> list[tuple[int, int]]:
        """Ranges of parts, excluding the top.

        After a wave, the gradients at its copies are added to that of the top, in the order of the
        parts, so that sums do not depend on the number of threads.
        """
        number = min(MAX_WAVES, max(1, (self.num_parts - 1) // PARTS_OF_WAVE))
        return self.shares(1, self.num_parts, number)

    def values(
        self, weights: tuple[PlanWeights, ...], are_policies: bool = False
    ) -> tuple[PlayerValues, PlayerValues]:
        """Return the values of the players for weights of policies; see `Form.values_of_weights`.

        are_policies: True for behavior policies, which are not normalized.
        """
        none = np.zeros(0)
        values, gradients = self._measure(self.payoffs(), weights, are_policies, (none, none))
        pairs = zip(values.sum(axis=0).tolist(), gradients, strict=True)
        first, second = (PlayerValues(value, float(gradient[0])) for value, gradient in pairs)
        return first, second

    def best_values(
        self, payoffs: tuple[PublicPayoffs, PublicPayoffs]
    ) -> tuple[FloatArray, FloatArray]:
        """Return, per player, [R] the largest value of a hand at each public decision.

        Values are those of best responses to uniform play; public decisions are in the order of
        `Parts`. payoffs: by part, for example absolute values.
        """
        precision = payoffs[0].factor.dtype
        # Zeros are normalized to uniform play, and the operating system allocates no memory for
        # them until they are changed.
        uniform = tuple(np.zeros(int(own.position[-1]), precision) for own in self.parts)
        for own in uniform:
            own[0] = 1.0
        first, second = (np.zeros(len(own.size), precision) for own in self.parts)
        self._measure(payoffs, uniform, False, (first, second))
        return first, second

    def _measure(
        self,
        payoffs: tuple[PublicPayoffs, PublicPayoffs],
        weights: tuple[PlanWeights, ...],
        are_policies: bool,
        best: tuple[FloatArray, FloatArray],
    ) -> tuple[FloatArray, tuple[FloatArray, FloatArray]]:
        """Return [P, 2] the players' utilities in each part, and gradients of the top.

        The first entry of such a gradient is the value of a best response. best: see
        `best_values_of_part`.
        """
        first, second = map(row_numbers, weights)
        precision, parts, batches = payoffs[0].factor.dtype.name, self.parts, self.first_batch
        work, values = self.workspace(payoffs), np.zeros((self.num_parts, 2))
        tops, gradients = self.of_top(precision), self.of_top(precision)
        for own, given, top in zip(parts, (first, second), tops, strict=True):
            top[0] = 1.0
            realize_part(own, 0, given, are_policies, top, work.rows)
        for player, (own, gradient) in enumerate(zip(parts, gradients, strict=True)):
            terms = work.payoffs[player]
            fill_part_gradient(own, 0, terms, batches[player], tops[1 - player], gradient)
            values[0, player] = plan_value(gradient, tops[player])
        measure_parts(
            1,
            self.num_parts,
            parts,
            work.payoffs,
            batches,
            (first, second),
            are_policies,
            tops,
            gradients,
            work.plans,
            max(work.gradients, key=len),
            work.rows,
            values,
            best,
        )
        for own, gradient, found in zip(parts, gradients, best, strict=True):
            best_values_of_part(own, 0, gradient, found, work.rows)
        return values, gradients

    def shares(self, first: int, last: int, number: int) -> list[tuple[int, int]]:
        """Return up to `number` ranges of parts with about equal work."""
        work = 1 + np.sum([np.diff(own.position)[first:last] for own in self.parts], axis=0)
        ends = np.cumsum(work) / np.sum(work)
        cuts = first + np.searchsorted(ends, np.arange(1, number) / number)
        return list(pairwise(np.unique([first, *cuts, last]).tolist()))
