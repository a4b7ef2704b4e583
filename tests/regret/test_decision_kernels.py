"""Policies from regrets whose sums are subnormal: quotients, without an inverse that overflows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from infoset.forms._treeplex_kernels import normalize_behavior, normalize_weights
from infoset.regret._cfr_kernels import update_regrets
from infoset.regret._decision_kernels import match_regrets
from infoset.regret._local_kernels import apply_scheme
from infoset.utils.compilation import kernel

SMALLEST = {"float32": 2.0**-149, "float64": 2.0**-1074}
"""The smallest positive number of each precision."""

ROUNDING = {"float32": 2.0**-22, "float64": 2.0**-51}
"""Relative rounding of an inverse and a product."""

CFR_PLUS = np.array([1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0])
"""The row of a schedule: regrets are summed without discounts and have the floor 0."""

REGRETS = np.array([[0, 1], [3, 1], [0, 0], [-2, 5], [0, 2**23], [2**20, 2**24], [7, 0]])
"""[I, 2] regrets at infostates with two actions, as multiples of the smallest number."""


def expected():
    """Return [I, 2] the policies by regret matching, from exact quotients."""
    rows = []
    for row in np.maximum(REGRETS, 0).tolist():
        total = sum(row)
        rows.append([float(Fraction(part, total)) if total else 0.5 for part in row])
    return np.array(rows)


def by_update_regrets(unit, number):
    """Return [I, 2] the next policies of infostates at the root, after a gradient of 0."""
    count = len(REGRETS)
    regret = np.append(0.0, (REGRETS * unit).T.ravel()).astype(number)
    policy = np.append(1.0, np.full(2 * count, 0.5)).astype(number)
    update_regrets(
        np.array([[1, count, 2, 0, count]], np.uint32),
        np.zeros(count, np.uint32),
        CFR_PLUS,
        -1.0,
        np.zeros(1 + 2 * count, number),
        regret,
        policy,
        np.zeros(count, number),
        np.zeros(0, number),
        np.zeros((2, 0), number),
    )
    return policy[1:].reshape(2, count).T


@kernel
def match_all(regret, policy):
    for first in range(0, len(regret), 2):
        match_regrets(first, first + 2, regret, policy)


def by_match_regrets(unit):
    policy = np.zeros(REGRETS.size)
    match_all(REGRETS.ravel() * unit, policy)
    return policy.reshape(REGRETS.shape)


def by_apply_scheme(unit):
    policy = np.full(REGRETS.shape[::-1], 0.5)
    state = np.stack([(REGRETS * unit).T, np.zeros(REGRETS.shape[::-1])])
    apply_scheme(np.append(CFR_PLUS, -1.0), np.zeros_like(policy), policy, state)
    return policy.T


@pytest.mark.parametrize("number", SMALLEST)
@pytest.mark.parametrize("power", [0, 1, 40, 80])
def test_regret_matching_in_lanes(number, power):
    found = by_update_regrets(SMALLEST[number] * 2.0**power, number)
    assert np.isfinite(found).all()
    assert found == pytest.approx(expected(), rel=ROUNDING[number])
    assert found.sum(axis=1) == pytest.approx(1, abs=ROUNDING[number])


@pytest.mark.parametrize("regret_matching", [by_match_regrets, by_apply_scheme])
@pytest.mark.parametrize("power", [0, 40])
def test_regret_matching_of_one_infostate(regret_matching, power):
    found = regret_matching(2.0 ** (power - 1074))
    assert found == pytest.approx(expected(), rel=ROUNDING["float64"])


@pytest.mark.parametrize("number", SMALLEST)
def test_weights_of_average_plans(number):
    count = len(REGRETS)
    weights = (np.maximum(REGRETS, 0) * SMALLEST[number]).astype(number)
    by_position = np.append(1.0, weights.T.ravel()).astype(number)
    normalize_weights(np.array([[1, count, 2, 0, count]], np.uint32), by_position)
    found = by_position[1:].reshape(2, count).T
    assert found == pytest.approx(expected(), rel=ROUNDING[number])
    first = np.arange(1, 2 * count, 2, dtype=np.int32)
    whole = np.append(1.0, weights.ravel()).astype(np.float64)
    behavior = normalize_behavior(first, np.full(count, 2, np.int32), whole)
    assert behavior[1:].reshape(count, 2) == pytest.approx(expected(), rel=ROUNDING["float64"])
