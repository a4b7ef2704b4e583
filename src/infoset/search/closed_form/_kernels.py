"""Liar's dice between players who look at their hand and the last bid, compiled.

Bids and calls are positions in `LiarsDice.calls`, hands in `LiarsDice.rolls`. A table [M, H, L, C]
holds the probability of each call C after each last bid L (0 for none, bids from 1) with each hand
H in each own move M, the last of which stands for all later ones.
"""

from __future__ import annotations

from typing import NamedTuple

from infoset.search.models._kernels import inlined
from infoset.search.models.dice._kernels import Dice
from infoset.typing import BoolArray, FloatArray, LongArray
from infoset.utils.compilation import kernel


class Table(NamedTuple):
    """A policy.

    Attributes
    ----------
    probability : FloatArray
        [M, H, L, C]
    is_used : BoolArray
        [M, L, C] whether there is a hand with which a call is made.
    """

    probability: FloatArray
    is_used: BoolArray


class Room(NamedTuple):
    """Where the recursion keeps what it needs, a row for each call of the policy so far.

    Attributes
    ----------
    hands : LongArray
        [D, H] the hands with which the policy comes here.
    reach : FloatArray
        [D, H] their probability, times that of all calls of the policy.
    values : FloatArray
        [D, H] what each hand of the responder gets of its last bid, times the reach.
    best : FloatArray
        [D, H] what it gets of its best answer to the policy's last bid.
    weight : FloatArray
        [dice + 2] reach by how many dice match.
    """

    hands: LongArray
    reach: FloatArray
    values: FloatArray
    best: FloatArray
    weight: FloatArray


@kernel
def respond(
    dice: Dice, table: Table, room: Room, depth: int, bid: int, move: int, count: int
) -> None:
    """Fill the values of a bid of the responder, from all that the policy may call then.

    To each bid of the policy, each hand of the responder gives its own best answer. `count` hands
    of the policy have come here, and `move` is its next one.
    """
    num_bids = len(dice.quantity)
    values, best = room.values[depth], room.best[depth]
    values[:] = 0.0
    later = min(move + 1, len(table.probability) - 1)
    for call in range(bid + 1, num_bids + 1):
        left = _keep(table, room, depth, bid, move, count, call)
        if left == 0:
            continue
        if call == num_bids:
            _add_liar(dice, room, depth + 1, left, bid, -1.0, values)
            continue
        best[:] = 0.0
        _add_liar(dice, room, depth + 1, left, call, 1.0, best)
        for answer in range(call + 1, num_bids):
            respond(dice, table, room, depth + 1, answer, later, left)
            for hand in range(len(best)):
                best[hand] = max(best[hand], room.values[depth + 1, hand])
        for hand in range(len(best)):
            values[hand] += best[hand]


@inlined
def _keep(table: Table, room: Room, depth: int, bid: int, move: int, count: int, call: int) -> int:
    """Go on with the hands that make a call, and return how many there are."""
    left = 0
    if table.is_used[move, bid + 1, call]:
        for place in range(count):
            hand = room.hands[depth, place]
            reach = room.reach[depth, place] * table.probability[move, hand, bid + 1, call]
            if reach > 0.0:
                room.hands[depth + 1, left], room.reach[depth + 1, left] = hand, reach
                left += 1
    return left


@inlined
def _add_liar(
    dice: Dice, room: Room, depth: int, count: int, bid: int, sign: float, values: FloatArray
) -> None:
    """Add what each hand of the responder gets, once a bid is called; `sign` is 1 if by itself."""
    weight = room.weight
    most = len(weight) - 1
    for matches in range(most + 1):
        weight[matches] = 0.0
    for place in range(count):
        weight[dice.matches[room.hands[depth, place], bid]] += room.reach[depth, place]
    for matches in range(most - 1, -1, -1):
        weight[matches] += weight[matches + 1]
    for hand in range(len(values)):
        missing = min(max(dice.quantity[bid] - dice.matches[hand, bid], 0), most)
        values[hand] += sign * (weight[0] - 2.0 * weight[missing])


@kernel
def match(dice: Dice, tables: tuple[Table, Table], prior: FloatArray, reach: FloatArray) -> float:
    """Return what player 0 gets on average, each player following a table.

    For each pair of hands, `reach` [T, L] is filled with the probability that the last bid is L
    after so many calls, T standing for all later ones of the same parity.
    """
    total = 0.0
    for first in range(len(prior)):
        for second in range(len(prior)):
            total += prior[first] * prior[second] * _match_of(dice, tables, first, second, reach)
    return total


@inlined
def _match_of(
    dice: Dice, tables: tuple[Table, Table], first: int, second: int, reach: FloatArray
) -> float:
    """Return what player 0 gets on average with a pair of hands."""
    num_bids, num_times = len(dice.quantity), len(reach)
    for time in range(num_times):
        for last in range(num_bids + 1):
            reach[time, last] = 0.0
    reach[0, 0] = 1.0
    value = 0.0
    for last in range(num_bids + 1):
        for time in range(num_times):
            here = reach[time, last]
            if here == 0.0:
                continue
            later = time + 1 if time + 1 < num_times else num_times - 2
            mover = time % 2
            table = tables[mover]
            move = min(time // 2, len(table.probability) - 1)
            row = table.probability[move, second if mover else first, last]
            for call in range(last, num_bids):
                reach[later, call + 1] += here * row[call]
            if row[num_bids] > 0.0:
                is_met = (
                    dice.matches[first, last - 1] + dice.matches[second, last - 1]
                    >= dice.quantity[last - 1]
                )
                value += here * row[num_bids] * (1.0 if is_met == (mover == 1) else -1.0)
    return value
