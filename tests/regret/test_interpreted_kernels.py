"""The CFR kernels in plain Python give the same bits as the compiled ones."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from infoset.games import load_game
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.tree import build_tree

NAMES = ("cfr", "cfr+-simultaneous", "dcfr", "pcfr+", "apcfr+")

SCRIPT = """
import sys
import numba
import numpy as np
from infoset.games import load_game
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.tree import build_tree

assert numba.config.DISABLE_JIT
form = build_tree(load_game(sys.argv[1])).sequence_form
for name in sys.argv[2:]:
    minimizer = RegretMinimizer(form, SCHEMES[name])
    minimizer.run(20)
    print(np.concatenate(minimizer.average_plans()).tobytes().hex())
"""


@pytest.mark.parametrize("spec", ["kuhn_poker", "kuhn_poker(players=3)"])
def test_interpreted_kernels_give_the_same_bits_as_compiled_ones(spec):
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT, spec, *NAMES],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    form = build_tree(load_game(spec)).sequence_form
    for name, plans in zip(NAMES, found, strict=True):
        minimizer = RegretMinimizer(form, SCHEMES[name])
        minimizer.run(20)
        assert np.concatenate(minimizer.average_plans()).tobytes().hex() == plans, name
