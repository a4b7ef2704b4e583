"""Going through the futures of a position in kernels: a line of positions, and what was found."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from infoset.search.models._kernels import (
    CHANCE_MOVE,
    END,
    Position,
    actor,
    choose,
    follow,
    inlined,
    num_actions,
    num_outcomes,
)
from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import inner_kernel

NODES, PROBLEM = range(2)
"""What a search tells of itself: how many positions it visited, and why it stopped."""

NO_PROBLEM, TOO_DEEP, AT_ONCE = range(3)

FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SHIFT = np.uint64(29)


class Line(NamedTuple):
    """The positions from where a search began to where it is, depth by depth.

    Attributes
    ----------
    here : Position
        The last one.
    states, rewards_so_far : LongArray, FloatArray
        [D, L] and [D, N], as in `Position`.
    who : LongArray
        [D] the player to decide, `CHANCE_MOVE` or `END`.
    branch, num_branches : LongArray
        [D] how many actions or outcomes were tried, and how many there are.
    """

    here: Position
    states: LongArray
    rewards_so_far: FloatArray
    who: LongArray
    branch: LongArray
    num_branches: LongArray


class Table(NamedTuple):
    """What was found of positions; each has one place, where the last one found stays.

    Attributes
    ----------
    states : LongArray
        [T, L] T is a power of two.
    search : LongArray
        [T] the number of the search that found it; of others, nothing is believed.
    found : FloatArray
        [T, M] utilities, less the rewards so far.
    """

    states: LongArray
    search: LongArray
    found: FloatArray


@inner_kernel
def find_place(table: Table, line: Line, depth: int) -> int:
    """Return the place in a table of the position at a depth."""
    mixed = np.uint64(0)
    for column in range(line.states.shape[1]):
        mixed = (mixed ^ np.uint64(line.states[depth, column])) * FACTOR
        mixed ^= mixed >> SHIFT
    return int(mixed & np.uint64(len(table.search) - 1))


@inlined
def holds(table: Table, place: int, line: Line, depth: int, search: int) -> bool:
    """Return whether a place of a table has what this search found of the position at a depth."""
    if table.search[place] != search:
        return False
    for column in range(line.states.shape[1]):
        if table.states[place, column] != line.states[depth, column]:
            return False
    return True


@inlined
def keep(table: Table, place: int, line: Line, depth: int, search: int) -> None:
    """Give a place of a table to the position at a depth; what was found is written elsewhere."""
    table.search[place] = search
    for column in range(line.states.shape[1]):
        table.states[place, column] = line.states[depth, column]


@inlined
def put_down(line: Line, depth: int) -> None:
    """Write the last position at a depth."""
    for column in range(line.states.shape[1]):
        line.states[depth, column] = line.here.state[column]
    for player in range(line.rewards_so_far.shape[1]):
        line.rewards_so_far[depth, player] = line.here.rewards_so_far[player]


@inlined
def take_up(line: Line, states: LongArray, rewards_so_far: FloatArray, row: int) -> None:
    """Make a row of positions the last one; what was seen is not looked at."""
    for column in range(states.shape[1]):
        line.here.state[column] = states[row, column]
    for player in range(rewards_so_far.shape[1]):
        line.here.rewards_so_far[player] = rewards_so_far[row, player]


@inlined
def pass_single(model: Any, position: Position) -> int:
    """Let everybody with a single action take it, and return who is then to decide."""
    who = actor(model, position)
    while who >= 0 and num_actions(model, position) == 1:
        choose(model, position, 0)
        who = actor(model, position)
    return who


@inlined
def settle(model: Any, position: Position) -> int:
    """Go on, in place, to where there is something to decide or to draw; return who does."""
    while True:
        who = actor(model, position)
        if who >= 0 and num_actions(model, position) == 1:
            choose(model, position, 0)
        elif who == CHANCE_MOVE and num_outcomes(model, position) == 1:
            follow(model, position, 0)
        else:
            return who


@inlined
def arrive(model: Any, line: Line, depth: int) -> int:
    """Settle the last position, write it at a depth, and return who is to decide there."""
    who = settle(model, line.here)
    put_down(line, depth)
    line.who[depth] = who
    line.branch[depth] = 0
    if who == CHANCE_MOVE:
        line.num_branches[depth] = num_outcomes(model, line.here)
    elif who != END:
        line.num_branches[depth] = num_actions(model, line.here)
    return who


@inlined
def leave(model: Any, line: Line, depth: int, account: LongArray) -> bool:
    """Go along the next branch from a depth; return False, and say why, if that cannot be."""
    if depth + 1 == len(line.who):
        account[PROBLEM] = TOO_DEEP
        return False
    take_up(line, line.states, line.rewards_so_far, depth)
    branch = line.branch[depth]
    line.branch[depth] = branch + 1
    if line.who[depth] == CHANCE_MOVE:
        follow(model, line.here, branch)
    else:
        choose(model, line.here, branch)
        if pass_single(model, line.here) >= 0:
            account[PROBLEM] = AT_ONCE
            return False
    return True
