"""Continuation values from plays agree with exact ones, and serve games without a tree."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import infoset
from infoset.errors import InfosetError, UserFunctionError
from infoset.evaluation import transformed_values
from infoset.game import initial_history
from infoset.policy import (
    IDENTITY,
    TRANSFORMATIONS,
    FunctionPolicy,
    Transformation,
    UniformPolicy,
    constant_transformations,
    random_policy,
)
from infoset.policy.transformations import transform_policy
from infoset.resolving import (
    ContinualResolving,
    ExactContinuationValues,
    RolloutContinuationValues,
)
from infoset.resolving.rollout_values import UNORDERED, transformed
from infoset.search.models import RulesModel
from tests.support.cached_games import cached_tree

KUHN = constant_transformations(["pass", "bet"])


class Recorder:
    """Exact values that remember for which histories they were asked."""

    def __init__(self, values):
        self.exact, self.asked = ExactContinuationValues(values), []

    def continuation_values(self, histories, player):
        self.asked.append((histories, player))
        return self.exact.continuation_values(histories, player)


@cache
def leaves_of_kuhn():
    """Return a policy, the leaves of its searches at depth 1, and their exact values."""
    tree = cached_tree("kuhn_poker")
    policy = random_policy(tree.sequence_form, np.random.default_rng(3))
    recorder = Recorder(transformed_values(tree, policy, KUHN))
    search = ContinualResolving(RulesModel(tree.game), policy, recorder, depth=1, iterations=20)
    for own in tree.infostate_trees:
        for number in own.acting.tolist():
            search.action_probabilities(own.infostate_at(number), own.legal_actions(number))
    return policy, recorder


@pytest.mark.broad
def test_means_of_plays_are_the_exact_values():
    policy, recorder = leaves_of_kuhn()
    num = 150
    rollouts = RolloutContinuationValues(infoset.load("kuhn_poker"), policy, KUHN, num=num)
    scores = []
    for histories, player in recorder.asked:
        exact = recorder.exact.continuation_values(histories, player)
        found = rollouts.continuation_values(histories, player)
        assert found.shape == exact.shape
        scores.append((found - exact) / (2 / num**0.5))  # no payoff is larger than 2
    scores = np.concatenate(scores)
    assert len(scores) > 10
    assert np.abs(scores).max() < 4
    assert scores.std() > 0.1


def test_values_depend_on_the_history_and_the_seed_alone():
    policy, recorder = leaves_of_kuhn()
    game = infoset.load("kuhn_poker")
    histories, player = max(recorder.asked, key=lambda pair: len(pair[0]))
    one = RolloutContinuationValues(game, policy, KUHN, num=5).continuation_values
    both, last = one(histories, player), len(histories) - 1
    rows = ("worlds", "position", "rewards_so_far", "chance_reach")
    single = replace(histories, **{name: getattr(histories, name)[last:] for name in rows})
    np.testing.assert_array_equal(one(single, player), both[last:])
    other = RolloutContinuationValues(game, policy, KUHN, num=5, seed=1)
    assert (other.continuation_values(histories, player) != both).any()


def test_random_numbers_are_shared_by_continuations_but_not_by_histories():
    """Equal continuations earn the same in each play; histories differ by any infostate."""
    _, recorder = leaves_of_kuhn()
    rows = (IDENTITY, Transformation("uniform", "uniform"))
    values = RolloutContinuationValues(infoset.load("kuhn_poker"), UniformPolicy(), rows, num=5)
    for histories, player in recorder.asked:
        first, second = values.continuation_values(histories, player).T
        np.testing.assert_array_equal(first, second)
    tree = cached_tree("kuhn_poker")
    one, two, other = (
        tuple(
            own.infostate_at(int(own.acting[k]))
            for own, k in zip(tree.infostate_trees, ks, strict=True)
        )
        for ks in ((0, 0), (0, 1), (1, 0))
    )
    seeds = [tuple(values._seeds(pair)) for pair in (one, two, other)]
    assert len(set(seeds)) == 3


@pytest.mark.parametrize("row", UNORDERED[1:], ids=lambda row: row.name)
def test_transformations_are_those_of_the_tree(row):
    form = cached_tree("leduc_poker").sequence_form
    policy, own = random_policy(form, np.random.default_rng(0)), form.infostate_trees[1]
    numbers = {own.infostate_at(number): number for number in own.acting.tolist()}
    legal = {key: own.legal_actions(number) for key, number in numbers.items()}

    def part(probabilities, key):
        first = own.first_sequence[numbers[key]]
        return probabilities[first : first + len(legal[key])]

    known = {key: part(policy.probabilities[1], key) for key in legal}
    expected = transform_policy(policy, 1, row).probabilities[1]
    for key, found in transformed(row, known, legal).items():
        np.testing.assert_array_equal(found, part(expected, key))


@pytest.mark.broad
def test_a_game_without_a_tree_is_searched():
    game = infoset.load("dark_hex(board_size=3)")
    values = RolloutContinuationValues(game, UniformPolicy(), UNORDERED[:3], num=2)
    options = {"depth": 1, "iterations": 30, "max_ends": 90, "num_samples": 10}
    search = ContinualResolving(RulesModel(game), UniformPolicy(), values, **options)
    history = initial_history(game)
    answer = search.action_probabilities(history.infostates[0], history.legal_actions(0))
    assert search.last_search.method in ("complete", "sample")
    assert answer.max() > 0.2
    assert search.settings()["values"].startswith("rollouts(num=2,seed=0,transformations=")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"num": 0}, "num=0"),
        ({"seed": -1}, "seed=-1"),
        ({"transformations": TRANSFORMATIONS[1:]}, "identity"),
        ({"game": "kuhn_poker"}, "give rules"),
        ({"policy": "uniform"}, "give a policy"),
    ],
)
def test_what_is_wrong_is_said(wrong, said):
    given = {"game": infoset.load("kuhn_poker"), "policy": UniformPolicy()} | wrong
    with pytest.raises(InfosetError, match=said):
        RolloutContinuationValues(**given)


def test_exceptions_of_the_policy_are_reported():
    def broken(infostate, legal_actions):
        raise ValueError("no")

    _, recorder = leaves_of_kuhn()
    values = RolloutContinuationValues(infoset.load("kuhn_poker"), FunctionPolicy(broken), KUHN)
    with pytest.raises(UserFunctionError, match="broken raised ValueError: no"):
        values.continuation_values(*recorder.asked[0])


@pytest.mark.broad
def test_a_search_without_time_for_its_plays_answers_in_time_by_the_blueprint():
    game = infoset.load("dark_hex(board_size=3)")
    values = RolloutContinuationValues(game, UniformPolicy(), num=300)  # half a minute of plays
    options = {"depth": 1, "milliseconds": 50.0}
    search = ContinualResolving(RulesModel(game), UniformPolicy(), values, **options)
    history = initial_history(game)
    answer = search.action_probabilities(history.infostates[0], history.legal_actions(0))
    np.testing.assert_array_equal(answer, np.full(9, 1 / 9))
    assert (search.last_search.method, search.last_search.num_iterations) == ("blueprint", 0)
