"""The trick-taking game: rules against a second implementation, deals and values."""

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.game import check_game, initial_history, play_out
from infoset.games import TrickTaking, load_game
from infoset.tree import build_tree
from tests.games.game_walker import num_worlds, path_counts, play, walk

RANKS = "23456789TJQKA"


def hands(game, first, second):
    """Select the deal with two hands, written as `Js Qh`."""
    wanted = tuple(
        sum(1 << game.deck.index(card) for card in hand.split()) for hand in (first, second)
    )
    return lambda world: world.hands == wanted


def test_the_card_played_reveals_a_void():
    game = TrickTaking(num_cards=6, num_suits=2)
    history = play(
        game,
        hands(game, "Js Ks Jh", "Qs Qh Kh"),
        ("Ks", None), (None, "Qs"),
        ("Js", None), (None, "Qh"),
        ("Jh", None), (None, "Kh"),
    )  # fmt: skip
    assert [str(infostate) for infostate in history.infostates] == [
        "[Js,Ks,Jh] / Ks / Qs,player 0 takes the trick / Js / Qh,player 0 takes the trick / Jh / "
        "Kh,player 1 takes the trick",
        "[Qs,Qh,Kh] / Ks / !Qs Qs,player 0 takes the trick / Js / "
        "!Qh Qh,player 0 takes the trick / Jh / !Kh Kh,player 1 takes the trick",
    ]
    assert history.rewards_so_far == (1, -1)
    assert history.is_terminal
    assert history.world.tricks == (2, 1)


def test_a_player_follows_suit_if_it_can_and_otherwise_loses():
    game = TrickTaking(num_cards=6, num_suits=2)
    led = play(game, hands(game, "Js Qs Jh", "Ks Qh Kh"), ("Js", None))
    assert led.legal_actions(1) == ("Ks",)
    after = play(game, hands(game, "Js Qs Jh", "Ks Qh Kh"), ("Js", None), (None, "Ks"))
    assert after.actors == (1,)
    assert after.legal_actions(1) == ("Qh", "Kh")
    void = play(game, hands(game, "Js Qs Ks", "Jh Qh Kh"), ("Js", None))
    assert void.legal_actions(1) == ("Jh", "Qh", "Kh")
    lost = play(game, hands(game, "Js Qs Ks", "Jh Qh Kh"), ("Js", None), (None, "Kh"))
    assert lost.world.tricks == (1, 0)
    assert lost.actors == (0,)


def beats(card, led):
    """Return whether the second card of a trick beats the one led."""
    return card[-1] == led[-1] and RANKS.index(card[0]) > RANKS.index(led[0])


def follow(hand, led):
    """Return the cards of a hand that may be played to the card led; none for the lead."""
    return [card for card in hand if led is None or card[-1] == led[-1]] or list(hand)


@pytest.mark.parametrize(
    "spec",
    [
        "trick_taking",
        "trick_taking(num_cards=20)",
        "trick_taking(num_cards=52,hand_size=13)",
        "trick_taking(num_cards=11,num_suits=3,layout=filled,hand_size=4,tie=draw)",
    ],
)
def test_random_plays_agree_with_an_independent_referee(spec):
    game, rng = load_game(spec), np.random.default_rng(2)
    for _ in range(20):
        history = initial_history(game).sample((None, None), rng)
        left = [set(infostate.steps[0].private) for infostate in history.infostates]
        assert [len(hand) for hand in left] == [game.num_tricks] * 2
        assert not left[0] & left[1]
        tricks, leader, led = [0, 0], 0, None
        while not history.is_terminal:
            (player,) = history.actors
            assert player == (leader if led is None else 1 - leader)
            legal = history.legal_actions(player)
            assert sorted(legal) == sorted(follow(left[player], led))
            card = legal[rng.integers(len(legal))]
            left[player].remove(card)
            if led is None:
                led = card
            else:
                leader = player if beats(card, led) else 1 - player
                tricks[leader] += 1
                led = None
            history = history.sample(history.joint({player: card}), rng)
        assert history.world.tricks == tuple(tricks)
        assert sum(tricks) == game.num_tricks
        assert history.rewards_so_far == pay(tricks, game.tie)


def pay(tricks, tie):
    if tricks[0] == tricks[1]:
        return (1, 1) if tie == "both_win" else (0, 0)
    return (1, -1) if tricks[0] > tricks[1] else (-1, 1)


@cache
def double_dummy(first, second, to_move, led, lead, tie):
    """Return player 0's payoff under optimal play with open cards; `lead` is its lead in tricks."""
    if not first and not second:
        return pay((max(lead, 0), max(-lead, 0)), tie)[0]
    hand = (first, second)[to_move]
    outcomes = []
    for card in follow(hand, led):
        left = [first, second]
        left[to_move] = hand - {card}
        if led is None:
            outcomes.append(double_dummy(*left, 1 - to_move, card, lead, tie))
        else:
            winner = to_move if beats(card, led) else 1 - to_move
            outcomes.append(double_dummy(*left, winner, None, lead + 1 - 2 * winner, tie))
    return max(outcomes) if to_move == 0 else min(outcomes)


def open_value(deck, tie):
    """Return player 0's value where each player is dealt half of the deck."""
    size = len(deck) // 2
    values = [
        double_dummy(frozenset(hand), frozenset(deck) - set(hand), 0, None, 0, tie)
        for hand in combinations(deck, size)
    ]
    return Fraction(sum(values), len(values))


@pytest.mark.parametrize(
    ("num_cards", "num_suits", "value"),
    [
        (4, 2, Fraction(1, 3)),
        (6, 2, Fraction(3, 5)),
        (6, 3, Fraction(3, 5)),
        pytest.param(8, 2, None, marks=pytest.mark.long),
    ],
)
def test_if_all_cards_are_dealt_the_value_is_that_with_open_cards(num_cards, num_suits, value):
    game = TrickTaking(num_cards=num_cards, num_suits=num_suits, tie="draw")
    by_minimax = open_value(game.deck, "draw")
    assert value in (None, by_minimax)
    result = infoset.solve(game, "lp")
    assert result.values[0] == pytest.approx(float(by_minimax), abs=1e-12)
    assert result.exploitability < 1e-12


@pytest.mark.broad
@pytest.mark.parametrize(
    ("layout", "value"),
    [
        ("filled", Fraction(11, 21)),
        pytest.param("even", Fraction(34, 63), marks=pytest.mark.long),
    ],
)
def test_the_leader_of_ten_cards_wins_three_deals_of_four(layout, value):
    assert open_value(TrickTaking(layout=layout).deck, "draw") == value


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        # The leader loses by 3 in each suit of the 6 * 5 ordered pairs of cards.
        ("trick_taking(num_cards=6,num_suits=2,hand_size=1)", 1 - 2 * 6 / 30),
        ("trick_taking(num_cards=6,num_suits=2,hand_size=2,tie=draw)", 13 / 45),
        ("trick_taking(num_cards=8,num_suits=2,hand_size=2,tie=draw)", 4 / 15),
        ("trick_taking(num_cards=7,num_suits=2)", 3 / 7),
    ],
)
def test_values_with_cards_left_out(spec, value):
    assert infoset.solve(spec, "lp").values[0] == pytest.approx(value, abs=1e-12)


def test_if_all_cards_are_dealt_nothing_is_hidden():
    tree = build_tree(TrickTaking(num_cards=6, num_suits=2))
    for player in (0, 1):
        worlds = defaultdict(set)
        for infostate, world in zip(
            tree.infostate[1:, player].tolist(), tree.world[1:], strict=True
        ):
            worlds[infostate].add(int(world))
        assert {len(possible) for possible in worlds.values()} == {1}


def test_no_world_of_an_infostate_holds_a_suit_that_was_shown_void():
    game = TrickTaking(num_cards=7, num_suits=2, hand_size=3)
    num_shown = 0
    stack = [(initial_history(game), (frozenset(), frozenset()))]
    while stack:
        history, voids = stack.pop()
        world = history.world
        for player in (0, 1):
            held = {
                card[-1] for bit, card in enumerate(game.deck) if world.hands[player] >> bit & 1
            }
            assert not held & voids[player]
            num_shown += len(voids[player])
        for player in history.actors or [None]:
            for card in history.legal_actions(player) if player is not None else [None]:
                joint = (None, None) if player is None else history.joint({player: card})
                shown = [*voids]
                if world.led >= 0 and card[-1] != (suit := game.deck[world.led][-1]):
                    shown[player] |= {suit}
                for after, _ in game.transitions(world, joint):
                    stack.append((history.extend(joint, after), tuple(shown)))
    assert num_shown > 1000


@pytest.mark.parametrize(
    ("spec", "worlds", "histories", "terminals", "acting"),
    [
        ("trick_taking(num_cards=4,num_suits=2)", 55, 67, 16, [22, 28]),
        ("trick_taking(num_cards=6,num_suits=2)", 549, 1215, 288, [434, 492]),
        ("trick_taking(num_cards=6,num_suits=2,hand_size=2)", 395, 1027, 252, [183, 264]),
        ("trick_taking(num_cards=7,num_suits=2)", 2163, 9093, 2160, [2279, 2444]),
    ],
)
def test_counts(spec, worlds, histories, terminals, acting):
    game = load_game(spec)
    assert num_worlds(game) == worlds
    assert path_counts(game) == (histories, terminals)
    assert walk(game).num_acting == acting


def test_histories_by_formula_if_every_play_follows_suit():
    # One suit: every card follows, so a deal has (n!)² plays.
    game = TrickTaking(num_cards=6, num_suits=1)
    deals = comb(6, 3)
    assert path_counts(game)[1] == deals * 36
    assert path_counts(game)[0] == 1 + deals * (1 + 3 + 9 + 18 + 36 + 36 + 36)


def test_deals_are_listed_once_and_are_equally_probable():
    deals = initial_history(TrickTaking(num_cards=7, hand_size=2)).chance_outcomes
    assert len({world for world, _ in deals}) == len(deals) == comb(7, 2) * comb(5, 2)
    assert {chance for _, chance in deals} == {Fraction(1, len(deals))}


def test_sampled_deals_are_listed_deals():
    report = check_game(TrickTaking(num_cards=5, num_suits=2), max_samples=20_000)
    assert report.is_complete
    assert report.num_samples > 10_000


def test_large_deals_are_sampled_without_listing_them():
    game, rng = TrickTaking(num_cards=52, hand_size=26), np.random.default_rng(0)
    always_lowest = lambda infostate, legal: legal[0]  # noqa: E731
    history = play_out(initial_history(game), [always_lowest] * 2, rng)
    assert history.depth == 1 + 52


def test_a_shorter_suit_lacks_its_lowest_ranks():
    game = TrickTaking(num_cards=7, num_suits=2)
    assert game.deck == ("Js", "Qs", "Ks", "As", "Qh", "Kh", "Ah")


@pytest.mark.parametrize(
    ("parameters", "lengths"),
    [
        ({}, (3, 3, 2, 2)),
        ({"layout": "filled"}, (3, 3, 3, 1)),
        ({"num_cards": 20}, (5, 5, 5, 5)),
        ({"num_cards": 20, "layout": "filled"}, (5, 5, 5, 5)),
        ({"num_cards": 5, "layout": "filled"}, (2, 2, 1, 0)),
        ({"num_cards": 3}, (1, 1, 1, 0)),
    ],
)
def test_lengths_of_suits(parameters, lengths):
    game = TrickTaking(**parameters)
    assert game.suit_lengths == lengths
    assert len(game.deck) == len(set(game.deck)) == game.num_cards


def test_half_of_the_tricks_each():
    for tie, rewards in [("both_win", (1, 1)), ("draw", (0, 0))]:
        game = TrickTaking(num_cards=4, num_suits=2, tie=tie)
        deal = hands(game, "Qs Jh", "Js Qh")
        history = play(game, deal, ("Qs", None), (None, "Js"), ("Jh", None), (None, "Qh"))
        assert history.rewards_so_far == rewards
    with pytest.raises(UnsupportedGameError, match="constant-sum"):
        infoset.solve("trick_taking(num_cards=4,num_suits=2)", "lp")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"num_cards": 1}, "num_cards must be a whole number from 2 to 1000"),
        ({"num_suits": 5}, "num_suits must be a whole number from 1 to 4"),
        ({"hand_size": 6}, r"hand_size must be at most half of num_cards, which is 10.*=5\)"),
        ({"hand_size": 0}, "hand_size must be -1 or a whole number of at least 1"),
        ({"tie": "split"}, "tie must be one of both_win, draw"),
        ({"layout": "odd"}, "layout must be one of even, filled"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ParameterError, match=message):
        TrickTaking(**parameters)
