"""Each check finds a witness in its counterexample, and none in valid games."""

from __future__ import annotations

import pytest

from infoset.efg import (
    FORM_CHECKS,
    as_game,
    augment,
    build_extensive_form,
    check_form,
    exact_timing,
    extensive_form_from_nodes,
    forget_non_acting,
    pad_timing,
    terminal,
)
from infoset.errors import UnsupportedGameError
from infoset.games import load_game
from tests.support import example_forms

ACTIONS = "same actions throughout an information set"
RECALL = "perfect recall"
ABSENT = "no absent-mindedness"
THICK = "no thick information sets"
CYCLE = "timeable"
UNEVEN = "1-timeable"
THICK_PUBLIC = "no thick public sets"
PUBLIC = "public sets known to all players"
REWARDS = "observable rewards"

BOTH = ("first", "second")
WITNESSES = {
    "matching_pennies": {},
    "not_timeable": {CYCLE: ("g", "h", "h'", "g'"), UNEVEN: ("h'", "h")},
    "levels_apart": {UNEVEN: ("past h0", "after h0")},
    "absent_minded_driver": dict.fromkeys((RECALL, ABSENT, THICK, CYCLE, UNEVEN), BOTH),
    "forgetful": {RECALL: ("hid H", "hid T")},
    "thick_infoset": dict.fromkeys((RECALL, THICK, THICK_PUBLIC), BOTH),
    "thick_public_set": {THICK_PUBLIC: BOTH},
    "action_mismatch": {ACTIONS: ("hidden H", "hidden T")},
    "actor_mismatch": {ACTIONS: ("asked", "passed")},
    "public_mismatch": {PUBLIC: ("hidden H", "hidden T")},
    "hidden_reward": {REWARDS: ("wallet of 1", "wallet of 9")},
}
"""What each figure breaks, and the histories that show it; it keeps the other checks."""

WHOSE = {
    ("not_timeable", UNEVEN): 1,
    ("levels_apart", UNEVEN): 1,
    ("thick_infoset", RECALL): 1,
    ("thick_infoset", THICK): 1,
    ("action_mismatch", ACTIONS): 1,
    ("actor_mismatch", ACTIONS): 1,
    ("public_mismatch", PUBLIC): 1,
}
"""The player a witness is about, where that is not player 0."""

COMMON = {CYCLE, THICK_PUBLIC}
"""Witnesses that are about nobody in particular."""


@pytest.mark.parametrize("figure", WITNESSES)
def test_each_figure_breaks_what_it_was_made_for(figure):
    form = getattr(example_forms, figure)()
    report = check_form(form)
    assert list(report.violations) == list(FORM_CHECKS)
    for check, violation in report.violations.items():
        assert report.satisfies(check) == (violation is None)
        expected = WITNESSES[figure].get(check, ())
        assert violation is None or violation.player == (
            None if check in COMMON else WHOSE.get((figure, check), 0)
        )
        found = violation.histories if violation else ()
        assert tuple(form.history_label(history) for history in found) == expected


@pytest.mark.parametrize("figure", WITNESSES)
def test_messages_name_the_histories_and_the_rule(figure):
    form = getattr(example_forms, figure)()
    for check, names in WITNESSES[figure].items():
        text = str(FORM_CHECKS[check](form))
        assert all(repr(name) in text for name in names)
        assert "(rule: " in text


def test_what_messages_say():
    def text(figure, check):
        return FORM_CHECKS[check](getattr(example_forms, figure)()).found

    assert "by H at 'hide' and the second by T at 'hide'" in text("forgetful", RECALL)
    assert "['H', 'T'] and ['T', 'H']" in text("action_mismatch", ACTIONS)
    assert "['yes', 'no'] and none" in text("actor_mismatch", ACTIONS)
    assert "'shown H' and 'shown T'" in text("public_mismatch", PUBLIC)
    assert "are 1 and 9" in text("hidden_reward", REWARDS)
    assert "at depth 1, from 'h', at depth 2" in text("not_timeable", UNEVEN)
    assert "infoset" not in text("thick_public_set", THICK_PUBLIC)
    recall = text("thick_infoset", RECALL)
    assert "without a step (it is the root) and the second by waiting at 'waiting'" in recall


@pytest.mark.parametrize("form", example_forms.two_augmentations(), ids=str)
def test_augmented_forms_in_order_break_nothing(form):
    assert form.is_augmented
    assert not any(check_form(form).violations.values())


@pytest.mark.parametrize("name", ["kuhn_poker", "goofspiel(num_cards=3,imp_info=True)"])
def test_forms_of_games_break_nothing(name):
    form = build_extensive_form(load_game(name))
    for kind in (form, forget_non_acting(form)):
        assert not any(check_form(kind).violations.values())


def test_a_form_without_moves_breaks_nothing():
    report = check_form(extensive_form_from_nodes(terminal(3, -3)))
    assert not any(report.violations.values())


def test_the_report_as_text():
    lines = str(check_form(example_forms.thick_public_set())).splitlines()
    assert lines[0] == "thick public set, an augmented extensive form"
    assert lines[1] == f" holds  {ACTIONS}"
    assert lines[7:9] == [
        f" fails  {THICK_PUBLIC}",
        "        public set 'playing' contains 'first' and its extension 'second'",
    ]
    assert str(check_form(example_forms.forgetful())).startswith(
        "forgetful, a classical extensive form"
    )


@pytest.mark.parametrize("figure", ["forgetful", "action_mismatch", "absent_minded_driver"])
def test_forms_without_a_sequence_form_are_reported(figure):
    form = getattr(example_forms, figure)()
    with pytest.raises(UnsupportedGameError, match="has no sequence form: player"):
        _ = form.sequence_form


@pytest.mark.parametrize(
    ("figure", "rule"),
    [
        ("forgetful", "perfect recall"),
        ("not_timeable", "not timeable: information sets form a cycle"),
        ("thick_public_set", "thick public sets"),
        ("public_mismatch", "all players know the public set"),
        ("action_mismatch", "the same actions"),
    ],
)
def test_forms_that_no_game_yields_are_reported(figure, rule):
    with pytest.raises(UnsupportedGameError, match=rule):
        as_game(getattr(example_forms, figure)())


def test_conversions_that_need_a_timing_say_so():
    form = example_forms.not_timeable()
    for convert in (exact_timing, pad_timing):
        with pytest.raises(UnsupportedGameError, match="'h' comes after 'g'"):
            convert(form)
    with pytest.raises(UnsupportedGameError, match="pad_timing"):
        augment(example_forms.levels_apart())
