"""Max^n search: everybody for itself, with expectations over nature's moves."""

from __future__ import annotations

from typing import Any, NamedTuple

from infoset.search.models._kernels import CHANCE_MOVE, END, inlined, outcome_probability
from infoset.search.pimc._walk_kernels import (
    NO_PROBLEM,
    NODES,
    PROBLEM,
    Line,
    Table,
    arrive,
    find_place,
    holds,
    keep,
    leave,
    take_up,
)
from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import kernel

TIE_TOLERANCE = 1e-9
"""Values are the same that differ by no more than this share of their size."""


class MaxN(NamedTuple):
    """The arrays of a search.

    Attributes
    ----------
    line : Line
    best : FloatArray
        [D] what the player to decide gets of the best branch so far.
    num_best : LongArray
        [D] how many branches are as good as that.
    total : FloatArray
        [D, N] sum of their values; in the end, their mean, which is the value of the position.
    table : Table
        What was found are the values of all players.
    """

    line: Line
    best: FloatArray
    num_best: LongArray
    total: FloatArray
    table: Table


@inlined
def look_up(work: MaxN, depth: int, search: int) -> bool:
    """Return whether the values of a position were found before, and write them."""
    table, line = work.table, work.line
    place = find_place(table, line, depth)
    if not holds(table, place, line, depth, search):
        return False
    for player in range(work.total.shape[1]):
        work.total[depth, player] = line.rewards_so_far[depth, player] + table.found[place, player]
    return True


@inlined
def remember(work: MaxN, depth: int, search: int) -> None:
    """Make the sum of the best branches their mean, and keep it."""
    table, line = work.table, work.line
    place = find_place(table, line, depth)
    keep(table, place, line, depth, search)
    for player in range(work.total.shape[1]):
        work.total[depth, player] /= work.num_best[depth]
        table.found[place, player] = work.total[depth, player] - line.rewards_so_far[depth, player]


@inlined
def enter(model: Any, work: MaxN, depth: int, search: int, account: LongArray) -> bool:
    """Begin with a position; return whether its values are known at once."""
    account[NODES] += 1
    who = arrive(model, work.line, depth)
    if who != END and look_up(work, depth, search):
        return True
    work.num_best[depth] = 1 if who == CHANCE_MOVE else 0
    for player in range(work.total.shape[1]):
        work.total[depth, player] = work.line.rewards_so_far[depth, player] if who == END else 0.0
    return who == END


@inlined
def add(work: MaxN, depth: int, weight: float) -> None:
    """Add the values of a branch, times a weight, to those of its position."""
    for player in range(work.total.shape[1]):
        work.total[depth, player] += weight * work.total[depth + 1, player]


@inlined
def absorb(model: Any, work: MaxN, depth: int) -> bool:
    """Take in the values of a branch; return whether it was the last."""
    line, who = work.line, work.line.who[depth]
    if who == CHANCE_MOVE:
        take_up(line, line.states, line.rewards_so_far, depth)
        add(work, depth, outcome_probability(model, line.here, line.branch[depth] - 1))
    else:
        value, best = work.total[depth + 1, who], work.best[depth]
        tolerance = TIE_TOLERANCE * max(1.0, abs(best))
        if work.num_best[depth] == 0 or value > best + tolerance:
            work.best[depth] = value
            work.num_best[depth] = 0
            for player in range(work.total.shape[1]):
                work.total[depth, player] = 0.0
        if work.num_best[depth] == 0 or value >= best - tolerance:
            work.num_best[depth] += 1
            add(work, depth, 1.0)
    return bool(line.branch[depth] == line.num_branches[depth])


@inlined
def search_values(model: Any, work: MaxN, search: int, account: LongArray) -> None:
    """Write the values of the last position of a line as the first total."""
    depth, is_new = 0, True
    while True:
        if is_new:
            is_known = enter(model, work, depth, search, account)
        else:
            is_known = absorb(model, work, depth)
            if is_known:
                remember(work, depth, search)
        if is_known and depth == 0:
            return
        if is_known:
            depth -= 1
        elif leave(model, work.line, depth, account):
            depth += 1
        else:
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
    account: LongArray,
    values: FloatArray,
) -> None:
    """Write [K] the values to a player of K positions; stop where the account names a problem.

    search : a number that no search in this table had.
    """
    for row in range(len(states)):
        take_up(work.line, states, rewards_so_far, row)
        search_values(model, work, search, account)
        if account[PROBLEM] != NO_PROBLEM:
            return
        values[row] = work.total[0, player]
