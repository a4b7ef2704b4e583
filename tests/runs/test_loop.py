"""The loop around iterative methods reports floating-point breakdowns."""

from __future__ import annotations

import numpy as np
import pytest

from infoset import solve
from infoset.errors import NumericalError
from infoset.games import matrix_game
from infoset.solvers import RegCFR

FRACTIONS = np.array([[2.0, -1.0], [-1.0, 1.0]])
"""The equilibrium plays (0.4, 0.6): uniform policies are none."""


@pytest.mark.parametrize("method", ["cfr", "cfr+", "pcfr+", "apcfr+", "cfr-br"])
def test_payoffs_whose_inverse_overflows_raise(method):
    game = matrix_game(1e-310 * FRACTIONS)
    with pytest.raises(NumericalError, match=r"iteration [12]:.*payoffs of matrix"):
        solve(game, method, iterations=50)


@pytest.mark.parametrize("method", ["cfr", "cfr+", "pcfr+"])
def test_payoffs_whose_sums_overflow_raise(method):
    game = matrix_game(8e307 * FRACTIONS)
    with pytest.raises(NumericalError, match="too large or too small for floating point"):
        solve(game, method, iterations=50)


@pytest.mark.parametrize("scale", [1e-290, 1e290])
def test_units_within_range_change_nothing(scale):
    result = solve(matrix_game(scale * FRACTIONS), "pcfr+", iterations=100)
    assert result.exploitability < 1e-3 * scale


def test_minimum_probabilities_that_sum_to_one_start_uniform():
    result = solve("kuhn_poker", RegCFR(min_probability=0.5), iterations=3000)
    assert result.trace[0].exploitability == pytest.approx(11 / 24)
    assert result.exploitability < 1e-4


def test_gains_whose_sum_overflows_raise():
    game = matrix_game([[1.7e308, -1.7e308], [-1.7e308, 1.6e308]])
    with pytest.raises(
        NumericalError, match=r"cfr broke down at or before iteration \d+: NashConv is inf"
    ):
        solve(game, "cfr", iterations=50)
