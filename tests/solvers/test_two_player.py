"""Errors for games that are not two-player constant-sum."""

from __future__ import annotations

import re

import pytest

import infoset
from infoset.errors import UnsupportedGameError


@pytest.mark.parametrize("method", ["cfr-br", "lp", "egt", "omd", "rtcfr+", "reg-cfr", "rnad"])
def test_refusals_name_the_alternatives(method):
    words = f"^{re.escape(method)} solves two-player .* use cfr\\+ or solve_coarse_correlated"
    with pytest.raises(UnsupportedGameError, match=f"{words}$"):
        infoset.solve("kuhn_poker(players=3)", method, iterations=1)
    with pytest.raises(UnsupportedGameError, match=f"{words}.*gambit_equilibria"):
        infoset.solve("matrix_bos", method, iterations=1)
