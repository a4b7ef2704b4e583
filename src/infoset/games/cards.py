"""Decks of cards: names of ranks, and deals with their probabilities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import perm
from typing import TypeVar

import numpy as np

from infoset.game import Observation

Entry = TypeVar("Entry")

RANKS = "23456789TJQKA"
SUITS = "shdc"


def rank_names(count: int) -> tuple[str, ...]:
    """Return the names of `count` ranks, in increasing order.

    Examples
    --------
    >>> rank_names(3), rank_names(6), rank_names(14)[-2:]
    (('J', 'Q', 'K'), ('9', 'T', 'J', 'Q', 'K', 'A'), ('13', '14'))
    """
    if count <= 4:
        return tuple("JQKA"[:count])
    if count <= len(RANKS):
        return tuple(RANKS[-count:])
    return tuple(str(rank) for rank in range(1, count + 1))


def deals(deck: Sequence[str], count: int) -> Iterator[tuple[tuple[str, ...], Fraction]]:
    """Yield every way to deal `count` cards in order, with its probability.

    Equal cards are indistinguishable. Equal deals are yielded once, with their total probability.

    Examples
    --------
    >>> [(cards, str(probability)) for cards, probability in deals(["J", "J", "Q"], 2)]
    [(('J', 'J'), '1/3'), (('J', 'Q'), '1/3'), (('Q', 'J'), '1/3')]
    """
    ways = perm(len(deck), count)
    for cards, number in _arrangements(Counter(deck), count):
        yield cards, Fraction(number, ways)


def _arrangements(left: Counter[str], count: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the distinct sequences of `count` cards with their multiplicities."""
    if count == 0:
        yield (), 1
        return
    for card, copies in left.items():
        if copies:
            # Equal cards are one: each of their copies could be this one.
            for rest, number in _arrangements(left - Counter([card]), count - 1):
                yield (card, *rest), copies * number


def sample_cards(deck: Sequence[str], count: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Draw `count` cards from the deck, in order, with the distribution of `deals`."""
    return tuple(deck[int(index)] for index in rng.permutation(len(deck))[:count])


def sample_others(
    deck: Sequence[str], count: int, known: Mapping[int, Hashable], rng: np.random.Generator
) -> tuple[tuple[str, ...], float] | None:
    """Draw `count` cards, in order, given the cards at some positions.

    Returns
    -------
    tuple or None
        The cards, and the probability of the known cards; None if the deck does not contain
        them.

    Examples
    --------
    >>> hands, density = sample_others(
    ...     ["J", "Q", "K"], 2, {1: "Q"}, np.random.default_rng(0)
    ... )
    >>> round(density, 3)
    0.333
    >>> sample_others(["J", "Q", "K"], 2, {1: "A"}, np.random.default_rng(0)) is None
    True
    """
    rest, chance = [*deck], 1.0
    for card in known.values():
        if card not in rest:
            return None
        chance *= rest.count(str(card)) / len(rest)
        rest.remove(str(card))
    others = iter(sample_cards(rest, count - len(known), rng))
    cards = (str(known[place]) if place in known else next(others) for place in range(count))
    return tuple(cards), chance


@lru_cache(maxsize=1 << 14)
def public_observation(seen: Hashable) -> Observation:
    """Return the observation that every player sees `seen`, which must consist of text.

    The few public moves of a card game are observed in very many world states, so that each
    observation is made once.
    """
    return Observation(seen)


def with_entry(values: tuple[Entry, ...], index: int, entry: Entry) -> tuple[Entry, ...]:
    """Return a tuple with one entry replaced."""
    return (*values[:index], entry, *values[index + 1 :])
