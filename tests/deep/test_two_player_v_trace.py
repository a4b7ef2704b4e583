from math import inf

import jax
import numpy as np
import pytest

from infoset.deep.two_player_v_trace import Decisions
from infoset.deep.two_player_v_trace import v_trace as eager_v_trace

pytestmark = pytest.mark.networks

v_trace = jax.jit(eager_v_trace)


def decisions(player, reward, value=0.0, regularization=0.0, ratio=1.0, valid=None):
    """Return the decisions of one episode."""
    shape = (len(player), 1)

    def column(values, kind=np.float32):
        return np.broadcast_to(np.asarray(values, kind).reshape(-1, 1), shape)

    valid = [True] * len(player) if valid is None else valid
    return Decisions(
        column(player, np.int32),
        column(valid, bool),
        column(reward),
        column(value),
        column(regularization),
        column(ratio),
    )


def test_on_policy_without_values_targets_are_returns():
    targets = v_trace(decisions([0, 1, 0, 1], [0, 0, 0, 3.0]), c_bar=1, rho_bar=1)
    assert targets.value[:, 0].tolist() == [3, -3, 3, -3]
    assert targets.gain[:, 0].tolist() == [3, -3, 3, -3]


def test_values_cancel_on_policy_and_only_the_gain_subtracts_them():
    targets = v_trace(decisions([0, 0, 1, 0], [0, 0, 0, 2.0], value=[5.0, -1.0, 4.0, 7.0]))
    np.testing.assert_allclose(targets.value[:, 0], [2, 2, -2, 2], atol=1e-6)
    np.testing.assert_allclose(targets.gain[:, 0], [-3, 3, -6, -5], atol=1e-6)


def test_padding_is_ignored_and_resets_what_is_later():
    short = v_trace(decisions([1, 0], [0, 1.0], [0.5, 0.25]))
    padded = v_trace(
        decisions(
            [1, 0, 0, 1], [0, 1.0, 9, 9], [0.5, 0.25, 9, 9], [0, 0, 9, 9],
            valid=[True, True, False, False],
        )
    )  # fmt: skip
    np.testing.assert_array_equal(padded.value[:2], short.value)
    np.testing.assert_array_equal(padded.gain[:2], short.gain)
    assert padded.value[2:].tolist() == padded.gain[2:].tolist() == [[0], [0]]


def test_regularization_of_the_opponent_counts_with_the_opposite_sign():
    targets = v_trace(decisions([0, 1, 0], [0, 0, 0], regularization=[0.1, 0.02, 0.5]))
    # Own decisions add their expected cost to the target; the gain excludes that of its own step.
    np.testing.assert_allclose(targets.value[:, 0], [0.1 - 0.02 + 0.5, 0.02 - 0.5, 0.5], rtol=1e-6)
    np.testing.assert_allclose(targets.gain[:, 0], [-0.02 + 0.5, -0.5, 0], atol=1e-6)


def slow_v_trace(d, c_bar, rho_bar):
    """Return the values of the targets by the recursion as published, one player at a time."""
    player, valid, reward, value, cost, ratio = (np.asarray(x)[:, 0].tolist() for x in d)
    found_value, found_gain = [0.0] * len(player), [0.0] * len(player)
    for i in (0, 1):
        rho_r, rho_u, next_v, next_target, xi = 0.0, 0.0, 0.0, 0.0, 1.0
        for t in reversed(range(len(player))):
            r = reward[t] if i == 0 else -reward[t]
            if not valid[t]:
                rho_r, rho_u, next_v, next_target, xi = 0.0, 0.0, 0.0, 0.0, 1.0
            elif player[t] == i:
                g_u, g = r + rho_u + cost[t], r + rho_r
                rho, c = min(rho_bar, ratio[t] * xi), min(c_bar, ratio[t] * xi)
                target = value[t] + rho * (g_u + next_v - value[t]) + c * (next_target - next_v)
                found_value[t], found_gain[t] = target, g + xi * next_target - value[t]
                rho_r, rho_u, next_v, next_target, xi = 0.0, 0.0, value[t], target, 1.0
            else:
                rho_r, rho_u = -cost[t] + ratio[t] * (r + rho_r), r + rho_u - cost[t]
                xi *= ratio[t]
    return found_value, found_gain


def test_off_policy_targets_equal_the_published_recursion():
    rng = np.random.default_rng(0)
    for c_bar, rho_bar in ((1.0, inf), (0.8, 1.0)):
        d = decisions(
            [0, 1, 1, 0, 1, 0, 0], rng.normal(size=7), rng.normal(size=7), rng.normal(size=7),
            rng.uniform(0.3, 2, size=7), valid=[True] * 6 + [False],
        )  # fmt: skip
        targets = v_trace(d, c_bar, rho_bar)
        value, gain = slow_v_trace(d, c_bar, rho_bar)
        np.testing.assert_allclose(targets.value[:, 0], value, rtol=2e-5, atol=1e-5)
        np.testing.assert_allclose(targets.gain[:, 0], gain, rtol=2e-5, atol=1e-5)
