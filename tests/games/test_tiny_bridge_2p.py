from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.game import check_game, initial_history
from infoset.games import TinyBridge2p
from infoset.games.tiny_bridge_2p import (
    CALLS,
    DECK,
    deal_hands,
    expected_score,
    leader_tricks,
    score,
    winner,
)
from infoset.tree import build_tree
from tests.games import bridge_optimum
from tests.games.game_walker import num_worlds, path_counts, play
from tests.games.openspiel_lockstep import bridge_hand

BIDS = range(1, len(CALLS))
ABSTRACTED = TinyBridge2p(abstracted=True)


def hand(text):
    return tuple(sorted(text.split(), key=DECK.index, reverse=True))


def deal(west, east):
    return lambda world: world.hands == (hand(west), hand(east))


def calls(*texts):
    return [(text, None) if turn % 2 == 0 else (None, text) for turn, text in enumerate(texts)]


# --- scores ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("west", "east", "scores"),
    # Heymann and Lanctot's abstracted tiny bridge: 1H, 1S, 1NT, 2H, 2S, 2NT.
    [
        ("SA SK", "HA HK", [20, 20, 20, 30, 30, 35]),
        ("HA HK", "HQ HJ", [20, -20, -20, 30, -40, -40]),
        ("SA HA", "SK HK", [50 / 3, 50 / 3, 20, 40 / 3, 40 / 3, 35]),
        ("SA SJ", "HA HJ", [50 / 3, 50 / 3, 50 / 3, 40 / 3, 40 / 3, 50 / 3]),
        ("SK HJ", "SQ SJ", [-20, 10, -20, -40, -20, -40]),
    ],
)
def test_scores(west, east, scores):
    west, east = hand(west), hand(east)
    assert [expected_score(west, east, bid) for bid in BIDS] == pytest.approx(scores, abs=1e-12)
    assert [expected_score(east, west, bid) for bid in BIDS] == pytest.approx(scores, abs=1e-12)


def test_a_score_by_the_declarer():
    first, second = hand("HQ HJ"), hand("SK SJ")
    bid = CALLS.index("1S")
    assert expected_score(first, second, bid) == pytest.approx(10, abs=1e-12)
    assert expected_score(second, first, bid) == pytest.approx(5, abs=1e-12)
    differs = [
        (deal, bid)
        for deal in deal_hands()
        for bid in BIDS
        if expected_score(*deal, bid) != expected_score(*deal[::-1], bid)
    ]
    assert len(differs) == 96


@pytest.mark.parametrize(
    ("bid", "scores"),
    [
        ("1H", [-20, 10, 20]),
        ("1NT", [-20, 10, 20]),
        ("2S", [-40, -20, 30]),
        ("2NT", [-40, -20, 35]),
    ],
)
def test_scores_of_tricks(bid, scores):
    assert [score(CALLS.index(bid), tricks) for tricks in range(3)] == scores


@pytest.mark.parametrize(
    ("trick", "strain", "position"),
    [
        ("HQ HK HJ HA", "NT", 3),
        ("HQ SA HJ SK", "NT", 0),  # a card of another suit takes nothing
        ("HQ SJ HK SQ", "S", 3),  # the higher trump takes it
        ("SJ SQ HA SK", "H", 2),
        ("SJ SQ HA SK", "S", 3),  # trumps led
    ],
)
def test_who_takes_a_trick(trick, strain, position):
    assert winner(trick.split(), strain) == position


def test_both_suits_are_followed_and_the_second_card_counts():
    # West leads; a void hand trumps; the ace of hearts then takes the second trick.
    hands = (hand("HK HA"), hand("SJ SQ"), hand("HJ HQ"), hand("SK SA"))
    assert leader_tricks(hands, "NT") == 2
    assert leader_tricks(hands, "S") == 0
    # Hearts are ace against queen, spades ace against jack: one trick each, whatever is led.
    hands = (hand("HQ SA"), hand("HA SJ"), hand("HJ SK"), hand("HK SQ"))
    assert leader_tricks(hands, "NT") == 1


def test_open_cards_by_exhaustive_policies():
    """Compare minimax with the definition: the best plan against all replies."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        cards = rng.permutation(np.array(DECK)).tolist()
        hands = tuple(tuple(cards[2 * seat : 2 * seat + 2]) for seat in range(4))
        for strain in ("H", "S", "NT"):
            tricks = tricks_of_first_plays(hands, strain)
            best = max(
                min(
                    max(
                        min(tricks[a, b, c, d] for d in legal(hands[3], a))
                        for c in legal(hands[2], a)
                    )
                    for b in legal(hands[1], a)
                )
                for a in hands[0]
            )
            assert leader_tricks(hands, strain) == best


def legal(held, led):
    return [card for card in held if card[0] == led[0]] or list(held)


def tricks_of_first_plays(hands, strain):
    """Return the leader's side's tricks for each first trick, by ranking all cards."""
    found = {}
    for first in np.ndindex(2, 2, 2, 2):
        played = [held[choice] for held, choice in zip(hands, first, strict=True)]
        kept = [held[1 - choice] for held, choice in zip(hands, first, strict=True)]
        seat = highest(played, 0, strain)
        found[tuple(played)] = (seat % 2 == 0) + (highest(kept, seat, strain) % 2 == 0)
    return found


def highest(trick, leader, strain):
    ranked = [
        card
        for suit in (trick[leader][0], strain)
        for rank in "JQKA"
        for card in trick
        if card == suit + rank
    ]
    return trick.index(ranked[-1])


def test_every_score_is_openspiels():
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("tiny_bridge_2p")
    for west, east in deal_hands():
        dealt = game.new_initial_state()
        dealt.apply_action(bridge_hand(west))
        dealt.apply_action(bridge_hand(east))
        for bid in BIDS:
            for declarer, dummy, auction in ((west, east, (bid, 0)), (east, west, (0, bid, 0))):
                state = dealt.clone()
                for call in auction:
                    state.apply_action(call)
                value = expected_score(declarer, dummy, bid)
                assert state.returns() == pytest.approx([value, value], abs=1e-12)


# --- the auction -------------------------------------------------------------------------------


def test_a_play():
    end = play(TinyBridge2p(), deal("HA HK", "SA SJ"), *calls("Pass", "1S", "2H", "2NT", "Pass"))
    assert end.is_terminal
    assert end.rewards_so_far == pytest.approx((155 / 6, 155 / 6), abs=1e-12)
    assert [str(infostate) for infostate in end.infostates] == [
        "[HAHK] / Pass / 1S / 2H / 2NT / Pass",
        "[SASJ] / Pass / 1S / 2H / 2NT / Pass",
    ]


def test_the_declarer_made_the_last_bid():
    dealt = deal("HQ HJ", "SK SJ")
    by_west = play(TinyBridge2p(), dealt, *calls("1S", "Pass"))
    by_east = play(TinyBridge2p(), dealt, *calls("1H", "1S", "Pass"))
    assert by_west.rewards_so_far == pytest.approx((10, 10), abs=1e-12)
    assert by_east.rewards_so_far == pytest.approx((5, 5), abs=1e-12)


def test_passing_out_scores_nothing():
    end = play(TinyBridge2p(), deal("SA SK", "HA HK"), *calls("Pass", "Pass"))
    assert end.is_terminal
    assert end.rewards_so_far == (0, 0)


def test_bids_go_up():
    game, dealt = TinyBridge2p(), deal("SA SK", "HA HK")
    assert play(game, dealt).legal_actions(0) == CALLS
    assert play(game, dealt, *calls("Pass")).legal_actions(1) == CALLS
    assert play(game, dealt, *calls("1NT")).legal_actions(1) == ("Pass", "2H", "2S", "2NT")
    assert play(game, dealt, *calls("1NT", "2NT")).legal_actions(0) == ("Pass",)


def test_deals_are_uniform():
    outcomes = initial_history(TinyBridge2p()).chance_outcomes
    assert len({world for world, _ in outcomes}) == len(outcomes) == 420
    assert {chance for _, chance in outcomes} == {Fraction(1, 420)}
    assert all(len({*world.hands[0], *world.hands[1]}) == 4 for world, _ in outcomes)


def test_the_hands_stay_hidden_at_the_end():
    one = play(TinyBridge2p(), deal("SA SK", "HA HK"), *calls("2NT", "Pass"))
    other = play(TinyBridge2p(), deal("SA SK", "HQ HJ"), *calls("2NT", "Pass"))
    assert one.infostates[0] == other.infostates[0]
    assert one.rewards_so_far != other.rewards_so_far


@pytest.mark.parametrize("game", [TinyBridge2p(), ABSTRACTED])
def test_no_rule_of_the_model_is_broken(game):
    report = check_game(game, max_histories=100)
    assert report.num_histories == 100


# --- kinds of hands and counts -----------------------------------------------------------------


def test_kinds_of_hands():
    kinds = Counter(ABSTRACTED.shown(pair) for pair in combinations(DECK[::-1], 2))
    assert kinds == {
        "SAHA": 1, "SxHA": 3, "SAHx": 3, "SxHx": 9, "HAHx": 2, "HKHx": 2, "HAHJ": 1, "HQHJ": 1,
        "SASx": 2, "SKSx": 2, "SASJ": 1, "SQSJ": 1,
    }  # fmt: skip
    pairs = {(ABSTRACTED.shown(west), ABSTRACTED.shown(east)) for west, east in deal_hands()}
    assert len(pairs) == 101


@pytest.mark.parametrize(
    ("hands", "kind"),
    [
        ("SA HA", "SAHA"), ("SK HA", "SxHA"), ("SA HJ", "SAHx"), ("SQ HK", "SxHx"),
        ("HA HK", "HAHx"), ("HA HQ", "HAHx"), ("HA HJ", "HAHJ"), ("HK HQ", "HKHx"),
        ("HK HJ", "HKHx"), ("HQ HJ", "HQHJ"), ("SA SQ", "SASx"), ("SA SJ", "SASJ"),
        ("SK SJ", "SKSx"), ("SQ SJ", "SQSJ"),
    ],
)  # fmt: skip
def test_the_kind_of_a_hand(hands, kind):
    assert ABSTRACTED.shown(hand(hands)) == kind
    assert TinyBridge2p().shown(hand(hands)) == hands.replace(" ", "")


@pytest.mark.parametrize(
    ("game", "hands"), [(TinyBridge2p(), 28), pytest.param(ABSTRACTED, 12, marks=pytest.mark.long)]
)
def test_counts(game, hands):
    # 127 auctions, and 128 decision points in each deal; infostates by the calls so far.
    assert path_counts(game) == (1 + 420 * (127 + 128), 420 * 127)
    assert num_worlds(game) == 1 + 420 * (14 + 13)
    tree = build_tree(game)
    auctions = [1, 7, 21, 35, 35, 21, 7, 1]
    for player, infostates in enumerate(tree.infostate_trees):
        steps = np.zeros(len(infostates.parent), dtype=int)
        for infostate, parent in enumerate(infostates.parent[1:], start=1):
            steps[infostate] = steps[parent] + 1
        made = Counter((steps[infostates.acting] - 1).tolist())
        assert made == {turn: hands * auctions[turn] for turn in range(player, 8, 2)}


# --- optima ------------------------------------------------------------------------------------


def best_contracts(game):
    """Return the payoff, summed over the deals, if both players see both hands."""
    sums = defaultdict(lambda: np.zeros(2 * len(BIDS) + 1))
    for west, east in deal_hands():
        by_west = [expected_score(west, east, bid) for bid in BIDS]
        by_east = [expected_score(east, west, bid) for bid in BIDS]
        sums[game.shown(west), game.shown(east)] += [0, *by_west, *by_east]
    return sum(scores.max() for scores in sums.values())


@pytest.mark.parametrize("game", [TinyBridge2p(), ABSTRACTED])
def test_the_best_with_open_hands(game):
    # 21.31746 is the reference value for open kinds.
    assert best_contracts(game) / 420 == pytest.approx(1343 / 63, abs=1e-12)


@pytest.mark.long
def test_the_best_of_the_abstracted_game():
    best, after_pass, after_bid = bridge_optimum.optima()
    assert best == Fraction(2647, 126)  # 21.0079365 is the reference value
    assert float(after_pass) == pytest.approx(18.8056, abs=5e-5)
    assert float(after_bid) == pytest.approx(18.8056, abs=5e-5)


def test_the_recursion_cuts_sets_in_every_way():
    rng = np.random.default_rng(1)
    first, second = rng.integers(-9, 9, (2, 16)).astype(np.int16)
    each = rng.integers(-9, 9, 4).astype(np.int16)
    cuts = {whole: [part for part in range(16) if part & whole == part] for whole in range(16)}
    joined = [max(first[part] + second[whole ^ part] for part in cuts[whole]) for whole in cuts]
    assert bridge_optimum.join(first, second).tolist() == joined
    alone = np.array([sum(each[kind] for kind in range(4) if whole >> kind & 1) for whole in cuts])
    added = [max(first[part] + alone[whole ^ part] for part in cuts[whole]) for whole in cuts]
    assert bridge_optimum.add_kinds(each, first).tolist() == added
    assert bridge_optimum.add_kinds(each, None).tolist() == alone.tolist()


@pytest.mark.parametrize("abstracted", [1, "yes", None])
def test_bad_parameters(abstracted):
    with pytest.raises(ParameterError, match="abstracted must be True or False"):
        TinyBridge2p(abstracted=abstracted)
