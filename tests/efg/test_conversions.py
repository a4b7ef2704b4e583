"""Conversion of games to extensive forms and back: the theorems of Section 3."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from infoset import solve
from infoset.efg import (
    as_game,
    augment,
    build_extensive_form,
    check_form,
    common_knowledge_sets,
    exact_timing,
    find_recall_violation,
    find_thick_public_set,
    find_timing_cycle,
    find_uneven_timing,
    forget_non_acting,
    pad_timing,
)
from infoset.efg.transformations import insert_waits
from infoset.errors import UnsupportedGameError
from infoset.evaluation import evaluate_policy
from infoset.game import check_game, serialize
from infoset.games import load_game
from infoset.policy import TabularPolicy, random_policy
from infoset.tree import build_tree
from infoset.utils.sorting import number_by_appearance
from tests.support.hypothesis_strategies import random_games

GAMES = [
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "matrix_rps",
    "goofspiel(num_cards=3,imp_info=True)",
    "liars_dice(dice_sides=3)",
]


def assert_same_form(one, other):
    """Assert that two forms are equal up to names."""
    for field in ("parent", "actor", "first_child"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
    np.testing.assert_allclose(one.chance_reach, other.chance_reach, atol=1e-15)
    np.testing.assert_allclose(one.utility, other.utility)
    for player in range(one.num_players):
        np.testing.assert_array_equal(
            number_by_appearance(one.infoset[:, player]),
            number_by_appearance(other.infoset[:, player]),
        )
    assert (one.public_set is None) == (other.public_set is None)
    if one.public_set is not None:
        np.testing.assert_array_equal(
            number_by_appearance(one.public_set), number_by_appearance(other.public_set)
        )


def assert_same_values(one, other, seed=0):
    """Assert that a random policy has the same values and gains on two sequence forms."""
    for mine, theirs in zip(one.treeplexes, other.treeplexes, strict=True):
        np.testing.assert_array_equal(mine.parent_sequence, theirs.parent_sequence)
        np.testing.assert_array_equal(mine.num_actions, theirs.num_actions)
    policy = random_policy(one, np.random.default_rng(seed))
    here = evaluate_policy(policy)
    there = evaluate_policy(TabularPolicy(other, policy.probabilities))
    np.testing.assert_allclose(there.values, here.values, atol=1e-12)
    np.testing.assert_allclose(there.gains, here.gains, atol=1e-12)


@given(random_games(max_histories=60))
def test_extensive_forms_have_perfect_recall_and_no_thick_sets(game):
    """Theorem 3.6 and the conditions of Definition 3.5."""
    form = build_extensive_form(game)
    assert form.is_augmented
    report = check_form(form)
    broken = {check for check, violation in report.violations.items() if violation}
    assert broken <= {"observable rewards"}
    assert_same_values(build_tree(serialize(game)).sequence_form, form.sequence_form)


@given(random_games(max_histories=60))
def test_an_augmented_form_comes_back_from_its_game(game):
    """Second part of Theorem 3.6."""
    form = build_extensive_form(game)
    back = as_game(form)
    check_game(back)
    assert_same_form(build_extensive_form(back), form)
    assert_same_values(form.sequence_form, build_tree(back).sequence_form)


@given(random_games(max_histories=60))
def test_a_classical_form_comes_back_from_its_game(game):
    """Theorem 3.10, both directions."""
    classical = forget_non_acting(build_extensive_form(game))
    assert not classical.is_augmented
    assert find_uneven_timing(classical) is None
    assert find_recall_violation(classical) is None
    np.testing.assert_array_equal(exact_timing(classical), classical.depth)
    back = as_game(classical)
    assert_same_form(forget_non_acting(build_extensive_form(back)), classical)
    assert_same_values(classical.sequence_form, build_tree(back).sequence_form)


@given(random_games(max_histories=60))
def test_augmenting_keeps_what_actors_know(game):
    classical = forget_non_acting(build_extensive_form(game))
    augmented = augment(classical)
    assert augmented.is_augmented
    assert_same_form(forget_non_acting(augmented), classical)
    assert find_recall_violation(augmented) is None
    assert find_thick_public_set(augmented) is None
    np.testing.assert_array_equal(
        number_by_appearance(augmented.public_set), common_knowledge_sets(augmented)
    )


@given(random_games(max_histories=60))
def test_common_knowledge_refines_the_public_sets(game):
    form = build_extensive_form(game)
    common = common_knowledge_sets(form)
    pairs = set(zip(common.tolist(), form.public_set.tolist(), strict=True))
    assert len(pairs) == common.max() + 1
    for player in range(form.num_players):
        infoset = form.infoset[:, player]
        crossing = set(zip(infoset.tolist(), common.tolist(), strict=True))
        assert len(crossing) == infoset.max() + 1


@given(random_games(max_histories=60), st.integers(0, 10**6))
def test_padding_restores_an_equivalent_even_timing(game, seed):
    """Lemmas 3.9 and D.2 and Corollary D.3 on randomly padded forms."""
    even = forget_non_acting(build_extensive_form(game))
    rng = np.random.default_rng(seed)
    stretch = rng.choice([0, 0, 0, 1, 3], even.num_histories).astype(np.int32)
    stretch[0] = 0
    uneven = insert_waits(even, stretch)
    assume(find_uneven_timing(uneven) is not None)
    times = exact_timing(uneven)
    assert find_timing_cycle(uneven) is None
    skipped = (times - times[uneven.parent] - 1)[1:]
    assert (skipped >= 0).all()
    padded = pad_timing(uneven)
    assert padded.num_histories == uneven.num_histories + skipped.sum()
    assert padded.num_histories <= uneven.num_histories**2
    assert find_uneven_timing(padded) is None
    assert_same_play(uneven, padded, seed)
    assert_same_play(even, uneven, seed)


def assert_same_play(one, other, seed):
    """Assert that a policy transferred by the names of information sets has the same values."""
    policy = random_policy(one.sequence_form, np.random.default_rng(seed))
    carried = [np.ones(plex.num_sequences) for plex in other.sequence_form.treeplexes]
    for row in policy.rows():
        tree = other.sequence_form.infostate_trees[row.player]
        number = tree.acting[tree.acting_labels.index(row.infostate)]
        first = tree.first_sequence[number]
        assert tree.legal_actions(number) == row.actions
        carried[row.player][first : first + len(row.actions)] = row.probabilities
    here = evaluate_policy(policy)
    there = evaluate_policy(TabularPolicy(other.sequence_form, tuple(carried)))
    np.testing.assert_allclose(there.values, here.values, atol=1e-12)
    np.testing.assert_allclose(there.gains, here.gains, atol=1e-12)


@pytest.mark.parametrize("name", GAMES)
def test_games_of_the_table_come_back(name):
    game = load_game(name)
    form = build_extensive_form(game)
    assert_same_form(build_extensive_form(as_game(form)), form)
    classical = forget_non_acting(form)
    assert_same_form(forget_non_acting(build_extensive_form(as_game(classical))), classical)


@pytest.mark.parametrize(
    ("name", "value"), [("kuhn_poker", -1 / 18), ("liars_dice(dice_sides=3)", 1 / 9)]
)
def test_every_form_of_a_game_has_its_value(name, value):
    game = load_game(name)
    form = build_extensive_form(game)
    classical = forget_non_acting(form)
    for shape in (game, form, classical, as_game(form), as_game(classical)):
        assert solve(shape, "lp").values[0] == pytest.approx(value, abs=1e-9)


@given(random_games(num_players=2, zero_sum=True, max_histories=60))
def test_every_form_of_a_random_game_has_its_value(game):
    value = solve(game, "lp").values[0]
    form = build_extensive_form(game)
    for shape in (form, forget_non_acting(form), as_game(form)):
        assert solve(shape, "lp").values[0] == pytest.approx(value, abs=1e-6)


def test_exact_probabilities_and_labels_are_kept():
    form = build_extensive_form(load_game("kuhn_poker"))
    assert [str(p) for p in form.probabilities] == ["1/6"]
    assert form.legal_actions(1) == ("pass", "bet")
    assert form.legal_actions(0)[0] == "J Q"
    assert form.history_label(7) == "J Q pass"


def test_what_no_game_can_express_is_refused_with_its_witness():
    uneven = insert_waits(
        forget_non_acting(build_extensive_form(load_game("kuhn_poker"))),
        np.array([0, 1, *[0] * 53], np.int32),
    )
    with pytest.raises(UnsupportedGameError, match="cannot tell"):
        augment(uneven)
    assert as_game(uneven).num_players == 2
