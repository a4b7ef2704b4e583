"""Kernels for liar's dice between players who look only at their hand and the last bid.

Bids and calls are positions in `LiarsDice.calls`, hands in `LiarsDice.rolls`. A table [M, H, L, C]
holds the probability of each call C after each last bid L (0 for none, bids from 1) with each hand
H at each own move M. Its last entry for M applies to all later moves too.
"""

from __future__ import annotations

from typing import NamedTuple

from infoset.search.models import Dice, inlined
from infoset.typing import BoolArray, FloatArray, LongArray
from infoset.utils.compilation import kernel


class Table(NamedTuple):
    """A policy.

    Attributes
    ----------
    probability : FloatArray
        [M, H, L, C]
    is_used : BoolArray
        [M, L, C] whether some hand makes the call.
    """

    probability: FloatArray
    is_used: BoolArray


class Workspace(NamedTuple):
    """The workspace of the recursion: one row per call of the policy so far.

    Attributes
    ----------
    hands : LongArray
        [D, H] the hands with which the policy makes these calls.
    reach : FloatArray
        [D, H] probability of each of these hands, times that of the policy's calls with it.
    values : FloatArray
        [D, H] value of the responder's last bid with each of its hands, times reach.
    best : FloatArray
        [D, H] value of the best answer to the policy's last bid, times reach.
    weight : FloatArray
        [dice + 2] reach by number of matching dice, cumulative from above.
    """

    hands: LongArray
    reach: FloatArray
    values: FloatArray
    best: FloatArray
    weight: FloatArray


@kernel
def respond(
    dice: Dice, table: Table, work: Workspace, depth: int, bid: int, move: int, count: int
) -> None:
    """Write the value of the responder's bid for each of its hands, over all calls of the policy.

    `count` is the number of hands with which the policy can reach this point, and `move` is its
    next move. Values are weighted by the reach of these hands, so that no division is needed.
    """
    num_bids = len(dice.quantity)
    values, best = work.values[depth], work.best[depth]
    values[:] = 0.0
    # The last entry of the table applies to all later moves.
    later = min(move + 1, len(table.probability) - 1)
    for call in range(bid + 1, num_bids + 1):
        # Hands with which the policy makes this call; the others leave the recursion here.
        left = _keep_hands(table, work, depth, bid, move, count, call)
        if left == 0:
            continue
        if call == num_bids:
            # The policy calls `liar`: the game ends, and the responder wins if its bid is true.
            _add_liar(dice, work, depth + 1, left, bid, -1.0, values)
            continue
        # The responder answers with `liar` or a higher bid. Each of its hands takes its own
        # maximum, because the responder sees its hand but not that of the policy.
        best[:] = 0.0
        _add_liar(dice, work, depth + 1, left, call, 1.0, best)
        for answer in range(call + 1, num_bids):
            respond(dice, table, work, depth + 1, answer, later, left)
            for hand in range(len(best)):
                best[hand] = max(best[hand], work.values[depth + 1, hand])
        for hand in range(len(best)):
            values[hand] += best[hand]


@inlined
def _keep_hands(
    table: Table, work: Workspace, depth: int, bid: int, move: int, count: int, call: int
) -> int:
    """Copy the hands with which the policy makes a call to the next depth; return their number."""
    left = 0
    # Most calls of a nearly deterministic policy have probability 0 for every hand.
    if table.is_used[move, bid + 1, call]:
        for place in range(count):
            hand = work.hands[depth, place]
            reach = work.reach[depth, place] * table.probability[move, hand, bid + 1, call]
            if reach > 0.0:
                work.hands[depth + 1, left], work.reach[depth + 1, left] = hand, reach
                left += 1
    return left


@inlined
def _add_liar(
    dice: Dice, work: Workspace, depth: int, count: int, bid: int, sign: float, values: FloatArray
) -> None:
    """Add the value of `liar` against a bid for each responder's hand.

    `sign` is 1 if the responder calls `liar`, and -1 if the policy does.
    """
    weight = work.weight
    largest = len(weight) - 1
    # Histogram of the reach by matching dice, then its sums from above: weight[m] is the reach of
    # the hands with at least m matching dice.
    for matches in range(largest + 1):
        weight[matches] = 0.0
    for place in range(count):
        weight[dice.matches[work.hands[depth, place], bid]] += work.reach[depth, place]
    for matches in range(largest - 1, -1, -1):
        weight[matches] += weight[matches + 1]
    # weight[0] is the total reach, and weight[missing] the part that makes the bid true. The value
    # of calling is P(false) - P(true) = weight[0] - 2 weight[missing].
    for hand in range(len(values)):
        missing = min(max(dice.quantity[bid] - dice.matches[hand, bid], 0), largest)
        values[hand] += sign * (weight[0] - 2.0 * weight[missing])


@kernel
def match(dice: Dice, tables: tuple[Table, Table], prior: FloatArray, reach: FloatArray) -> float:
    """Return the expected utility of player 0 when each player follows a table.

    reach : [T, L] workspace for the probability, given the hands, that T calls have been made and
    the last bid is L. The last two entries for T include all later calls of the same parity.
    """
    total = 0.0
    for first in range(len(prior)):
        for second in range(len(prior)):
            # Hands are rolled independently: a pair has the product of their probabilities.
            value = _match_of_hands(dice, tables, first, second, reach)
            total += prior[first] * prior[second] * value
    return total


@inlined
def _match_of_hands(
    dice: Dice, tables: tuple[Table, Table], first: int, second: int, reach: FloatArray
) -> float:
    """Return the expected utility of player 0 for a pair of hands."""
    num_bids, num_times = len(dice.quantity), len(reach)
    for time in range(num_times):
        for last in range(num_bids + 1):
            reach[time, last] = 0.0
    reach[0, 0] = 1.0
    value = 0.0
    # Every bid is higher than the last one. So when the loop comes to a last bid, all ways to
    # reach it have been added, and one pass computes the reach of all bid sequences.
    for last in range(num_bids + 1):
        for time in range(num_times):
            here = reach[time, last]
            if here == 0.0:
                continue
            # Later calls fold into the last two rows, which preserves who moves (the parity).
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
                # A true bid wins for its bidder: player 0 gains if player 1 called a true bid, or
                # if player 0 called a false one.
                value += here * row[num_bids] * (1.0 if is_met == (mover == 1) else -1.0)
    return value
