"""Alpha-beta search of one player against all others, with expected values at chance moves.

Source: Knuth and Moore, "An analysis of alpha-beta pruning" (1975), with a transposition table of
bounds. Below a chance node the window is reset to the whole range of utilities, so that the
expectation is exact (expectiminimax).
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

from infoset.search._depth_first_kernels import (
    DEPTH,
    NO_PROBLEM,
    NODES,
    PROBLEM,
    ROW,
    Stack,
    TranspositionTable,
    claim_place,
    holds_position,
    load_position,
    pauses_at,
    push_position,
    table_place,
    take_next_branch,
)
from infoset.search.models._model_kernels import CHANCE_MOVE, END, inlined, outcome_probability
from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import kernel

LOWER, UPPER = range(2)
"""Columns of `TranspositionTable.result`, and indices of `utility_range`."""


class AlphaBeta(NamedTuple):
    """The workspace of a search."""

    stack: Stack
    alpha: FloatArray
    beta: FloatArray
    """[D] the window: values outside it do not change the value at the root."""
    first_alpha: FloatArray
    first_beta: FloatArray
    """[D] the window before the first branch was searched. A value inside it is exact; a value
    outside it is a bound."""
    best: FloatArray
    """[D] best or expected value over the branches searched so far."""
    table: TranspositionTable
    """Each result is a lower and an upper bound on the value."""


@inlined
def look_up(work: AlphaBeta, depth: int, player: int, search: int) -> bool:
    """Narrow the window to the stored bounds; return whether they determine the value."""
    table, stack = work.table, work.stack
    place = table_place(table, stack, depth)
    if not holds_position(table, place, stack, depth, search):
        return False
    # The table stores sums of future rewards; the window is in total utilities.
    so_far = stack.rewards_so_far[depth, player]
    lower, upper = so_far + table.result[place, LOWER], so_far + table.result[place, UPPER]
    if lower >= work.beta[depth] or lower == upper:
        work.best[depth] = lower  # a beta cutoff, or an exact value
        return True
    if upper <= work.alpha[depth]:
        work.best[depth] = upper  # an alpha cutoff
        return True
    # Not determined, but the bounds still narrow the window for the branches.
    work.alpha[depth] = max(work.alpha[depth], lower)
    work.beta[depth] = min(work.beta[depth], upper)
    return False


@inlined
def store(work: AlphaBeta, depth: int, player: int, search: int) -> None:
    """Store the result of a position: an exact value inside the window, a bound outside it."""
    table, stack = work.table, work.stack
    place = table_place(table, stack, depth)
    if not holds_position(table, place, stack, depth, search):
        claim_place(table, place, stack, depth, search)
        table.result[place, LOWER] = -inf
        table.result[place, UPPER] = inf
    value = work.best[depth] - stack.rewards_so_far[depth, player]
    # Above the first alpha the result is a lower bound, below the first beta an upper bound. Inside
    # the window it is both, and therefore exact.
    # The branches of a chance move had the full window, so their mean is exact.
    is_exact = stack.mover[depth] == CHANCE_MOVE
    if is_exact or work.best[depth] > work.first_alpha[depth]:
        table.result[place, LOWER] = value
    if is_exact or work.best[depth] < work.first_beta[depth]:
        table.result[place, UPPER] = value


@inlined
def enter(
    model: Any, work: AlphaBeta, depth: int, player: int, search: int, status: LongArray
) -> bool:
    """Begin a position; return whether its value is known without searching it."""
    status[NODES] += 1
    mover = push_position(model, work.stack, depth)
    if mover == END:
        work.best[depth] = work.stack.rewards_so_far[depth, player]
        return True
    if look_up(work, depth, player, search):
        return True
    # Save the window before the branches narrow it: `store` compares the result with it.
    work.first_alpha[depth] = work.alpha[depth]
    work.first_beta[depth] = work.beta[depth]
    if mover == CHANCE_MOVE:
        work.best[depth] = 0.0
    else:
        # Start from the identity of max or min, so that the first branch always replaces it. The
        # backed-up value may lie outside the window (fail-soft).
        work.best[depth] = -inf if mover == player else inf
    return False


@inlined
def set_child_window(work: AlphaBeta, depth: int, utility_range: FloatArray) -> None:
    """Give the next branch the current window, or the full range below a chance move."""
    if work.stack.mover[depth] == CHANCE_MOVE:
        work.alpha[depth + 1], work.beta[depth + 1] = utility_range[LOWER], utility_range[UPPER]
    else:
        work.alpha[depth + 1], work.beta[depth + 1] = work.alpha[depth], work.beta[depth]


@inlined
def back_up(model: Any, work: AlphaBeta, depth: int, value: float, player: int) -> bool:
    """Back up the value of a branch; return whether the position is finished.

    It is finished after its last branch, or by a cutoff: once alpha >= beta, the remaining branches
    cannot change the value at the root.
    """
    stack, mover = work.stack, work.stack.mover[depth]
    if mover == CHANCE_MOVE:
        # The search has played on from the parent. Restore the parent to query the probability.
        load_position(stack, stack.states, stack.rewards_so_far, depth)
        weight = outcome_probability(model, stack.here, stack.branch[depth] - 1)
        work.best[depth] += weight * value
    elif mover == player:
        work.best[depth] = max(work.best[depth], value)
        work.alpha[depth] = max(work.alpha[depth], value)
    else:  # all other players minimize
        work.best[depth] = min(work.best[depth], value)
        work.beta[depth] = min(work.beta[depth], value)
    # Chance moves have no cutoff: every outcome enters the expectation.
    is_last = stack.branch[depth] == stack.num_branches[depth]
    return bool(is_last or (mover != CHANCE_MOVE and work.alpha[depth] >= work.beta[depth]))


@inlined
def search_value(
    model: Any,
    work: AlphaBeta,
    utility_range: FloatArray,
    player: int,
    search: int,
    status: LongArray,
) -> float:
    """Return the value of the current position to a player.

    utility_range : [2] bounds on the utility.
    """
    # A search pauses only before it enters a position.
    depth, is_new = status[DEPTH], True
    if depth == 0:
        # No value lies outside this window, so the value of the root is exact.
        work.alpha[0], work.beta[0] = utility_range[LOWER], utility_range[UPPER]
    while True:
        if is_new and pauses_at(depth, status):
            return 0.0  # unused: the caller checks `status`
        # On the way down, enter a new position; its value may already be known. On the way up, back
        # up the value of the finished branch.
        if is_new:
            is_known = enter(model, work, depth, player, search, status)
        else:
            is_known = back_up(model, work, depth, work.best[depth + 1], player)
            if is_known:
                store(work, depth, player, search)
        # Depth 0 is the root: its value is the result.
        if is_known and depth == 0:
            return float(work.best[0])
        if is_known:
            depth -= 1
        else:
            # At the last depth there is no room for a window: `take_next_branch` reports TOO_DEEP.
            if depth + 1 < len(work.alpha):
                set_child_window(work, depth, utility_range)
            if not take_next_branch(model, work.stack, depth, status):
                return 0.0  # unused: the caller checks `status`
            depth += 1
        # A move down enters a new position; a move up returns to a position on the stack.
        is_new = not is_known


@kernel
def alpha_beta(
    model: Any,
    states: LongArray,
    rewards_so_far: FloatArray,
    player: int,
    utility_range: FloatArray,
    search: int,
    work: AlphaBeta,
    status: LongArray,
    values: FloatArray,
) -> None:
    """Write the values [K] of K positions to a player; stop if `status` reports a problem.

    utility_range : [2] bounds on the utility. search : a number that no earlier search with this
    table used. A paused search continues.
    """
    for row in range(status[ROW], len(states)):
        # All rows share the transposition table: worlds of one belief lead to many common
        # positions.
        if status[DEPTH] == 0:
            load_position(work.stack, states, rewards_so_far, row)
        values[row] = search_value(model, work, utility_range, player, search, status)
        if status[PROBLEM] != NO_PROBLEM:
            status[ROW] = row
            return
        status[DEPTH] = 0
