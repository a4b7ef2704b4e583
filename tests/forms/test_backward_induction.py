"""Backward induction where information is perfect, against recursion over histories."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import infoset
from infoset.efg import chance, decision, extensive_form_from_nodes, parse_efg, terminal
from infoset.forms import backward_induction, may_roll_back, roll_back
from infoset.games import matrix_game
from infoset.policy import TabularPolicy, random_policy
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_perfect_information import (
    TRUST,
    Histories,
    random_perfect_information,
)


def form_of(root, players=2):
    return extensive_form_from_nodes(root, players=players, name="by hand").sequence_form


def test_a_trust_game_by_hand():
    rolled = roll_back(parse_efg(TRUST).sequence_form)
    assert [own.tolist() for own in rolled.is_decided] == [[True], [True]]
    assert [own.tolist() for own in rolled.probabilities] == [[1, 0, 1], [1, 0, 1]]
    assert (rolled.sequence.tolist(), rolled.payoff.tolist()) == ([[0, 0]], [[0, 0]])
    assert rolled.reach.tolist() == [1]


def test_simultaneous_choices_are_not_perfect_information():
    form = build_tree(matrix_game([[1, 2], [3, 4]], [[1, 2], [3, 4]])).sequence_form
    rolled = roll_back(form)
    assert not may_roll_back(form)
    assert not any(own.any() for own in rolled.is_decided)
    assert len(rolled.sequence) == 4


def test_what_nobody_could_act_on_may_be_unknown():
    """Player 0 does not see the coin; player 1 sees it, and player 0's choice."""

    def answer(coin, action, pay):
        ends = {"l": terminal(0, pay), "r": terminal(4, 1)}
        return decision(1, f"{coin}{action}", ends)

    def choose(coin, pays):
        nodes = {action: answer(coin, action, pay) for action, pay in pays.items()}
        return decision(0, "blind", nodes)

    tree = chance(
        {"H": (0.5, choose("H", {"a": 2, "b": 2})), "T": (0.5, choose("T", {"a": 0, "b": 2}))}
    )
    rolled = roll_back(form_of(tree))
    # Player 1 goes right only after a tail and `a`, which is worth 4 · 1/2 to player 0.
    assert all(own.all() for own in rolled.is_decided)
    assert rolled.payoff.tolist() == [[2, 1.5]]
    assert rolled.probabilities[0].tolist() == [1, 1, 0]


def test_what_another_player_has_shown_counts():
    """Player 0 knows the coin and player 1 sees only its choice, so no subgame begins there."""

    def choose(coin, best):
        guesses = {
            action: decision(
                1, f"saw {action}", {"H": terminal(0, coin == "H"), "T": terminal(best, 0)}
            )
            for action in "ab"
        }
        return decision(0, f"coin {coin}", guesses)

    form = form_of(chance({coin: (0.5, choose(coin, 1)) for coin in "HT"}))
    assert not may_roll_back(form)
    assert not any(own.any() for own in roll_back(form).is_decided)


def test_subgames_below_hidden_choices_are_replaced():
    """After simultaneous choices that both see, player 0 decides alone."""
    last = {
        (a, b): decision(0, f"last {a}{b}", {"low": terminal(a, b), "high": terminal(a + 1, -b)})
        for a in (1, 2)
        for b in (1, 2)
    }
    second = {a: decision(1, "hidden", {f"b{b}": last[a, b] for b in (1, 2)}) for a in (1, 2)}
    rolled = roll_back(form_of(decision(0, "first", {f"a{a}": second[a] for a in (1, 2)})))
    assert rolled.is_decided[0].tolist() == [False, True, True, True, True]
    assert not rolled.is_decided[1].any()
    assert rolled.payoff.tolist() == [[2, -1], [2, -2], [3, -1], [3, -2]]


@pytest.mark.parametrize("paid", [0.1, 0.3, 0.7, 1.1])
def test_ties_go_to_the_first_action_whatever_the_rounding(paid):
    """A tenth of a payoff, ten times, is the payoff up to rounding, above or below."""
    draw = chance({label: (0.1, terminal(paid)) for label in "abcdefghij"})
    for first, second in ((draw, terminal(paid)), (terminal(paid), draw)):
        form = form_of(decision(0, "tie", {"a": first, "b": second, "c": terminal(0.0)}), 1)
        assert roll_back(form).probabilities[0].tolist() == [1, 1, 0, 0]
        both = (np.array([1, 0.5, 0.5, 0]),)
        assert roll_back(form, both).is_rational[0].tolist() == [True]


def test_huge_payoffs_elsewhere_do_not_hide_differences():
    low = decision(1, "low", {"a": terminal(-1e20, -1e20), "b": terminal(1.0, 1.0)})
    form = form_of(decision(0, "top", {"down": low, "out": terminal(1.5, 0)}))
    assert roll_back(form).probabilities[1].tolist() == [1, 0, 1]
    assert roll_back(form).probabilities[0].tolist() == [1, 0, 1]


def test_a_given_policy_is_rational_or_not():
    form = parse_efg(TRUST).sequence_form
    for deliver, rational in ((0.0, [[True], [True]]), (0.5, [[False], [False]])):
        given_policy = (np.array([1, 0.0, 1.0]), np.array([1, deliver, 1 - deliver]))
        rolled = roll_back(form, given_policy)
        # The buyer's choice is best either way, but not if a mistake follows.
        assert [own.tolist() for own in rolled.is_rational] == rational
        assert rolled.probabilities[1].tolist() == [1, deliver, 1 - deliver]


@given(st.integers(0, 9999), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_games_of_perfect_information_are_solved_by_recursion(seed, num_players):
    form, values = random_perfect_information(seed, num_players)
    rolled = roll_back(form.sequence_form)
    assert all(own.all() for own in rolled.is_decided)
    assert len(rolled.sequence) == 1
    assert rolled.payoff[0] == pytest.approx(values, abs=1e-12)


@given(random_games(simultaneous_share=st.sampled_from([0.0, 0.3])))
@settings(max_examples=60, deadline=None)
def test_histories_that_are_known_are_found(game):
    """The reference knows only information sets of one history; some others are equivalent."""
    histories = Histories(build_tree(game))
    rolled = roll_back(histories.form)
    for actors, is_perfect in zip(histories.acting, histories.is_perfect, strict=True):
        for player, number in actors if is_perfect else ():
            place = np.searchsorted(histories.tree.infostate_trees[player].acting, number)
            assert rolled.is_decided[player][place]


@given(random_games(), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_a_given_policy_keeps_its_values(game, seed):
    """Whatever is replaced, the terminals that are left have the same values."""
    form = build_tree(game).sequence_form
    policy = random_policy(form, np.random.default_rng(seed))
    rolled = roll_back(form, policy.probabilities)
    plans = policy.realization_plans()
    reach = np.prod([plan[own] for plan, own in zip(plans, rolled.sequence.T, strict=True)], axis=0)
    assert reach @ rolled.payoff == pytest.approx(
        np.array(infoset.evaluate(policy).values), abs=1e-10
    )
    assert reach @ rolled.reach == pytest.approx(1)


@pytest.mark.parametrize("spec", ["kuhn_poker", "leduc_poker", "liars_dice(dice_sides=3)"])
def test_private_cards_leave_nothing_to_backward_induction(spec):
    form = cached_tree(spec).sequence_form
    assert not may_roll_back(form)
    for own, plex in zip(roll_back(form).is_decided, form.treeplexes, strict=True):
        assert (own == (plex.num_actions == 1)).all()


def test_public_forms_list_no_terminals():
    assert roll_back(infoset.build_public_form("kuhn_poker")) is None


def test_branches_of_probability_zero_are_not_possible():
    never = decision(1, "never", {"l": terminal(1, 1), "r": terminal(2, 2)})
    root = chance({"x": (1.0, terminal(0, 0)), "y": (0.0, never)})
    form = form_of(decision(0, "top", {"a": root, "b": terminal(-1, -1)}))
    rolled = roll_back(form)
    assert rolled.is_possible[1].tolist() == rolled.is_decided[1].tolist() == [False]
    assert rolled.is_decided[0].tolist() == [True]
    policy = TabularPolicy(form, rolled.probabilities)
    assert infoset.evaluate(policy).nash_conv == 0


def test_payoffs_of_zero_hide_nothing():
    """Terminals of zero payoffs are not listed, and may be all there are."""

    def hidden(a):
        ends = {"x": terminal(a, 1 - a), "y": terminal(2 * a, 1)}
        return decision(1, "hidden", ends)

    table = decision(0, "table", {"a": hidden(1), "b": hidden(2)})
    for paid in (0, 1):
        ends = {"l": terminal(0, 0), "r": terminal(paid, paid)}
        form = form_of(chance({"left": (0.5, table), "right": (0.5, decision(0, "alone", ends))}))
        # Where nothing is paid, nothing needs to be decided.
        assert may_roll_back(form) == bool(paid)
        assert roll_back(form).is_decided[0].tolist() == [False, True]


def test_large_games_are_rolled_back_if_it_is_worth_it(monkeypatch):
    """In goofspiel, 2 % of the terminals only seem to follow perfect information."""
    hidden = infoset.build_sequence_form("goofspiel(num_cards=4)")
    perfect = form_of(decision(0, "top", {"a": terminal(1, 0), "b": terminal(2, 0)}))
    assert may_roll_back(hidden)
    assert may_roll_back(perfect)
    monkeypatch.setattr(backward_induction, "MAX_COST", 0)
    assert not may_roll_back(hidden)
    assert may_roll_back(perfect)


def test_forced_moves_that_others_see_differently_are_no_decisions():
    """After `a`, chance decides where player 1 has a single action; these are one terminal."""

    def forced(name, paid):
        return decision(1, name, {"only": terminal(paid, paid)})

    drawn = chance({"H": (0.5, forced("heads", 1)), "T": (0.5, forced("tails", 4))})
    form = form_of(decision(0, "top", {"a": drawn, "b": terminal(2, 2)}))
    assert may_roll_back(form)
    rolled = roll_back(form)
    assert rolled.probabilities[0].tolist() == [1, 1, 0]
    assert rolled.payoff.tolist() == [[2.5, 2.5]]


def test_an_action_whose_reach_underflows_is_left_alone():
    draw = chance({"x": (0.5, terminal(1)), "y": (0.5, terminal(1))})
    tiny = decision(0, "tiny", {"a": draw, "b": terminal(0)})
    form = form_of(chance({"often": (1.0, terminal(0)), "never": (5e-324, tiny)}), 1)
    assert roll_back(form).is_decided[0].tolist() == [False]
    assert infoset.evaluate(infoset.solve(form)).nash_conv == 0
