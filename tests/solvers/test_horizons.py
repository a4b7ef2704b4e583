"""Horizons of schemes with schedules, if iterations, time, a target or Ctrl-C end the run."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

import infoset
from infoset.evaluation import evaluate_policy
from infoset.regret import SCHEMES, LinearSchedule, RegretMinimizer
from infoset.runs import read_checkpoint
from infoset.solvers.regret_family import RegretSolver
from infoset.utils import clocks

pytestmark = pytest.mark.broad

SCHEDULED = [name for name, scheme in SCHEMES.items() if scheme.depends_on_horizon]


@pytest.fixture(scope="module")
def leduc():
    return infoset.build_tree("leduc_poker")


@pytest.fixture
def clock(monkeypatch):
    """A clock on which an iteration takes a second, and nothing else takes time."""
    now, run = [0.0], RegretMinimizer.run

    def run_and_count(state, iterations):
        now[0] += iterations
        return run(state, iterations)

    monkeypatch.setattr(clocks, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(RegretMinimizer, "run", run_and_count)
    return now


def error_for(tree, name, horizon, iterations):
    solver = RegretSolver(tree.sequence_form, replace(SCHEMES[name], horizon=horizon))
    solver.run(iterations)
    return evaluate_policy(solver.policy()).nash_conv


def test_the_scheduled_schemes_are_those_of_zhang_and_others():
    assert SCHEDULED == ["hs-dcfr", "hs-dcfr-15", "hs-pcfr+", "hs-pcfr+-15", "hs-pdcfr+"]


@pytest.mark.parametrize("name", SCHEDULED)
@pytest.mark.parametrize("fitting", [40, 100])
def test_seconds_plan_the_horizon_that_fits(leduc, clock, name, fitting):
    result = infoset.solve(leduc, name, seconds=fitting)
    assert result.outcome == "seconds"
    assert fitting <= result.iterations <= 1.11 * fitting
    assert f"planned for {fitting} iterations" in result.reason
    assert "depends on the clock" in result.reason
    planned = error_for(leduc, name, result.iterations, result.iterations)
    default = error_for(leduc, name, 1000, result.iterations)
    assert result.nash_conv < default  # the horizon of schemes that nobody plans
    assert result.nash_conv < 1.15 * planned


@pytest.mark.parametrize("limit", [{"iterations": 50}, {"iterations": 50, "seconds": 1000.0}])
def test_iterations_plan_it_exactly(leduc, clock, limit):
    result = infoset.solve(leduc, "hs-dcfr", **limit)
    assert result.reason is None
    assert result.nash_conv == error_for(leduc, "hs-dcfr", 50, 50)


def test_a_plain_scheme_has_no_plan(leduc, clock):
    result = infoset.solve(leduc, "pdcfr+", seconds=40)
    assert result.reason is None
    assert result.nash_conv == error_for(leduc, "pdcfr+", 10, result.iterations)


def test_the_measured_rate_is_used_twice(clock):
    """The rate falls from 1 to 1/2 iteration a second; the second plan sees that, and no third."""
    solver = SimpleNamespace(
        scheme=replace(SCHEMES["hs-dcfr"], average_exponent=LinearSchedule(3.0, 1.0)), given=None
    )
    budget = infoset.runs.Budget(seconds=100.0)
    infoset.solvers.regret_family.plan_by_clock(solver, budget)
    horizons = []
    for iteration, seconds in ((1, 1.0), (4, 4.0), (6, 6.0), (20, 30.0), (30, 60.0), (40, 90.0)):
        budget.callback(SimpleNamespace(iteration=iteration, seconds=seconds))
        horizons.append(solver.scheme.horizon)
    assert horizons == [1000, 1000, 100, 100, 50, 50]


def test_a_checkpoint_of_a_planned_run_can_be_resumed(leduc, clock, tmp_path):
    file = tmp_path / "run.ckpt"

    def stop(point):
        return point.iteration >= 30

    infoset.solve(leduc, "hs-dcfr", seconds=60, callback=stop, checkpoint=file)
    assert read_checkpoint(file).settings["horizon"] == 1000
    result = infoset.solve(leduc, "hs-dcfr", seconds=60, checkpoint=file)
    assert result.iterations >= 60
    assert "planned for" in result.reason


def test_a_target_leaves_the_horizon(leduc):
    result = infoset.solve(leduc, "hs-pcfr+", target=0.05)
    assert (result.outcome, result.reason) == ("converged", None)
    assert result.nash_conv == error_for(leduc, "hs-pcfr+", 1000, result.iterations)
