"""The deals that agree with what was seen of the cards, all of them or some at random."""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import NamedTuple

import numpy as np

from infoset.search.models.tricks._kernels import deposit
from infoset.typing import LongArray

__all__ = ["Deals", "Unseen", "find_deals", "num_deals"]


class Deals(NamedTuple):
    """Deals of cards.

    Attributes
    ----------
    hands : LongArray
        [K, 2] the hand of each player, as a bit set.
    numbers : LongArray
        [K, 2] numbers from 0 that tell apart the hands of each player.
    """

    hands: LongArray
    numbers: LongArray

    @classmethod
    def of(cls, hands: LongArray) -> Deals:
        """Return deals of hands [K, 2]."""
        columns = [np.unique(column, return_inverse=True)[1] for column in hands.T]
        return cls(hands, np.stack(columns, axis=1).astype(np.int64))


class Unseen(NamedTuple):
    """The cards not seen yet, by who may hold them, as bit sets.

    Attributes
    ----------
    first, second : int
        Cards that only this player may hold.
    both : int
        Cards that either may hold.
    sizes : tuple[int, int]
        How many of them each player does hold. The others were not dealt.
    """

    first: int
    second: int
    both: int
    sizes: tuple[int, int]

    @classmethod
    def between(cls, cards: int, voids: tuple[int, int], sizes: tuple[int, int]) -> Unseen:
        """Return cards as those who may hold them, `voids` being what each does not hold."""
        first, second = cards & ~voids[0], cards & ~voids[1]
        return cls(first & ~second, second & ~first, first & second, sizes)


def num_deals(unseen: Unseen) -> int:
    """Return how many deals there are."""
    return sum(_ways(unseen))


def find_deals(unseen: Unseen, max_deals: int, num_samples: int, rng: np.random.Generator) -> Deals:
    """Return every deal, or some at random where there are more than `max_deals`."""
    if num_deals(unseen) <= max_deals:
        return _all_deals(unseen)
    return Deals.of(_some_deals(unseen, num_samples, rng))


@lru_cache(maxsize=8)
def _all_deals(unseen: Unseen) -> Deals:
    """Return every deal."""
    parts = [np.empty((0, 2), np.int64)]
    for shared, ways in enumerate(_ways(unseen)):
        if ways:
            parts.append(_all_sharing(unseen, shared))
    deals = Deals.of(np.concatenate(parts))
    for array in deals:
        array.flags.writeable = False
    return deals


def _some_deals(unseen: Unseen, number: int, rng: np.random.Generator) -> LongArray:
    """Return hands [K, 2] of a number K of deals, drawn uniformly and independently."""
    ways = np.array([float(count) for count in _ways(unseen)])
    drawn = rng.multinomial(number, ways / ways.sum())
    parts = [
        _some_sharing(unseen, shared, times, rng)
        for shared, times in enumerate(drawn.tolist())
        if times
    ]
    return np.concatenate(parts)


def _ways(unseen: Unseen) -> list[int]:
    """Return the number of deals in which the first player has 0, 1, ... cards of `both`."""
    alone, other, both = (cards.bit_count() for cards in unseen[:3])
    first, second = unseen.sizes
    return [
        comb(both, shared) * comb(alone, first - shared) * comb(other + both - shared, second)
        for shared in range(min(both, first) + 1)
    ]


def _all_sharing(unseen: Unseen, shared: int) -> LongArray:
    """Return hands [K, 2] of the deals in which the first player has some of `both`."""
    first, second = unseen.sizes
    from_both = _spread(_subsets(unseen.both.bit_count(), shared), unseen.both)
    alone = _spread(_subsets(unseen.first.bit_count(), first - shared), unseen.first)
    own = np.bitwise_or.outer(from_both, alone).ravel()
    left = (unseen.second | unseen.both) & ~own
    places = _subsets(unseen.second.bit_count() + unseen.both.bit_count() - shared, second)
    other = _spread(np.tile(places, len(own)), np.repeat(left, len(places)))
    return np.stack([np.repeat(own, len(places)), other], axis=1)


def _some_sharing(unseen: Unseen, shared: int, number: int, rng: np.random.Generator) -> LongArray:
    """Return hands [K, 2] of deals drawn among those of `_all_sharing`."""
    first, second = unseen.sizes
    from_both = _drawn_from(np.full(number, unseen.both), shared, rng)
    own = from_both | _drawn_from(np.full(number, unseen.first), first - shared, rng)
    other = _drawn_from((unseen.second | unseen.both) & ~own, second, rng)
    return np.stack([own, other], axis=1)


def _drawn_from(pools: LongArray, size: int, rng: np.random.Generator) -> LongArray:
    """Return [K] sets of cards of a size, drawn from pools [K] of equal sizes."""
    num_cards = int(pools[0]).bit_count()
    order = rng.random((len(pools), num_cards)).argsort(axis=1)[:, :size]
    return _spread((np.int64(1) << order).sum(axis=1), pools)


def _spread(places: LongArray, pools: LongArray | int) -> LongArray:
    """Return [K] the cards that stand at places [K] of pools, all bit sets."""
    cards = np.zeros(len(places), np.int64)
    deposit(places, np.broadcast_to(np.asarray(pools, np.int64), len(places)).copy(), cards)
    return cards


@lru_cache(maxsize=256)
def _subsets(count: int, size: int) -> LongArray:
    """Return [C] all bit sets of a size among the first `count` places."""
    if size == 0:
        return np.zeros(1, np.int64)
    if size > count:
        return np.empty(0, np.int64)
    without, within = _subsets(count - 1, size), _subsets(count - 1, size - 1)
    return np.concatenate([without, within | np.int64(1) << (count - 1)])
