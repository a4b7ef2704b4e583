"""When runs are measured: shares of the work, intervals, and targets that are passed."""

from __future__ import annotations

from itertools import islice, pairwise, takewhile

import numpy as np
import pytest

from infoset.evaluation import Evaluation, evaluate_policy
from infoset.games import NoLimitEndgame, load_game
from infoset.regret import SCHEMES
from infoset.runs import (
    EARLY_MEASUREMENTS,
    Budget,
    gradient_cost,
    measurement_cost,
    planned_measurements,
    run_measured,
)
from infoset.runs.loop import GROWTH, START_COST, TARGET_GROWTH
from infoset.solvers.regret_family import RegretSolver
from infoset.tree import build_public_form, build_sequence_form

COSTS = [
    (150, 100_000),
    (20_000, 200_000),
    (500_000, 3_000_000),
    (700_000, 5_000_000),
    (40, 60_000_000),
    (10_000_000, 40_000_000),
    (50_000_000, 99_000_000),
    (190_000_000, 380_000_000),
    (2_000_000_000, 4_000_000_000),
    (100, 10**10),
]
"""Costs of an iteration and of a measurement, from the smallest games to the largest."""


def plan(cost, measuring, last, growth=TARGET_GROWTH):
    planned = planned_measurements(cost, measuring, min_growth=growth)
    return [*takewhile(lambda at: at <= last, planned)]


def lasts(cost, measuring):
    """Ends of runs: around measurements, and far from all of them."""
    found = [*islice(planned_measurements(cost, measuring, min_growth=TARGET_GROWTH), 200)]
    return sorted({*found, *(at - 1 for at in found if at > 1), 100, 1000, 30_000})


@pytest.mark.parametrize(("cost", "measuring"), COSTS)
def test_measurements_cost_a_twentieth_of_the_work_after_the_start(cost, measuring):
    for last in lasts(cost, measuring):
        count = len({*plan(cost, measuring, last), last})
        # A run has at least one measurement, however short it is.
        assert count * measuring <= max(measuring, last * cost / 20 + START_COST)


@pytest.mark.parametrize(("cost", "measuring"), [case for case in COSTS if case[1] > START_COST])
def test_large_games_have_no_early_measurements(cost, measuring):
    first = next(planned_measurements(cost, measuring))
    assert first * cost >= 40 * measuring
    for last in lasts(cost, measuring):
        count = len({*plan(cost, measuring, last), last})
        assert count == 1 or count * measuring <= last * cost / 20


@pytest.mark.parametrize(("cost", "measuring"), COSTS)
def test_a_target_is_passed_by_a_twentieth_or_the_cost_of_twenty_measurements(cost, measuring):
    pause = max(1, 20 * measuring / cost + 1)
    every = planned_measurements(cost, measuring, min_growth=TARGET_GROWTH)
    planned = [0, *islice(every, 1000)]
    for before, at in pairwise(planned[1:]):
        assert at - before <= max(pause, before / 20)
    assert planned[1] <= 2 * pause


@pytest.mark.parametrize(("cost", "measuring"), [(190_000_000, 380_000_000), (100, 10**10)])
def test_warm_starts_are_measured_early(cost, measuring):
    """After the first iteration, whose answer is the start, and before the plan of other runs."""
    pause = 20 * measuring // cost
    every = planned_measurements(
        cost, measuring, min_growth=TARGET_GROWTH, min_early=EARLY_MEASUREMENTS
    )
    first = [*islice(every, EARLY_MEASUREMENTS)]
    assert first[0] == 1
    assert sum(at < pause for at in first) < EARLY_MEASUREMENTS
    later = [*islice(every, 5)]
    assert all(after - before >= pause for before, after in pairwise(later))
    if pause == 40:
        assert first == [1, 2, 5, 13, 33, 73]


def test_early_measurements_are_spaced_logarithmically():
    assert plan(150, 100_000, 60) == [*range(1, 41), *range(42, 61, 2)]
    assert plan(10_000_000, 40_000_000, 300) == [1, 4, 16, 67, 147, 227]
    assert plan(190_000_000, 380_000_000, 200) == [80, 120, 160, 200]
    late = plan(150, 100_000, 10**6)[-3:]
    assert [after / before for before, after in pairwise(late)] == pytest.approx([1.05] * 2, 1e-4)


def test_free_measurements_are_limited_by_growth_and_by_the_cost_between_them():
    assert plan(1, 0, 50) == plan(150, 100_000, 50)
    at = plan(30_000_000, 0, 5000)
    assert np.diff(at).max() == 100
    limited = [*islice(planned_measurements(10, max_cost_between=70), 300)]
    assert np.diff(limited).max() == 7


def small_endgame():
    return build_public_form(
        NoLimitEndgame("Ks9d8h4s2c", ranges=["AA,72o", "KK"], bets=[1], max_raises=1)
    )


SOLVERS = {
    "sequence form": (RegretSolver, lambda: build_sequence_form(load_game("leduc_poker"))),
    "public form": (RegretSolver, small_endgame),
}


@pytest.fixture(params=SOLVERS)
def solver(request):
    make, form = SOLVERS[request.param]
    return make(form(), SCHEMES["cfr+"])


def test_a_run_is_measured_as_planned_and_once_at_the_end(solver, monkeypatch):
    form, seen = solver.form, []

    def measure(policy):
        seen.append(solver.iteration)
        return evaluate_policy(policy)

    result = run_measured(solver, "cfr+", Budget(iterations=103), measure)
    wanted = plan(gradient_cost(form), measurement_cost(form), 102, GROWTH)
    assert seen == [point.iteration for point in result.trace] == [*wanted, 103]
    assert result.nash_conv == result.trace[-1].nash_conv


def test_costly_measurements_are_rare(solver):
    """The plan of a game whose measurements cost as much as 2 iterations of a large game."""
    extra = 2 * 10**8
    cost = gradient_cost(solver.form)
    pause = 20 * (measurement_cost(solver.form) + extra) / cost
    result = run_measured(solver, "cfr+", Budget(iterations=300), extra_cost=extra)
    assert pause > 300
    assert [point.iteration for point in result.trace] == [300]


class Clock:
    """A clock that iterations and measurements advance."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr("infoset.runs.budget.working_seconds", lambda: self.now)


class Counting(RegretSolver):
    """CFR+ on Kuhn poker; an iteration takes a second, and its cost is that of a large game."""

    cost_per_iteration = 10**9

    def __init__(self, clock):
        super().__init__(build_sequence_form(load_game("kuhn_poker")), SCHEMES["cfr+"])
        self.clock = clock

    def run(self, iterations):
        assert iterations == 1
        super().run(1)
        self.clock.now += 1


@pytest.mark.parametrize("measuring", [0.5, 2, 7])
@pytest.mark.parametrize("seconds", [0, 5, 83, 84.5, 100, 131, 200])
def test_a_time_limit_includes_the_last_measurement(monkeypatch, seconds, measuring):
    clock, measured = Clock(monkeypatch), []
    solver = Counting(clock)

    def measure(policy) -> Evaluation:
        clock.now += measuring
        measured.append(solver.iteration)
        return evaluate_policy(policy)

    budget = Budget(seconds=seconds, started=0.0)
    result = run_measured(solver, "cfr+", budget, measure, extra_cost=2 * 10**9)
    planned = plan(10**9, 2 * 10**9 + measurement_cost(solver.form), seconds)
    assert result.outcome == "seconds"
    # The first measurement takes longer than its count of 2 iterations; all others are known.
    late = max(0, measuring - 2) if len(measured) == 1 else 0
    assert result.seconds <= max(seconds, 3) + 1 + late
    assert result.seconds >= seconds - max(measuring, 2) - 1
    # A measurement that is shorter than expected leaves time for more iterations.
    assert len({*measured} - {*planned}) <= (2 if measuring < 2 else 1)
    assert len(measured) <= len(planned) + 2


def test_when_a_run_is_measured_does_not_depend_on_the_clock(monkeypatch):
    found = []
    for speed in (0.001, 1.0, 50.0):
        clock = Clock(monkeypatch)
        solver = Counting(clock)

        def measure(policy, clock=clock, speed=speed):
            clock.now += speed
            return evaluate_policy(policy)

        result = run_measured(solver, "cfr+", Budget(iterations=300), measure, extra_cost=10**9)
        found.append([point.iteration for point in result.trace])
    assert found[0] == found[1] == found[2] == [*range(42, 300, 21), 300]


def test_a_run_stops_at_the_first_measurement_that_reaches_the_target(solver):
    form = solver.form
    every = type(solver)(form, solver.scheme)
    target = 0.02 * form.payoff_width
    result = run_measured(solver, "cfr+", Budget(target=target))
    while not every.iteration or evaluate_policy(every.policy()).exploitability > target:
        every.run(1)
    assert result.outcome == "converged"
    assert every.iteration <= result.iterations <= 1.05 * every.iteration


def test_runs_with_a_target_are_measured_early_in_large_games():
    """Few iterations may reach it, where the plan by costs begins with iteration 42."""
    form = build_sequence_form(load_game("kuhn_poker"))

    class Large(RegretSolver):
        cost_per_iteration = 200_000_000

    found = {}
    for target in (None, 1e-9):
        solver = Large(form, SCHEMES["cfr+"])
        budget = Budget(target=target, iterations=60)
        result = run_measured(solver, "large", budget, extra_cost=210_000_000)
        found[target] = [point.iteration for point in result.trace]
    assert found[None][0] > 40
    assert found[1e-9][:5] == [1, 2, 5, 13, 33]
