"""A local regret minimizer as a method of `solve`."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from numba import njit

from infoset import solve
from infoset.errors import CheckpointMismatchError, ParameterError
from infoset.solvers import LocalMethod


def hedge(row, values, policy, state):
    state[0] += values
    weights = np.exp(row[0] * (state[0] - state[0].max(axis=0)))
    policy[:] = weights / weights.sum(axis=0)


def test_it_is_solved_by_name_budget_and_trace_as_any_method():
    method = LocalMethod("mine", hedge, schedule=lambda t: 5 / np.sqrt(t))
    result = solve("kuhn_poker", method, target=0.02, iterations=2000)
    assert (result.method, result.outcome) == ("mine", "converged")
    assert result.exploitability <= 0.02 < result.trace[-2].exploitability
    assert result.values[0] == pytest.approx(-1 / 18, abs=0.02)


def test_the_average_weighs_by_the_exponent():
    plans = []

    def watch(row, values, policy, state):
        policy[0] = 1 / row[0]
        policy[1] = 1 - policy[0]

    for exponent in (0, 1):
        method = LocalMethod("watch", watch, average_exponent=exponent, alternating=False)
        plans.append(solve("matrix_pd", method, iterations=3).policy.probabilities[0][1])
    # Iteration 1 is uniform, 2 plays the first action with 1, 3 with 1/2.
    assert plans == pytest.approx([(1 / 2 + 1 + 1 / 2) / 3, (1 / 2 + 2 + 3 / 2) / 6])


def test_rules_that_do_not_leave_policies_are_refused():
    method = LocalMethod("careless", lambda row, values, policy, state: policy.fill(2))
    with pytest.raises(ParameterError, match="put into policy"):
        solve("kuhn_poker", method, iterations=1)


def test_a_run_of_ones_own_method_is_kept_and_gone_on_with(tmp_path):
    def run(method, iterations):
        return solve("kuhn_poker", method, iterations=iterations, checkpoint=tmp_path / "run")

    method = LocalMethod("mine", hedge, schedule=lambda t: 5 / np.sqrt(t))
    whole = solve("kuhn_poker", method, iterations=60)
    run(method, 25)
    resumed = run(method, 60)
    for made, expected in zip(
        resumed.policy.probabilities, whole.policy.probabilities, strict=True
    ):
        assert np.array_equal(made, expected)
    with pytest.raises(CheckpointMismatchError, match="rows"):
        run(LocalMethod("mine", hedge), 80)


def softly(softness):
    """Return a rule that closes over a helper, made anew."""

    def soft(values):
        return np.exp(softness * (values - values.max(axis=0)))

    def rule(row, values, policy, state):
        state[0] += values
        weights = soft(state[0])
        policy[:] = weights / weights.sum(axis=0)

    return rule


def late_change(iterations):
    return np.where(iterations < 40, 1.0, 2.0)


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (LocalMethod("mine", softly(3.0)), "rule"),
        (LocalMethod("mine", softly(2.0), schedule=late_change), "schedule"),
    ],
)
def test_a_run_is_known_by_what_its_rule_and_schedule_reach(tmp_path, other, what):
    run = partial(solve, "kuhn_poker", checkpoint=tmp_path / "run")
    run(LocalMethod("mine", softly(2.0)), iterations=5)
    assert run(LocalMethod("mine", softly(2.0)), iterations=10).iterations == 10
    with pytest.raises(CheckpointMismatchError, match=f"{what} "):
        run(other, iterations=20)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rule": 5}, "rule=5 is of type int, which cannot be called"),
        ({"rule": lambda values, policy: None}, r"takes \(values, policy\), and is called"),
        ({"rule": njit(lambda values, policy: None)}, r"takes \(values, policy\), and"),
        ({"rule": hedge, "schedule": 0.1}, "schedule=0.1 is of type float"),
        ({"rule": hedge, "num_arrays": 1.5}, "num_arrays=1.5 must be a whole number"),
    ],
)
def test_what_is_no_rule_is_refused(settings, message):
    with pytest.raises(ParameterError, match=message):
        solve("kuhn_poker", LocalMethod("x", **settings), iterations=1)
