"""Alpha-beta search: one player against all others, with expectations over nature's moves."""

from __future__ import annotations

from math import inf
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

LEAST, MOST = range(2)


class AlphaBeta(NamedTuple):
    """The arrays of a search.

    Attributes
    ----------
    line : Line
    low, high : FloatArray
        [D] the window: what lies outside makes no difference to where the search began.
    first_low, first_high : FloatArray
        [D] the window before any branch was tried.
    best : FloatArray
        [D] value of the branches tried so far; in the end, of the position.
    table : Table
        What was found is a lower and an upper bound.
    """

    line: Line
    low: FloatArray
    high: FloatArray
    first_low: FloatArray
    first_high: FloatArray
    best: FloatArray
    table: Table


@inlined
def look_up(work: AlphaBeta, depth: int, player: int, search: int) -> bool:
    """Narrow the window by what was found before; return whether that settles the value."""
    table, line = work.table, work.line
    place = find_place(table, line, depth)
    if not holds(table, place, line, depth, search):
        return False
    so_far = line.rewards_so_far[depth, player]
    least, most = so_far + table.found[place, LEAST], so_far + table.found[place, MOST]
    if least >= work.high[depth] or least == most:
        work.best[depth] = least
        return True
    if most <= work.low[depth]:
        work.best[depth] = most
        return True
    work.low[depth] = max(work.low[depth], least)
    work.high[depth] = min(work.high[depth], most)
    return False


@inlined
def remember(work: AlphaBeta, depth: int, player: int, search: int) -> None:
    """Keep what was found of a position: a value, or a bound where the window cut it short."""
    table, line = work.table, work.line
    place = find_place(table, line, depth)
    if not holds(table, place, line, depth, search):
        keep(table, place, line, depth, search)
        table.found[place, LEAST] = -inf
        table.found[place, MOST] = inf
    value = work.best[depth] - line.rewards_so_far[depth, player]
    is_drawn = line.who[depth] == CHANCE_MOVE
    if is_drawn or work.best[depth] > work.first_low[depth]:
        table.found[place, LEAST] = value
    if is_drawn or work.best[depth] < work.first_high[depth]:
        table.found[place, MOST] = value


@inlined
def enter(
    model: Any, work: AlphaBeta, depth: int, player: int, search: int, account: LongArray
) -> bool:
    """Begin with a position; return whether its value is known at once."""
    account[NODES] += 1
    who = arrive(model, work.line, depth)
    if who == END:
        work.best[depth] = work.line.rewards_so_far[depth, player]
        return True
    if look_up(work, depth, player, search):
        return True
    work.first_low[depth] = work.low[depth]
    work.first_high[depth] = work.high[depth]
    if who == CHANCE_MOVE:
        work.best[depth] = 0.0
    else:
        work.best[depth] = -inf if who == player else inf
    return False


@inlined
def set_window(work: AlphaBeta, depth: int, payoffs: FloatArray) -> None:
    """Give the branch to be tried next the window of its position; where nature draws, none."""
    if work.line.who[depth] == CHANCE_MOVE:
        work.low[depth + 1], work.high[depth + 1] = payoffs[LEAST], payoffs[MOST]
    else:
        work.low[depth + 1], work.high[depth + 1] = work.low[depth], work.high[depth]


@inlined
def absorb(model: Any, work: AlphaBeta, depth: int, value: float, player: int) -> bool:
    """Take in the value of a branch; return whether the others make no difference."""
    line, who = work.line, work.line.who[depth]
    if who == CHANCE_MOVE:
        take_up(line, line.states, line.rewards_so_far, depth)
        weight = outcome_probability(model, line.here, line.branch[depth] - 1)
        work.best[depth] += weight * value
    elif who == player:
        work.best[depth] = max(work.best[depth], value)
        work.low[depth] = max(work.low[depth], value)
    else:
        work.best[depth] = min(work.best[depth], value)
        work.high[depth] = min(work.high[depth], value)
    is_last = line.branch[depth] == line.num_branches[depth]
    return bool(is_last or (who != CHANCE_MOVE and work.low[depth] >= work.high[depth]))


@inlined
def search_value(
    model: Any,
    work: AlphaBeta,
    payoffs: FloatArray,
    player: int,
    search: int,
    account: LongArray,
) -> float:
    """Return the value to a player of the last position of a line.

    payoffs : [2] bounds on the utility.
    """
    depth, is_new = 0, True
    work.low[0], work.high[0] = payoffs[LEAST], payoffs[MOST]
    while True:
        if is_new:
            is_known = enter(model, work, depth, player, search, account)
        else:
            is_known = absorb(model, work, depth, work.best[depth + 1], player)
            if is_known:
                remember(work, depth, player, search)
        if is_known and depth == 0:
            return float(work.best[0])
        if is_known:
            depth -= 1
        else:
            if depth + 1 < len(work.low):
                set_window(work, depth, payoffs)
            if not leave(model, work.line, depth, account):
                return 0.0
            depth += 1
        is_new = not is_known


@kernel
def alpha_beta(
    model: Any,
    states: LongArray,
    rewards_so_far: FloatArray,
    player: int,
    payoffs: FloatArray,
    search: int,
    work: AlphaBeta,
    account: LongArray,
    values: FloatArray,
) -> None:
    """Write [K] the values to a player of K positions; stop where the account names a problem.

    payoffs : [2] bounds on the utility. search : a number that no search in this table had.
    """
    for row in range(len(states)):
        take_up(work.line, states, rewards_so_far, row)
        values[row] = search_value(model, work, payoffs, player, search, account)
        if account[PROBLEM] != NO_PROBLEM:
            return
