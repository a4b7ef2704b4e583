"""Values of behavior policies on extensive forms, with and without perfect recall."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.efg import (
    build_extensive_form,
    decision,
    extensive_form_from_nodes,
    find_action_mismatch,
    forget_non_acting,
    terminal,
)
from infoset.errors import ParameterError, UnknownNameError
from infoset.evaluation import behavior_values, expected_values
from infoset.games import load_game
from infoset.policy import random_policy
from tests.support import example_forms
from tests.support.hypothesis_strategies import random_forms, random_games


def driver(exit_share):
    return {("crossing", 0): {"exit": exit_share, "go on": 1 - exit_share}}


def behavior_of(policy):
    """Return the probabilities of a tabular policy by names of information sets."""
    form = policy.form
    table = {}
    for player, tree in enumerate(form.infostate_trees):
        for number in tree.acting.tolist():
            first = tree.first_sequence[number]
            actions = tree.legal_actions(number)
            values = policy.probabilities[player][first : first + len(actions)]
            table[tree.names[number], player] = dict(zip(actions, values.tolist(), strict=True))
    return table


def walked_values(form, shares, history=0):
    """Return the values from a history on; `shares(history)` are the probabilities of its edges."""
    total = form.payoff[history].copy()
    first, end = form.first_child[history : history + 2]
    for child, share in zip(range(first, end), shares(history), strict=True):
        total += share * walked_values(form, shares, child)
    return total


def test_the_absent_minded_driver():
    """The value of leaving with probability p is p·0 + (1 − p)p·4 + (1 − p)²."""
    form = example_forms.absent_minded_driver()
    for share in np.linspace(0, 1, 13).tolist():
        expected = (1 - share) * share * 4 + (1 - share) ** 2
        assert behavior_values(form, driver(share)) == pytest.approx((expected,), abs=1e-15)
    assert behavior_values(form, driver(1 / 3)) == pytest.approx((4 / 3,), abs=1e-15)
    tried = [behavior_values(form, driver(share))[0] for share in np.linspace(0, 1, 301)]
    assert np.argmax(tried) == 100


def test_a_player_who_forgets_what_it_hid():
    form = example_forms.forgetful()
    behavior = {("hide", 0): {"H": 0.75, "T": 0.25}, ("say", 0): {"H": 0.5, "T": 0.5}}
    assert behavior_values(form, behavior) == (0.5, 0)
    behavior["say", 0] = {"H": 1.0}
    assert behavior_values(form, behavior) == (0.75, 0)


@settings(max_examples=12)
@given(random_games(max_histories=60), st.integers(0, 2**32))
def test_with_recall_they_are_the_expected_values(game, seed):
    for form in (build_extensive_form(game), forget_non_acting(build_extensive_form(game))):
        policy = random_policy(form.sequence_form, np.random.default_rng(seed))
        assert behavior_values(form, behavior_of(policy)) == pytest.approx(
            expected_values(policy), abs=1e-12
        )


@settings(max_examples=12)
@given(random_forms(knows_turn=True), st.integers(0, 2**32))
def test_without_recall_they_are_those_of_a_walk(form, seed):
    rng = np.random.default_rng(seed)
    behavior, weights = {}, {}
    for player in range(form.num_players):
        for name, number in form.infoset_numbers(player).items():
            if rng.random() < 0.3:
                continue  # missing information sets are played uniformly
            history = np.flatnonzero(form.acting_infoset[:, player] == number)[0]
            labels = form.legal_actions(history)
            weights[player, number] = rng.dirichlet(np.ones(len(labels)))
            values = weights[player, number].tolist()
            behavior[name, player] = dict(zip(labels, values, strict=True))

    def shares(history):
        player, size = form.actor[history], form.num_moves[history]
        if player < 0:
            first = form.first_child[history]
            return form.chance_probability[first : first + size]
        key = player, form.infoset[history, player]
        return weights.get(key, np.full(size, 1 / size))

    expected = walked_values(form, shares)
    assert behavior_values(form, behavior) == pytest.approx(tuple(expected), abs=1e-12)


def test_kuhn_poker_by_names():
    form = build_extensive_form(load_game("kuhn_poker"))
    timid = {
        (f"[{card}]{moves}", player): {"pass": 1.0}
        for card in "JQK"
        for player, moves in [(0, ""), (0, " / pass / bet"), (1, " / pass"), (1, " / bet")]
    }
    assert behavior_values(form, timid) == pytest.approx((0, 0))
    bold = {key: {"bet": 1.0} for key in timid if key[1] == 1}
    assert behavior_values(form, timid | bold) == pytest.approx((-1, 1))


def test_actions_that_share_a_label_are_numbered():
    moves = [("go", terminal(1)), ("go", terminal(2)), ("go", terminal(4))]
    form = extensive_form_from_nodes(decision(0, "start", moves), players=1)
    behavior = {("start", 0): {"go": 0.5, "go #2": 0.25, "go #3": 0.25}}
    assert behavior_values(form, behavior) == (2,)


def test_forms_without_moves():
    assert behavior_values(extensive_form_from_nodes(terminal(3, -2))) == (3, -2)


@pytest.mark.parametrize(
    ("behavior", "error", "message"),
    [
        ({("crosing", 0): {"exit": 1}}, UnknownNameError, "crossing"),
        ({("crossing", 0): {"leave": 1}}, UnknownNameError, "no action 'leave' at 'crossing'"),
        ({("crossing", 0): {"exit": 0.5}}, ParameterError, r"\[0\.5, 0\.0\]"),
        ({("crossing", 0): {"exit": 1.5, "go on": -0.5}}, ParameterError, "must be nonnegative"),
        ({("crossing", 0): {"exit": float("nan"), "go on": 1}}, ParameterError, "sum to 1"),
        ({("crossing", 1): {"exit": 1}}, ParameterError, "names player 1, but"),
        ({("crossing", -1): {"exit": 1}}, ParameterError, "names player -1, but"),
    ],
)
def test_policies_that_are_refused(behavior, error, message):
    with pytest.raises(error, match=message):
        behavior_values(example_forms.absent_minded_driver(), behavior)


def test_forms_whose_actions_are_not_well_defined_are_refused():
    assert find_action_mismatch(example_forms.action_mismatch())
    with pytest.raises(ParameterError, match="has no behavioral policies: player 1 cannot tell"):
        behavior_values(example_forms.action_mismatch())
