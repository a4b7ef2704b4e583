"""The search model of the trick-taking game against its rules."""

from functools import cache
from itertools import combinations
from math import comb

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import ParameterError, UnknownNameError, UnsupportedGameError
from infoset.game import Infostate, Step, initial_history
from infoset.games import KuhnPoker, TrickTaking
from infoset.games.trick_taking import Table
from infoset.policy import uniform_policy
from infoset.search import GraphModel, search_model
from infoset.search.models.model import action_indices_in
from infoset.search.models.trick_deals import UnseenCards, find_deals, num_deals
from infoset.search.models.tricks import TricksModel
from tests.search.models.model_lockstep import check_roots, decisions, paranoid_values, play_both

pytestmark = pytest.mark.broad

GAMES = [
    TrickTaking(num_cards=8),
    TrickTaking(num_cards=6, num_suits=2),
    TrickTaking(num_cards=8, num_suits=3, hand_size=3, layout="filled", tie="draw"),
]


def world_of(state):
    led = state[2].bit_length() - 1 if state[2] else -1
    return Table(tuple(state[:2]), led, state[3], tuple(state[4:6]))


@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("public_weight", [0.0, 0.3, 1.0])
def test_roots_and_playouts_agree_with_the_rules(game, public_weight):
    model, rng = TricksModel(game), np.random.default_rng(2)
    for history in decisions(game, rng, 4):
        states, rules, theirs = check_roots(model, world_of, history, public_weight)
        shown = {}
        for place in rng.integers(len(states), size=3).tolist():
            play_both(model, states[place], rules, theirs[place], rng, shown)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_card_indices_in_other_hands(game):
    model, rng = TricksModel(game), np.random.default_rng(3)
    for history in decisions(game, rng, 4):
        infostate = history.infostates[history.actors[0]]
        roots = model.roots(infostate, PublicPrivateBelief(0.5), rng)
        worlds = [world_of(state) for state in roots.states.tolist()]
        offered = [game.legal_actions(world, world.player) for world in worlds]
        expected = action_indices_in(offered, history.legal_actions(infostate.player))
        assert model.action_indices(infostate, roots).tolist() == expected.tolist()


@pytest.mark.parametrize(
    "game",
    [
        TrickTaking(num_cards=6, num_suits=2),
        TrickTaking(num_cards=8),
        TrickTaking(num_cards=8, num_suits=2, tie="draw"),
        TrickTaking(num_cards=9, num_suits=2, hand_size=3),
    ],
    ids=str,
)
def test_card_values_agree_with_brute_force(game):
    model, by_force = TricksModel(game), paranoid_values(game)
    for history in decisions(game, np.random.default_rng(4), 60):
        world = history.world
        led = 1 << world.led if world.led >= 0 else 0
        row = np.array([[*world.hands, led, world.player, *world.tricks, 0]])
        for player in (0, 1):
            expected = by_force(world, player)
            assert model.perfect_information_values(row, player).tolist() == [list(expected)]


def most_tricks(game):
    """Return a brute-force function for the number of tricks that the leading hand takes."""

    def bits(cards):
        return [1 << card for card in range(game.num_cards) if cards >> card & 1]

    @cache
    def most(own, other):
        return max((least(own, other, card) for card in bits(own)), default=0)

    def least(own, other, card):
        suit = game.suit_sets[card.bit_length() - 1]
        left = own.bit_count() - 1
        return min(
            left - most(other ^ reply, own ^ card)
            if suit & reply and reply > card
            else 1 + most(own ^ card, other ^ reply)
            for reply in bits(other & suit or other)
        )

    return most


def test_every_deal_of_twelve_cards():
    games = [TrickTaking(num_cards=12, num_suits=2, tie=tie) for tie in ("both_win", "draw")]
    by_force, everything = most_tricks(games[0]), (1 << 12) - 1
    hands = [sum(1 << card for card in cards) for cards in combinations(range(12), 6)]
    rows = np.array([[own, everything ^ own, 0, 0, 0, 0, 0] for own in hands])
    tricks = np.array([by_force(own, everything ^ own) for own in hands])
    for game, half in zip(games, (1.0, 0.0), strict=True):
        expected = np.where(tricks > 3, 1.0, np.where(tricks == 3, half, -1.0))
        values = TricksModel(game).perfect_information_values(rows, 0)
        assert np.nanmax(values, axis=1).tolist() == expected.tolist()


def test_the_table_of_solved_positions_changes_no_value():
    game, rng = TrickTaking(num_cards=12, tie="draw"), np.random.default_rng(5)
    used = TricksModel(game)
    known = initial_history(game).sample((None, None), rng).infostates[0]
    states = used.roots(known, PublicPrivateBelief(1.0), rng).states
    used.perfect_information_values(states, 0)
    used._solved.position[::2] = 0
    again = used.perfect_information_values(states[:50], 0)
    fresh = [
        TricksModel(game).perfect_information_values(states[k : k + 1], 0)[0]
        for k in range(0, 50, 10)
    ]
    assert again[::10].tolist() == [row.tolist() for row in fresh]
    assert set(np.unique(again)) == {-1.0, 0.0, 1.0}


def test_failing_to_follow_shows_a_void_suit():
    game = TrickTaking(num_cards=8, num_suits=2)
    model, rng, spades = TricksModel(game), np.random.default_rng(0), 0b1111
    hand = Step(None, ("Js", "Qs", "Ks", "As"), None)
    trick = Step("Qs", None, "Qs"), Step(None, None, ("Kh", "player 0 takes the trick"))
    roots = model.roots(Infostate(0, (hand, *trick)), PublicPrivateBelief(1.0), rng)
    assert roots.states.tolist() == [[spades & ~0b10, 0b0110000 | 1 << 7, 0, 0, 1, 0, 0]]
    led = Infostate(1, (Step(None, ("Jh", "Qh", "Kh", "Ah"), None), Step(None, None, "Qs")))
    assert len(model.roots(led, PublicPrivateBelief(1.0), rng).states) == comb(7, 3)


def test_deals_are_listed_as_counted():
    unseen = UnseenCards(0b11, 0b1100, 0b1110000, (3, 2))
    deals = find_deals(unseen, 10_000, 1, np.random.default_rng(0))
    expected = {
        (sum(first), sum(second))
        for first in combinations([1, 2, 16, 32, 64], 3)
        for second in combinations([4, 8, 16, 32, 64], 2)
        if not set(first) & set(second)
    }
    assert {tuple(hands) for hands in deals.hands.tolist()} == expected
    assert num_deals(unseen) == len(deals.hands) == len(expected)


def test_sampled_deals_are_uniform():
    from scipy.stats import chisquare

    unseen, rng = UnseenCards(0b11, 0b1100, 0b1110000, (3, 2)), np.random.default_rng(0)
    drawn = find_deals(unseen, 10, 8_000, rng).hands
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == num_deals(unseen)
    assert chisquare(counts).pvalue > 0.01


def test_sampled_and_listed_worlds_have_the_same_weights():
    game = TrickTaking(num_cards=12, hand_size=3)
    model, rng = TricksModel(game), np.random.default_rng(6)
    history = next(iter(decisions(game, rng, 1)))
    for public_weight, own in ((0.25, 0.75), (1.0, 0.0)):
        belief = PublicPrivateBelief(public_weight, max_worlds=10, num_samples=500)
        roots = model.roots(history.infostates[0], belief, rng)
        assert roots.probability.sum() == pytest.approx(1)
        is_own = roots.states[:, 0] == history.world.hands[0]
        assert is_own.tolist() == (roots.infostates[:, 0] == 0).tolist()
        assert abs(roots.probability[is_own].sum() - own) < 0.03


def test_beliefs_under_policies_come_from_the_rules():
    model = TricksModel(TrickTaking(num_cards=6))
    history = next(iter(decisions(model.game, np.random.default_rng(0), 1)))
    known, rng = history.infostates[0], np.random.default_rng(0)
    prior = model.roots(known, PublicPrivateBelief(0.4), rng)
    posterior = model.roots(known, PublicPrivateBelief(0.4, policies=uniform_policy()), rng)
    probabilities = [
        dict(zip(map(world_of, roots.states.tolist()), roots.probability, strict=True))
        for roots in (prior, posterior)
    ]
    assert probabilities[0] == pytest.approx(probabilities[1])


def test_a_tie_that_wins_for_both_is_not_zero_sum():
    assert not TricksModel(TrickTaking(num_cards=8)).is_zero_sum
    assert TricksModel(TrickTaking(num_cards=8, tie="draw")).is_zero_sum
    assert TricksModel(TrickTaking(num_cards=10)).is_zero_sum


def test_all_deals_of_twenty_cards():
    model = search_model(TrickTaking(num_cards=20))
    assert isinstance(model, TricksModel)
    rng = np.random.default_rng(0)
    known = initial_history(model.game).sample((None, None), rng).infostates[0]
    roots = model.roots(known, PublicPrivateBelief(0.5), rng)
    assert len(np.unique(roots.states, axis=0)) == comb(20, 10)
    assert roots.probability.max() == 0.5 + 0.5 / comb(20, 10)
    assert roots.probability.sum() == pytest.approx(1)


def unreachable():
    game = TrickTaking(num_cards=6, num_suits=2)
    hand = Step(None, ("Js", "Qs", "Jh"), None)
    yield game, Infostate(0, (Step(None, ("Qs", "Js", "Jh"), None),))
    yield game, Infostate(0, (Step(None, ("Js", "Qs"), None),))
    yield game, Infostate(0, (Step(None, 7, None),))
    yield game, Infostate(1, (hand, Step(None, None, "Js")))
    yield game, Infostate(0, (hand, Step("Js", None, "Js"), Step(None, None, "Ks")))
    yield (
        game,
        Infostate(
            0, (hand, Step("Js", None, "Js"), Step(None, None, ("Qs", "player 1 takes the trick")))
        ),
    )
    yield (
        game,
        Infostate(
            0, (hand, Step("Js", None, "Js"), Step(None, None, ("Ks", "player 0 takes the trick")))
        ),
    )
    yield (
        game,  # the player with the king of spades, who must follow suit otherwise
        Infostate(
            0, (hand, Step("Js", None, "Js"), Step(None, None, ("Qh", "player 0 takes the trick")))
        ),
    )


@pytest.mark.parametrize(("game", "infostate"), list(unreachable()), ids=str)
def test_unreachable_infostates(game, infostate):
    with pytest.raises(UnknownNameError, match=r"no play of trick_taking.* leads player"):
        TricksModel(game).roots(infostate, PublicPrivateBelief(0.0), np.random.default_rng(0))


def test_infostates_of_the_waiting_player():
    game = TrickTaking(num_cards=2, num_suits=1)
    model, rng = TricksModel(game), np.random.default_rng(0)
    start = initial_history(game).sample((None, None), rng)
    led = start.sample((start.legal_actions(0)[0], None), rng)
    end = led.sample((None, led.legal_actions(1)[0]), rng)
    for infostate in (Infostate(0), start.infostates[1], led.infostates[0], *end.infostates):
        with pytest.raises(ParameterError, match="does not act at the infostate"):
            model.legal_actions(infostate)


def test_unsupported_decks():
    long = TrickTaking(num_cards=30, num_suits=2, hand_size=2)
    with pytest.raises(UnsupportedGameError, match=r"a suit of 15 cards.*at most 14"):
        TricksModel(long)
    with pytest.raises(ParameterError, match="the card game, such as"):
        TricksModel(KuhnPoker())
    short = TrickTaking(num_cards=15, num_suits=1, hand_size=1)
    assert isinstance(search_model(short), GraphModel)
