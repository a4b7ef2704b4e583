from fractions import Fraction

import pytest

from infoset.errors import ParameterError
from infoset.game import initial_history
from infoset.games import TradeComm, load_game
from tests.games.game_walker import num_worlds, path_counts, play, walk
from tests.games.team_optimum import team_optimum


def items(*dealt):
    return lambda world: world.items == dealt


def trade(first, second, dealt=(2, 0)):
    game = TradeComm(num_items=3)
    return play(
        game, items(*dealt), ("say 1", None), (None, "say 0"), (first, None), (None, second)
    )


def test_a_trade():
    end = trade("2:0", "0:2")
    assert end.is_terminal
    assert end.rewards_so_far == (1, 1)
    assert [str(infostate) for infostate in end.infostates] == [
        "[2] / say 1 / say 0 / !2:0 / 2:0,0:2,trade",
        "[0] / say 1 / say 0 / . / !0:2 2:0,0:2,trade",
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("2:0", "0:1"),  # player 1 asks for what player 0 does not have
        ("2:1", "0:2"),  # player 0 asks for what player 1 does not have
        ("1:0", "0:1"),  # offers fit, but player 0 does not have what it gives
        ("2:1", "1:2"),  # offers fit, but player 1 does not have what it gives
        ("0:2", "2:0"),  # each gives what the other has
        ("2:2", "0:0"),
    ],
)
def test_no_trade(first, second):
    assert trade(first, second).rewards_so_far == (0, 0)


def test_an_item_for_one_of_the_same_kind():
    assert trade("1:1", "1:1", dealt=(1, 1)).rewards_so_far == (1, 1)


def test_messages_and_then_offers_alternate():
    game = TradeComm(num_items=2, num_messages=3)
    moves = [items(1, 0), ("say 2", None), (None, "say 0"), ("1:0", None), (None, "0:1")]
    stops = [play(game, *moves[:count]) for count in range(1, 6)]
    assert [stop.actors for stop in stops] == [(0,), (1,), (0,), (1,), ()]
    words, offers = ("say 0", "say 1", "say 2"), ("0:0", "0:1", "1:0", "1:1")
    legal = [stop.legal_actions(stop.actors[0]) for stop in stops[:-1]]
    assert legal == [words, words, offers, offers]


def test_an_offer_is_secret_until_both_are_made():
    game = TradeComm(num_items=2)
    talk = [items(1, 0), ("say 0", None), (None, "say 0")]
    one, other = (play(game, *talk, (offer, None)) for offer in ("1:0", "0:0"))
    assert one.infostates[1] == other.infostates[1]
    assert one.infostates[0] != other.infostates[0]
    assert one.public_state == other.public_state


def test_items_are_secret():
    game = TradeComm(num_items=2)
    one, other = (play(game, items(1, item), ("say 0", None)) for item in (0, 1))
    assert one.infostates[0] == other.infostates[0]
    assert one.infostates[1] != other.infostates[1]


def test_items_are_independent_and_uniform():
    outcomes = initial_history(TradeComm(num_items=3)).chance_outcomes
    assert len(outcomes) == 9
    assert {chance for _, chance in outcomes} == {Fraction(1, 9)}


@pytest.mark.parametrize(("kinds", "words"), [(1, 1), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3)])
def test_counts_by_formula(kinds, words):
    # The numbers of histories by level below the deal: n², n²m, n²m², n⁴m²; n⁶m² terminals.
    n, m = kinds**2, words
    game = TradeComm(num_items=kinds, num_messages=words)
    assert path_counts(game) == (1 + n + n * m + n * m**2 + n**2 * m**2 + n**3 * m**2, n**3 * m**2)
    assert num_worlds(game) == 1 + n + n * m + n * m**2 + n**2 + n**3
    found = walk(game)
    assert found.num_acting == [kinds + kinds * m**2, kinds * m + kinds * m**2]
    assert found.values == pytest.approx([1 / n**2] * 2, abs=1e-12)


@pytest.mark.parametrize(
    ("kinds", "words"), [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 1)]
)
def test_the_best_by_formula(kinds, words):
    rest = kinds % words
    best = 1 if words >= kinds else (rest * kinds + (words - rest) * (kinds - rest)) / kinds**2
    game = TradeComm(num_items=kinds, num_messages=words)
    assert team_optimum(game) == pytest.approx(best, abs=1e-9)


def test_as_many_messages_as_kinds_by_default():
    assert TradeComm(num_items=3).words == TradeComm(num_items=3, num_messages=3).words
    assert len(TradeComm().words) == 10
    assert len(TradeComm().offers) == 100
    assert str(load_game("trade_comm(num_items=10,num_messages=4)")) == "trade_comm(num_messages=4)"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"num_items": 0}, "num_items must be a whole number from 1 to 100"),
        ({"num_items": "3"}, "num_items must be a whole number from 1 to 100"),
        ({"num_messages": 0}, "num_messages must be -1 or a whole number from 1 to 10000"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ParameterError, match=message):
        TradeComm(**parameters)
