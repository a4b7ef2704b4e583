"""Every method on public forms of whole games: the run of the sequence form, progress on a river.

`test_every_method.py` runs them on small forms of every kind, in plain Python.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import infoset
from infoset.evaluation import evaluate_policy
from infoset.game import PublicRulesGame
from infoset.policy import transfer_policy, uniform_policy
from infoset.runs import Budget
from infoset.solvers import (
    FIRST_ORDER,
    METHODS,
    run_method,
    runs_on,
)
from infoset.tree import build_public_form, build_tree, derive_public_form
from tests.support.cached_games import cached_tree, cached_tree_without_ties
from tests.support.suited_rules import SuitedPoker

pytestmark = pytest.mark.long

ON_PUBLIC = [name for name in METHODS if runs_on(METHODS[name], "public")]

TIES = {
    "kuhn_poker": {"pdcfr+", "hs-pdcfr+", "xfp", "cfr-br"},
    "leduc_poker": {"cfr-br", "rtcfr+"},
}
"""Methods that meet a tie within 20 iterations, which rounding breaks differently on each form."""

RIVER = (
    "nolimit_endgame(board=Ks9d8h4s2c,bets=[1],max_raises=1,ranges=['QQ,AKs:0.5';'JJ,AhKd,T9s'])"
)

SLOW = {"mmd": 0.25}
"""Fractions of the NashConv of uniform play that take more than 200 iterations to fall below 0.1.

The limit of mmd is a quantal response equilibrium.
"""


@cache
def forms(spec, has_ties):
    tree = cached_tree(spec) if has_ties else cached_tree_without_ties(spec)
    return tree.sequence_form, derive_public_form(tree)


def difference(name, form, public):
    """Return how far the answers of a method on two forms of a game are apart."""
    answers = [run_method(METHODS[name], one, Budget(iterations=20)) for one in (form, public)]
    expected, found = (transfer_policy(answer.policy, form) for answer in answers)
    assert answers[0].nash_conv > 0
    pairs = zip(expected.probabilities, found.probabilities, strict=True)
    return max(float(np.abs(a - b).max()) for a, b in pairs)


@pytest.mark.parametrize("name", ON_PUBLIC)
@pytest.mark.parametrize("spec", TIES)
def test_every_method_equals_its_run_on_the_sequence_form(spec, name):
    if name not in TIES[spec]:
        assert difference(name, *forms(spec, True)) < 1e-9
    assert difference(name, *forms(spec, False)) < 1e-9


@pytest.mark.parametrize("name", [*FIRST_ORDER, "reg-cfr", "rnad"])
def test_regularizers_count_merged_infostates_as_often_as_they_occur(name):
    rules = PublicRulesGame(SuitedPoker(num_ranks=2, board=("1a",), num_deals=1), "suited")
    public = build_public_form(rules)
    assert max(counts.max() for counts in public.multiplicities) > 1
    assert difference(name, build_tree(rules).sequence_form, public) < 1e-9


@pytest.mark.parametrize("name", ON_PUBLIC)
def test_every_method_makes_progress_on_a_river(name):
    form = build_public_form(infoset.load(RIVER))
    uniform = evaluate_policy(uniform_policy(form))
    result = run_method(METHODS[name], form, Budget(iterations=200))
    assert result.nash_conv < SLOW.get(name, 0.1) * uniform.nash_conv
