"""What backward induction and dominated actions leave, and that its answers fit the whole game."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import infoset
from infoset.efg import chance, decision, extensive_form_from_nodes, parse_nfg, terminal
from infoset.forms import reduce_form
from infoset.forms import reduced_form as module
from infoset.forms.reduced_form import dominated_rows
from infoset.games import matrix_game
from infoset.policy import TabularPolicy, random_policy
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_perfect_information import OUTLIER


def form_of_table(rows, columns):
    return build_tree(matrix_game(rows, columns)).sequence_form


def test_a_dominating_action_is_left_alone():
    reduced = reduce_form(build_tree(parse_nfg(OUTLIER)).sequence_form)
    assert (reduced.num_decided, reduced.num_dominated) == (0, 2)
    assert [own.tolist() for own in reduced.sequences] == [[0, 1], [0, 1, 2, 3]]
    assert reduced.form.payoff_width == 0
    assert reduced.form.actions_at(0, 0) == ("1",)
    assert reduced.complete((np.ones(2), np.array([1, 0.5, 0, 0.5])))[0].tolist() == [1, 1, 0, 0]


def test_domination_is_iterated():
    """By hand: column 3, then rows 2 and 3, then column 1: (row 1, column 2) is left."""
    rows = [[4, 5, 0], [3, 4, 6], [2, 1, 9]]
    columns = [[2, 3, 1], [2, 1, 0], [5, 4, 3]]
    reduced = reduce_form(form_of_table(rows, columns))
    assert not reduced.leaves_choices
    assert reduced.num_dominated == 4
    assert [own.tolist() for own in reduced.sequences] == [[0, 1], [0, 2]]
    result = infoset.solve(matrix_game(rows, columns))
    assert (result.values, result.nash_conv, result.outcome) == ((5, 3), 0, "optimal")


def test_three_players():
    """Player 2 has a dominated action; then the others play a coordination game."""

    def ends(a, b):
        return {
            "stay": terminal(a == b, a == b, 1),
            "go": terminal(5 * (a != b), 5 * (a != b), 0),
        }

    third = {(a, b): decision(2, "third", ends(a, b)) for a in "xy" for b in "xy"}
    second = {a: decision(1, "second", {b: third[a, b] for b in "xy"}) for a in "xy"}
    form = extensive_form_from_nodes(decision(0, "first", second), players=3).sequence_form
    reduced = reduce_form(form)
    assert [own.tolist() for own in reduced.sequences] == [[0, 1, 2], [0, 1, 2], [0, 1]]
    assert reduced.form.payoff.tolist() == [[1, 1, 1], [0, 0, 1], [0, 0, 1], [1, 1, 1]]


def test_backward_induction_leaves_a_table():
    """Only after both have seen the choices can player 0 spoil them, which it would not do."""
    ends = {
        (a, b): decision(0, f"after {a}{b}", {"end": terminal(a, b), "spoil": terminal(-9, 9)})
        for a in (1, 2)
        for b in (1, 2)
    }
    second = {a: decision(1, "second", {f"b{b}": ends[a, b] for b in (1, 2)}) for a in (1, 2)}
    root = decision(0, "first", {f"a{a}": second[a] for a in (1, 2)})
    form = extensive_form_from_nodes(root, players=2).sequence_form
    reduced = reduce_form(form)
    assert (reduced.num_decided, reduced.num_dominated) == (4, 2)
    assert infoset.evaluate(TabularPolicy(form, reduced.complete((np.ones(2),) * 2))).values == (
        2,
        2,
    )


def test_rounding_and_ties_dominate_nothing():
    table = np.array([[0.1 + 0.2, 1], [0.3, 1 - 1e-16], [0.3, 1]])
    assert not dominated_rows(table).any()
    assert dominated_rows(table + np.array([[1e-9], [0], [0]])).tolist() == [False, True, True]


@given(st.integers(0, 9999), st.integers(1, 9), st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_dominated_rows_by_definition(seed, rows, columns):
    rng = np.random.default_rng(seed)
    # Few numbers and a shift per row, so that both ties and domination occur.
    table = rng.integers(0, 2, (rows, columns)) + 1.0 * rng.integers(0, 4, (rows, 1))
    expected = [any((other > own).all() for other in table) for own in table]
    assert dominated_rows(table).tolist() == expected


def test_the_work_is_limited(monkeypatch):
    rows = [[4, 5, 0], [3, 4, 6], [2, 1, 9]]
    columns = [[2, 3, 1], [2, 1, 0], [5, 4, 3]]
    monkeypatch.setattr(module, "MAX_COMPARISONS", 2 * 9 * module.WIDTH)
    reduced = reduce_form(form_of_table(rows, columns))
    assert [own.tolist() for own in reduced.sequences] == [[0, 1, 2, 3], [0, 1, 2]]


def test_later_infostates_follow_those_before():
    """Of a game with forced moves, both players keep choices that follow own choices."""
    game = infoset.load(
        "random_game(seed=101,num_players=2,max_depth=4,max_histories=60,simultaneous_share=0.3)"
    )
    form = build_tree(game).sequence_form
    reduced = reduce_form(form)
    assert any((plex.num_actions == 1).any() for plex in form.treeplexes)
    assert [plex.own_depth.tolist() for plex in reduced.form.treeplexes] == [
        [0, 1, 1, 1, 2, 2, 2],
        [0, 1, 1],
    ]
    for player, (here, there) in enumerate(
        zip(reduced.form.treeplexes, form.treeplexes, strict=True)
    ):
        names, sequences = form.infostate_labels(player), reduced.sequences[player]
        for number, label in enumerate(reduced.form.infostate_labels(player)):
            whole = names.index(label)
            assert reduced.form.actions_at(player, number) == form.actions_at(player, whole)
            # The choice before is that of the whole game, forced moves aside.
            before = there.parent_sequence[whole]
            while before and there.num_actions[there.infostate_of_sequence[before]] == 1:
                before = there.parent_sequence[there.infostate_of_sequence[before]]
            assert sequences[here.parent_sequence[number]] == before


@given(random_games(), st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_gains_of_completed_policies_are_those_of_the_rest(game, seed):
    form = build_tree(game).sequence_form
    reduced = reduce_form(form)
    if reduced is None:
        return
    policy = random_policy(reduced.form, np.random.default_rng(seed))
    left = infoset.evaluate(policy)
    whole = infoset.evaluate(TabularPolicy(form, reduced.complete(policy.probabilities)))
    assert whole.values == pytest.approx(left.values, abs=1e-10)
    assert whole.gains == pytest.approx(left.gains, abs=1e-10)
    assert whole.exploitability == pytest.approx(left.exploitability, abs=1e-10)


def test_as_many_terminals_as_a_table_are_not_one():
    """Player 1 plays against player 0 or 2 and does not know which: eight terminals, 2 · 2 · 2."""

    def second(first, a):
        ends = {
            b: terminal(b + 100 * (first == 0), b * (-1) ** (a == "c"), b + 100 * (first == 2))
            for b in (1, 2)
        }
        return decision(1, "unknown", {f"b{b}": node for b, node in ends.items()})

    nodes = {
        first: decision(first, f"against {first}", {a: second(first, a) for a in "cd"})
        for first in (0, 2)
    }
    root = chance({f"{first}": (0.5, node) for first, node in nodes.items()})
    assert reduce_form(extensive_form_from_nodes(root, players=3).sequence_form) is None


@pytest.mark.parametrize("spec", ["kuhn_poker", "liars_dice(dice_sides=3)", "matrix_rps"])
def test_nothing_is_decided_where_nothing_is_known(spec):
    assert reduce_form(cached_tree(spec).sequence_form) is None


def test_public_forms_are_not_reduced():
    assert reduce_form(infoset.build_public_form("leduc_poker")) is None
