"""Max^n search: every player maximizes its own utility; chance moves have expected values.

Source: Luckhardt and Irani, "An algorithmic solution of N-person games" (1986). If several actions
are best for the acting player, the value of the position is the mean of their values.
"""

from __future__ import annotations

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

TIE_TOLERANCE = 1e-11
"""Difference up to which two values are tied, relative to the size of the utilities.

It allows for rounding only, which is in proportion to this size: relative to the values themselves,
it would be too small near 0, and an absolute difference would depend on the unit of utility.
"""


class MaxN(NamedTuple):
    """The workspace of a search."""

    stack: Stack
    best: FloatArray
    """[D] value of the best branch so far to the player who acts."""
    num_best: LongArray
    """[D] number of branches tied for the best value."""
    total: FloatArray
    """[D, N] sum of the values of the tied branches; after the last branch, their mean, which is
    the value of the position."""
    largest: FloatArray
    """[1] largest absolute value of a utility found in this search."""
    table: TranspositionTable
    """Each result is the values of all players."""


@inlined
def look_up(work: MaxN, depth: int, search: int) -> bool:
    """Copy the stored values of a position, if any; return whether they were stored."""
    table, stack = work.table, work.stack
    place = table_place(table, stack, depth)
    if not holds_position(table, place, stack, depth, search):
        return False
    for player in range(work.total.shape[1]):
        # The table stores sums of future rewards, which are the same for every path to the
        # position.
        so_far = stack.rewards_so_far[depth, player]
        work.total[depth, player] = so_far + table.result[place, player]
    return True


@inlined
def store(work: MaxN, depth: int, search: int) -> None:
    """Turn the sum over the tied branches into their mean, and store it."""
    table, stack = work.table, work.stack
    place = table_place(table, stack, depth)
    claim_place(table, place, stack, depth, search)
    for player in range(work.total.shape[1]):
        # The mean over ties does not depend on the order of actions. With more than two players,
        # tied actions can differ in their values to the other players.
        work.total[depth, player] /= work.num_best[depth]
        so_far = stack.rewards_so_far[depth, player]
        table.result[place, player] = work.total[depth, player] - so_far


@inlined
def enter(model: Any, work: MaxN, depth: int, search: int, status: LongArray) -> bool:
    """Begin a position; return whether its values are known without searching it."""
    status[NODES] += 1
    mover = push_position(model, work.stack, depth)
    # Ends are not stored: their values equal the rewards so far.
    if mover != END and look_up(work, depth, search):
        return True
    # `store` divides by `num_best`. At a chance move the total is already the expectation.
    work.num_best[depth] = 1 if mover == CHANCE_MOVE else 0
    for player in range(work.total.shape[1]):
        # An end has its utility as its value; all other positions start their sum at 0.
        utility = work.stack.rewards_so_far[depth, player]
        work.total[depth, player] = utility if mover == END else 0.0
        if mover == END:
            work.largest[0] = max(work.largest[0], abs(utility))
    return mover == END


@inlined
def add_branch(work: MaxN, depth: int, weight: float) -> None:
    """Add the weighted values of a branch to those of its position."""
    for player in range(work.total.shape[1]):
        # `weight` is the probability of a chance outcome, or 1 for an action.
        work.total[depth, player] += weight * work.total[depth + 1, player]


@inlined
def back_up(model: Any, work: MaxN, depth: int) -> bool:
    """Back up the values of a branch; return whether it was the last."""
    stack, mover = work.stack, work.stack.mover[depth]
    if mover == CHANCE_MOVE:
        # The probability is that of the position above, which the branch has played on from.
        load_position(stack, stack.states, stack.rewards_so_far, depth)
        add_branch(work, depth, outcome_probability(model, stack.here, stack.branch[depth] - 1))
    else:
        # Branches are compared by the mover's value; the values of all players are summed.
        value, best = work.total[depth + 1, mover], work.best[depth]
        # Rounding errors are in proportion to the utilities that were added up so far.
        tolerance = TIE_TOLERANCE * work.largest[0]
        if work.num_best[depth] == 0 or value > best + tolerance:
            work.best[depth] = value  # strictly better: drop the ties so far
            work.num_best[depth] = 0
            for player in range(work.total.shape[1]):
                work.total[depth, player] = 0.0
        if work.num_best[depth] == 0 or value >= best - tolerance:
            work.num_best[depth] += 1  # new best, or tied with the best
            add_branch(work, depth, 1.0)
    return bool(stack.branch[depth] == stack.num_branches[depth])


@inlined
def search_values(model: Any, work: MaxN, search: int, status: LongArray) -> None:
    """Write the values of the current position to `work.total[0]`."""
    # A search pauses only before it enters a position.
    depth, is_new = status[DEPTH], True
    while True:
        if is_new and pauses_at(depth, status):
            return
        # The loop of `search_value` in alpha-beta, without windows: max^n has no cutoffs, because
        # one player's value does not bound the values of the others.
        if is_new:
            is_known = enter(model, work, depth, search, status)
        else:
            is_known = back_up(model, work, depth)
            if is_known:
                store(work, depth, search)
        if is_known and depth == 0:
            return
        if is_known:
            depth -= 1
        elif take_next_branch(model, work.stack, depth, status):
            depth += 1
        else:
            # `status` reports the problem; the totals are incomplete.
            return
        is_new = not is_known


@kernel
def max_n(
    model: Any,
    states: LongArray,
    rewards_so_far: FloatArray,
    player: int,
    search: int,
    work: MaxN,
    status: LongArray,
    values: FloatArray,
) -> None:
    """Write the values [K] of K positions to a player; stop if `status` reports a problem.

    search : a number that no earlier search with this table used. A paused search continues.
    """
    for row in range(status[ROW], len(states)):
        # All rows share the transposition table, as in alpha-beta.
        if status[DEPTH] == 0:
            load_position(work.stack, states, rewards_so_far, row)
        search_values(model, work, search, status)
        if status[PROBLEM] != NO_PROBLEM:
            status[ROW] = row
            return
        status[DEPTH] = 0
        # The values of all players are found together, whichever player searches.
        values[row] = work.total[0, player]
