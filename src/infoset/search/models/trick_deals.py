"""The deals of the trick-taking game that agree with the cards seen, all or sampled."""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import NamedTuple

import numpy as np

from infoset.search.models._tricks_kernels import deposit
from infoset.typing import LongArray


class Deals(NamedTuple):
    """Deals of cards."""

    hands: LongArray
    """[K, 2] the hand of each player, as a bit set."""
    numbers: LongArray
    """[K, 2] number of each player's hand, from 0; different hands have different numbers."""

    @classmethod
    def of(cls, hands: LongArray) -> Deals:
        """Return the deals with given hands [K, 2]."""
        columns = [np.unique(column, return_inverse=True)[1] for column in hands.T]
        return cls(hands, np.stack(columns, axis=1).astype(np.int64))


class UnseenCards(NamedTuple):
    """The unseen cards, by the players who may hold them, as bit sets."""

    first: int
    second: int
    """Cards that only this player may hold."""
    both: int
    """Cards that either player may hold."""
    sizes: tuple[int, int]
    """Number of unseen cards that each player holds; the rest were not dealt."""

    @classmethod
    def between(cls, cards: int, voids: tuple[int, int], sizes: tuple[int, int]) -> UnseenCards:
        """Split cards by possible holder; `voids` are the cards that each player cannot hold."""
        first, second = cards & ~voids[0], cards & ~voids[1]
        return cls(first & ~second, second & ~first, first & second, sizes)


def num_deals(unseen: UnseenCards) -> int:
    """Return the number of deals."""
    return sum(_deals_by_shared(unseen))


def find_deals(
    unseen: UnseenCards, max_deals: int, num_samples: int, rng: np.random.Generator
) -> Deals:
    """Return every deal, or a uniform sample if there are more than `max_deals`."""
    if num_deals(unseen) <= max_deals:
        return _all_deals(unseen)
    return Deals.of(_sampled_deals(unseen, num_samples, rng))


def _deals_by_shared(unseen: UnseenCards) -> list[int]:
    """Return the number of deals in which the first player holds 0, 1, ... cards of `both`."""
    alone, other, both = (cards.bit_count() for cards in unseen[:3])
    first, second = unseen.sizes
    return [
        comb(both, shared) * comb(alone, first - shared) * comb(other + both - shared, second)
        for shared in range(min(both, first) + 1)
    ]


@lru_cache(maxsize=8)
def _all_deals(unseen: UnseenCards) -> Deals:
    """Return every deal."""
    parts = [np.empty((0, 2), np.int64)]
    for shared, number in enumerate(_deals_by_shared(unseen)):
        if number:
            parts.append(_all_with_shared(unseen, shared))
    deals = Deals.of(np.concatenate(parts))
    for array in deals:
        array.flags.writeable = False
    return deals


def _sampled_deals(unseen: UnseenCards, number: int, rng: np.random.Generator) -> LongArray:
    """Return hands [K, 2] of K deals drawn uniformly and independently."""
    weights = np.array([float(count) for count in _deals_by_shared(unseen)])
    drawn = rng.multinomial(number, weights / weights.sum())
    parts = [
        _sampled_with_shared(unseen, shared, times, rng)
        for shared, times in enumerate(drawn.tolist())
        if times
    ]
    return np.concatenate(parts)


def _all_with_shared(unseen: UnseenCards, shared: int) -> LongArray:
    """Return hands [K, 2] of the deals in which the first player holds `shared` of `both`."""
    first, second = unseen.sizes
    from_both = _cards_at(_subsets(unseen.both.bit_count(), shared), unseen.both)
    alone = _cards_at(_subsets(unseen.first.bit_count(), first - shared), unseen.first)
    own = np.bitwise_or.outer(from_both, alone).ravel()
    left = (unseen.second | unseen.both) & ~own
    places = _subsets(unseen.second.bit_count() + unseen.both.bit_count() - shared, second)
    other = _cards_at(np.tile(places, len(own)), np.repeat(left, len(places)))
    return np.stack([np.repeat(own, len(places)), other], axis=1)


def _sampled_with_shared(
    unseen: UnseenCards, shared: int, number: int, rng: np.random.Generator
) -> LongArray:
    """Return hands [K, 2] of deals sampled from those of `_all_with_shared`."""
    first, second = unseen.sizes
    from_both = _sampled_from(np.full(number, unseen.both), shared, rng)
    own = from_both | _sampled_from(np.full(number, unseen.first), first - shared, rng)
    other = _sampled_from((unseen.second | unseen.both) & ~own, second, rng)
    return np.stack([own, other], axis=1)


def _sampled_from(pools: LongArray, size: int, rng: np.random.Generator) -> LongArray:
    """Return [K] sets of `size` cards drawn from pools [K] of equal size."""
    num_cards = int(pools[0]).bit_count()
    order = rng.random((len(pools), num_cards)).argsort(axis=1)[:, :size]
    return _cards_at((np.int64(1) << order).sum(axis=1), pools)


def _cards_at(places: LongArray, pools: LongArray | int) -> LongArray:
    """Return [K] the cards that the bits of `places` [K] select from the pools [K]."""
    cards = np.zeros(len(places), np.int64)
    deposit(places, np.broadcast_to(np.asarray(pools, np.int64), len(places)).copy(), cards)
    return cards


@lru_cache(maxsize=256)
def _subsets(count: int, size: int) -> LongArray:
    """Return [C] all sets of `size` bits among the first `count` bits."""
    if size == 0:
        return np.zeros(1, np.int64)
    if size > count:
        return np.empty(0, np.int64)
    without, within = _subsets(count - 1, size), _subsets(count - 1, size - 1)
    return np.concatenate([without, within | np.int64(1) << (count - 1)])
