"""Hold'em before the flop: betting by hand, classes and equities, and solutions by other roads."""

from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from scipy.optimize import linprog

import infoset
from infoset.errors import GameTooLargeError, ParameterError
from infoset.evaluation import equity_at, evaluate_policy
from infoset.games import NoLimitPreflop, load_game, nolimit_preflop
from infoset.games.holdem_classes import (
    CLASSES,
    NUM_BOARDS,
    class_counts,
    class_equities,
    class_pairs,
)
from infoset.games.holdem_hands import BEST_FIRST, DECK, hand_strengths
from infoset.games.nolimit_betting import PotPayoffs
from infoset.games.nolimit_preflop import normal_classes
from infoset.policy import random_policy, transfer_policy
from infoset.tree import build_public_form, build_sequence_form, check_public_rules
from infoset.views.hand_grids import view_hand_grid
from infoset.views.public_places import PublicPlaces

NAMES = [str(one) for one in CLASSES]
SHOVES = "nolimit_preflop(stack={})"


def after(game, *actions):
    rules = game.public_rules()
    state = rules.initial_state()
    for action in actions:
        state = rules.next_state(state, action)
    return state


def legal(game, *actions):
    return game.public_rules().legal_actions(after(game, *actions))


def ends(game, *actions):
    """Return the utilities at an end."""
    return game.public_rules().end(after(game, *actions)).utilities


def equity(own, other):
    return class_equities()[NAMES.index(own), NAMES.index(other)]


# --- classes and equities ----------------------------------------------------------------------


def test_pairs_of_hands_that_share_no_card():
    assert len(NAMES) == 169
    pairs = class_pairs()
    assert pairs.sum() == comb(52, 2) * comb(50, 2)
    for own, other in (("AA", "AA"), ("AKs", "AKo"), ("AKs", "AQs"), ("T9o", "99"), ("72o", "AA")):
        first, second = (CLASSES[NAMES.index(name)].hands() for name in (own, other))
        free = sum({a[:2], a[2:]}.isdisjoint((b[:2], b[2:])) for a, b in product(first, [*second]))
        assert pairs[NAMES.index(own), NAMES.index(other)] == free


def test_wins_losses_and_ties_are_all_pairs_and_boards():
    wins, ties = class_counts()
    assert np.array_equal(wins + wins.T + ties, NUM_BOARDS * class_pairs())
    assert np.array_equal(ties, ties.T)
    assert min(wins.min(), ties.min()) >= 0
    assert np.allclose(class_equities() + class_equities().T, 1, rtol=0, atol=1e-15)


def test_equities_that_are_known():
    """Published values, in percent, of other programs."""
    known = {"AA KK": 81.946, "QQ AKs": 53.95, "QQ AKo": 56.76, "AA 72o": 88.20, "22 AKs": 50.11}
    for pair, percent in known.items():
        assert 100 * equity(*pair.split()) == pytest.approx(percent, abs=0.01), pair
    wins, ties = class_counts()
    random = (2 * wins + ties).sum(axis=1) / class_pairs().sum(axis=1)
    assert [NAMES[place] for place in np.argsort(-random)] == list(BEST_FIRST)
    assert random[0] / (2 * NUM_BOARDS) == pytest.approx(0.85204, abs=1e-5)


def matchups():
    """Yield classes, the ways in which two hands of theirs share suits, and the ways' numbers."""
    yield "AKs", "QQ", {("AsKs", "QsQh"): 12, ("AsKs", "QhQd"): 12}
    yield "76s", "54s", {("7s6s", "5s4s"): 4, ("7s6s", "5h4h"): 12}


@pytest.mark.long
@pytest.mark.parametrize(("own", "other", "ways"), [*matchups()])
def test_the_table_is_the_sum_over_all_boards_of_two_hands(own, other, ways):
    points = 0
    for hands, number in ways.items():
        held = {hand[place : place + 2] for hand in hands for place in (0, 2)}
        for board in combinations([card for card in DECK if card not in held], 5):
            first, second = hand_strengths(board, hands)
            points += number * (2 * (first > second) + (first == second))
    assert equity(own, other) == pytest.approx(points / (2 * NUM_BOARDS * sum(ways.values())))


# --- the betting, by hand ----------------------------------------------------------------------


def test_the_small_blind_shoves_or_folds():
    game = NoLimitPreflop()
    assert legal(game) == ("fold", "all-in")
    assert legal(game, "all-in") == ("fold", "call")
    assert ends(game, "fold") == ((-0.5, 0.5),)
    assert ends(game, "all-in", "fold") == ((1, -1),)
    assert ends(game, "all-in", "call") == ((-10, 10), (10, -10))
    assert game.initial_pot == (1.5, (0.5, 1.0))


def test_calls_that_leave_chips_behind_are_not_legal():
    game = NoLimitPreflop(stack=40, raises="2.5x, a; bb: 3x, a; sb reraise: a")
    assert legal(game) == ("fold", "raise 2.5", "all-in")
    assert legal(game, "raise 2.5") == ("fold", "raise 7.5", "all-in")
    assert legal(game, "raise 2.5", "raise 7.5") == ("fold", "all-in")
    assert legal(game, "raise 2.5", "raise 7.5", "all-in") == ("fold", "call")
    assert ends(game, "raise 2.5", "raise 7.5", "fold") == ((-2.5, 2.5),)
    assert ends(game, "raise 2.5", "raise 7.5", "all-in", "fold") == ((7.5, -7.5),)


def test_sizes_are_of_the_pot_after_a_call_and_at_least_the_minimum():
    # Antes and dead money of 2, and a call of the big blind: the pot is 4.
    game = NoLimitPreflop(stack=101, ante=0.5, dead=1, raises="50%, 100%, a; reraise: 1c, a")
    assert legal(game) == ("fold", "raise 3", "raise 5", "all-in")
    # The last raise was one of 4.
    assert legal(game, "raise 5") == ("fold", "raise 9", "all-in")


def test_rules_for_players():
    # The big blind never raises first, and needs no sizes for it.
    game = NoLimitPreflop(stack=40, raises="sb: 2.5x; reraise: 4x, a; sb reraise: a")
    assert legal(game) == ("fold", "raise 2.5")
    assert legal(game, "raise 2.5") == ("fold", "raise 10", "all-in")
    assert legal(game, "raise 2.5", "raise 10") == ("fold", "all-in")


def test_large_raises_are_all_in():
    assert legal(NoLimitPreflop(stack=3, raises="2.8x")) == ("fold", "all-in")
    assert legal(NoLimitPreflop(stack=3, raises="2.8x", all_in=1)) == ("fold", "raise 2.8")
    assert legal(NoLimitPreflop(raises="2x", add_all_in=10)) == ("fold", "raise 2", "all-in")
    assert legal(NoLimitPreflop(raises="2x, a", all_in_above=1)) == ("fold", "all-in")
    assert legal(NoLimitPreflop(raises="2x", all_in_above=2)) == ("fold", "raise 2")


def test_the_big_blind_may_be_all_in():
    game = NoLimitPreflop(stack=[5, 0.75])
    assert legal(game) == ("fold", "call")
    assert ends(game, "fold") == ((-0.5, 0.5),)
    assert ends(game, "call") == ((-0.75, 0.75), (0.75, -0.75))


def test_antes_dead_money_and_rake():
    game = NoLimitPreflop(stack=[10.5, 12], ante=[0.5, 1], dead=2, rake=0.1, rake_cap=2)
    # Nobody loses more than 10 after the antes; an uncalled bet is returned, and not raked.
    assert ends(game, "fold") == ((-1, 3),)
    assert ends(game, "all-in", "fold") == ((4, -2),)
    # The pot is 3.5 and twice 10, and the rake is 2.
    assert ends(game, "all-in", "call") == ((-10.5, 10.5), (11, -11))
    assert NoLimitPreflop(rake=0.1).public_rules().end(
        after(NoLimitPreflop(), "all-in", "call")
    ).utilities == ((-10, 8), (8, -10))
    first, second = game.initial_pot.contributions
    assert game.initial_pot.size == first + second + 2 == 1 + 2 + 2


def test_a_split_pot_is_the_mean_of_a_lost_and_a_won_one():
    payoffs = PotPayoffs(Fraction(1, 2), (Fraction(2), Fraction(5)), 4, 0.1, -1)
    # Chips of a half: both put in 10 after 1 and 2.5, 2 are dead, and a tenth of 25.5 is the rake.
    lost, split, won = payoffs.outcomes(20)
    assert (lost[0], won[1]) == (-11, -12.5)
    assert (lost[1], won[0]) == pytest.approx((25.5 * 0.9 - 12.5, 25.5 * 0.9 - 11))
    assert split == pytest.approx((25.5 * 0.9 / 2 - 11, 25.5 * 0.9 / 2 - 12.5))
    assert np.allclose(split, np.mean([lost, won], axis=0))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("raises=none", r"at the start, player 0 \(sb\) .* leave 9 chips .* need a flop; add .*a'"),
        ("raises='2.5x;bb:none'", "after raise 2.5, player 1 .* call to 2.5 would leave 7.5 chips"),
        ("raises=2.5", "raises is text with units"),
        ("raises='oop: a'", "use sb, bb or reraise"),
        ("raises='e'", "before the flop there is only one"),
        ("raises='33'", "write 33% of the pot, or 33c"),
        ("raises='x, a'", "'x' has no number; for example, raises='2.5x, a; bb"),
        ("raises='bb: a'", "no sizes on the preflop for player 0 .sb."),
        ("stack=0.5", "exceeds the ante plus the small blind"),
        ("stack=0", "exceeds the ante plus the small blind"),
        ("stack=-5", "exceeds the ante plus the small blind"),
        ("stack=[-5;3]", "exceeds the ante plus the small blind"),
        ("stack=nan", "stack must be a number, or a list with one for each player"),
        ("stack=[10;9.5],ante=9", "exceeds the ante plus the small blind"),
        ("ante=20", r"for example nolimit_preflop\(stack=30\)"),
        ("ante=0.5,stack=1", r"for example nolimit_preflop\(stack=10.5\)"),
        ("stack=[1;2;3]", "a list of 2, one for each player"),
        ("small_blind=1", r"smaller than the big blind, .*\(small_blind=0.5\)"),
        ("big_blind=0", "big_blind is at least the smallest chip, 0.01"),
        ("stack=9.999", "give chip=0.001"),
        ("all_in=0", "above 0 and at most 1"),
        ("rake=1", "a share of the pot, below 1"),
        ("ranges=AhKd", "player 0, 'AhKd', has hands of AKo with different weights"),
    ],
)
def test_mistakes_are_named(spec, message):
    with pytest.raises(ParameterError, match=message) as caught:
        load_game(f"nolimit_preflop({spec})")
    assert "\n" not in str(caught.value)


def test_too_many_states_of_the_betting_are_refused(monkeypatch):
    monkeypatch.setattr(nolimit_preflop, "MAX_STATES", 1_000)
    with pytest.raises(GameTooLargeError, match="more than 1,000 betting states; use"):
        NoLimitPreflop(stack=10_000, raises="1c")


def test_hands_are_named_by_their_class():
    assert normal_classes("[kaS] / raise 2.5 / all-in") == "[AKs] / raise 2.5 / all-in"
    assert normal_classes("[10H 9♥]") == "[T9s]"
    assert normal_classes("aa AsAd AdKs 2c7d") == "AA AA AKo 72o"
    for text in ("raise 33 / raise 10", "ak", "AhAh", "call"):
        assert normal_classes(text) == text
    form = build_public_form(NoLimitPreflop())
    assert form.look_up(("KdAh", "all-in")) == form.look_up(("AKo", "all-in"))


# --- tree, public form and linear program ------------------------------------------------------


RANGES = "ranges=['KK+,AKs:0.5,72o';'QQ,AK,A5s:0.25']"
OPTIONS = f"stack=[12.5;20],ante=[0.25;0.5],dead=1,rake=0.05,raises='2.5x;reraise:a',{RANGES}"


@pytest.mark.parametrize("parameters", [RANGES, OPTIONS])
def test_the_public_form_equals_the_tree(parameters):
    game = load_game(f"nolimit_preflop({parameters})")
    report = check_public_rules(game, num_lines=20)
    assert report.is_complete
    assert report.has_all_deals
    form, sequence_form = build_public_form(game), build_sequence_form(game)
    assert form.payoff_range == pytest.approx(sequence_form.payoff_range)
    policy = random_policy(sequence_form, np.random.default_rng(1))
    found, expected = evaluate_policy(transfer_policy(policy, form)), evaluate_policy(policy)
    assert found.values == pytest.approx(expected.values, abs=1e-12)
    assert found.gains == pytest.approx(expected.gains, abs=1e-12)


@pytest.mark.broad
def test_the_public_form_of_all_classes_equals_the_tree():
    game = NoLimitPreflop(stack=25, raises="2.2x, a; bb: a; sb reraise: a")
    assert check_public_rules(game, num_lines=5, max_histories=500_000).is_complete


def test_probabilities_of_pairs():
    form = build_public_form(load_game(f"nolimit_preflop({RANGES})"))
    found = {
        (a, b): form.prior.matrix()[i, j]
        for (i, a), (j, b) in product(enumerate(form.hands[0]), enumerate(form.hands[1]))
    }
    # By hand: pairs of hands that share no card, times weights.
    counts = {("AA", "QQ"): 36, ("KK", "AKs"): 12, ("AKs", "AKo"): 0.5 * 24, ("AA", "A5s"): 12 / 4}
    for pair, count in counts.items():
        assert found[pair] == pytest.approx(found["AA", "QQ"] * count / 36)
    assert sum(found.values()) == pytest.approx(1)


def shove_value(stack):
    """Return the value of shoving or folding to the small blind, by a linear program of its own.

    The small blind shoves class a with probability x_a; against class b, it gets at most what both
    a fold and a call leave it: maximize Σ_b t_b - ½ (1 - x) such that t_b is at most both.
    """
    pairs = class_pairs() / class_pairs().sum()
    dealt = pairs.sum(axis=1)
    called = pairs * stack * (2 * class_equities() - 1)
    size = len(CLASSES)
    rows = [np.hstack([-paid.T, np.eye(size)]) for paid in (pairs, called)]
    found = linprog(
        -np.append(dealt / 2, np.ones(size)),
        A_ub=np.vstack(rows),
        b_ub=np.zeros(2 * size),
        bounds=[(0, 1)] * size + [(None, None)] * size,
    )
    return -found.fun - dealt.sum() / 2


@pytest.mark.parametrize("stack", [3, 10, 20])
def test_values_are_those_of_a_linear_program(stack):
    result = infoset.solve(build_public_form(load_game(SHOVES.format(stack))), target=1e-7)
    assert result.exploitability <= 1e-7
    assert result.values[0] == pytest.approx(shove_value(stack), abs=2e-7)


def test_published_stacks_up_to_which_hands_are_shoved_and_called():
    """holdemresources.net, "Using the Nash Charts", and the usual chart for 10 big blinds.

    T3s is shoved up to 7.7 big blinds; 63s up to 2.3, and between 5.1 and 7.1; Q2o calls up to 5.6.
    """
    shoved = {"T3s": {7.7: 1, 7.8: 0}, "63s": {2.3: 1, 2.4: 0, 5: 0, 5.1: 1, 7.1: 1, 7.2: 0}}
    asked = [(hand, "(start)", *of) for hand, stacks in shoved.items() for of in stacks.items()]
    asked += [("Q2o", "all-in", 5.6, 1), ("Q2o", "all-in", 5.7, 0)]
    for hand, line, stack, is_played in asked:
        form = build_public_form(load_game(SHOVES.format(stack)))
        policy = infoset.solve(form, target=1e-6).policy[hand, line]
        assert (policy["fold"] < 0.5) == is_played, (hand, stack)
    form = build_public_form(load_game(SHOVES.format(10)))
    places = PublicPlaces(form, infoset.solve(form, target=1e-7).policy)
    # The usual chart: 58.3% of hands are shoved, and 37.4% call.
    for node, player, share in ((0, 0, 0.583), (1, 1, 0.374)):
        cells = [cell for row in view_hand_grid(places, node, player).cells for cell in row]
        played = sum(cell.num_hands * cell.actions[1] for cell in cells)
        assert played / comb(52, 2) == pytest.approx(share, abs=5e-4)


def test_equities_at_nodes():
    form = build_public_form(NoLimitPreflop(raises="2.5x, a"))
    for node in (0, form.num_nodes - 1):
        first, second = equity_at(form, node, (np.ones(169), np.ones(169)))
        assert np.allclose(first, second, rtol=0, atol=1e-12)
        assert first[0] == pytest.approx(0.85204, abs=1e-5)
    reach = np.zeros(169)
    reach[NAMES.index("KK")] = 1
    assert equity_at(form, 0, (np.ones(169), reach))[0][0] == pytest.approx(equity("AA", "KK"))
