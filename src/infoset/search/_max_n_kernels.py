"""Max^n search: every player maximizes its own utility, chance moves in expectation.

Source: Luckhardt and Irani, "An algorithmic solution of N-person games" (1986). Where several
actions are best for the player who acts, the others expect the mean of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from infoset.search._depth_first_kernels import (
    NO_PROBLEM,
    NODES,
    PROBLEM,
    Stack,
    TranspositionTable,
    claim_place,
    holds_position,
    load_position,
    push_position,
    table_place,
    take_next_branch,
)
from infoset.search.models._model_kernels import CHANCE_MOVE, END, inlined, outcome_probability
from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import kernel

TIE_TOLERANCE = 1e-9
"""Relative difference up to which two values are tied."""


class MaxN(NamedTuple):
    """The workspace of a search.

    Attributes
    ----------
    stack : Stack
    best : FloatArray
        [D] value of the best branch so far to the player who acts.
    num_best : LongArray
        [D] number of branches tied with it.
    total : FloatArray
        [D, N] sum of their values; in the end, their mean, the value of the position.
    table : TranspositionTable
        A result is the values of all players.
    """

    stack: Stack
    best: FloatArray
    num_best: LongArray
    total: FloatArray
    table: TranspositionTable


@inlined
def look_up(work: MaxN, depth: int, search: int) -> bool:
    """Return whether the values of a position are stored, and write them."""
    table, stack = work.table, work.stack
    place = table_place(table, stack, depth)
    if not holds_position(table, place, stack, depth, search):
        return False
    for player in range(work.total.shape[1]):
        # Results are of later rewards, and hold for every path to the position.
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
        # Tied actions count alike, so the mean does not depend on their order; with more than two
        # players, ties change what the others get.
        work.total[depth, player] /= work.num_best[depth]
        so_far = stack.rewards_so_far[depth, player]
        table.result[place, player] = work.total[depth, player] - so_far


@inlined
def enter(model: Any, work: MaxN, depth: int, search: int, status: LongArray) -> bool:
    """Begin a position; return whether its values are known without searching it."""
    status[NODES] += 1
    mover = push_position(model, work.stack, depth)
    # Ends are not stored: their values are the rewards so far.
    if mover != END and look_up(work, depth, search):
        return True
    # `store` divides by num_best: a chance move counts as one best branch, its expectation
    work.num_best[depth] = 1 if mover == CHANCE_MOVE else 0
    for player in range(work.total.shape[1]):
        # Chance and decisions start their sum at 0; an end is its utility.
        utility = work.stack.rewards_so_far[depth, player]
        work.total[depth, player] = utility if mover == END else 0.0
    return mover == END


@inlined
def add_branch(work: MaxN, depth: int, weight: float) -> None:
    """Add the weighted values of a branch to those of its position."""
    for player in range(work.total.shape[1]):
        # Weight: a probability at chance moves, 1 for actions.
        work.total[depth, player] += weight * work.total[depth + 1, player]


@inlined
def back_up(model: Any, work: MaxN, depth: int) -> bool:
    """Back up the values of a branch; return whether it was the last."""
    stack, mover = work.stack, work.stack.mover[depth]
    if mover == CHANCE_MOVE:
        load_position(stack, stack.states, stack.rewards_so_far, depth)
        add_branch(work, depth, outcome_probability(model, stack.here, stack.branch[depth] - 1))
    else:
        # compared by the mover's own value; all players' values are accumulated
        value, best = work.total[depth + 1, mover], work.best[depth]
        tolerance = TIE_TOLERANCE * max(1.0, abs(best))
        if work.num_best[depth] == 0 or value > best + tolerance:
            work.best[depth] = value  # strictly better: forget the tied branches so far
            work.num_best[depth] = 0
            for player in range(work.total.shape[1]):
                work.total[depth, player] = 0.0
        if work.num_best[depth] == 0 or value >= best - tolerance:
            work.num_best[depth] += 1  # best, or tied with the best
            add_branch(work, depth, 1.0)
    return bool(stack.branch[depth] == stack.num_branches[depth])


@inlined
def search_values(model: Any, work: MaxN, search: int, status: LongArray) -> None:
    """Write the values of the current position as the first total."""
    depth, is_new = 0, True
    while True:
        # The same loop as in `search_value` of alpha-beta, without windows: max^n cannot cut, since
        # the players' values are not tied to each other.
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
            # A problem is in `status`; totals are incomplete.
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
    """Write the values [K] of K positions to a player; stop where `status` reports a problem.

    search : a number not used before with this table.
    """
    for row in range(len(states)):
        load_position(work.stack, states, rewards_so_far, row)
        search_values(model, work, search, status)
        if status[PROBLEM] != NO_PROBLEM:
            return
        # the table serves every player: max^n values do not depend on who searches
        values[row] = work.total[0, player]
