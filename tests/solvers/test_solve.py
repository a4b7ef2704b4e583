"""`solve` by every method: values, outcomes, limits, interrupts."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings

import infoset
from infoset.errors import ParameterError, UnknownNameError, UnsupportedGameError
from infoset.games import matrix_game
from infoset.regret import SCHEMES, RegretMinimizer, RegretScheme
from infoset.solvers import METHODS, Auto, average_policy
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games

VALUES = {
    "kuhn_poker": -1 / 18,
    "leduc_poker": -0.0856064240780005,
    "liars_dice(dice_sides=4)": 0.0625,
    "liars_dice": -7 / 258,
    "goofspiel(num_cards=4,imp_info=True,points_order=descending)": 0,
    "matrix_rps": 0,
}


SHAPLEY = matrix_game(np.diag([1.0, 2.0, 3.0]), np.roll(np.eye(3), 1, axis=1))
"""A game in which average policies of regret minimization cycle."""


@pytest.mark.parametrize(
    "spec",
    [pytest.param(s, marks=[pytest.mark.long] if s == "liars_dice" else []) for s in VALUES],
)
def test_the_linear_program_finds_the_known_values(spec):
    result = infoset.solve(spec, "lp")
    assert result.outcome == "optimal"
    assert result.values[0] == pytest.approx(VALUES[spec], abs=1e-12)
    assert sum(result.values) == pytest.approx(0, abs=1e-14)
    assert result.exploitability < 1e-12
    assert result.current_policy is None


@settings(max_examples=5, deadline=None)
@given(random_games(zero_sum=True, num_players=2))
def test_linear_program_and_cfr_bracket_the_value(game):
    tree = infoset.build_tree(game)
    exact = infoset.solve(tree, "lp")
    assert exact.outcome == "optimal"
    assert exact.nash_conv < 1e-8
    for name in SCHEMES:
        found = infoset.solve(tree, name, iterations=200)
        measured = infoset.evaluate(tree, found.policy)
        low, high = found.values[0] - measured.gains[1], found.values[0] + measured.gains[0]
        assert low - 1e-9 <= exact.values[0] <= high + 1e-9
        assert found.nash_conv < 0.5 * max(1.0, *map(abs, tree.sequence_form.payoff_range))


def test_constant_sum_games_have_a_value_for_each_player():
    game = matrix_game([[3, 0], [1, 2]], [[1, 4], [3, 2]])
    result = infoset.solve(game, "lp")
    assert result.outcome == "optimal"
    assert result.values == pytest.approx((1.5, 2.5))
    assert infoset.solve(game, "cfr+", target=1e-3).values == pytest.approx((1.5, 2.5), abs=1e-3)


def test_a_game_without_payoffs():
    result = infoset.solve(matrix_game([[0, 0], [0, 0]]), "lp")
    assert result.outcome == "optimal"
    assert result.exploitability == 0
    assert infoset.solve(matrix_game([[0, 0], [0, 0]]), "cfr+").outcome == "converged"


@pytest.mark.parametrize("spec", ["kuhn_poker(players=3)", "matrix_bos"])
def test_the_linear_program_is_for_two_player_constant_sum_games(spec):
    with pytest.raises(UnsupportedGameError, match="two-player constant-sum"):
        infoset.solve(spec, "lp")


def test_three_players():
    result = infoset.solve("kuhn_poker(players=3)", iterations=2000)
    assert result.exploitability is None
    assert result.nash_conv < 1e-3
    assert sum(result.values) == pytest.approx(0, abs=1e-12)


def test_stopping_at_a_target():
    result = infoset.solve("leduc_poker", "cfr+", target=0.01)
    assert result.outcome == "converged"
    assert result.exploitability <= 0.01
    assert all(point.exploitability > 0.01 for point in result.trace[:-1])


def test_stopping_after_iterations():
    result = infoset.solve("leduc_poker", "CFR", iterations=123)
    assert (result.outcome, result.iterations, result.method) == ("iterations", 123, "cfr")
    assert [p.iteration for p in result.trace][-1] == 123
    assert result.trace[-1].exploitability == result.exploitability
    assert infoset.evaluate(result.policy).exploitability == result.exploitability


def test_stopping_after_seconds():
    result = infoset.solve("leduc_poker", "cfr+", seconds=0.2)
    assert result.outcome == "seconds"
    assert result.iterations > 0


def test_the_default_target_is_a_thousandth_of_the_payoff_range():
    result = infoset.solve("leduc_poker", "cfr+")
    assert result.outcome == "converged"
    assert result.exploitability <= 1e-3 * 26


def test_stopping_by_callback():
    seen = []

    def enough(point):
        seen.append(point)
        return point.iteration >= 5

    result = infoset.solve("kuhn_poker", iterations=100, callback=enough)
    assert result.outcome == "stopped"
    assert tuple(seen) == result.trace
    assert result.iterations == 5


def test_an_interrupt_returns_the_answer_so_far():
    def interrupt(point):
        if point.iteration == 7:
            raise KeyboardInterrupt

    result = infoset.solve("leduc_poker", iterations=1000, callback=interrupt)
    assert result.outcome == "interrupted"
    assert result.iterations == 7
    assert infoset.evaluate(result.policy).exploitability == result.exploitability


def test_traces_do_not_depend_on_the_clock():
    traces = [infoset.solve("leduc_poker", iterations=300).trace for _ in range(2)]
    first, second = ([(p.iteration, p.nash_conv, p.values) for p in trace] for trace in traces)
    assert first == second


@pytest.mark.parametrize(
    "wrong",
    [
        {"target": -1.0},
        {"target": float("nan")},
        {"target": [1]},
        {"iterations": 0},
        {"iterations": 100.0},
        {"iterations": 2.5},
        {"iterations": "10"},
        {"iterations": float("inf")},
        {"seconds": -1.0},
        {"seconds": "1"},
        {"seconds": float("inf")},
        {"callback": 5},
        {"checkpoint": 5},
        {"checkpoint": "run", "checkpoint_seconds": "1"},
        {"memory": "4GB"},
        {"memory": 0},
        {"method": None},
        {"method": ["cfr"]},
        {"method": Auto},
        {"method": RegretScheme},
    ],
)
def test_invalid_limits_methods_and_paths_are_refused(wrong):
    *_, name = wrong
    with pytest.raises(ParameterError, match=f"{name}(=| is )"):
        infoset.solve("kuhn_poker", **wrong)


@pytest.mark.parametrize("game", [5, None, ["kuhn_poker"], type(infoset.load("kuhn_poker"))])
@pytest.mark.parametrize(
    "verb", [infoset.solve, infoset.info, partial(infoset.evaluate, policy="uniform")]
)
def test_an_invalid_game_is_refused(game, verb):
    with pytest.raises(ParameterError, match=r"game(=| is ).*give a name such as"):
        verb(game)


def test_a_sequence_form_can_be_solved_and_evaluated():
    form = cached_tree("kuhn_poker").sequence_form
    assert (
        infoset.solve(form, iterations=5).values == infoset.solve("kuhn_poker", iterations=5).values
    )
    assert infoset.evaluate(form, "uniform") == infoset.evaluate("kuhn_poker", "uniform")


@pytest.mark.parametrize("policy", [5, infoset.load("kuhn_poker")])
def test_an_invalid_policy_is_refused(policy):
    with pytest.raises(ParameterError, match=r"policy(=| is ).*uniform"):
        infoset.evaluate("kuhn_poker", policy)


def test_games_without_exploitability_stop_at_nash_conv():
    result = infoset.solve("kuhn_poker(players=3)", target=1e-4)
    assert result.outcome == "converged"
    assert result.nash_conv <= 1e-4 < result.trace[-2].nash_conv
    by_default = infoset.solve("kuhn_poker(players=3)")
    low, high = by_default.policy.form.payoff_range
    assert by_default.outcome == "converged"
    assert by_default.nash_conv <= 1e-3 * (high - low)
    again = infoset.solve("kuhn_poker(players=3)")
    assert again.iterations == by_default.iterations


def test_runs_without_limits_end_after_a_number_of_iterations(monkeypatch):
    """In Shapley's game average policies do not converge, so NashConv reaches no target."""
    monkeypatch.setattr("infoset.runs.budget.DEFAULT_ITERATIONS", 123)
    result = infoset.solve(SHAPLEY, "cfr")
    assert (result.outcome, result.iterations) == ("iterations", 123)
    monkeypatch.setattr("infoset.runs.budget.DEFAULT_COST", 1)
    assert infoset.solve(SHAPLEY, "cfr").iterations == 1


def test_targets_out_of_reach_end_the_run():
    """Single precision, and a limit that is not a Nash equilibrium."""
    single = infoset.solve("kuhn_poker", "cfr+", precision="float32", target=1e-9)
    assert single.outcome == "stalled"
    assert single.iterations < 10**6
    assert 1e-9 < single.exploitability < 1e-3
    unreached = infoset.solve(SHAPLEY, "cfr", target=1e-3)
    assert unreached.outcome == "stalled"


def test_unknown_methods_are_refused_with_the_nearest_name():
    with pytest.raises(UnknownNameError, match=r"did you mean cfr\+"):
        infoset.solve("kuhn_poker", "crf+")


def test_a_custom_scheme():
    scheme = replace(SCHEMES["cfr+"], name="quadratic", average_exponent=2)
    result = infoset.solve("leduc_poker", scheme, iterations=100)
    assert result.method == "quadratic"
    assert result.exploitability == pytest.approx(1.21e-2, rel=0.01)


def test_schedules_extend_over_the_iterations_of_the_budget():
    short = infoset.solve("leduc_poker", "hs-dcfr", iterations=100)
    assert short.exploitability == pytest.approx(2.17e-2, rel=0.01)
    fixed = RegretMinimizer(short.policy.form, SCHEMES["hs-dcfr"])
    fixed.run(100)
    assert infoset.evaluate(average_policy(fixed)).exploitability != pytest.approx(
        2.17e-2, rel=0.01
    )


def test_methods_have_names_and_one_line_descriptions():
    for name, method in METHODS.items():
        assert name == method.name == name.lower()
        assert method.description
        assert "\n" not in method.description


def test_a_linear_program_out_of_time_is_an_outcome():
    result = infoset.solve("liars_dice", "lp", seconds=0.01)
    assert result.outcome == "seconds"
    assert result.nash_conv > 0
    assert np.isfinite(result.nash_conv)


INTERRUPTED = """
import _thread, threading
import infoset.solvers._linear_program as highs_module
from infoset.solvers import solve_by_lp

run = highs_module._solve_interruptibly

def run_with_alarm(highs, meanwhile):
    def wait(is_over):  # a collection of garbage before this may take longer than the alarm
        threading.Timer(0.02, _thread.interrupt_main).start()
        meanwhile(is_over)

    return run(highs, wait)

highs_module._solve_interruptibly = run_with_alarm
result = solve_by_lp(lp_form(), Budget())
assert result.nash_conv < 1e9
raise SystemExit(result.outcome)
"""


@pytest.mark.broad
def test_an_interrupted_linear_program_is_a_silent_outcome():
    """A separate process, which must exit normally, sets the alarm as it waits for HiGHS."""
    code = (
        "from infoset import build_tree, load\n"
        "from infoset.runs import Budget\n"
        "lp_form = lambda: build_tree(load('liars_dice(dice_sides=5)')).sequence_form\n"
        + INTERRUPTED
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ended.stdout, ended.stderr.strip(), ended.returncode) == ("", "interrupted", 1)


def test_an_interrupt_is_measured_once():
    def interrupt(point):
        raise KeyboardInterrupt

    result = infoset.solve("leduc_poker", "cfr+", callback=interrupt)
    assert [point.iteration for point in result.trace] == [1]
