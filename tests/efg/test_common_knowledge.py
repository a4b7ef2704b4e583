"""Common knowledge and public sets: Figures 4 to 6, Proposition A.1 and footnote 39."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from infoset.efg import (
    augment,
    build_extensive_form,
    closure,
    common_knowledge_sets,
    find_public_mismatch,
    forget_non_acting,
    merge_intersecting,
)
from infoset.game import Observation
from infoset.games import load_game
from tests.support import example_forms
from tests.support.function_game import FunctionGame
from tests.support.hypothesis_strategies import random_games

NOTHING = -1


def extensions(form, history):
    """Return [H] whether each history extends one of the public set of `history` (A.1 (ii))."""
    starts = np.flatnonzero(form.public_set == form.public_set[history])
    alone = np.full(form.num_histories, NOTHING)
    return np.any([closure(form, start, alone) for start in starts.tolist()], axis=0)


def names(form, inside):
    return {form.history_label(history) for history in np.flatnonzero(inside).tolist()}


def test_where_public_sets_are_levels_two_definitions_of_a_subgame_differ():
    form = example_forms.levels_apart()
    h0 = form.history_names.index("h0")
    by_extension = names(form, extensions(form, h0))
    by_closure = names(form, closure(form, h0, form.public_set))
    assert by_extension == {"h0", "after h0", "h0 on H", "h0 on T"}
    assert by_closure - by_extension == {"past h0", "past it H", "past it T"}


@given(random_games(max_histories=60))
def test_in_forms_of_games_the_two_definitions_agree(game):
    form = build_extensive_form(game)
    for history in range(0, form.num_histories, 7):
        expected = extensions(form, history)
        np.testing.assert_array_equal(closure(form, history, form.public_set), expected)


def told_the_same():
    """Both players privately observe the side of a coin."""
    return FunctionGame(
        2,
        observe=lambda world, joint_action, next_world: Observation(
            private=(next_world, next_world)
        ),
    )


def told_the_next():
    """Chance draws one of six numbers. Players see half of it, one rounded down, one rounded up."""
    return FunctionGame(
        2,
        transitions=lambda world, joint_action: (
            [(number, 1 / 6) for number in range(6)] if world == "start" else []
        ),
        observe=lambda world, joint_action, number: Observation(
            private=(number // 2, (number + 1) // 2)
        ),
    )


def test_common_knowledge_need_not_be_public():
    """Footnote 39: public states may be coarser than common knowledge."""
    form = build_extensive_form(told_the_same())
    assert form.public_set.tolist() == [0, 1, 1]
    assert common_knowledge_sets(form).tolist() == [0, 1, 2]
    assert find_public_mismatch(form) is None
    heads = 1
    common = closure(form, heads, common_knowledge_sets(form))
    announced = closure(form, heads, form.public_set)
    assert np.flatnonzero(common).tolist() == [1]
    assert np.flatnonzero(announced).tolist() == [1, 2]


def test_shared_knowledge_need_not_be_common_knowledge():
    """Both know that 0 is not 5, but player 0 cannot tell 0 from 1, player 1 not 1 from 2, …"""
    form = build_extensive_form(told_the_next())
    assert common_knowledge_sets(form).tolist() == [0, 1, 1, 1, 1, 1, 1]
    zero, five = form.infoset[1], form.infoset[6]
    assert (zero != five).all()


def test_common_knowledge_of_kuhn_poker_is_what_was_announced():
    form = build_extensive_form(load_game("kuhn_poker"))
    np.testing.assert_array_equal(common_knowledge_sets(form), form.public_set)


def test_one_classical_form_has_two_augmentations():
    """Figure 5, right."""
    early, late = example_forms.two_augmentations()
    bare = [forget_non_acting(form) for form in (early, late)]
    for field in ("parent", "actor", "infoset", "utility", "chance_probability"):
        np.testing.assert_array_equal(*(getattr(form, field) for form in bare))
    assert bare[0].infoset_names == bare[1].infoset_names
    assert early.infoset.tolist() != late.infoset.tolist()
    assert early.public_set.tolist() == [0, 1, 1, 2, 3, 2, 3, *range(4, 12)]
    assert late.public_set.tolist() == [0, 1, 1, 2, 3, 4, 5, *range(6, 14)]
    # The result of `augment` is another augmentation, without this difference.
    made = [augment(form) for form in bare]
    np.testing.assert_array_equal(made[0].infoset, made[1].infoset)


@pytest.mark.parametrize("form", example_forms.two_augmentations(), ids=str)
def test_common_knowledge_of_the_two_augmentations(form):
    np.testing.assert_array_equal(common_knowledge_sets(form), form.public_set)


def without_counting(form):
    """Return [H] public sets if players off turn know their last infoset and action alone.

    This is the augmentation of Burch, Johanson and Bowling (2014).
    """
    columns = []
    for player in range(form.num_players):
        acting = form.acting_infoset[:, player].astype(np.int64)
        before = form.last_own_sequence(player)
        columns.append(np.where(acting >= 0, acting, acting.max() + 2 + before))
    return merge_intersecting(np.stack(columns, axis=1))


def sizes_along_a_line(form, sets):
    """Return how many consecutive histories of the first of the longest lines each set has."""
    line = [int(np.argmax(form.depth))]
    while line[-1]:
        line.append(int(form.parent[line[-1]]))
    _, first, counts = np.unique(sets[line[::-1]], return_index=True, return_counts=True)
    return counts[np.argsort(first)].tolist()


def test_without_counting_moves_a_line_of_poker_has_five_public_states():
    """Figure 4: not one for each of 12 moves, and not those of the four rounds."""
    form = example_forms.checked_poker(rounds=4)
    assert form.depth.max() == 12
    assert sizes_along_a_line(form, without_counting(form)) == [2, 3, 3, 3, 2]
    assert sizes_along_a_line(form, augment(form).public_set) == [1] * 13
