"""Operators found from payoffs: folds, showdowns by strength, and priors that are products."""

from __future__ import annotations

import numpy as np

from infoset.forms import HandPrior, Showdown
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray

FACTOR_TOLERANCE = 1e-14
"""Relative difference between a product and a number up to which the number is that product."""


def find_strengths(outcome: LongArray) -> Showdown | None:
    """Return strengths that explain the outcome of every pair of hands; None if there are none.

    Parameters
    ----------
    outcome
        [hands of player 0, hands of player 1] -1, 0 or 1 if the hand of player 0 is weaker, equal
        or stronger; any other number for pairs that do not meet.
    """
    group = _equal_hands(outcome == 0)
    first, second = np.split(group, [len(outcome)])
    # A hand gets its strength once all hands that it beats have theirs. The strengths are the
    # rounds of this: hands that nothing weaker waits for, then those that only beat these, etc.
    beaten_by_first, beaten_by_second = outcome == 1, (outcome == -1).T
    left_first, left_second = np.ones(len(first), bool), np.ones(len(second), bool)
    strength = np.zeros(len(group), np.int32)
    level = 0
    while left_first.any() or left_second.any():
        waits = np.zeros(len(group), bool)
        waits[first[left_first & beaten_by_first[:, left_second].any(axis=1)]] = True
        waits[second[left_second & beaten_by_second[:, left_first].any(axis=1)]] = True
        now_first, now_second = left_first & ~waits[first], left_second & ~waits[second]
        if not now_first.any() and not now_second.any():
            return None  # a cycle: some hand beats, in the end, itself
        strength[: len(first)][now_first] = level
        strength[len(first) :][now_second] = level
        left_first &= ~now_first
        left_second &= ~now_second
        level += 1
    return Showdown((strength[: len(first)], strength[len(first) :]))


def _equal_hands(equal: BoolArray) -> IntArray:
    """Return a number for each hand of player 0, then of player 1, shared by equal hands."""
    # Imported here because they load slowly, and few games need them.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    rows, columns = np.nonzero(equal)
    size = sum(equal.shape)
    edges = csr_array((np.ones(len(rows)), (rows, columns + len(equal))), shape=(size, size))
    group: IntArray = connected_components(edges, directed=False)[1]
    return group


def factor_prior(joint: FloatArray) -> HandPrior:
    """Return a prior as a product of weights times blocking by one card each, if it is one.

    Hands block each other if they never meet. If the hands of both players can be divided such that
    those of a part block exactly the hands of one part of the other player, each part is a card.

    Parameters
    ----------
    joint
        [hands of player 0, hands of player 1] the probability of each pair.
    """
    blocked = joint == 0.0
    card = _equal_hands(blocked)
    first, second = np.split(card, [len(joint)])
    cards = _shared_cards(blocked, first, second)
    weights = _product_weights(joint)
    prior = None if cards is None else HandPrior(weights, cards)
    if prior is not None and is_close(prior.matrix(), joint):
        return prior
    none = np.zeros((len(first), 0), np.int32), np.zeros((len(second), 0), np.int32)
    ones = np.ones(len(first)), np.ones(len(second))
    return HandPrior(ones, none, joint)


def _shared_cards(
    blocked: BoolArray, first: IntArray, second: IntArray
) -> tuple[IntArray, IntArray] | None:
    """Return the card of each hand, given connected parts; None if parts do not block fully."""
    if not blocked.any():
        return np.zeros((len(first), 0), np.int32), np.zeros((len(second), 0), np.int32)
    same = first[:, None] == second[None, :]
    if not np.array_equal(same, blocked):
        return None
    return first[:, None].astype(np.int32), second[:, None].astype(np.int32)


def _product_weights(joint: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return weights whose products are the nonzero entries, if there are such weights."""
    first, second = np.zeros(joint.shape[0]), np.zeros(joint.shape[1])
    meets = joint > 0
    while not first.all():
        # Each round fixes the weights of the hands that meet a hand whose weight is known.
        new = meets & (first == 0)[:, None] & (second > 0)[None, :]
        rows = np.flatnonzero(new.any(axis=1))
        if len(rows):
            columns = new[rows].argmax(axis=1)
            first[rows] = joint[rows, columns] / second[columns]
        else:
            first[np.flatnonzero(first == 0)[0]] = 1.0
        new = meets & (second == 0)[None, :] & (first > 0)[:, None]
        columns = np.flatnonzero(new.any(axis=0))
        rows = new[:, columns].argmax(axis=0)
        second[columns] = joint[rows, columns] / first[rows]
    return first, second


def is_close(product: FloatArray, numbers: FloatArray) -> bool:
    """Return whether products are the given numbers, except for rounding, and zero where these are.

    Both are arrays of the same shape.
    """
    return bool((np.abs(product - numbers) <= FACTOR_TOLERANCE * numbers).all())
