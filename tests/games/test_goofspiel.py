from fractions import Fraction

import pytest

from infoset.errors import ParameterError
from infoset.game import initial_history
from infoset.games import Goofspiel
from tests.games.game_walker import num_worlds, path_counts, play, walk


def prize(value):
    return lambda world: world.prize == value


def turns(history):
    return [str(infostate) for infostate in history.infostates]


def test_hidden_bids():
    history = play(
        Goofspiel(num_cards=3, imp_info=True, returns_type="point_difference"),
        prize(2),
        ((3, 1), prize(3)),
        ((1, 2), lambda world: True),
    )
    assert turns(history) == [
        "prize 2 / !3 player 0 wins; prize 3 / !1 player 1 wins; last prize 1: player 1 wins",
        "prize 2 / !1 player 0 wins; prize 3 / !2 player 1 wins; last prize 1: player 1 wins",
    ]
    assert str(history.public_state) == (
        "prize 2 / player 0 wins; prize 3 / player 1 wins; last prize 1: player 1 wins"
    )
    assert history.rewards_so_far == (-1, 1)
    assert history.is_terminal


def test_open_bids():
    history = play(
        Goofspiel(num_cards=3, points_order="descending"),
        ((2, 2), prize(2)),
        ((1, 3), lambda world: True),
    )
    assert turns(history) == [
        "!2 bids 2,2: tie; prize 2 / !1 bids 1,3: player 1 wins; last prize 1: player 0 wins",
        "!2 bids 2,2: tie; prize 2 / !3 bids 1,3: player 1 wins; last prize 1: player 0 wins",
    ]
    assert history.rewards_so_far == (-1, 1)


def test_hidden_bids_do_not_tell_lost_cards_apart():
    game = Goofspiel(num_cards=4, imp_info=True, points_order="ascending")
    one, other = (play(game, ((4, bid), lambda world: True)) for bid in (1, 3))
    assert one.infostates[0] == other.infostates[0]
    assert one.infostates[1] != other.infostates[1]
    assert one.public_state == other.public_state


def test_prizes_are_drawn_with_equal_chances():
    outcomes = initial_history(Goofspiel(num_cards=4)).chance_outcomes
    assert [(world.prize, chance) for world, chance in outcomes] == [
        (value, Fraction(1, 4)) for value in (1, 2, 3, 4)
    ]


def test_a_tie_for_the_highest_bid_pays_nobody():
    game = Goofspiel(num_cards=2, players=3, points_order="descending", returns_type="total_points")
    history = play(game, ((2, 2, 1), lambda world: True))
    assert history.rewards_so_far == (0, 0, 1)
    assert turns(history)[2] == "!1 bids 2,2,1: tie; last prize 1: player 2 wins"


@pytest.mark.parametrize(
    ("returns_type", "returns"),
    # Points 3, 2 and 0 of three players.
    [
        ("total_points", (3, 2, 0)),
        ("point_difference", (4 / 3, 1 / 3, -5 / 3)),
        ("win_loss", (1, -1 / 2, -1 / 2)),
    ],
)
def test_returns(returns_type, returns):
    game = Goofspiel(
        num_cards=3, players=3, num_turns=2, points_order="descending", returns_type=returns_type
    )
    history = play(game, ((3, 1, 2), prize(2)), ((1, 3, 2), lambda world: True))
    assert history.rewards_so_far == pytest.approx(returns, abs=1e-12)


def test_shared_wins():
    game = Goofspiel(num_cards=3, players=3, num_turns=1, points_order="ascending")
    assert play(game, ((3, 3, 1), lambda world: True)).rewards_so_far == (0, 0, 0)
    assert play(game, ((3, 2, 1), lambda world: True)).rewards_so_far == (1, -1 / 2, -1 / 2)


@pytest.mark.parametrize(
    ("parameters", "histories", "terminals", "acting"),
    [
        # 18,426 is the count of histories in the SePoT paper.
        ({"num_cards": 5, "points_order": "descending"}, 18_426, 14_400, 1062),
        pytest.param({"num_cards": 4}, 17_477, 13_824, 1804, marks=pytest.mark.long),
        ({"num_cards": 2}, 11, 8, 2),
        ({"num_cards": 1}, 3, 1, 1),
        ({"num_cards": 4, "num_turns": 2}, 4 * (1 + 16 * 3 * (1 + 9)) + 1, 1728, 4 * (1 + 3 * 10)),
    ],
)
def test_counts(parameters, histories, terminals, acting):
    game = Goofspiel(imp_info=True, **parameters)
    assert path_counts(game) == (histories, terminals)
    assert walk(game).num_acting == [acting, acting]


def test_world_states_hold_only_what_matters():
    five = {"num_cards": 5, "imp_info": True}
    assert num_worlds(Goofspiel(**five, returns_type="point_difference")) == 5507
    assert path_counts(Goofspiel(**five))[0] == 2_184_506


def test_one_round_less_than_cards_is_played_as_it_says():
    game = Goofspiel(
        num_cards=3, num_turns=2, points_order="ascending", returns_type="total_points"
    )
    history = play(game, ((1, 2), prize(2)), ((3, 1), lambda world: True))
    assert history.is_terminal
    assert history.rewards_so_far == (2, 1)
    assert path_counts(game) == (1 + 9 + 36, 36)


@pytest.mark.parametrize("points_order", ["random", "ascending", "descending"])
@pytest.mark.parametrize("returns_type", ["win_loss", "point_difference"])
def test_uniform_play_is_fair(points_order, returns_type):
    game = Goofspiel(
        num_cards=3, imp_info=True, points_order=points_order, returns_type=returns_type
    )
    found = walk(game)
    assert found.values == pytest.approx([0, 0], abs=1e-12)
    assert all(sum(returns) == 0 for returns in found.returns)


def test_egocentric_has_no_effect():
    one = walk(Goofspiel(num_cards=3, imp_info=True))
    other = walk(Goofspiel(num_cards=3, imp_info=True, egocentric=True))
    assert (one.num_acting, one.returns) == (other.num_acting, other.returns)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"num_cards": 3, "num_turns": 4}, "num_turns must be at most num_cards, which is 3"),
        ({"num_turns": 0}, "num_turns must be -1 or a whole number of at least 1"),
        ({"num_cards": 0}, "num_cards must be a whole number from 1 to 100"),
        ({"players": 1}, "players must be a whole number from 2 to 10"),
        ({"points_order": "up"}, "points_order must be one of random, descending, ascending"),
        ({"imp_info": "yes"}, "imp_info must be True or False"),
        ({"returns_type": "points"}, "returns_type must be one of win_loss"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ParameterError, match=message):
        Goofspiel(**parameters)
