from fractions import Fraction

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.game import initial_history
from infoset.games import LeducPoker
from tests.games.game_walker import num_worlds, path_counts, play, walk


def deal(*cards):
    return lambda world: world.cards == cards


def board(card):
    return lambda world: world.board == card


def turns(history):
    return [str(infostate) for infostate in history.infostates]


def test_a_pair_wins_a_raised_pot():
    history = play(
        LeducPoker(),
        deal("Js", "Kh"),
        ("call", None),
        (None, "raise"),
        ("call", None),
        board("Jh"),
        ("raise", None),
        (None, "raise"),
        ("call", None),
    )
    assert turns(history) == [
        "[Js] / call / raise / call / Jh / raise / raise / !call call,Js,Kh",
        "[Kh] / call / raise / call / Jh / raise / raise / call,Js,Kh",
    ]
    assert str(history.public_state) == ". / call / raise / call / Jh / raise / raise / call,Js,Kh"
    assert history.rewards_so_far == (11, -11)
    assert history.is_terminal


def test_a_fold_before_the_board_shows_nothing():
    history = play(LeducPoker(), deal("Js", "Kh"), ("raise", None), (None, "fold"))
    assert turns(history) == ["[Js] / raise / fold", "[Kh] / raise / fold"]
    assert history.rewards_so_far == (1, -1)
    assert history.is_terminal


def test_equal_cards_share_the_pot():
    history = play(
        LeducPoker(), deal("Qs", "Qh"), ("call", None), (None, "call"), board("Ks"),
        ("raise", None), (None, "call"),
    )  # fmt: skip
    assert history.rewards_so_far == (0, 0)


def test_legal_actions_follow_the_betting():
    game = LeducPoker()
    line = [deal("Js", "Kh"), ("raise", None), (None, "raise")]
    legal = [play(game, *line[:count]).legal_actions((count - 1) % 2) for count in (1, 2, 3)]
    assert legal == [("call", "raise"), ("fold", "call", "raise"), ("fold", "call")]


def test_raises_are_two_chips_and_then_four():
    history = play(
        LeducPoker(), deal("Js", "Kh"), ("raise", None), (None, "raise"), ("call", None),
        board("Ks"), ("call", None), (None, "raise"), ("raise", None),
    )  # fmt: skip
    assert history.world.betting.put_in == (13, 9)


def test_the_next_player_left_begins_the_second_round():
    history = play(
        LeducPoker(players=3, starting_player=1),
        deal("Js", "Qs", "Ks"),
        (None, "call", None),
        (None, None, "raise"),
        ("call", None, None),
        (None, "fold", None),
        board("Qh"),
    )
    assert history.actors == (2,)
    history = history.extend((None, None, "call"), *one(history, (None, None, "call")))
    history = history.extend(("call", None, None), *one(history, ("call", None, None)))
    assert turns(history)[1] == "[Qs] / call / raise / call / fold / Qh / call / call,Js,-,Ks"
    assert history.rewards_so_far == (-3, -1, 4)


def one(history, joint):
    ((world, chance),) = history.game.transitions(history.world, joint)
    assert chance == 1
    return (world,)


def test_without_suits():
    game = LeducPoker(suit_isomorphism=True)
    assert game.deck == ("J", "J", "Q", "Q", "K", "K")
    deals = dict(initial_history(game).chance_outcomes)
    assert sorted(set(deals.values())) == [Fraction(1, 15), Fraction(2, 15)]
    history = play(game, deal("J", "Q"), ("call", None), (None, "call"))
    boards = {world.board: chance for world, chance in history.chance_outcomes}
    assert boards == {"J": Fraction(1, 4), "Q": Fraction(1, 4), "K": Fraction(1, 2)}


def test_action_mapping_shows_a_call_and_lets_its_owner_remember():
    game = LeducPoker(action_mapping=True)
    history = play(game, deal("Js", "Kh"), ("fold", None))
    assert turns(history) == ["[Js] / !fold call", "[Kh] / call"]
    assert history.legal_actions(1) == ("fold", "call", "raise")
    twice = play(game, deal("Js", "Kh"), ("raise", None), (None, "raise"), ("raise", None))
    assert twice.world.betting.put_in == (5, 5)
    assert turns(twice)[1] == "[Kh] / raise / raise / call"


@pytest.mark.parametrize(
    ("game", "histories", "terminals", "acting"),
    [
        # 936 acting infostates; OpenSpiel's 9,457 histories deal the first two cards in two steps.
        (LeducPoker(), 9451, 5520, [468, 468]),
        pytest.param(
            *(LeducPoker(starting_player=1), 9451, 5520, [468, 468]), marks=pytest.mark.long
        ),
        # OpenSpiel: 288 infostates without suits.
        (LeducPoker(suit_isomorphism=True), 1936, 1116, [144, 144]),
        pytest.param(*(LeducPoker(num_ranks=4), 26041, 15344, [864, 864]), marks=pytest.mark.long),
    ],
)
def test_counts(game, histories, terminals, acting):
    assert path_counts(game) == (histories, terminals)
    assert walk(game).num_acting == acting


def test_number_of_world_states():
    assert num_worlds(LeducPoker()) == 5071


def test_suits_do_not_change_what_can_be_won():
    with_suits, without = walk(LeducPoker()), walk(LeducPoker(suit_isomorphism=True))
    assert with_suits.values == pytest.approx([-5 / 64, 5 / 64], abs=1e-12)
    assert without.returns.keys() == with_suits.returns.keys()
    for returns, probability in with_suits.returns.items():
        assert without.returns[returns] == pytest.approx(probability, abs=1e-12)


def test_three_suits_share_a_pair():
    game = LeducPoker(num_ranks=2, num_suits=3)
    history = play(
        game, deal("Js", "Jh"), ("call", None), (None, "call"), board("Jd"),
        ("call", None), (None, "call"),
    )  # fmt: skip
    assert history.rewards_so_far == (0, 0)


def test_no_raises_leaves_only_calls():
    game = LeducPoker(num_raises=0)
    found = walk(game)
    assert {legal for player in found.acting for legal in player.values()} == {("call",)}
    assert set(found.returns) == {(1, -1), (0, 0), (-1, 1)}


def test_more_raises_reach_deeper():
    game = LeducPoker(num_raises=3)
    history = play(game, deal("Js", "Kh"), ("raise", None), (None, "raise"), ("raise", None))
    assert history.world.betting.put_in == (7, 5)
    assert history.legal_actions(1) == ("fold", "call")


def test_sampled_deals_are_deals():
    game, rng = LeducPoker(players=10), np.random.default_rng(0)
    world = game.sample_transition(game.initial_world(), (None,) * 10, rng)
    assert len(set(world.cards)) == 10
    assert world.betting.turn == 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"players": 1}, "players must be a whole number from 2 to 10"),
        ({"starting_player": 2}, "starting_player must be a player, from 0 to 1"),
        ({"starting_player": -1}, "starting_player must be a whole number of at least 0"),
        ({"action_mapping": 1}, "action_mapping must be True or False"),
        ({"num_ranks": 0}, "num_ranks must be -1 or a whole number from 1 to 1000"),
        ({"num_ranks": 1}, "num_ranks must be so large that the deck has more than 2 cards"),
        ({"num_suits": 5}, "num_suits must be a whole number from 1 to 4"),
        ({"num_raises": -1}, "num_raises must be a whole number of at least 0"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ParameterError, match=message):
        LeducPoker(**parameters)
