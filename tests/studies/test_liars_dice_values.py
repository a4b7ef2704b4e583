"""Liar's dice in closed form, against the searcher, trees and independent numbers."""

from functools import cache
from itertools import islice, product

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import ParameterError, UnknownNameError
from infoset.evaluation import (
    best_response,
    expected_values,
    mean_true_state_sampling_ratio,
    reached_best_response,
    true_state_sampling_ratio,
)
from infoset.game import Infostate, Step
from infoset.games import LiarsDice
from infoset.matches import play_matches
from infoset.policy import tabulate
from infoset.search import PIMC
from infoset.search.models import DiceModel
from infoset.tree import build_tree
from infoset_studies.liars_dice_policies import BidTable, legal_calls, pimc_table
from infoset_studies.liars_dice_values import bid_response, bidding_reach, match_value

pytestmark = pytest.mark.broad


def infostates(game):
    """Yield infostates after up to two bids, with each hand and each last bid."""
    bids = game.calls[:-1]
    for hand, _ in game.rolls:
        dealt = Step(None, hand, None)
        yield Infostate(0, (dealt,))
        for last, bid in enumerate(bids):
            yield Infostate(1, (dealt, Step(None, None, bid)))
            for own in bids[:last]:
                yield Infostate(0, (dealt, Step(own, None, own), Step(None, None, bid)))


@pytest.mark.parametrize("public_weight", [0.0, 0.3, 1.0, (0.2, 0.7)])
@pytest.mark.parametrize(("dice", "sides"), [(1, 3), (2, 2)])
def test_the_table_plays_the_best_action_over_all_worlds(dice, sides, public_weight):
    game = LiarsDice(numdice=dice, dice_sides=sides)
    model, table, belief = (
        DiceModel(game),
        pimc_table(game, public_weight),
        PublicPrivateBelief(public_weight),
    )
    for infostate in infostates(game):
        legal = model.legal_actions(infostate)
        roots = model.roots(infostate, belief, np.random.default_rng(0))
        scores = roots.probability @ model.perfect_information_values(
            roots.states, infostate.player
        )
        best = scores >= scores.max() - 1e-9
        expected = best / best.sum()
        assert table.action_probabilities(infostate, legal) == pytest.approx(expected)


@pytest.mark.parametrize("public_weight", [0.0, 0.7])
def test_the_table_agrees_with_the_search(public_weight):
    game = LiarsDice(numdice=2)
    table, rng = pimc_table(game, public_weight), np.random.default_rng(0)
    searcher = PIMC(DiceModel(game), belief=public_weight, num_worlds=None)
    for infostate in islice(infostates(game), 0, None, 150):
        legal = searcher.model.legal_actions(infostate)
        found = searcher.search(infostate, rng)
        assert found == pytest.approx(table.action_probabilities(infostate, legal), abs=1e-12)


def test_a_public_weight_by_own_move_and_last_bid():
    game = LiarsDice(numdice=2, dice_sides=3)
    rng = np.random.default_rng(0)
    public_weight = rng.random((2, len(game.bids) + 1)).round(2)
    table = pimc_table(game, public_weight)
    for move, last in product(range(2), range(len(game.bids) + 1)):
        alone = pimc_table(game, float(public_weight[move, last])).probability[0, :, last]
        assert table.probability[move, :, last].tolist() == alone.tolist()


def one_world_policy(game, public_weight, hand, last):
    """Return the average policy for one sampled world, by enumeration of all worlds."""
    model = DiceModel(game)
    steps = () if last == 0 else (Step(None, None, game.calls[last - 1]),)
    infostate = Infostate(1 if last else 0, (Step(None, hand, None), *steps))
    roots = model.roots(infostate, PublicPrivateBelief(public_weight), np.random.default_rng(0))
    values = model.perfect_information_values(roots.states, infostate.player)
    best = values == values.max(axis=1, keepdims=True)
    return roots.probability @ (best / best.sum(axis=1, keepdims=True))


def test_worlds_are_drawn_from_the_belief():
    game, repeats = LiarsDice(numdice=2, dice_sides=2), 40_000
    table = pimc_table(game, 0.4, num_worlds=1, num_repeats=repeats, seed=3)
    for (number, (hand, _)), last in product(enumerate(game.rolls), range(len(game.bids) + 1)):
        expected = one_world_policy(game, 0.4, hand, last)
        found = table.probability[0, number, last, last : last + len(expected)]
        assert abs(found - expected).max() < 4.5 * 0.5 / repeats**0.5


def test_many_worlds_approach_the_exact_table():
    game = LiarsDice(numdice=2, dice_sides=3)
    exact = pimc_table(game, 0.3).probability
    drawn = pimc_table(game, 0.3, num_worlds=3_000_000, num_repeats=5).probability
    certain = exact.max(axis=-1) == 1
    assert certain.mean() > 0.8
    assert abs(drawn - exact)[certain].max() == 0


def test_the_seed_determines_the_table():
    tables = [
        pimc_table(LiarsDice(), num_worlds=10, num_repeats=3, seed=seed).probability
        for seed in (1, 1, 2)
    ]
    assert (tables[0] == tables[1]).all()
    assert (tables[0] != tables[2]).any()


# An observer's probability of the first bidder's hand, times the 21 hands, on average. The values,
# with a thousand worlds, are independent of this library.
@pytest.mark.parametrize(
    ("public_weight", "ratio"),
    [(0.0, 9.33), (0.3, 8.85), (0.5, 7.49), (0.8, 2.01), (0.9, 1.15), (1.0, 1.07)],
)
def test_information_leakage_of_the_first_bid(public_weight, ratio):
    table = pimc_table(LiarsDice(numdice=2), public_weight, num_worlds=1000, num_repeats=150)
    joint = table.prior * table.probability[0, :, 0].T
    joint = joint[joint.sum(axis=1) > 0]
    mean = (joint**2 / joint.sum(axis=1, keepdims=True)).sum() * len(table.prior)
    assert mean == pytest.approx(ratio, abs=0.15)


@pytest.mark.parametrize(
    ("public_weight", "message"),
    [
        (1.2, "public_weight is 1.2; it must be from 0"),
        ([0.1, -0.1], "it must be from 0"),
        (float("nan"), "public_weight is nan"),
        ([], "has shape"),
        (np.zeros((1, 5)), r"has shape \(1, 5\)"),
    ],
)
def test_invalid_public_weights(public_weight, message):
    with pytest.raises(ParameterError, match=message):
        pimc_table(LiarsDice(), public_weight)


def test_invalid_numbers():
    with pytest.raises(ParameterError, match="num_worlds=0 must be"):
        pimc_table(LiarsDice(), num_worlds=0)
    with pytest.raises(ParameterError, match="num_repeats=0 must be"):
        pimc_table(LiarsDice(), num_worlds=1, num_repeats=0)
    with pytest.raises(ParameterError, match="liar's dice, such as"):
        pimc_table("liars_dice")


def test_a_table_is_a_policy():
    game = LiarsDice(numdice=2, dice_sides=2)
    table = pimc_table(game, [0.0, 1.0])
    known = Infostate(
        0, (Step(None, (1, 2), None), Step("1-1", None, "1-1"), Step(None, None, "2-1"))
    )
    answer = table.action_probabilities(known, game.calls[3:])
    assert answer.tolist() == table.probability[1, 1, 3, 3:].tolist()
    first = Infostate(0, (Step(None, (2, 2), None),))
    answer = table.action_probabilities(first, game.calls[:-1])
    assert answer.tolist() == table.probability[0, 2, 0, :-1].tolist()


def test_own_reach_is_the_product_of_own_calls():
    game = LiarsDice(numdice=2, dice_sides=2)
    table = pimc_table(game, [0.0, 0.5], num_worlds=20, num_repeats=50)
    calls, p = ["1-1", "2-1", "2-2", "3-2", "liar"], table.probability
    first = p[0, :, 0, 0] * p[1, :, 3, 3] * p[1, :, 6, 8]
    assert table.own_reach(calls, 0).tolist() == first.tolist()
    assert table.own_reach(calls, 1).tolist() == (p[0, :, 1, 2] * p[1, :, 4, 5]).tolist()
    assert table.own_reach([], 0).tolist() == [1, 1, 1]
    with pytest.raises(UnknownNameError, match="unknown call '1-2'"):
        table.own_reach(["2-1", "1-2"], 0)
    with pytest.raises(UnknownNameError, match="unknown call 'liar'"):
        table.own_reach(["liar"], 0)


def test_a_table_plays_games_whose_tree_cannot_be_built():
    game = LiarsDice(numdice=5)
    naive, mixed = pimc_table(game), pimc_table(game, 0.5)
    result = play_matches(game, mixed, naive, num_deals=300, seed=1)
    exact = match_value(mixed, naive), -match_value(naive, mixed)
    assert abs(result.mean - np.mean(exact)) < 3 * result.standard_error


def test_invalid_tables():
    game = LiarsDice(dice_sides=2)
    good = pimc_table(game).probability
    with pytest.raises(ParameterError, match=r"has shape \(2, 5, 5\); .* \[moves, 2, 5, 5\]"):
        BidTable(game, good[0])
    with pytest.raises(ParameterError, match=r"sum to 0\.5, not 1"):
        BidTable(game, good / 2)
    for wrong in ((0, 0, 0, 4), (0, 0, 2, 1)):
        bad = good.copy()
        bad[wrong] = 0.1
        with pytest.raises(ParameterError, match="illegal call has a positive probability"):
            BidTable(game, bad)
    with pytest.raises(ParameterError, match="negative or NaN"):
        BidTable(game, np.where(good == 1, np.nan, good))
    with pytest.raises(ValueError, match="read-only"):
        BidTable(game, good).probability[0] = 0


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
def test_the_best_response_agrees_with_the_tree(game, num_moves, player):
    table = random_table(game, num_moves, seed=num_moves)
    answer = best_response(tabulate(form_of(game), [table, table]), player)
    found = bid_response(table, player)
    assert found.value == pytest.approx(answer.value, abs=1e-12)
    assert found.value == pytest.approx(found.hand_values @ table.prior)


@pytest.mark.parametrize("player", [0, 1])
def test_the_best_response_agrees_with_the_rules(player):
    game = LiarsDice(numdice=2, dice_sides=3)
    table = pimc_table(game, 0.3)
    by_rules = reached_best_response(game, table, player)
    assert bid_response(table, player).value == pytest.approx(by_rules.value, abs=1e-12)


@pytest.mark.parametrize("game", SMALL, ids=str)
@pytest.mark.parametrize("num_moves", [(1, 1), (3, 2), (1, 4)])
def test_the_match_value_agrees_with_the_tree(game, num_moves):
    first, second = (random_table(game, moves, seed=moves) for moves in num_moves)
    expected = expected_values(tabulate(form_of(game), [first, second]))
    assert match_value(first, second) == pytest.approx(expected[0], abs=1e-12)


@pytest.mark.parametrize("game", SMALL[:2], ids=str)
@pytest.mark.parametrize("baseline", ["uniform", "prior"])
@pytest.mark.parametrize("player", [0, 1])
def test_information_leakage_agrees_with_the_tree(game, baseline, player):
    first, second = random_table(game, 2, seed=8), random_table(game, 1, seed=9)
    policy = tabulate(form_of(game), [first, second])
    ratios = true_state_sampling_ratio(build_tree(game), policy, player, baseline=baseline)
    reach = bidding_reach(first, second, player)
    found = mean_true_state_sampling_ratio(reach, first.prior, baseline=baseline)
    assert found == pytest.approx(ratios.mean, abs=1e-12)


def test_a_policy_independent_of_the_hand_leaks_nothing():
    game = LiarsDice(numdice=2, dice_sides=3)
    other = random_table(game, 1, seed=1)
    hiding = BidTable(game, np.broadcast_to(other.probability[:, :1], other.probability.shape))
    for player, tables in enumerate([(hiding, other), (other, hiding)]):
        reach = bidding_reach(*tables, player)
        ratio = mean_true_state_sampling_ratio(reach, other.prior, baseline="prior")
        assert ratio == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("game", [LiarsDice(numdice=2), LiarsDice(numdice=3, dice_sides=4)])
def test_no_table_beats_a_best_response(game):
    tables = [pimc_table(game, public_weight) for public_weight in (0.0, 0.5, 1.0)] + [
        random_table(game, 2, 5, 0.1)
    ]
    for first in tables[:3]:
        values = [match_value(first, other) for other in tables]
        assert bid_response(first, 1).value >= -min(values) - 1e-12
        others = [match_value(other, first) for other in tables]
        assert bid_response(first, 0).value >= max(others) - 1e-12


# Best responses to exact PIMC with the private belief, as first and as second player. The values
# are independent of this library.
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


def test_the_first_public_weight_matters_most():
    game = LiarsDice(numdice=2)
    values = [
        bid_response(pimc_table(game, public_weight), 1).value
        for public_weight in ([0, 1], [1, 0], 1, 0)
    ]
    assert values[0] == pytest.approx(values[3], abs=1e-9)
    assert values[1] == pytest.approx(values[2], abs=1e-9)
    assert values[1] > values[0] + 0.05


def test_tables_for_different_games_are_refused():
    table = pimc_table(LiarsDice())
    with pytest.raises(ParameterError, match=r"one table is for liars_dice, the other for liars"):
        match_value(table, pimc_table(LiarsDice(numdice=2)))
    with pytest.raises(ParameterError, match="a BidTable, such as pimc_table"):
        bid_response(table.probability, 0)
    with pytest.raises(ParameterError, match="no player 2"):
        bid_response(table, 2)
