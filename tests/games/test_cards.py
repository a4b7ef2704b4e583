from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from infoset.games.cards import deals, rank_names, sample_cards


@pytest.mark.parametrize(
    ("count", "names"),
    [(1, "J"), (3, "JQK"), (4, "JQKA"), (5, "TJQKA"), (13, "23456789TJQKA")],
)
def test_rank_names(count, names):
    assert rank_names(count) == tuple(names)


def test_more_ranks_than_a_deck_of_cards_has_are_numbered():
    names = rank_names(20)
    assert (names[0], names[-1], len(set(names))) == ("1", "20", 20)


@pytest.mark.parametrize("deck", ["JQK", "JJQQ", "JJJQ", "ABCDE"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_deals_weigh_each_order_by_its_ways(deck, count):
    ways = Counter(permutations(deck, count))
    total = sum(ways.values())
    expected = {cards: Fraction(number, total) for cards, number in ways.items()}
    assert dict(deals(deck, count)) == expected
    assert len(list(deals(deck, count))) == len(expected)


def test_samples_follow_the_same_distribution():
    rng = np.random.default_rng(0)
    draws = Counter(sample_cards("JJQ", 2, rng) for _ in range(3000))
    for cards, probability in deals("JJQ", 2):
        assert draws[cards] / 3000 == pytest.approx(float(probability), abs=0.04)
