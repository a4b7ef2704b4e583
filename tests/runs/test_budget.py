"""Limits of a solve."""

from __future__ import annotations

from threading import Timer

import pytest

from infoset.errors import ParameterError
from infoset.games import load_game
from infoset.runs import Budget, make_budget
from infoset.solvers import get_method
from infoset.tree import build_sequence_form, build_tree

KUHN = build_tree(load_game("kuhn_poker")).sequence_form


def test_a_budget_without_limits_ends_after_a_minute():
    assert Budget().seconds == Budget(callback=print).seconds == 60
    assert Budget(iterations=5).seconds is None
    assert Budget(target=0.1).seconds is None


def test_percentages_are_of_the_payoff_range():
    made = make_budget(KUHN, target="1%")
    assert (made.target, made.iterations, made.seconds) == (pytest.approx(0.04), None, None)
    assert make_budget(KUHN).target == pytest.approx(0.004)
    with pytest.raises(ParameterError, match=r"make_budget\(sequence_form, target='1%'\)"):
        Budget(target="1%")


@pytest.mark.parametrize(
    "wrong",
    [
        {"target": -0.1},
        {"target": float("nan")},
        {"iterations": 0},
        {"iterations": 5.0},
        {"seconds": float("inf")},
        {"seconds": "60"},
        {"callback": "print"},
    ],
)
def test_invalid_limits_are_refused(wrong):
    (name,) = wrong
    with pytest.raises(ParameterError, match=f"{name}="):
        Budget(**wrong)


def test_an_exact_method_is_not_limited_by_iterations():
    assert get_method("lp").run(KUHN, Budget(iterations=1)).outcome == "optimal"


def test_another_thread_ends_a_run():
    form = build_sequence_form(load_game("leduc_poker"))
    budget = Budget(iterations=10**9)
    timer = Timer(0.2, budget.interrupt.set)
    timer.start()
    result = get_method("cfr+").run(form, budget)
    timer.join()
    assert result.outcome == "interrupted"
    assert 0 < result.iterations < 10**9
    assert result.trace[-1].iteration == result.iterations
