"""Hiding schemes: first policies, penalty schedules and settings."""

from __future__ import annotations

import json
from math import inf

import numpy as np
import pytest

from infoset.teams.hiding import (
    WEIGHTINGS,
    HidingScheme,
    ProgressiveHiding,
    adaptive_penalty,
    constant_penalty,
    entropic_ftrl,
    geometric_penalty,
    hedge,
    linear_penalty,
    regret_matching,
    regret_matching_plus,
)
from tests.teams.hiding.hiding_games import by_cell, pennies, trade


def penalty_coefficients(penalty, iterations=12, game=pennies):
    hiding = ProgressiveHiding(game(), HidingScheme(penalty=penalty))
    return hiding.run(iterations).penalty_coefficient[:, 0]


def test_penalty_schedules_end_at_their_last_value():
    np.testing.assert_array_equal(penalty_coefficients(constant_penalty(0.3)), 0.3)
    grown = penalty_coefficients(geometric_penalty(0.5, 8.0, 9))
    np.testing.assert_allclose(grown[:9], 0.5 * 2 ** (np.arange(9) / 2))
    np.testing.assert_array_equal(grown[9:], 8.0)
    np.testing.assert_allclose(
        penalty_coefficients(geometric_penalty(8.0, 0.5, 9))[[0, 4, 8, 11]], [8, 2, 0.5, 0.5]
    )
    np.testing.assert_allclose(
        penalty_coefficients(linear_penalty(0, 1, 11)), [*np.arange(11) / 10, 1.0]
    )
    np.testing.assert_allclose(
        penalty_coefficients(linear_penalty(1, 0, 11)), [*1 - np.arange(11) / 10, 0], atol=1e-15
    )


def test_an_adaptive_penalty_follows_the_relaxed_policy():
    """It rises by a factor above the target and falls by the same factor below, within bounds."""
    scheme = HidingScheme(penalty=adaptive_penalty(0.9, first=1.0, change=0.25, low=0.5, high=3.0))
    trace = ProgressiveHiding(trade(2), scheme, seed=1).run(60)
    above = trace.relaxed[:-1, 0] > 0.9
    assert above.any()
    assert not above.all()
    moved = trace.penalty_coefficient[:-1, 0] * np.where(above, 1.25, 0.8)
    np.testing.assert_allclose(trace.penalty_coefficient[1:, 0], np.clip(moved, 0.5, 3.0))


@pytest.mark.parametrize("make", [entropic_ftrl, hedge])
def test_the_first_policy_depends_on_the_noise_alone(make):
    """π ∝ exp(b), b normal with deviation σ, whatever the rate."""
    firsts = []
    for learning_rate in (0.1, 1.0, 5.0):
        hiding = ProgressiveHiding(
            trade(3), HidingScheme(learner=make(learning_rate, noise=0.7)), seed=4
        )
        hiding.run(1)
        firsts.append(hiding.relaxed_policy())
    np.testing.assert_allclose(firsts[1], firsts[0])
    np.testing.assert_allclose(firsts[2], firsts[0])
    first, last = trade(3).relaxed.first_entry[[0, -2]]
    assert last - first > 1000
    offers = np.log(firsts[0][trade(3).relaxed.first_entry[-100] :]).reshape(-1, 9)
    spread = (offers - offers.mean(axis=1, keepdims=True)).std() * np.sqrt(9 / 8)
    assert spread == pytest.approx(0.7, abs=0.05)


@pytest.mark.parametrize("make", [regret_matching, regret_matching_plus])
def test_regret_matching_starts_with_positive_regrets(make):
    hiding = ProgressiveHiding(trade(3), HidingScheme(learner=make(noise=0.2)), seed=4)
    regret = hiding.state()["regret"]
    assert regret.min() > 0
    assert np.sqrt((regret**2).mean()) == pytest.approx(0.2, abs=0.01)


def test_without_noise_the_first_policy_is_uniform():
    for learner in (
        entropic_ftrl(noise=0),
        hedge(noise=0),
        regret_matching(0),
        regret_matching_plus(0),
    ):
        hiding = ProgressiveHiding(trade(2), HidingScheme(learner=learner))
        hiding.run(1)
        uniform = trade(2).lift(trade(2).uniform_policy())
        np.testing.assert_allclose(hiding.relaxed_policy(), uniform)


def test_uniform_reach_is_mixed_in_for_learners_with_zero_probabilities():
    assert HidingScheme(learner=regret_matching()).reference.uniform == 0.01
    assert HidingScheme(learner=regret_matching(), mixing=0).reference.uniform == 0
    assert HidingScheme(learner=entropic_ftrl()).reference.uniform == 0
    assert HidingScheme(projector="uniform", mixing=0.3).reference.uniform == 1


def test_default_weights_for_one_and_several_learning_teams():
    assert HidingScheme().weights(1) == WEIGHTINGS["posterior"]
    assert HidingScheme().weights(2) == WEIGHTINGS["counterfactual"]
    assert HidingScheme(weighting="agent").weights(2) == WEIGHTINGS["agent"]


def test_settings_are_json_and_distinguish_schemes():
    schemes = [
        HidingScheme(),
        HidingScheme(penalty=0.5),
        HidingScheme(penalty=linear_penalty(0.3, 0.5, 5)),
        HidingScheme(projector="previous"),
        HidingScheme(weighting="agent"),
        HidingScheme(learner=hedge()),
        HidingScheme(visits="path"),
        HidingScheme(mixing=0.1),
        HidingScheme(future_penalties=False),
    ]
    texts = [json.dumps(ProgressiveHiding(pennies(), scheme).settings()) for scheme in schemes]
    assert len(set(texts)) == len(schemes)
    assert json.loads(texts[0])["learner"]["min_regret"] == -inf
    same = ProgressiveHiding(pennies(), HidingScheme(penalty=constant_penalty(0.3)))
    assert json.dumps(same.settings()) == texts[0]


def test_tiny_probabilities_are_not_subnormal():
    """Subnormal numbers are slow, so such probabilities are 0."""
    hiding = ProgressiveHiding(trade(3), HidingScheme(learner=entropic_ftrl(1e4)), seed=1)
    hiding.run(60)
    policy = hiding.relaxed_policy()
    assert (policy == 0).any()
    assert not ((policy > 0) & (policy < np.finfo(float).tiny)).any()
    sums = [own.sum() for own in by_cell(hiding.relaxed_form.relaxed, policy)]
    np.testing.assert_allclose(sums, 1, atol=1e-12)
