"""Values of histories under one or several policies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from infoset.beliefs import PublicBeliefState
from infoset.errors import ParameterError, PolicyMismatchError
from infoset.evaluation import (
    evaluate_policy,
    history_values,
    transformed_values,
    true_state_sampling_ratio,
)
from infoset.matches import aivat_utilities
from infoset.policy import (
    constant_transformations,
    random_policy,
    transfer_policy,
    uniform_policy,
)
from infoset.tree import build_tree, derive_public_form
from tests.support.cached_games import cached_random_policies, cached_tree
from tests.support.hypothesis_strategies import random_games


@given(random_games())
def test_the_value_of_the_root_is_that_of_the_policy(game):
    tree = build_tree(game)
    policy = random_policy(tree.sequence_form, np.random.default_rng(5))
    values = history_values(tree, policy)
    np.testing.assert_allclose(values[0], evaluate_policy(policy).values, atol=1e-12)
    np.testing.assert_array_equal(values[tree.terminals], tree.rewards_so_far[tree.terminals])


def test_several_policies_at_once_and_histories_by_hand():
    tree = cached_tree("kuhn_poker")
    policies = [random_policy(tree.sequence_form, np.random.default_rng(seed)) for seed in range(3)]
    together = history_values(tree, policies)
    assert together.shape == (tree.num_histories, 3, 2)
    for number, policy in enumerate(policies):
        np.testing.assert_array_equal(together[:, number], history_values(tree, policy))

    def value(history, policy):
        children = range(*tree.first_child[history : history + 2])
        if not children:
            return tree.rewards_so_far[history]
        total = np.zeros(2)
        for child in children:
            chance = tree.graph.probability[tree.edge[child]]
            for player, taken in enumerate(tree.graph.joint_action[tree.edge[child]]):
                if taken >= 0:
                    sequence = tree.sequence[child, player]
                    chance *= policy.probabilities[player][sequence]
            total += chance * value(child, policy)
        return total

    for history in range(tree.num_histories):
        np.testing.assert_allclose(together[history, 1], value(history, policies[1]), atol=1e-12)


def test_wrong_arguments():
    tree = cached_tree("kuhn_poker")
    policy = uniform_policy(tree.sequence_form)
    with pytest.raises(ParameterError, match="at least one"):
        history_values(tree, [])
    with pytest.raises(ParameterError, match="GameTree"):
        history_values("kuhn_poker", policy)
    with pytest.raises(ParameterError, match="TabularPolicy"):
        history_values(tree, [policy, "uniform"])
    with pytest.raises(PolicyMismatchError, match="leduc"):
        history_values(tree, uniform_policy(cached_tree("leduc_poker").sequence_form))


def test_measures_on_trees_take_policies_on_other_forms():
    tree = cached_tree("leduc_poker")
    (policy,) = cached_random_policies("leduc_poker")
    by_hand = transfer_policy(policy, derive_public_form(tree))
    pairs = [
        (history_values(tree, one), reach_of_infostates(tree, one), aivat(tree, one))
        for one in (policy, by_hand)
    ]
    for found, wanted in zip(*pairs, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-12)
    profile = transformed_values(tree, by_hand, constant_transformations(["call"]))
    assert profile.blueprints == (transfer_policy(by_hand, tree).digest,)
    with pytest.raises(
        PolicyMismatchError, match="public form of leduc_poker and the sequence form"
    ):
        history_values(cached_tree("kuhn_poker"), by_hand)


def reach_of_infostates(tree, policy):
    """Return the ranges at a public state, and the ratios of beliefs."""
    state = PublicBeliefState.from_policy(tree, policy, 5)
    return np.concatenate([*state.ranges, true_state_sampling_ratio(tree, policy, 0).reach])


def aivat(tree, policy):
    """Return the values of histories and of a profile, corrected."""
    profile = transformed_values(tree, policy, constant_transformations(["call"]))
    return np.hstack([aivat_utilities(tree, policy, history_values(tree, policy)), profile.values])
