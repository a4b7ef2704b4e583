"""Transformations of policies."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.errors import ParameterError, UnknownNameError
from infoset.policy import (
    IDENTITY,
    TRANSFORMATIONS,
    ActionTable,
    Transformation,
    check_transformations,
    constant_transformations,
    hash_transformations,
    random_policy,
    transform_policy,
    uniform_policy,
)
from tests.support.cached_games import cached_tree

GOOFSPIEL = "goofspiel(num_cards=4,imp_info=True,points_order=descending)"
SUPPORTS = TRANSFORMATIONS[15:]


def table_of(sizes, phase=6):
    """Return a table with the given numbers of legal actions, out of one phase."""
    rng = np.random.default_rng(3)
    column = np.full((len(sizes), phase), -1)
    for row, size in enumerate(sizes):
        column[row, :size] = np.sort(rng.choice(phase, size, replace=False))
    actions = tuple(map(str, range(1, phase + 1)))
    return ActionTable(actions, column, column + 1, np.full(len(sizes), phase))


def random_rows(table):
    weights = np.random.default_rng(4).dirichlet(np.ones(table.legal.shape[1]), len(table.legal))
    weights = np.where(table.legal, weights, 0)
    return weights / weights.sum(axis=1, keepdims=True)


TABLE = table_of([3, 4, 5, 6, 6, 4, 3, 2, 1])
ROWS = random_rows(TABLE)


@pytest.mark.parametrize("row", TRANSFORMATIONS, ids=lambda row: row.name)
@pytest.mark.parametrize("policy", ["random", "pure"])
def test_results_are_policies(row, policy):
    rows = ROWS if policy == "random" else np.eye(6)[np.argmax(ROWS, axis=1)]
    result = row.apply(rows, TABLE)
    assert (result >= 0).all()
    assert (result[~TABLE.legal] == 0).all()
    np.testing.assert_allclose(result.sum(axis=1), 1, atol=1e-12)
    if TABLE.legal[-1].sum() == 1:
        np.testing.assert_allclose(result[-1], rows[-1])


def test_there_are_22_of_them_and_the_identity_changes_nothing():
    check_transformations(TRANSFORMATIONS)
    assert len(TRANSFORMATIONS) == 22
    np.testing.assert_allclose(IDENTITY.apply(ROWS, TABLE), ROWS, rtol=1e-15)
    uniform = TRANSFORMATIONS[1].apply(ROWS, TABLE)
    np.testing.assert_allclose(uniform[0][TABLE.legal[0]], 1 / 3)


def mean_number(rows):
    return (rows * np.where(TABLE.legal, TABLE.number, 0)).sum(axis=1)


def mean_distance_from_the_middle(rows):
    return (rows * np.where(TABLE.legal, np.abs(TABLE.number - 3.5), 0)).sum(axis=1)


@pytest.mark.parametrize(
    ("kind", "measure", "sign"),
    [
        ("high", mean_number, 1),
        ("low", mean_number, -1),
        ("middle", mean_distance_from_the_middle, -1),
        ("extreme", mean_distance_from_the_middle, 1),
    ],
)
def test_numbers_move_as_the_names_say_and_more_with_larger_powers(kind, measure, sign):
    measured = [
        sign * measure(Transformation(kind, kind, power).apply(ROWS, TABLE))
        for power in (0, 1, 2, 4)
    ]
    assert (np.diff(measured, axis=0) > -1e-6).all()
    assert (measured[-1][:6] > measured[0][:6]).all()


@pytest.mark.parametrize("row", SUPPORTS, ids=lambda row: row.name)
def test_supports_shrink_or_the_policy_stays(row):
    result = row.apply(ROWS, TABLE)
    smaller = ((result > 0).sum(axis=1)) < ((ROWS > 0).sum(axis=1))
    same = np.isclose(result, ROWS).all(axis=1)
    assert (smaller | same).all()
    assert smaller.sum() >= 6


def test_the_action_that_is_dropped_or_kept():
    table = table_of([4], phase=4)
    rows = np.array([[0.1, 0.4, 0.3, 0.2]])
    results = {row.kind: row.apply(rows, table)[0].round(12).tolist() for row in SUPPORTS}
    assert results == {
        "drop most probable": pytest.approx([1 / 6, 0, 0.5, 1 / 3]),
        "drop least probable": pytest.approx([0, 4 / 9, 3 / 9, 2 / 9]),
        "keep most probable": [0, 1, 0, 0],
        "keep frequent": pytest.approx([0, 4 / 7, 3 / 7, 0]),
        "keep rare": pytest.approx([1 / 3, 0, 0, 2 / 3]),
        "keep low": [0.2, 0.8, 0, 0],
        "keep high": pytest.approx([0, 0, 0.6, 0.4]),
    }
    rare = TRANSFORMATIONS[2].apply(rows, table)[0]
    np.testing.assert_allclose(rare, np.array([0.301, 0.001, 0.101, 0.201]) / 0.604)


def test_actions_are_numbered_by_phase_in_the_order_of_the_game():
    table = ActionTable.of(cached_tree(GOOFSPIEL).sequence_form, 0)
    assert table.actions == (1, 2, 3, 4)
    number = np.array([0, *range(1, 5)])
    np.testing.assert_array_equal(table.number, number[table.column + 1])
    game = "battleship(board_width=2,board_height=1,ship_sizes=[1],ship_values=[1],num_shots=2)"
    table = ActionTable.of(cached_tree(game).sequence_form, 0)
    placements = table.phase_size[0]
    assert placements == 2
    assert (table.phase_size[1:] == 2).all()
    assert table.number[:2].tolist() == [[1, 2], [1, 2]]
    assert len(table.actions) == 4


def test_always_one_action_and_where_it_is_not_legal_another_one():
    form = cached_tree("leduc_poker").sequence_form
    policy = random_policy(form, np.random.default_rng(2))
    fold, call, raise_ = constant_transformations(["fold", "call", "raise"], "call")[1:]
    first = policy.form.infostate_trees[0].acting_labels[0]
    assert transform_policy(policy, 0, call)[first, 0] == {"call": 1, "raise": 0}
    assert transform_policy(policy, 0, fold)[first, 0] == {"call": 1, "raise": 0}
    assert transform_policy(policy, 0, raise_)[first, 0] == {"call": 0, "raise": 1}
    unchanged = transform_policy(policy, 0, constant_transformations(["fold"])[1])
    assert unchanged[first, 0] == pytest.approx(policy[first, 0])


def test_only_one_player_is_transformed():
    policy = random_policy(cached_tree("kuhn_poker").sequence_form, np.random.default_rng(1))
    changed = transform_policy(policy, 1, TRANSFORMATIONS[1])
    np.testing.assert_array_equal(changed.probabilities[0], policy.probabilities[0])
    np.testing.assert_allclose(
        changed.probabilities[1], uniform_policy(policy.form).probabilities[1]
    )


def test_hashes_tell_sets_apart():
    sets = [
        TRANSFORMATIONS,
        TRANSFORMATIONS[:21],
        constant_transformations(["fold", "call"]),
        constant_transformations(["fold", "call"], "call"),
    ]
    assert len({hash_transformations(rows) for rows in sets}) == 4
    assert hash_transformations(TRANSFORMATIONS) == hash_transformations(list(TRANSFORMATIONS))


@pytest.mark.parametrize(
    ("transformations", "said"),
    [
        ([], "must be the identity"),
        (TRANSFORMATIONS[1:], "must be the identity"),
        ([IDENTITY, Transformation("twice", "identity")], "differ"),
        (["identity"], "transformations"),
    ],
)
def test_sets_that_cannot_be_used(transformations, said):
    with pytest.raises(ParameterError, match=said):
        check_transformations(transformations)


def test_unknown_kinds_and_wrong_arguments():
    with pytest.raises(UnknownNameError, match=r"hihg.*high"):
        Transformation("x", "hihg")
    policy = uniform_policy(cached_tree("kuhn_poker").sequence_form)
    with pytest.raises(ParameterError, match="player"):
        transform_policy(policy, 2, IDENTITY)
    with pytest.raises(ParameterError, match="Transformation"):
        transform_policy(policy, 0, "uniform")
