"""What solvers of two-player games share: their errors, and resuming from a state."""

from __future__ import annotations

import re

import numpy as np
import pytest

import infoset
from infoset.errors import UnsupportedGameError
from infoset.solvers.reg_cfr import RegCFR, RegCFRSolver
from infoset.solvers.rnad import RNaD, RNaDSolver
from tests.support.cached_games import cached_tree


@pytest.mark.parametrize("method", ["cfr-br", "lp", "egt", "omd", "rtcfr+", "reg-cfr", "rnad"])
def test_refusals_name_the_alternatives(method):
    hint = r"use cfr\+ or, in Python, solve_coarse_correlated"
    words = rf"^{re.escape(method)} solves two-player .* {hint}"
    with pytest.raises(UnsupportedGameError, match=f"{words}$"):
        infoset.solve("kuhn_poker(players=3)", method, iterations=1)
    with pytest.raises(UnsupportedGameError, match=f"{words}.*gambit_equilibria"):
        infoset.solve("matrix_bos", method, iterations=1)


@pytest.mark.parametrize(("make", "spec"), [(RNaDSolver, RNaD), (RegCFRSolver, RegCFR)])
def test_a_run_resumes_from_its_state_with_the_same_bits(make, spec):
    form = cached_tree("kuhn_poker").sequence_form
    first, second = (make(form, spec(period=10)) for _ in range(2))
    first.run(17)
    second.set_state(first.state())
    assert second.iteration == 17
    assert second.settings()["period"] == 10
    for solver in (first, second):
        solver.run(20)
    for found, expected in zip(
        second.policy().probabilities, first.policy().probabilities, strict=True
    ):
        assert np.array_equal(found, expected)
