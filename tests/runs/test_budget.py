"""Limits of a solve."""

from __future__ import annotations

from functools import cache
from itertools import takewhile
from threading import Timer

import pytest

from infoset.errors import ParameterError
from infoset.evaluation import Evaluation
from infoset.forms import lock
from infoset.front import prepare_comparison
from infoset.games import load_game
from infoset.runs import Budget, make_budget, planned_measurements
from infoset.solvers import get_method
from infoset.tree import build_public_form, build_sequence_form, build_tree


@cache
def kuhn_form():
    return build_tree(load_game("kuhn_poker")).sequence_form


def test_a_budget_without_limits_depends_on_the_game_and_not_on_the_clock():
    for budget in (Budget(), Budget(callback=print), make_budget(kuhn_form())):
        assert budget.is_default
        assert budget.seconds is None
        assert budget.max_iterations(100) == 100_000
        assert budget.max_iterations(10**7) == 6_000
        assert budget.max_iterations(10**12) == 1
    for limited in (Budget(iterations=5), Budget(target=0.1), Budget(seconds=1)):
        assert not limited.is_default
        assert limited.max_iterations(10**12) == limited.iterations


def measured(nash_conv):
    return Evaluation((0.0, 0.0), (nash_conv, 0.0), nash_conv, None, None, 0.0)


def outcomes(error, target=1e-3, last=200_000, **options):
    budget = Budget(target=target, **options)
    iterations = takewhile(lambda number: number <= last, planned_measurements(1))
    return [budget.record(number, measured(error(number))) for number in iterations]


def test_runs_that_no_longer_improve_are_stalled():
    assert outcomes(lambda number: max(1 / number, 0.01))[-1] == "stalled"
    assert set(outcomes(lambda number: number**-0.25)) == {None}
    assert "stalled" not in outcomes(lambda number: number**-0.25 * (1 + number % 2))
    assert set(outcomes(lambda number: 1.0, last=9_000)) == {None}


def test_learners_do_not_stall_because_an_early_error_was_lucky():
    assert set(outcomes(lambda number: 0.01 if number == 5 else 0.02, can_stall=False)) == {None}
    form, (entry,) = prepare_comparison("kuhn_poker", ["es-mccfr"])
    budget = Budget(target=1e-3, iterations=10)
    entry.run(form, budget)
    assert not budget.can_stall
    assert set(outcomes(lambda number: 1.0, target=None)) == {None}


def test_percentages_are_of_the_payoff_range():
    made = make_budget(kuhn_form(), target="1%")
    assert (made.target, made.iterations, made.seconds) == (pytest.approx(0.04), None, None)
    assert make_budget(kuhn_form()).target == pytest.approx(0.004)
    river = build_public_form(load_game("nolimit_endgame(board=Ks9d8h4s2c,pot=50,ranges=QQ+)"))
    for form in (river, lock(river, {})):
        assert make_budget(form, target="0.4 %pot").target == pytest.approx(0.2)
    # 0.1% of the payoff range is 0.9% of the pot, and with a stack of 10, 0.14%.
    for form in (river, lock(river, {})):
        assert make_budget(form).target == pytest.approx(0.15)
    shallow = build_public_form(
        load_game("nolimit_endgame(board=Ks9d8h4s2c,pot=50,stack=10,ranges=QQ+)")
    )
    assert make_budget(shallow).target == pytest.approx(0.07)
    with pytest.raises(ParameterError, match="'1%pot' is a percentage of the pot, but kuhn_poker"):
        make_budget(kuhn_form(), target="1%pot")
    with pytest.raises(ParameterError, match=r"make_budget\(form, target='1%'\)"):
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
    assert get_method("lp").run(kuhn_form(), Budget(iterations=1)).outcome == "optimal"


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


def test_a_target_of_thousands_of_digits_is_refused():
    with pytest.raises(ParameterError, match=r"target=.* is not a number"):
        make_budget(kuhn_form(), target=10**5000)
