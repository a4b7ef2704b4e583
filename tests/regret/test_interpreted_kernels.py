"""The CFR kernels in plain Python give the same bits as the compiled ones."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product

import numpy as np

from infoset.regret import SCHEMES, RegretMinimizer
from infoset.tree import derive_public_form
from tests.support.cached_games import cached_tree

NAMES = ("cfr", "cfr+-simultaneous", "dcfr", "pcfr+", "apcfr+")

SCRIPT = """
import sys
import numba
import numpy as np
from infoset.games import load_game
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.tree import build_tree, derive_public_form

assert numba.config.DISABLE_JIT
kuhn, for_three = (build_tree(load_game(f"kuhn_poker(players={n})")) for n in (2, 3))
for form in (kuhn.sequence_form, for_three.sequence_form, derive_public_form(kuhn)):
    for name in sys.argv[1:]:
        minimizer = RegretMinimizer(form, SCHEMES[name])
        minimizer.run(20)
        print(np.concatenate(minimizer.average_plans()).tobytes().hex())
"""


def test_interpreted_kernels_give_the_same_bits_as_compiled_ones():
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT, *NAMES],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    kuhn, for_three = (cached_tree(spec) for spec in ("kuhn_poker", "kuhn_poker(players=3)"))
    forms = (kuhn.sequence_form, for_three.sequence_form, derive_public_form(kuhn))
    for (form, name), plans in zip(product(forms, NAMES), found, strict=True):
        minimizer = RegretMinimizer(form, SCHEMES[name])
        minimizer.run(20)
        assert np.concatenate(minimizer.average_plans()).tobytes().hex() == plans, (form, name)
