from fractions import Fraction

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.game import initial_history
from infoset.games import LiarsDice
from tests.games.game_walker import num_worlds, path_counts, play, walk


def roll(*hands):
    return lambda world: world.hands == hands


def test_a_bid_that_is_not_met():
    history = play(LiarsDice(), roll((3,), (2,)), ("1-2", None), (None, "2-2"), ("liar", None))
    assert [str(infostate) for infostate in history.infostates] == [
        "[3] / 1-2 / 2-2 / !liar liar,player 0 wins",
        "[2] / 1-2 / 2-2 / liar,player 0 wins",
    ]
    assert str(history.public_state) == ". / 1-2 / 2-2 / liar,player 0 wins"
    assert history.rewards_so_far == (1, -1)


def test_the_highest_face_is_wild():
    history = play(LiarsDice(), roll((6,), (2,)), ("1-2", None), (None, "2-2"), ("liar", None))
    assert history.rewards_so_far == (-1, 1)
    assert history.is_terminal


def test_bids_increase_and_liar_needs_a_bid():
    game = LiarsDice(dice_sides=2)
    start = play(game, roll((1,), (2,)))
    assert start.legal_actions(0) == ("1-1", "1-2", "2-1", "2-2")
    assert start.legal_actions(1) == ()
    later = play(game, roll((1,), (2,)), ("1-2", None))
    assert later.legal_actions(1) == ("2-1", "2-2", "liar")


def test_the_order_of_bids_is_the_rule():
    assert LiarsDice(dice_sides=2).calls == ("1-1", "1-2", "2-1", "2-2", "liar")
    other = LiarsDice(dice_sides=2, bidding_rule="reset-quantity")
    assert other.calls == ("1-1", "2-1", "1-2", "2-2", "liar")


def test_hands_are_sorted_and_weighted_by_their_orders():
    rolls = dict(initial_history(LiarsDice(numdice=2, dice_sides=2)).chance_outcomes)
    weights = {world.hands: chance for world, chance in rolls.items()}
    assert len(weights) == 9
    assert weights[(1, 1), (2, 2)] == Fraction(1, 16)
    assert weights[(1, 2), (2, 2)] == Fraction(2, 16)
    assert weights[(1, 2), (1, 2)] == Fraction(4, 16)
    assert sum(weights.values()) == 1


def test_a_player_sees_its_own_dice_only():
    game = LiarsDice(numdice=2, dice_sides=3)
    one = play(game, roll((1, 3), (2, 2)), ("2-3", None))
    other = play(game, roll((1, 3), (1, 1)), ("2-3", None))
    assert str(one.infostates[0]) == "[1,3] / 2-3"
    assert one.infostates[0] == other.infostates[0]
    assert one.public_state == other.public_state


def test_counts_of_the_default_game():
    # 147,420 terminal histories and 24,576 infostates: Lanctot 2013 and OpenSpiel, whose
    # 294,883 histories roll the two dice in two steps.
    game = LiarsDice()
    assert path_counts(game) == (294_877, 147_420)
    assert num_worlds(game) == 937


@pytest.mark.parametrize(
    ("game", "histories", "terminals", "acting"),
    [
        (LiarsDice(dice_sides=4), 8177, 4080, 512),
        pytest.param(
            LiarsDice(dice_sides=5), 25 * 2047 + 1, 25 * 1023, 2560, marks=pytest.mark.long
        ),
        (LiarsDice(numdice=2, dice_sides=2), 4600, 2295, 384),
    ],
)
def test_counts(game, histories, terminals, acting):
    found = walk(game)
    assert path_counts(game) == (histories, terminals)
    assert (found.num_histories, found.num_terminals) == (histories, terminals)
    assert found.num_acting == [acting, acting]
    assert found.values[0] == -found.values[1]


def test_infostates_by_formula_are_the_published_number():
    # A player's infostate is its die and an increasing sequence of bids after which it moves.
    def acting(sides):
        return sides * 2 ** (2 * sides - 1)

    assert walk(LiarsDice(dice_sides=3)).num_acting == [acting(3), acting(3)]
    assert 2 * acting(6) == 24_576


def test_sampled_rolls_are_sorted_rolls():
    game, rng = LiarsDice(numdice=5), np.random.default_rng(0)
    world = game.sample_transition(game.initial_world(), (None, None), rng)
    assert all(list(hand) == sorted(hand) and len(hand) == 5 for hand in world.hands)
    assert all(type(die) is int and 1 <= die <= 6 for hand in world.hands for die in hand)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"numdice": 0}, r"numdice=0 .* numdice must be a whole number from 1 to 1000"),
        ({"dice_sides": 0}, "dice_sides must be a whole number from 1 to 1000"),
        ({"dice_sides": 6.0}, "dice_sides must be a whole number from 1 to 1000"),
        ({"players": 3}, "players must be 2, for example liars_dice\\(players=2\\)"),
        ({"bidding_rule": "reset"}, "bidding_rule must be one of reset-face, reset-quantity"),
        ({"bidding_rule": 1}, "bidding_rule must be one of reset-face, reset-quantity"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ParameterError, match=message):
        LiarsDice(**parameters)
