"""Exact optimum of the partners in abstracted tiny bridge.

A pure policy divides the kinds of hands of the caller into one set per call. The remaining payoff
depends on the two sets of kinds, the last bid and the player who made it. The optimum follows by
recursion from the highest bid down, as a maximum over all divisions of a set. Payoffs are counted
in integers: a score is a multiple of 5/6, and there are 420 deals.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numba
import numpy as np

from infoset.games.tiny_bridge_2p import CALLS, TinyBridge2p, deal_hands, expected_score

NUM_DEALS = 420
UNIT = Fraction(5, 6)
GAME = TinyBridge2p(abstracted=True)
KINDS = sorted({GAME.shown(west) for west, _ in deal_hands()})
NUM_SETS = 1 << len(KINDS)


def earnings() -> np.ndarray:
    """Return [bid, kind of the declarer, kind of the other] the scores summed over the deals."""
    table = np.zeros((len(CALLS), len(KINDS), len(KINDS)))
    for (declarer, dummy), bid in product(deal_hands(), range(1, len(CALLS))):
        kinds = KINDS.index(GAME.shown(declarer)), KINDS.index(GAME.shown(dummy))
        table[(bid, *kinds)] += expected_score(declarer, dummy, bid) / float(UNIT)
    assert np.abs(table - table.round()).max() < 1e-6
    return table.round().astype(np.int16)


def optima() -> tuple[Fraction, Fraction, Fraction]:
    """Return the maximum expected payoff: overall, if West passes first, and if West bids first."""
    table = earnings()
    kinds = range(len(KINDS))
    has_kind = np.array([[whole >> kind & 1 for kind in kinds] for whole in range(NUM_SETS)])
    raising = None  # [partner's set, caller's set]: the maximum payoff by a higher bid.
    bidding = None  # [West's set]: the maximum payoff if West's first call is a bid.
    for bid in reversed(range(1, len(CALLS))):
        answer = answers((has_kind @ table[bid]).astype(np.int16), raising)
        if raising is None:
            raising, bidding = answer, answer[-1]
        else:
            raising = np.array(list(map(join, raising, answer)))
            bidding = join(bidding, answer[-1])
    nothing = np.zeros(len(KINDS), np.int16)
    passing = np.array([add_kinds(nothing, row)[-1] for row in raising])
    values = join(bidding, passing)[-1], passing[-1], bidding[-1]
    return tuple(int(value) * UNIT / NUM_DEALS for value in values)


def answers(passing: np.ndarray, raising: np.ndarray | None) -> np.ndarray:
    """Return [caller's set, partner's set] the maximum payoff after the partner's bid.

    `passing[partner's set, caller's kind]` is the payoff of a pass.
    """
    found = np.empty((NUM_SETS, NUM_SETS), np.int16)
    for partner in range(NUM_SETS):
        joined = None if raising is None else raising[partner]
        found[:, partner] = add_kinds(passing[partner], joined)
    return found


@numba.njit
def join(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return for each set the maximum payoff over all divisions into two parts."""
    found = np.empty_like(first)
    for whole in range(len(first)):
        best, part = first[whole] + second[0], whole
        while part:
            part = (part - 1) & whole
            best = max(best, first[part] + second[whole ^ part])
        found[whole] = best
    return found


def add_kinds(each: np.ndarray, joined: np.ndarray | None) -> np.ndarray:
    """Return for each set the maximum payoff if any of its kinds may receive `each` instead."""
    alone = np.zeros(1, np.int16)
    for value in each:
        alone = np.concatenate([alone, alone + value])
    if joined is None:
        return alone
    found = joined.copy()
    for kind, value in enumerate(each):
        pairs = found.reshape(-1, 2, 1 << kind)
        np.maximum(pairs[:, 1], pairs[:, 0] + value, out=pairs[:, 1])
    return found
