"""Contraction of terminal histories: sums of the payoffs of equal tuples of sequences."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.efg import chance, decision, extensive_form_from_nodes, terminal
from infoset.errors import UnsupportedGameError
from infoset.forms.payoffs import merge_payoffs
from infoset.forms.terminal_contraction import numbers_in
from infoset.games import load_game
from infoset.policy import random_policy
from infoset.tree import build_sequence_form, build_tree
from tests.support.hypothesis_strategies import random_games


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=40
    )
)
def test_payoffs_of_equal_rows_are_summed(rows):
    payoff = np.array([[1.5, -1.5], [-0.75, 0.75], [0.0, 0.0], [2.0, 0.0], [-1.5, 1.5]])
    expected = {}
    for first, second, outcome in rows:
        before = expected.get((first, second), np.zeros(2))
        expected[first, second] = before + payoff[outcome]
    kept = {row: total for row, total in sorted(expected.items()) if total.any()}
    columns = np.array([row[:2] for row in rows], dtype=np.uint32).T.copy()
    outcome = np.array([row[2] for row in rows], dtype=np.uint32)
    merged, total, max_equal = merge_payoffs(columns, (4, 3), outcome, payoff)
    assert list(map(tuple, merged.tolist())) == list(kept)
    assert total.tolist() == [values.tolist() for values in kept.values()]
    assert max_equal == max(Counter(row[:2] for row in rows).values())


def test_sums_are_taken_in_order():
    """In floating point the order matters: 1e16 absorbs a 1 added before it, but not after it."""
    payoff = np.array([[1.0], [1e16], [-1e16]])
    columns = np.zeros((1, 4), np.uint32)
    outcome = np.array([0, 1, 2, 0], np.uint32)
    _, total, max_added = merge_payoffs(columns, (1,), outcome, payoff)
    assert total.tolist() == [[1.0]]
    assert max_added == 4


@pytest.mark.parametrize(
    ("numbers", "met"), [([2, 0, 2, 5], [2, 0, 5]), ([0], [0]), ([3, 3, 1], [3, 1])]
)
def test_numbers_in_begin_with_the_first(numbers, met):
    assert numbers_in(np.array(numbers, np.uint32), 6).tolist() == met


def total_probability(form, seed):
    """Return the sum over pairs of sequences of the chance reach times both random plans."""
    plans = random_policy(form, np.random.default_rng(seed)).realization_plans()
    sequences, reach = form.terminal_reach
    return sum(reach * np.prod([plan[sequences[:, p]] for p, plan in enumerate(plans)], axis=0))


@settings(max_examples=20)
@given(random_games(), st.integers(0, 2**32))
def test_chance_reach_times_plans_is_a_distribution(game, seed):
    form = build_tree(game).sequence_form
    assert total_probability(form, seed) == pytest.approx(1, abs=1e-12)
    sequences, reach = form.terminal_reach
    pairs = list(map(tuple, sequences.tolist()))
    assert pairs == sorted(set(pairs))
    assert set(map(tuple, form.terminal_sequence.tolist())) <= set(pairs)
    again = build_sequence_form(game).terminal_reach
    assert np.array_equal(sequences, again.terminal_sequence)
    assert np.array_equal(reach, again.chance_reach)


def test_chance_reach_includes_the_draws_of_leduc_poker():
    form = build_tree(load_game("leduc_poker")).sequence_form
    sequences, reach = form.terminal_reach
    # One pair for each terminal history, except that first-round folds do not depend on the public
    # card: they merge four of the 120 deals.
    assert len(sequences) == 5520
    assert form.num_payoffs == 4920
    assert np.unique(np.round(120 * reach, 9)).tolist() == [1, 4]


def test_chance_reach_of_an_extensive_form():
    choice = decision(0, "x", {"l": terminal(1, -1), "r": terminal(0, 0)})
    root = chance({"a": (0.25, choice), "b": (0.75, terminal(0, 0))})
    sequences, reach = extensive_form_from_nodes(root).sequence_form.terminal_reach
    assert sequences[:, 0].tolist() == [0, 1, 2]
    assert reach.tolist() == [0.75, 0.25, 0.25]


def test_forms_without_a_source_of_chance_reach_say_how_to_build_one():
    form = replace(build_tree(load_game("kuhn_poker")).sequence_form, reach_source=None)
    with pytest.raises(UnsupportedGameError, match=r"chance reach of kuhn_poker .*build_tree"):
        form.terminal_reach  # noqa: B018, the property raises
