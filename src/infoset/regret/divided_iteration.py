"""Iterations of the CFR family on a divided public form: one part at a time, and then the top.

Plans of the whole game are never stored: visiting a part computes the opponent's plan there and
adds it to the average.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from infoset.forms import PartWorkspace, PublicDivision, add_copies, fill_part_gradient
from infoset.regret._cfr_kernels import AVERAGE_RETENTION, AVERAGE_WEIGHT, NUM_COLUMNS
from infoset.regret._part_kernels import (
    DividedState,
    average_part,
    enter_part,
    update_part,
    update_parts,
)
from infoset.regret.scheme import RegretScheme
from infoset.typing import FloatArray, LongArray, Player
from infoset.utils.interrupts import interrupts_held

SHARES = 3
"""Number of shares of a wave per thread: more shares balance the threads better."""

NO_PLAYERS = (0, 0)
BOTH_PLAYERS = (0, 2)


class DividedIteration:
    """Iterations on the arrays of two players; results do not depend on the number of threads.

    Parameters
    ----------
    division
        The division of the form.
    scheme
        The member of the family.
    limit
        As in `update_regrets`.
    states
        The arrays of the players.
    precision
        Precision of plans and gradients, "float64" or "float32".
    threads
        Number of threads, including the calling thread.
    """

    def __init__(
        self,
        division: PublicDivision,
        scheme: RegretScheme,
        limit: float,
        states: tuple[DividedState, DividedState],
        precision: str,
        threads: int,
    ) -> None:
        self._waves, self._parts, self._first_batch = (
            division.waves,
            division.parts,
            division.first_batch,
        )
        self._scheme, self._limit, self._states = scheme, limit, states
        payoffs = division.payoffs(precision)
        self._workspaces = [division.workspace(payoffs) for _ in range(threads)]
        self._shares = [
            division.shares(*wave, 1 if threads == 1 else SHARES * threads)
            for wave in division.waves
        ]
        self._others = ThreadPoolExecutor(max(threads - 1, 1), thread_name_prefix="infoset")
        self._tops, self._gradients = division.of_top(precision), division.of_top(precision)
        self._copies = division.of_copies(precision)
        # A row of the schedule that leaves averages unchanged.
        self._unchanged = np.zeros(1 + NUM_COLUMNS, precision)
        self._unchanged[AVERAGE_RETENTION] = 1.0

    def run(self, rows: FloatArray, done: LongArray) -> None:
        """Run one iteration per row of rows[1:]; rows[0] is the row of the previous iteration.

        Ctrl-C takes effect after the current or the next iteration.
        """
        if len(rows) == 1:
            return
        iterations = done[0] + np.arange(len(rows))
        rows = np.column_stack([rows, iterations]).astype(self._unchanged.dtype)
        with interrupts_held() as interrupts:
            for player in range(2):
                self._realize_top(player, rows[0])
            if self._scheme.alternating:
                self._run_alternating(rows, done, interrupts)
            else:
                self._run_simultaneous(rows, done, interrupts)

    def _run_alternating(self, rows: FloatArray, done: LongArray, interrupts: list[object]) -> None:
        """Run iterations in which player 1 responds to the new plan of player 0.

        Visiting a part to update player 1 also computes the plan of player 0 for the next
        iteration. If that plan is averaged, there must be a next iteration.
        """
        step, last, averages_next = 0, len(rows) - 1, self._scheme.averages_next
        if not averages_next:
            self._visit(NO_PLAYERS, (0, 1), made=rows[0], averaged=rows[1])
        while step < last:
            step += 1
            before, row = rows[step - 1], rows[step]
            averaged = row
            if averages_next:
                averaged = before if step > 1 else self._unchanged
            self._visit((0, 1), (1, 2), row, before, made=before, averaged=averaged)
            self._update_top(0, row, before)
            if interrupts:
                last = step
            if not averages_next:
                averaged = rows[step + 1] if step < last else self._unchanged
            else:
                averaged = row
            self._visit((1, 2), (0, 1), row, before, made=row, averaged=averaged)
            self._update_top(1, row, before)
            done[0] += 1
        if averages_next:
            self._visit(NO_PLAYERS, (1, 2), made=rows[step], averaged=rows[step])

    def _run_simultaneous(
        self, rows: FloatArray, done: LongArray, interrupts: list[object]
    ) -> None:
        """Run iterations in which both players respond to the previous plans."""
        step, averages_next = 0, self._scheme.averages_next
        while step < len(rows) - 1 and not (step and interrupts):
            step += 1
            before, row = rows[step - 1], rows[step]
            averaged = row
            if averages_next:
                averaged = before if step > 1 else self._unchanged
            self._visit(BOTH_PLAYERS, BOTH_PLAYERS, row, before, made=before, averaged=averaged)
            for player in range(2):
                self._update_regrets_of_top(player, row, before)
            for player in range(2):
                self._average_top(player, row)
            done[0] += 1
        if averages_next:
            self._visit(NO_PLAYERS, BOTH_PLAYERS, made=rows[step], averaged=rows[step])

    def _visit(
        self,
        players: tuple[int, int],
        entered: tuple[int, int],
        row: FloatArray | None = None,
        before: FloatArray | None = None,
        *,
        made: FloatArray,
        averaged: FloatArray,
    ) -> None:
        """Call `update_parts` for all parts, on all threads, and add their gradients to the top."""
        row = self._unchanged if row is None else row
        before = self._unchanged if before is None else before
        for player in range(*players):
            self._fill_top_gradient(player)
        for (first, last), shares in zip(self._waves, self._shares, strict=True):
            self._visit_wave(first, shares, players, entered, row, before, made, averaged)
            for player in range(*players):
                copies, gradient = self._copies[player], self._gradients[player]
                add_copies(first, last, self._parts[player], copies, gradient)

    def _visit_wave(
        self,
        wave: int,
        listed: list[tuple[int, int]],
        players: tuple[int, int],
        entered: tuple[int, int],
        row: FloatArray,
        before: FloatArray,
        made: FloatArray,
        averaged: FloatArray,
    ) -> None:
        shares = iter(listed)

        def work(space: PartWorkspace) -> None:
            # Each thread takes another share when it finishes one.
            for first, last in shares:
                update_parts(
                    first,
                    last,
                    wave,
                    players,
                    entered,
                    self._parts,
                    self._states,
                    space.payoffs,
                    self._first_batch,
                    row,
                    before,
                    self._limit,
                    made,
                    averaged,
                    self._tops,
                    self._copies,
                    space.plans,
                    space.gradients,
                    space.rows,
                )

        begun = [self._others.submit(work, space) for space in self._workspaces[1:]]
        work(self._workspaces[0])
        for other in begun:
            # Work that can still be canceled has not started, and no shares are left for it.
            if not other.cancel():
                other.result()

    def _update_top(self, player: Player, row: FloatArray, before: FloatArray) -> None:
        self._update_regrets_of_top(player, row, before)
        self._average_top(player, row)

    def _update_regrets_of_top(self, player: Player, row: FloatArray, before: FloatArray) -> None:
        """Update the regrets of a player in the top, after those in all parts."""
        own, state, gradient = self._parts[player], self._states[player], self._gradients[player]
        rows = self._workspaces[0].rows
        update_part(own, 0, state, row, before, self._limit, gradient, rows)

    def _fill_top_gradient(self, player: Player) -> None:
        """Fill the gradient of a player in the top, excluding the parts."""
        terms, batches = self._workspaces[0].payoffs[player], self._first_batch[player]
        top, gradient = self._tops[1 - player], self._gradients[player]
        fill_part_gradient(self._parts[player], 0, terms, batches, top, gradient)

    def _average_top(self, player: Player, row: FloatArray) -> None:
        """Compute the plan of a player in the top, and average the new or the previous one."""
        own, state, rows = self._parts[player], self._states[player], self._workspaces[0].rows
        if self._scheme.averages_next:
            self._realize_top(player, row)
        average_part(own, 0, state, row, self._tops[player], rows)
        # The number of the empty sequence is the sum of the weights.
        total = state.average.scale if len(state.average.scale) else state.average.number
        total[0] = row[AVERAGE_RETENTION] * total[0] + row[AVERAGE_WEIGHT]
        if not self._scheme.averages_next:
            self._realize_top(player, row)

    def _realize_top(self, player: Player, made: FloatArray) -> None:
        """Fill the plan of a player in the top; made: as in `enter_part`."""
        own, top = self._parts[player], self._tops[player]
        state, rows = self._states[player], self._workspaces[0].rows
        top[0] = 1.0
        enter_part(own, 0, state, made, self._unchanged, top, rows)
