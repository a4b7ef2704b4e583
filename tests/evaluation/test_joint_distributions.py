"""Joint distributions over tuples of pure plans, against the policies from which they are made."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset.errors import GameTooLargeError, ParameterError
from infoset.evaluation import evaluate_cce, joint_distribution, joint_distributions
from infoset.games import matrix_game
from infoset.policy import TabularPolicy, mix, random_policy, uniform_policy
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games


@given(random_games(max_histories=60), st.integers(0, 2**32))
def test_it_plays_as_the_policies_do(game, seed):
    form = build_tree(game).sequence_form
    rng = np.random.default_rng(seed)
    policies = [random_policy(form, rng) for _ in range(2)]
    weights = [1.0, 3.0]
    joint = joint_distribution(policies, weights)
    found, wanted = joint.evaluate(), evaluate_cce(policies, weights)
    assert found.values == pytest.approx(wanted.values, abs=1e-11)
    assert found.gains == pytest.approx(wanted.gains, abs=1e-11)
    assert joint.probabilities.sum() == pytest.approx(1, abs=1e-13)
    assert len(np.unique(joint.support, axis=0)) == len(joint.support)
    marginal = mix(policies, weights)
    for player in range(form.num_players):
        plan = joint.marginal_policy().realization_plan(player)
        assert plan == pytest.approx(marginal.realization_plan(player), abs=1e-12)


def test_measured_by_playing_every_tuple(monkeypatch):
    """Evaluation in parts, as for large distributions, with one policy per tuple of plans."""
    form = cached_tree("kuhn_poker(players=3)").sequence_form
    monkeypatch.setattr(joint_distributions, "CELLS_PER_CHUNK", 7 * form.num_payoffs)
    joint = joint_distribution([random_policy(form, np.random.default_rng(3))])
    chosen = [
        TabularPolicy.from_weights(
            form, [own[n].astype(float) for own, n in zip(joint.plans, numbers, strict=True)]
        )
        for numbers in joint.support
    ]
    assert len(chosen) > 500
    alone = evaluate_cce(chosen, joint.probabilities)
    assert joint.evaluate().gains == pytest.approx(alone.gains, abs=1e-12)


def test_a_traffic_light_stays_one():
    form = build_tree(matrix_game([[-9, 1], [0, 0]], [[-9, 0], [1, 0]])).sequence_form
    go, stop = np.array([1.0, 1, 0]), np.array([1.0, 0, 1])
    light = [TabularPolicy(form, (go, stop)), TabularPolicy(form, (stop, go))]
    joint = joint_distribution(light, [1, 3])
    pairs = {
        tuple(bool(own[n][1]) for own, n in zip(joint.plans, numbers, strict=True)): share
        for numbers, share in zip(joint.support, joint.probabilities.tolist(), strict=True)
    }
    assert pairs == {(True, False): 0.25, (False, True): 0.75}
    assert joint.evaluate() == evaluate_cce(light, [1, 3])
    rng = np.random.default_rng(0)
    drawn = [joint.draw(rng).probabilities for _ in range(400)]
    assert all(first[1] + second[1] == 1 for first, second in drawn)
    assert np.mean([first[1] for first, _ in drawn]) == pytest.approx(0.25, abs=0.07)


def test_the_same_plans_are_counted_once():
    form = cached_tree("kuhn_poker").sequence_form
    policy = uniform_policy(form)
    once, twice = joint_distribution([policy]), joint_distribution([policy, policy], [2, 5])
    assert np.array_equal(once.support, twice.support)
    assert once.probabilities == pytest.approx(twice.probabilities, abs=1e-15)
    assert len(
        joint_distribution([policy, random_policy(form, np.random.default_rng(1))], [1, 0]).support
    ) == len(once.support)


def test_invalid_arguments(monkeypatch):
    form = cached_tree("kuhn_poker").sequence_form
    policy = uniform_policy(form)
    with pytest.raises(ParameterError, match="got 1 policies"):
        joint_distribution([policy], [1, 2])
    with pytest.raises(ParameterError, match="positive weight"):
        joint_distribution([policy], [0])
    monkeypatch.setattr(joint_distributions, "MAX_TUPLES", 5)
    with pytest.raises(GameTooLargeError, match="evaluate_cce") as refused:
        joint_distribution([policy])
    assert refused.value.counts == {"tuples": 6}
