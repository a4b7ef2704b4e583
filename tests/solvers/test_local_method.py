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


def test_a_custom_method_has_name_budget_and_trace():
    method = LocalMethod("mine", hedge, schedule=lambda t: 5 / np.sqrt(t))
    result = solve("kuhn_poker", method, target=0.02, iterations=2000)
    assert (result.method, result.outcome) == ("mine", "converged")
    assert result.exploitability <= 0.02 < result.trace[-2].exploitability
    assert result.values[0] == pytest.approx(-1 / 18, abs=0.02)


def test_the_average_has_the_weights_of_the_exponent():
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
    with pytest.raises(ParameterError, match="write into policy"):
        solve("kuhn_poker", method, iterations=1)


def falling_rate(iterations):
    return 5 / np.sqrt(iterations)


def late_change(iterations):
    return np.where(iterations < 40, 1.0, 2.0)


def softly(softness):
    """Return a rule that closes over a number."""

    def rule(row, values, policy, state):
        state[0] += values
        weights = np.exp(softness * (state[0] - state[0].max(axis=0)))
        policy[:] = weights / weights.sum(axis=0)

    return rule


def test_a_run_of_a_custom_method_is_saved_and_resumed(tmp_path):
    run = partial(solve, "kuhn_poker", checkpoint=tmp_path / "run")
    method = LocalMethod("mine", hedge, schedule=falling_rate)
    whole = solve("kuhn_poker", method, iterations=60)
    run(method, iterations=25)
    resumed = run(method, iterations=60)
    for made, expected in zip(
        resumed.policy.probabilities, whole.policy.probabilities, strict=True
    ):
        assert np.array_equal(made, expected)
    with pytest.raises(CheckpointMismatchError, match="rows"):
        run(LocalMethod("mine", hedge), iterations=80)
    with pytest.raises(
        CheckpointMismatchError, match="schedule falling_rate there and late_change"
    ):
        run(LocalMethod("mine", hedge, schedule=late_change), iterations=80)


@pytest.mark.parametrize(
    "method",
    [
        LocalMethod("mine", softly(2.0)),
        LocalMethod("mine", hedge, schedule=lambda t: 5 / np.sqrt(t)),
        LocalMethod("mine", partial(hedge)),
    ],
)
def test_functions_without_an_identifying_name_cannot_be_saved(tmp_path, method):
    path = tmp_path / "run"
    with pytest.raises(ParameterError, match=r"define it with def .* or set its attribute name"):
        solve("kuhn_poker", method, iterations=5, checkpoint=path)
    assert not path.exists()


def test_a_name_attribute_identifies_a_function(tmp_path):
    run = partial(solve, "kuhn_poker", checkpoint=tmp_path / "run")

    def named(softness):
        rule = softly(softness)
        rule.name = f"soft {softness}"
        return LocalMethod("mine", rule)

    run(named(2.0), iterations=5)
    assert run(named(2.0), iterations=10).iterations == 10
    with pytest.raises(CheckpointMismatchError, match=r"rule soft 2\.0 there and soft 3\.0 here"):
        run(named(3.0), iterations=20)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rule": 5}, "rule=5 is of type int, which is not callable"),
        ({"rule": lambda values, policy: None}, r"takes \(values, policy\), but is called"),
        ({"rule": njit(lambda values, policy: None)}, r"takes \(values, policy\), but"),
        ({"rule": hedge, "schedule": 0.1}, "schedule=0.1 is of type float"),
        ({"rule": hedge, "num_arrays": 1.5}, "num_arrays=1.5 must be a whole number"),
    ],
)
def test_invalid_rules_are_refused(settings, message):
    with pytest.raises(ParameterError, match=message):
        solve("kuhn_poker", LocalMethod("x", **settings), iterations=1)
