"""Policies of product forms and of the games they come from."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.efg import build_extensive_form, forget_non_acting
from infoset.errors import ParameterError, PolicyMismatchError
from infoset.games import load_game
from infoset.policy import random_policy, uniform_policy
from infoset.teams import (
    build_product_form,
    drop_decided,
    expected_payoffs,
    forget_own_actions,
    from_tabular,
    perfect_recall_closure,
    random_probabilities,
    reveal_everything,
    to_tabular,
)
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.random_product_forms import random_product_form

TEAM = (0, 1)


@pytest.mark.parametrize("name", ["kuhn_poker", "goofspiel(num_cards=3)", "matrix_mp"])
@pytest.mark.parametrize("make", [build_tree, build_extensive_form])
def test_tabular_policies_round_trip(name, make):
    tree = make(load_game(name))
    form = build_product_form(tree)
    policy = random_policy(tree.sequence_form, np.random.default_rng(3))
    back = to_tabular(form.information, from_tabular(form.information, policy))
    for one, other in zip(policy.probabilities, back.probabilities, strict=True):
        np.testing.assert_array_equal(one, other)


def test_classical_forms_have_tabular_policies():
    tree = forget_non_acting(build_extensive_form(load_game("kuhn_poker")))
    form = build_product_form(tree)
    policy = random_policy(tree.sequence_form, np.random.default_rng(3))
    back = to_tabular(form.information, from_tabular(form.information, policy))
    np.testing.assert_array_equal(policy.probabilities[1], back.probabilities[1])


def test_a_refined_map_can_play_the_same_policy():
    tree = cached_tree("leduc_poker")
    form = build_product_form(tree)
    policy = random_policy(tree.sequence_form, np.random.default_rng(3))
    worth = expected_payoffs(form.information, from_tabular(form.information, policy))
    for relax in (perfect_recall_closure, reveal_everything):
        told = relax(form.information, TEAM)
        np.testing.assert_allclose(expected_payoffs(told, from_tabular(told, policy)), worth)
        with pytest.raises(ParameterError, match="agents know more than in the game"):
            to_tabular(told, random_probabilities(told, np.random.default_rng(0)))


def test_a_coarse_policy_is_equal_at_indistinguishable_infostates():
    form = build_product_form(load_game("trade_comm(num_items=2)"))
    base = forget_own_actions(form)
    probability = random_probabilities(base, np.random.default_rng(0))
    table = to_tabular(base, probability)
    in_full = from_tabular(form.information, table)
    np.testing.assert_allclose(
        expected_payoffs(form.information, in_full), expected_payoffs(base, probability)
    )
    with pytest.raises(ParameterError, match="agents know less than in the game"):
        from_tabular(base, table)


def test_infostates_without_nodes_get_the_uniform_policy():
    form = drop_decided(build_product_form(load_game("trade_comm(num_items=2)")))
    sequence_form = form.source.tree.sequence_form
    probability = random_probabilities(form.information, np.random.default_rng(0))
    table = to_tabular(form.information, probability)
    np.testing.assert_array_equal(from_tabular(form.information, table), probability)
    assert table.form is sequence_form


def test_expected_payoffs_agree_with_enumeration():
    form = random_product_form(4, num_stages=3, num_outcomes=3, is_common=False)
    probability = random_probabilities(form.information, np.random.default_rng(1))
    first = form.information.first_entry[form.information.cell]
    paid = dict(zip(form.arrays.payoff_edge.tolist(), form.arrays.payoff, strict=True))
    total = np.zeros(2)

    def walk(node, reach):
        for edge in range(form.arrays.first_edge[node], form.arrays.first_edge[node + 1]):
            share = reach * probability[first[node] + edge - form.arrays.first_edge[node]]
            child = form.arrays.child[edge]
            if child >= 0:
                walk(child, share)
            total[:] += share * paid.get(edge, 0)

    for root in np.flatnonzero(form.arrays.parent_edge < 0):
        walk(root, form.arrays.chance[root])
    np.testing.assert_allclose(expected_payoffs(form.information, probability), total)


def test_invalid_policies_are_refused():
    form = build_product_form(load_game("matrix_mp"))
    information = form.information
    with pytest.raises(ParameterError, match=r"have shape \(3,\); there are 4 actions"):
        expected_payoffs(information, np.ones(3))
    with pytest.raises(ParameterError, match=r"those of cell 1 sum to 1\.5"):
        expected_payoffs(information, np.array([0.5, 0.5, 0.5, 1.0]))
    with pytest.raises(ParameterError, match="one is < 0"):
        expected_payoffs(information, np.array([1.5, -0.5, 0.5, 0.5]))
    with pytest.raises(ParameterError, match="sum to nan"):
        expected_payoffs(information, np.array([np.nan, 1, 0.5, 0.5]))
    other = uniform_policy(build_tree(load_game("matrix_mp")).sequence_form)
    with pytest.raises(PolicyMismatchError, match="build both from one tree"):
        from_tabular(information, other)
    written = random_product_form(0).information
    with pytest.raises(ParameterError, match="was not built from a game's histories"):
        to_tabular(written, random_probabilities(written, np.random.default_rng(0)))
    with pytest.raises(ParameterError, match="give an InformationMap"):
        random_probabilities(form, np.random.default_rng(0))
    with pytest.raises(ParameterError, match=r"rng=0 is of type int; give a generator"):
        random_probabilities(information, 0)
