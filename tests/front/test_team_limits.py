"""Limits of `solve_team`: plans by an injected clock, Ctrl-C, CFR+ beside, and security levels.

The clock of these tests moves only by counted work: so many seconds for an iteration, and so many
for each security level.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import infoset
from infoset.cli.progress import Progress
from infoset.games import matrix_game
from infoset.regret import RegretMinimizer
from infoset.teams import ProgressiveHiding, security_level
from infoset.teams.exact import optimum
from infoset.teams.solving import TeamOptions, candidates, portfolio
from infoset.tree import BuildPoint
from infoset.utils import clocks

pytestmark = pytest.mark.broad

FOUR = {"game": "kuhn_poker(players=4)", "teams": [(0, 2), (1, 3)], "rule": "sum"}
THREE = {"game": "kuhn_poker(players=3)", "teams": [(0, 1), (2,)], "rule": "sum"}
WORDS = "trade_comm(num_items=3,num_messages=2)"
"""A game of one team whose bound cannot be reached."""


class Clock:
    """A clock that moves by counted work, in seconds per iteration and per security level."""

    def __init__(self, monkeypatch, *, learning=1e-4, plain=5e-5, level=0.01):
        self.now = 0.0
        self.level = level
        monkeypatch.setattr(clocks, "time", SimpleNamespace(monotonic=lambda: self.now))
        for learner, seconds in ((ProgressiveHiding, learning), (RegretMinimizer, plain)):
            monkeypatch.setattr(learner, "run", self.counting(learner.run, seconds))
        monkeypatch.setattr(candidates, "security_level", self.measure)

    def counting(self, run, seconds):
        def run_and_count(state, iterations):
            self.now += iterations * seconds
            return run(state, iterations)

        return run_and_count

    def measure(self, *arguments, seconds=None, **options):
        self.now += self.level
        return security_level(*arguments, **options)


def lower_bounds(levels):
    return [level.lower for level in levels]


def test_a_fifth_of_a_second_gives_what_300_iterations_give(monkeypatch):
    whole = infoset.solve_team(**FOUR, iterations=300)
    Clock(monkeypatch)
    hurried = infoset.solve_team(**FOUR, seconds=0.2)
    assert hurried.outcome == "seconds"
    assert hurried.depends_on_clock
    assert hurried.seconds <= 0.2
    for short, full in zip(hurried.security_levels, whole.security_levels, strict=True):
        assert short.lower >= full.lower - 0.005
    assert lower_bounds(whole.security_levels) == pytest.approx([-0.0659, -0.020], abs=1e-3)


@pytest.mark.parametrize(("teams", "iterations"), [(FOUR, 50), (THREE, 300)])
def test_both_are_reported_and_each_team_takes_the_better(teams, iterations):
    found = infoset.solve_team(**teams, iterations=iterations)
    assert [each.name for each in found.candidates] == ["cfr+", "last", "mean"]
    assert {each.iterations for each in found.candidates} == {iterations}
    for number, team in enumerate(found.teams):
        offered = {each.name: each.security_levels[number] for each in found.candidates}
        best = max(offered, key=lambda name: offered[name].lower)
        assert found.chosen[number] == best
        assert found.security_levels[number] == offered[best]
        measured = security_level(found.information, team, found.probability, rule="sum")
        assert measured.lower == pytest.approx(offered[best].lower, abs=1e-9)
    tree = infoset.build_tree(teams["game"])
    plain = infoset.solve(tree, "cfr+", iterations=iterations).policy
    measured = infoset.evaluate_teams(tree, plain, teams["teams"], rule="sum")
    plain_levels = lower_bounds(found.candidates[0].security_levels)
    assert plain_levels == pytest.approx(lower_bounds(measured.security_levels), abs=1e-9)
    assert found.summary()["candidates"][0]["name"] == "cfr+"
    assert not found.depends_on_clock


@pytest.mark.broad
def test_relaxed_learning_wins_where_it_is_better():
    """With its 4,000 iterations it makes the second team of four players safer than CFR+ does."""
    found = infoset.solve_team(**FOUR)
    assert found.chosen == ("cfr+", "last")
    assert lower_bounds(found.security_levels) == pytest.approx([-0.0647, -0.0085], abs=1e-3)


@pytest.mark.parametrize("method", ["progressive-hiding", "portfolio"])
def test_a_single_team_compares_payoffs(method, monkeypatch):
    search, limits = portfolio.team_optimum, {"max_states": 1, "seconds": 0}
    monkeypatch.setattr(
        portfolio, "team_optimum", lambda *about, **more: search(*about, **{**more, **limits})
    )
    found = infoset.solve_team(WORDS, method)
    offered = {each.name: each for each in found.candidates}
    assert found.chosen[0] in offered
    assert found.payoff >= max(each.payoffs[0] for each in found.candidates) - 1e-12
    plain = infoset.solve(WORDS, "cfr+", iterations=offered["cfr+"].iterations)
    assert offered["cfr+"].payoffs == pytest.approx((plain.values[0],))
    assert offered["cfr+"].payoffs < offered["progressive-hiding"].payoffs


def test_a_single_team_takes_cfr_plus_if_it_is_as_good():
    game = matrix_game([[3.0, 0.0], [0.0, 2.0]], [[3.0, 0.0], [0.0, 2.0]])
    found = infoset.solve_team(game, "progressive-hiding")
    assert (found.outcome, found.payoff, found.chosen) == ("optimal", 3, ("cfr+",))
    assert len(found.trace) == 1  # nothing is left to learn


def test_the_schedule_is_planned_exactly_by_iterations():
    """γ rises from R / 15 to 8 R / 3 in each round; the payoff range R is 1."""
    for iterations in (30, 150):
        found = infoset.solve_team(WORDS, "progressive-hiding", iterations=iterations, restarts=2)
        for run in range(2):
            assert found.trace_of(run)[-1].penalty_coefficients == pytest.approx((8 / 3,))
        assert not found.depends_on_clock


@pytest.mark.parametrize("fitting", [12, 40, 130])
def test_the_schedule_reaches_its_end_by_the_clock(monkeypatch, fitting):
    """Of 4 runs of 1,000 iterations only a few fit into the limit, after a tenth for CFR+."""
    Clock(monkeypatch, learning=1.0, plain=0.0)
    found = infoset.solve_team(WORDS, "progressive-hiding", seconds=fitting)
    assert found.outcome == "seconds"
    assert found.depends_on_clock
    done = found.last.iteration
    assert fitting <= done <= 1.2 * fitting + 1
    highest = max(point.penalty_coefficients[0] for point in found.trace)
    assert highest == pytest.approx(8 / 3, rel=0.3)
    unplanned = (1 / 15) * 40.0 ** (min(done - 1, 99) / 99)
    assert highest >= unplanned


def test_a_limit_that_is_not_reached_changes_nothing(monkeypatch):
    free = infoset.solve_team(WORDS, "progressive-hiding", iterations=60, restarts=2)
    Clock(monkeypatch)
    found = infoset.solve_team(WORDS, "progressive-hiding", iterations=60, restarts=2, seconds=100)
    assert not found.depends_on_clock
    assert found.probability.tobytes() == free.probability.tobytes()


@pytest.mark.parametrize("level", [0.01, 0.05, 0.2, 0.4])
def test_the_limit_includes_the_security_levels(monkeypatch, level):
    Clock(monkeypatch, level=level)
    found = infoset.solve_team(**THREE, seconds=1)
    assert found.seconds <= 1 + 2e-3
    assert found.security_levels is not None
    measured = [each.name for each in found.candidates if each.security_levels is not None]
    assert (
        measured == (["cfr+", "last", "mean"] if level < 0.2 else ["cfr+", "last"])[: len(measured)]
    )
    assert len(measured) >= (3 if level < 0.2 else 1)


def test_without_time_security_levels_are_not_computed():
    found = infoset.solve_team(**THREE, seconds=0)
    assert found.security_levels is None
    assert found.chosen == ("cfr+", "cfr+")
    assert found.depends_on_clock
    assert all(each.security_levels is None for each in found.candidates)
    assert len(found.trace) == 1


@pytest.mark.parametrize("iteration", [1, 40])
def test_ctrl_c_while_learning_leaves_the_best_measured_policy(iteration):
    def interrupt(point):
        if point.iteration >= iteration:
            raise KeyboardInterrupt

    found = infoset.solve_team(**THREE, callback=interrupt)
    assert found.outcome == "interrupted"
    for number in range(2):
        offered = [each.security_levels[number] for each in found.candidates]
        assert found.security_levels[number] == max(offered)
    assert found.candidates[0].name == "cfr+"
    assert found.candidates[0].iterations == 1000


@pytest.mark.parametrize(("call", "measured"), [(1, 0), (2, 0), (3, 1), (5, 2)])
def test_ctrl_c_while_measuring_leaves_what_is_measured(monkeypatch, call, measured):
    calls = []

    def measure(*arguments, **options):
        calls.append(1)
        if len(calls) == call:
            raise KeyboardInterrupt
        return security_level(*arguments, **options)

    monkeypatch.setattr(candidates, "security_level", measure)
    found = infoset.solve_team(**THREE, iterations=20)
    assert found.outcome == "interrupted"
    assert [each.security_levels is None for each in found.candidates].count(True) >= 1
    first = found.candidates[measured]
    assert first.security_levels is None
    assert found.last.iteration == (1 if call <= 2 else 20)
    for number in range(2):
        known = [each.security_levels for each in found.candidates if each.security_levels]
        assert found.security_levels[number] == max(levels[number] for levels in known)


def test_ctrl_c_during_cfr_plus_leaves_its_average(monkeypatch):
    run = RegretMinimizer.run

    def interrupted(state, iterations):
        run(state, iterations)
        if state.iteration >= 64:
            raise KeyboardInterrupt

    monkeypatch.setattr(RegretMinimizer, "run", interrupted)
    found = infoset.solve_team(**THREE)
    assert (found.outcome, found.last.iteration) == ("interrupted", 1)
    assert (found.candidates[0].name, found.candidates[0].iterations) == ("cfr+", 64)
    assert found.chosen == ("cfr+", "cfr+")


def test_learning_of_the_default_gets_its_part_of_the_limit(monkeypatch):
    """The exact search takes half of the limit; learning then has four tenths of it."""
    clock = Clock(monkeypatch, learning=0.01, plain=0.0)
    search = portfolio.team_optimum

    def slow(*about, **options):
        clock.now += options["seconds"]
        return search(*about, **{**options, "max_steps": 1, "seconds": 0})

    monkeypatch.setattr(portfolio, "team_optimum", slow)
    found = infoset.solve_team(WORDS, seconds=10)
    learned = sum(point.iteration > 1 for point in found.trace)
    assert learned > 10
    assert {each.name for each in found.candidates} >= {"exact", "cfr+", "progressive-hiding"}
    assert found.depends_on_clock


def test_security_levels_without_time_are_bounds():
    information = infoset.solve_team(**FOUR, iterations=5).information
    uniform = np.repeat(1 / information.num_actions, information.num_actions)
    exact = security_level(information, (0, 2), uniform, rule="sum")
    bounds = security_level(information, (0, 2), uniform, rule="sum", seconds=0)
    assert bounds.lower <= exact.lower + 1e-12
    assert exact.upper <= bounds.upper + 1e-12
    assert bounds.upper - bounds.lower > 1e-6


def test_a_game_too_large_for_the_search_has_bounds(monkeypatch):
    def too_large(*about):
        raise infoset.errors.GameTooLargeError("too large", {})

    information = infoset.solve_team(**FOUR, iterations=5).information
    monkeypatch.setattr(optimum, "begin_search", too_large)
    uniform = np.repeat(1 / information.num_actions, information.num_actions)
    bounds = security_level(information, (0, 2), uniform, rule="sum")
    assert bounds.lower < bounds.upper


def test_the_stages_beside_learning_are_reported():
    seen = []
    infoset.solve_team(**THREE, iterations=10, progress=seen.append)
    stages = [(point.stage, point.done, point.total) for point in seen]
    first = stages.index(("cfr+", 0, None))
    levels = [("security levels", 0, 2), ("security levels", 1, 2)]
    assert stages[first + 1 :] == levels * 3


def test_the_display_shows_the_stage_and_the_time(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(clocks, "time", SimpleNamespace(monotonic=lambda: now[0]))
    progress = Progress("game")
    progress.solving_teams("progressive-hiding", TeamOptions(iterations=10, seconds=20))
    now[0] = 5.0
    progress.building(BuildPoint("security levels", 1, 2, 3.0))
    assert progress.fraction_done == pytest.approx(0.25)
    assert progress.numbers()["now"] == "security level 2 of 2"
    now[0] = 10.0
    assert progress.fraction_done == pytest.approx(0.5)
    progress.building(BuildPoint("cfr+", 0, None, 3.0))
    assert progress.numbers()["now"] == "cfr+"
