from fractions import Fraction

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.game import initial_history
from infoset.games import KuhnPoker
from tests.games.game_walker import path_counts, play, walk


def deal(*cards):
    return lambda world: world.cards == cards


def turns(history):
    return [str(infostate) for infostate in history.infostates]


def test_a_bet_that_is_called():
    history = play(KuhnPoker(), deal("K", "J"), ("pass", None), (None, "bet"), ("bet", None))
    assert turns(history) == [
        "[K] / pass / bet / !bet bet,K,J",
        "[J] / pass / bet / bet,K,J",
    ]
    assert str(history.public_state) == ". / pass / bet / bet,K,J"
    assert history.rewards_so_far == (2, -2)


def test_a_fold_reveals_no_cards():
    history = play(KuhnPoker(), deal("Q", "K"), ("bet", None), (None, "pass"))
    assert turns(history) == ["[Q] / bet / pass", "[K] / bet / pass"]
    assert history.rewards_so_far == (1, -1)
    other = play(KuhnPoker(), deal("Q", "J"), ("bet", None), (None, "pass"))
    assert other.infostates[0] == history.infostates[0]


def test_three_players_where_one_folds():
    history = play(
        KuhnPoker(players=3),
        deal("Q", "A", "J"),
        ("pass", None, None),
        (None, "bet", None),
        (None, None, "pass"),
        ("bet", None, None),
    )
    assert turns(history) == [
        "[Q] / pass / bet / pass / !bet bet,Q,A,-",
        "[A] / pass / bet / pass / bet,Q,A,-",
        "[J] / pass / bet / pass / bet,Q,A,-",
    ]
    assert history.rewards_so_far == (-2, 3, -1)
    assert history.is_terminal


def test_nobody_bets_and_the_highest_card_takes_the_antes():
    history = play(KuhnPoker(), deal("J", "Q"), ("pass", None), (None, "pass"))
    assert turns(history)[1] == "[Q] / pass / !pass pass,J,Q"
    assert history.rewards_so_far == (-1, 1)


def test_the_deal_is_one_exact_chance_step():
    outcomes = initial_history(KuhnPoker()).chance_outcomes
    assert len(outcomes) == 6
    assert {chance for _, chance in outcomes} == {Fraction(1, 6)}


@pytest.mark.parametrize(
    ("players", "histories", "terminals", "acting"),
    # Two players: 12 infostates (Kuhn 1950). All counts equal OpenSpiel's except for its chance
    # steps of single cards.
    [(2, 55, 30, 6), (3, 601, 312, 16), (4, 7801, 3960, 40)],
)
def test_counts(players, histories, terminals, acting):
    game = KuhnPoker(players=players)
    assert path_counts(game) == (histories, terminals)
    found = walk(game)
    assert (found.num_histories, found.num_terminals) == (histories, terminals)
    assert found.num_acting == [acting] * players


def test_uniform_play_is_worth_an_eighth_to_player_0():
    found = walk(KuhnPoker())
    assert found.values == pytest.approx([1 / 8, -1 / 8], abs=1e-12)


def test_the_value_of_the_known_equilibrium():
    # Kuhn 1950 with alpha = 0: value -1/18 to player 0.
    bet = {
        "[J]": 0, "[Q]": 0, "[K]": 0,
        "[J] / pass / bet": 0, "[Q] / pass / bet": 1 / 3, "[K] / pass / bet": 1,
        "[J] / pass": 1 / 3, "[Q] / pass": 0, "[K] / pass": 1,
        "[J] / bet": 0, "[Q] / bet": 1 / 3, "[K] / bet": 1,
    }  # fmt: skip

    def value(history):
        if history.is_terminal:
            return history.rewards_so_far[0]
        if not history.actors:
            return sum(
                float(chance) * value(history.extend((None, None), world))
                for world, chance in history.chance_outcomes
            )
        (player,) = history.actors
        chance = bet[str(history.infostates[player])]
        total = 0.0
        for action, probability in (("pass", 1 - chance), ("bet", chance)):
            joint = history.joint({player: action})
            ((world, _),) = history.game.transitions(history.world, joint)
            total += probability * value(history.extend(joint, world))
        return total

    assert value(initial_history(KuhnPoker())) == pytest.approx(-1 / 18, abs=1e-12)


def test_ten_players_can_be_dealt_without_listing_the_deals():
    game, rng = KuhnPoker(players=10), np.random.default_rng(1)
    world = game.sample_transition(game.initial_world(), (None,) * 10, rng)
    assert len(set(world.cards)) == 10
    assert set(world.cards) < set(game.deck)


@pytest.mark.parametrize("players", [1, 11, 0, -2, 2.0, "two", True, None])
def test_bad_number_of_players(players):
    with pytest.raises(ParameterError, match=r"players must be a whole number from 2 to 10"):
        KuhnPoker(players=players)
