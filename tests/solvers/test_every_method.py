"""Every method on every form: the same answers on the sequence form and the public form of a game.

The small games run in plain Python, in one process, which saves the time to compile all methods for
all forms.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import infoset
from infoset.errors import UnsupportedGameError
from infoset.forms import GADGET_KINDS
from infoset.solvers import FIRST_ORDER, METHODS, runs_on
from infoset.tree import derive_public_form
from tests.support.cached_games import cached_tree

ROOT = Path(__file__).parents[2]
ON_PUBLIC = [name for name in METHODS if name != "auto" and runs_on(METHODS[name], "public")]
CONSTANT_SUM_ONLY = {"cfr-br", "rtcfr+", "reg-cfr", "rnad", "egt", *FIRST_ORDER}
ANY_SUM = ("cut", *GADGET_KINDS)
"""Forms whose payoffs have no constant sum."""
FORMS = ("whole", "locked", "constant-sum", *ANY_SUM)


@cache
def differences():
    """Return how far the answers of each method on the two forms of a pair are apart."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.solvers.every_method_program"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    return json.loads(done.stdout)


def test_all_but_linear_programs_run_on_public_forms():
    assert {*METHODS} - {*ON_PUBLIC, "auto"} == {"lp", "lp-ipm", "lp-refined"}
    public = derive_public_form(cached_tree("kuhn_poker"))
    for name in ("lp", "lp-ipm", "lp-refined"):
        with pytest.raises(UnsupportedGameError, match=f"{name} needs the matrix of payoffs"):
            infoset.solve(public, name)


def test_all_pairs_of_forms_are_there():
    assert set(differences()) == set(FORMS)


@pytest.mark.parametrize("name", ON_PUBLIC)
@pytest.mark.parametrize("form", FORMS)
def test_a_method_gives_the_same_answer_on_both_forms(form, name):
    apart = differences()[form][name]
    if apart == "UnsupportedGameError":
        assert form in ANY_SUM
        assert name in CONSTANT_SUM_ONLY
    else:
        assert apart < 1e-9
