"""CCE evaluation of joint play, against sums over its policies."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.errors import ParameterError, PolicyMismatchError
from infoset.evaluation import CCEEvaluator, evaluate_cce, evaluate_policy, expected_values
from infoset.games import load_game, matrix_game
from infoset.policy import TabularPolicy, mix, random_policy, uniform_policy
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games


def pure_behaviors(plex):
    """Yield all pure policies."""
    for choice in product(*map(range, plex.num_actions.tolist())):
        pure = np.zeros(plex.num_sequences)
        pure[0] = 1
        pure[plex.first_sequence + np.array(choice, dtype=np.int32)] = 1
        yield pure


@settings(max_examples=15, deadline=None)
@given(random_games(max_histories=60, max_depth=3), st.integers(0, 2**32))
def test_gains_are_those_of_the_best_of_all_pure_deviations(game, seed):
    form = build_tree(game).sequence_form
    rng = np.random.default_rng(seed)
    policies = [random_policy(form, rng) for _ in range(3)]
    weights = rng.uniform(0, 2, 3)
    joint = evaluate_cce(policies, weights)
    values = np.average([expected_values(p) for p in policies], axis=0, weights=weights)
    assert joint.values == pytest.approx(values, abs=1e-12)
    for player, plex in enumerate(form.treeplexes):
        if np.prod(plex.num_actions.astype(float)) > 32:
            continue
        paid = [
            np.average(
                [expected_values(replaced(p, player, pure))[player] for p in policies],
                weights=weights,
            )
            for pure in pure_behaviors(plex)
        ]
        assert joint.gains[player] == pytest.approx(max(paid) - values[player], abs=1e-11)
    assert joint.cce_gap == max(0, *joint.gains)


def replaced(policy, player, behavior):
    chosen = [*policy.probabilities]
    chosen[player] = behavior
    return TabularPolicy(policy.form, tuple(chosen))


@pytest.mark.parametrize("spec", ["kuhn_poker", "kuhn_poker(players=3)"])
def test_one_policy_alone_is_measured_as_ever(spec):
    policy = random_policy(build_tree(load_game(spec)).sequence_form, np.random.default_rng(1))
    joint, alone = evaluate_cce([policy]), evaluate_policy(policy)
    assert joint.values == pytest.approx(alone.values, abs=1e-14)
    assert joint.gains == pytest.approx(alone.gains, abs=1e-14)


def test_in_two_player_zero_sum_games_marginals_lose_no_more_than_joint_play():
    """In these games the gains of joint play sum to the NashConv of its marginals."""
    form = cached_tree("kuhn_poker").sequence_form
    policies = [random_policy(form, np.random.default_rng(seed)) for seed in range(4)]
    weights = [1.0, 2.0, 0.0, 5.0]
    joint, marginal = evaluate_cce(policies, weights), mix(policies, weights)
    assert sum(joint.gains) == pytest.approx(evaluate_policy(marginal).nash_conv, abs=1e-12)


def test_marginals_and_discounts():
    form = cached_tree("kuhn_poker").sequence_form
    policies = [random_policy(form, np.random.default_rng(seed)) for seed in range(3)]
    play = CCEEvaluator(form)
    for policy in policies:
        play.add(policy.realization_plans(), weight=2.0, discount=0.5)
    same = evaluate_cce(policies, [1, 2, 4])
    assert play.evaluate().gains == pytest.approx(same.gains, abs=1e-14)
    wanted = mix(policies, [1, 2, 4])
    for own, other in zip(play.marginal_policy().probabilities, wanted.probabilities, strict=True):
        assert np.allclose(own, other, atol=1e-14)


def test_a_traffic_light_beats_what_one_may_do_alone():
    form = build_tree(matrix_game([[-9, 1], [0, 0]], [[-9, 0], [1, 0]])).sequence_form
    go, stop = np.array([1.0, 1, 0]), np.array([1.0, 0, 1])
    light = [TabularPolicy(form, (go, stop)), TabularPolicy(form, (stop, go))]
    joint = evaluate_cce(light)
    # A player who always goes crashes half of the time: (1 − 9) / 2. One who always stops gets 0,
    # which is a half less than before.
    assert joint.values == (0.5, 0.5)
    assert joint.gains == (-0.5, -0.5)
    assert evaluate_cce(light, [1, 0]).gains == (0.0, 0.0)
    crash = [TabularPolicy(form, (go, go))]
    assert evaluate_cce(crash).cce_gap == 9


def test_invalid_arguments():
    form = cached_tree("kuhn_poker").sequence_form
    other = build_tree(load_game("matrix_rps")).sequence_form
    policy = uniform_policy(form)
    with pytest.raises(ParameterError, match="got 1 policies and weights"):
        evaluate_cce([policy], [1, 2])
    with pytest.raises(ParameterError, match="nonnegative"):
        evaluate_cce([policy], [-1])
    with pytest.raises(ParameterError, match="at least one"):
        evaluate_cce([])
    with pytest.raises(ParameterError, match="positive weight"):
        evaluate_cce([policy], [0])
    with pytest.raises(ParameterError, match="mixture is empty"):
        CCEEvaluator(form).marginal_policy()
    with pytest.raises(PolicyMismatchError, match="for the same game"):
        evaluate_cce([policy, uniform_policy(other)])
