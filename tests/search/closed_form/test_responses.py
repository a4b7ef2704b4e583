"""What bid tables are worth, next to trees and to numbers found by others."""

from functools import cache

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.evaluation import (
    best_response,
    expected_values,
    mean_true_state_sampling_ratio,
    reached_best_response,
    true_state_sampling_ratio,
)
from infoset.games import LiarsDice
from infoset.policy import tabulate
from infoset.search.closed_form import (
    BidTable,
    bid_response,
    bidding_reach,
    match_value,
    pimc_table,
)
from infoset.search.closed_form.bid_table import legal_calls
from infoset.tree import build_tree

SMALL = [
    LiarsDice(dice_sides=3),
    LiarsDice(numdice=2, dice_sides=2),
    LiarsDice(dice_sides=4, bidding_rule="reset-quantity"),
]


@cache
def form_of(game):
    return build_tree(game).sequence_form


def random_table(game, num_moves, seed, density=0.6):
    """Return a table of random probabilities, some of which are zero."""
    rng, legal = np.random.default_rng(seed), legal_calls(game)
    weights = rng.random((num_moves, len(game.rolls), *legal.shape))
    weights = weights * (rng.random(weights.shape) < density) * legal
    last = [row.nonzero()[0][-1] for row in legal]
    weights[..., range(len(legal)), last] += 0.01
    return BidTable(game, weights / weights.sum(axis=-1, keepdims=True))


@pytest.mark.parametrize("game", SMALL, ids=str)
@pytest.mark.parametrize("num_moves", [1, 2, 4])
@pytest.mark.parametrize("player", [0, 1])
def test_the_best_response_is_that_of_the_tree(game, num_moves, player):
    table = random_table(game, num_moves, seed=num_moves)
    answer = best_response(tabulate(form_of(game), [table, table]), player)
    found = bid_response(table, player)
    assert found.value == pytest.approx(answer.value, abs=1e-12)
    assert found.value == pytest.approx(found.hand_values @ table.prior)


@pytest.mark.parametrize("player", [0, 1])
def test_the_best_response_is_that_by_the_rules_where_there_is_no_tree(player):
    game = LiarsDice(numdice=2, dice_sides=3)
    table = pimc_table(game, 0.3)
    by_rules = reached_best_response(game, table, player)
    assert bid_response(table, player).value == pytest.approx(by_rules.value, abs=1e-12)


@pytest.mark.parametrize("game", SMALL, ids=str)
@pytest.mark.parametrize("num_moves", [(1, 1), (3, 2), (1, 4)])
def test_a_match_is_worth_what_the_tree_says(game, num_moves):
    first, second = (random_table(game, moves, seed=moves) for moves in num_moves)
    expected = expected_values(tabulate(form_of(game), [first, second]))
    assert match_value(first, second) == pytest.approx(expected[0], abs=1e-12)


@pytest.mark.parametrize("game", SMALL[:2], ids=str)
@pytest.mark.parametrize("baseline", ["uniform", "prior"])
@pytest.mark.parametrize("player", [0, 1])
def test_biddings_give_away_what_the_tree_says(game, baseline, player):
    first, second = random_table(game, 2, seed=8), random_table(game, 1, seed=9)
    policy = tabulate(form_of(game), [first, second])
    ratios = true_state_sampling_ratio(build_tree(game), policy, player, baseline=baseline)
    reach = bidding_reach(first, second, player)
    found = mean_true_state_sampling_ratio(reach, first.prior, baseline=baseline)
    assert found == pytest.approx(ratios.mean, abs=1e-12)


def test_who_hides_its_hand_gives_nothing_away():
    game = LiarsDice(numdice=2, dice_sides=3)
    other = random_table(game, 1, seed=1)
    hiding = BidTable(game, np.broadcast_to(other.probability[:, :1], other.probability.shape))
    for player, tables in enumerate([(hiding, other), (other, hiding)]):
        reach = bidding_reach(*tables, player)
        ratio = mean_true_state_sampling_ratio(reach, other.prior, baseline="prior")
        assert ratio == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("game", [LiarsDice(numdice=2), LiarsDice(numdice=3, dice_sides=4)])
def test_nobody_gets_more_than_a_best_response(game):
    tables = [pimc_table(game, public_weight) for public_weight in (0.0, 0.5, 1.0)] + [
        random_table(game, 2, 5, 0.1)
    ]
    for first in tables[:3]:
        values = [match_value(first, other) for other in tables]
        assert bid_response(first, 1).value >= -min(values) - 1e-12
        others = [match_value(other, first) for other in tables]
        assert bid_response(first, 0).value >= max(others) - 1e-12


# Best responses to exact PIMC that believes what it sees, as first player and as second, worked
# out apart from this library.
@pytest.mark.parametrize(
    ("dice", "sides", "first", "second"),
    [
        (1, 3, -0.0741, 0.2593),
        (1, 4, 0.1250, 0.4167),
        (1, 5, 0.2000, 0.4800),
        (1, 6, 0.2222, 0.5556),
        (2, 2, -0.8750, 0.8750),
        (2, 3, 0.1358, 0.3333),
        (2, 4, 0.2344, 0.4896),
        (2, 5, 0.2640, 0.5200),
        (2, 6, 0.3025, 0.6790),
        (3, 3, 0.2181, 0.4239),
        (3, 4, 0.3232, 0.5825),
        (3, 6, 0.3613, None),
    ],
)
def test_known_values_of_many_sizes(dice, sides, first, second):
    table = pimc_table(LiarsDice(numdice=dice, dice_sides=sides))
    assert bid_response(table, 1).value == pytest.approx(first, abs=1e-4)
    if second is not None:
        assert bid_response(table, 0).value == pytest.approx(second, abs=1e-4)


FIRST = [0.302, 0.296, 0.296, 0.299, 0.292, 0.301, 0.285, 0.285, 0.318, 0.383, 0.383]
SECOND = [0.679, 0.713, 0.713, 0.719, 0.722, 0.731, 0.719, 0.756, 0.784, 0.840, 1.000]


@pytest.mark.parametrize("tenth", range(11))
def test_known_values_of_two_dice_by_public_weight(tenth):
    table = pimc_table(LiarsDice(numdice=2), tenth / 10)
    assert bid_response(table, 1).value == pytest.approx(FIRST[tenth], abs=1e-3)
    assert bid_response(table, 0).value == pytest.approx(SECOND[tenth], abs=1e-3)


# Arjonilla, Cazenave, Saffidine (2024), tables 1 and 3, "LD 2D", with 1000 worlds.
@pytest.mark.parametrize(
    ("public_weight", "first", "second"),
    [(0.0, 0.300, 0.678), (0.6, 0.281, 0.711), (0.8, 0.336, 0.779)],
)
def test_published_values_with_a_thousand_worlds(public_weight, first, second):
    table = pimc_table(LiarsDice(numdice=2), public_weight, num_worlds=1000, num_repeats=60)
    assert bid_response(table, 1).value == pytest.approx(first, abs=0.015)
    assert bid_response(table, 0).value == pytest.approx(second, abs=0.015)


def test_in_liars_dice_the_first_move_gives_away_most():
    game = LiarsDice(numdice=2)
    values = [
        bid_response(pimc_table(game, public_weight), 1).value
        for public_weight in ([0, 1], [1, 0], 1, 0)
    ]
    assert values[0] == pytest.approx(values[3], abs=1e-9)
    assert values[1] == pytest.approx(values[2], abs=1e-9)
    assert values[1] > values[0] + 0.05


def test_other_tables_are_refused():
    table = pimc_table(LiarsDice())
    with pytest.raises(ParameterError, match=r"one table is for liars_dice, the other for liars"):
        match_value(table, pimc_table(LiarsDice(numdice=2)))
    with pytest.raises(ParameterError, match="a BidTable, such as pimc_table makes"):
        bid_response(table.probability, 0)
    with pytest.raises(ParameterError, match="no player 2"):
        bid_response(table, 2)
