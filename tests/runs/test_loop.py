"""The loop around iterative methods reports floating-point breakdowns."""

from __future__ import annotations

import numpy as np
import pytest

from infoset import solve
from infoset.errors import NumericalError
from infoset.games import matrix_game
from infoset.solvers import RegCFR, RNaD

FRACTIONS = np.array([[2.0, -1.0], [-1.0, 1.0]])
"""The equilibrium plays (0.4, 0.6): uniform policies are none."""


@pytest.mark.parametrize("method", ["cfr", "cfr+", "pcfr+", "apcfr+", "cfr-br"])
def test_payoffs_whose_inverse_overflows_are_solved(method):
    found = solve(matrix_game(1e-310 * FRACTIONS), method, iterations=50)
    expected = solve(matrix_game(FRACTIONS), method, iterations=50)
    assert found.exploitability / 1e-310 < 1.01 * expected.exploitability + 1e-3


@pytest.mark.parametrize("method", ["cfr", "cfr+", "pcfr+"])
def test_payoffs_whose_sums_overflow_raise(method):
    game = matrix_game(8e307 * FRACTIONS)
    advice = r"the payoffs of matrix\S* go from -1.6e\+308 to 1.6e\+308: scale them to .* about 1$"
    with pytest.raises(NumericalError, match=advice):
        solve(game, method, iterations=50)


@pytest.mark.parametrize("scale", [1e-290, 1e290])
def test_units_within_range_change_nothing(scale):
    result = solve(matrix_game(scale * FRACTIONS), "pcfr+", iterations=100)
    assert result.exploitability < 1e-3 * scale


def test_minimum_probabilities_that_sum_to_one_start_uniform():
    result = solve("kuhn_poker", RegCFR(min_probability=0.5), iterations=3000)
    assert result.trace[0].exploitability == pytest.approx(11 / 24)
    assert result.exploitability < 1e-4


def test_the_advice_depends_on_the_cause():
    with pytest.raises(NumericalError, match=r"for float64: give rnad less extreme parameters$"):
        solve("kuhn_poker", RNaD(step_size=1e308), iterations=60)
    with pytest.raises(NumericalError, match=r"for float32: use precision='float64'$"):
        solve(matrix_game(1e38 * FRACTIONS), "cfr", iterations=50, precision="float32")


def test_gains_whose_sum_overflows_raise():
    game = matrix_game([[1.7e308, -1.7e308], [-1.7e308, 1.6e308]])
    with pytest.raises(
        NumericalError, match=r"cfr broke down at or before iteration \d+: NashConv is inf"
    ):
        solve(game, "cfr", iterations=50)
