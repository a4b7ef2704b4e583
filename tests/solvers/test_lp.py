"""The linear program: algorithms, failures, and refinement off the path."""

from __future__ import annotations

import builtins
from dataclasses import replace
from fractions import Fraction
from functools import cache
from threading import Event
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import linprog
from scipy.sparse import csr_array

import infoset
from infoset.efg import chance, decision, extensive_form_from_nodes, terminal
from infoset.errors import ParameterError
from infoset.evaluation import expected_values
from infoset.policy import TabularPolicy, uniform_policy
from infoset.runs import Budget
from infoset.solvers import (
    METHODS,
    LinearProgram,
    _incumbent,
    _linear_program,
    lp,
    perturb_game,
)
from infoset.solvers._linear_program import LinearModel, maximize, plan_model
from infoset.solvers.exact import solve_exactly
from infoset.solvers.regret_family import RegretSolver
from infoset.utils import clocks
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games

REFINED = LinearProgram(refine=True)


@cache
def leduc_tree():
    return cached_tree("leduc_poker")


# Algorithms and outcomes


@pytest.mark.parametrize(("algorithm", "accuracy"), [("simplex", 1e-12), ("ipm", 1e-6)])
def test_each_algorithm_is_certified(algorithm, accuracy):
    result = infoset.solve(leduc_tree(), LinearProgram(algorithm=algorithm))
    assert result.outcome == "optimal"
    assert result.exploitability < accuracy
    assert result.values[0] == pytest.approx(-0.0856064240780005, abs=accuracy)


def test_linear_programs_by_name():
    assert METHODS["lp"] == LinearProgram()
    assert METHODS["lp-ipm"].algorithm == "ipm"
    assert METHODS["lp-refined"].refine
    assert infoset.solve("kuhn_poker", "lp-refined").method == "lp-refined"
    with pytest.raises(ParameterError, match=r"barrier.*auto, simplex, ipm"):
        LinearProgram(algorithm="barrier")


def test_the_interior_point_method_replaces_a_slow_simplex(monkeypatch):
    """The limit counts iterations; here it is zero."""
    monkeypatch.setattr(_linear_program, "MIN_SIMPLEX_ITERATIONS", 10)
    monkeypatch.setattr(_linear_program, "ROWS_PER_SIMPLEX_ITERATION", 10**6)
    failed = infoset.solve(leduc_tree(), LinearProgram(algorithm="simplex"))
    assert (failed.outcome, failed.iterations) == ("failed", 10)
    assert failed.exploitability > 0.1
    solved = infoset.solve(leduc_tree(), "lp")
    assert solved.outcome == "optimal"
    assert 1e-14 < solved.exploitability < 1e-6
    refined = infoset.solve("liars_dice(dice_sides=3)", REFINED)
    assert refined.outcome == "optimal"
    assert refined.exploitability < 1e-12


@pytest.mark.long
def test_battleship_where_the_simplex_makes_no_progress():
    spec = (
        "battleship(board_width=3,board_height=2,ship_sizes=[1],ship_values=[1],num_shots=3,"
        "allow_repeated_shots=False)"
    )
    result = infoset.solve(spec, "lp")
    assert result.outcome == "optimal"
    assert result.values[0] == pytest.approx(1 / 12, abs=1e-7)
    assert result.exploitability < 1e-7


def small_model(sign):
    """Return the infeasible or unbounded program: maximize x subject to sign * x ≤ -1, x ≥ 0."""
    one = np.ones(1)
    limits = 0 * one, np.inf * one, -np.inf * one, -one
    return LinearModel(csr_array(sign * np.ones((1, 1))), one, *limits)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("algorithm", ["simplex", "ipm", "ipm+crossover"])
def test_models_without_a_solution_fail(sign, algorithm):
    solution = maximize(small_model(sign), algorithm, None)
    assert solution.outcome == "failed"
    assert [len(own) for own in solution[1:4]] == [1, 1, 1]


def test_a_budget_of_zero_seconds():
    model = plan_model(leduc_tree().sequence_form, 0)
    assert maximize(model, "simplex", -1.0).outcome == "seconds"
    assert infoset.solve(leduc_tree(), "lp", seconds=0).outcome == "seconds"


def test_loading_highs_does_not_count_as_time(monkeypatch):
    now, load, loaded = [0.0], builtins.__import__, set()

    def load_slowly(name, *others):
        if name == "highspy" and name not in loaded:
            loaded.add(name)
            now[0] += 5
        return load(name, *others)

    monkeypatch.setattr(clocks, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(builtins, "__import__", load_slowly)
    before = clocks.working_seconds()
    maximize(plan_model(leduc_tree().sequence_form, 0), "simplex", 0.0)
    assert loaded
    assert clocks.working_seconds() == before


class Stuck:
    """HiGHS that never ends by itself; `go` lets it end, with nothing solved."""

    def __init__(self, go):
        self._go = go
        self.HandleUserInterrupt = False

    def run(self):
        assert self._go.wait(60)

    def resetGlobalScheduler(self, blocking):
        pass

    def cancelSolve(self):
        self._go.set()


def stop_after(iterations, monkeypatch):
    """Let the linear program reach its time limit when the incumbent has done `iterations`."""
    go, solve_interruptibly = Event(), _linear_program._solve_interruptibly
    run = RegretSolver.run

    def run_and_stop(solver, more):
        run(solver, min(more, iterations - solver.iteration))
        if solver.iteration >= iterations:
            go.set()
            while not stopped():
                pass

    def stopped():
        return over[-1].is_set()

    over = []

    def stuck(highs, meanwhile):
        def watch(is_over):
            over.append(is_over)
            meanwhile(is_over)
            go.set()

        return solve_interruptibly(Stuck(go), watch)

    monkeypatch.setattr(RegretSolver, "run", run_and_stop)
    monkeypatch.setattr(_linear_program, "_solve_interruptibly", stuck)
    monkeypatch.setattr(_linear_program, "_outcome", lambda status, algorithm: "seconds")
    monkeypatch.setattr(_incumbent, "HEAD_START_SECONDS", 0.0)


@pytest.mark.parametrize("method", ["lp", "lp-ipm", "lp-refined", "auto"])
def test_a_program_cut_off_returns_what_regret_minimization_has_found(method, monkeypatch):
    """Leduc poker: the cut-off program has an exploitability of 2.4, and uniform of 2.37."""
    stop_after(50, monkeypatch)
    result = infoset.solve(leduc_tree(), method)
    assert result.outcome == "seconds"
    assert "this is the policy of sapdcfr+ after 50 iterations" in result.reason
    expected = infoset.solve(leduc_tree(), "sapdcfr+", iterations=50)
    # the same iterations, so the same policy
    assert result.exploitability <= expected.exploitability


def test_an_incumbent_iterates_until_a_late_program_ends(monkeypatch):
    """HiGHS looks at its time limit only now and then; the time until then is not wasted."""
    stop_after(50, monkeypatch)
    result = infoset.solve(leduc_tree(), "lp", seconds=0)
    assert "this is the policy of sapdcfr+ after 50 iterations" in result.reason


def test_an_incumbent_that_starts_late_uses_the_time_left(monkeypatch):
    """While its kernels are compiled, which does not count as time, HiGHS reaches its limit."""
    monkeypatch.setattr(
        _linear_program, "maximize", lambda model, *others: unsolved(model, "seconds")
    )
    clock, run = [0.0], RegretSolver.run

    def run_and_count(solver, more):
        run(solver, more)
        clock[0] += more

    monkeypatch.setattr(RegretSolver, "run", run_and_count)
    monkeypatch.setattr("infoset.runs.budget.working_seconds", lambda: clock[0])
    result = LinearProgram().run(leduc_tree().sequence_form, Budget(seconds=50, started=0.0))
    assert result.outcome == "seconds"
    assert 50 <= result.seconds < 60
    expected = infoset.solve(leduc_tree(), "sapdcfr+", iterations=50)
    assert result.exploitability <= expected.exploitability


def test_a_perturbed_program_cut_off_keeps_its_minimum_probabilities(monkeypatch):
    monkeypatch.setattr(
        _linear_program, "maximize", lambda model, *others: unsolved(model, "seconds")
    )
    form = leduc_tree().sequence_form
    result = perturb_game(form, 0.01).solve("lp", Budget())
    assert result.outcome == "seconds"
    assert min(p[1:].min() for p in result.policy.probabilities) >= 0.01
    assert result.exploitability < 2.4


def unsolved(model, outcome):
    rows, columns = model.matrix.shape
    of_columns, of_rows = np.zeros(columns), np.zeros(rows)
    basis = of_columns > 0, of_rows > 0
    return _linear_program.LinearSolution(outcome, of_columns, of_columns, of_rows, 7, *basis)


def test_a_program_cut_off_is_never_worse_than_uniform():
    uniform = infoset.evaluate(leduc_tree(), "uniform").exploitability
    for method in ("lp", "lp-ipm", "auto"):
        result = infoset.solve(leduc_tree(), method, seconds=0)
        assert result.outcome == "seconds"
        assert result.exploitability <= uniform
        assert result.exploitability == infoset.evaluate(leduc_tree(), result.policy).exploitability


def test_an_incumbent_that_reaches_the_target_has_converged(monkeypatch):
    stop_after(50, monkeypatch)
    result = infoset.solve(leduc_tree(), "lp", target=1.0)
    assert result.outcome == "converged"
    assert result.exploitability <= 1


def test_an_optimal_status_of_highs_is_checked(monkeypatch):
    def lie(model, algorithm, seconds, meanwhile):
        rows, columns = model.matrix.shape
        of_columns, of_rows = np.zeros(columns), np.zeros(rows)
        basis = of_columns > 0, of_rows > 0
        return _linear_program.LinearSolution("optimal", of_columns, of_columns, of_rows, 7, *basis)

    monkeypatch.setattr(_linear_program, "maximize", lie)
    result = infoset.solve("kuhn_poker", "lp")
    assert (result.outcome, result.iterations) == ("failed", 14)
    assert result.exploitability == pytest.approx(11 / 24)
    perturbed = perturb_game(leduc_tree().sequence_form, 0.01).solve("lp", Budget())
    assert (perturbed.outcome, perturbed.iterations) == ("failed", 14)


@pytest.mark.parametrize("factor", [2.0**40, 2.0**-40, 1e-7, 3e5])
def test_units_do_not_matter(factor):
    form = leduc_tree().sequence_form
    low, high = form.payoff_range
    scaled = replace(form, payoff=form.payoff * factor, payoff_range=(low * factor, high * factor))
    result = lp.solve_by_lp(scaled, Budget())
    assert result.values[0] / factor == pytest.approx(-0.0856064240780005, abs=1e-12)


# Refinement


def policy_of(root, players=2, method=REFINED):
    form = extensive_form_from_nodes(root, players=players)
    result = infoset.solve(form, method)
    assert result.outcome == "optimal"
    assert result.exploitability < 1e-12
    return result.policy


def paid(first):
    return terminal(first, -first)


def test_refinement_exploits_a_mistake_of_the_opponent():
    """After 'give', player 1 loses 1 or 5, depending on player 0."""
    answers = {"one": paid(1), "five": paid(5)}
    neglected = []
    for order in (("one", "five"), ("five", "one")):
        given = decision(0, "given", {answer: answers[answer] for answer in order})
        root = decision(1, "start", {"keep": paid(0), "give": given})
        assert policy_of(root)["given", 0] == {"one": 0, "five": 1}
        neglected.append(policy_of(root, method="lp")["given", 0]["five"] < 1)
    assert any(neglected)


def test_refinement_exploits_a_second_mistake_too():
    """The second mistake needs a first one, so that it does not make the first more costly."""
    answers = {"two": paid(2), "five": paid(5)}
    for order in (("two", "five"), ("five", "two")):
        given = decision(0, "given", {answer: answers[answer] for answer in order})
        again = decision(1, "again", {"enough": paid(1), "more": given})
        policy = policy_of(decision(1, "start", {"keep": paid(0), "give": again}))
        assert policy["given", 0] == {"two": 0, "five": 1}
        assert policy["again", 1] == {"enough": 1, "more": 0}


def test_refinement_recovers_from_an_own_mistake():
    root = decision(
        0,
        "start",
        {"keep": paid(0), "err": decision(0, "erred", {"bad": paid(-9), "less": paid(-1)})},
    )
    assert policy_of(root)["erred", 0] == {"bad": 0, "less": 1}
    assert policy_of(root, method="lp")["erred", 0]["less"] < 1


def test_guess_the_ace():
    """From Miltersen and Sørensen (2010): guess the card that occurs 51 times in 52."""
    guesses = {
        card: decision(1, "guess", {"ace": paid(-win), "other": paid(win - 1000)})
        for card, win in (("ace", 1000), ("other", 0))
    }
    offered = chance(
        {"ace": (Fraction(1, 52), guesses["ace"]), "other": (Fraction(51, 52), guesses["other"])}
    )
    root = decision(0, "start", {"stop": paid(0), "offer": offered})
    assert policy_of(root)["guess", 1] == {"ace": 0, "other": 1}


def test_refinement_counts_hands_reached_by_mistakes():
    """After an observed own mistake, both players play matching pennies half and half."""
    heads = decision(1, "match", {"h": paid(-3), "t": paid(-1)})
    tails = decision(1, "match", {"h": paid(-1), "t": paid(-3)})
    root = decision(
        0, "start", {"keep": paid(0), "err": decision(0, "erred", {"h": heads, "t": tails})}
    )
    policy = policy_of(root)
    assert policy["erred", 0]["h"] == pytest.approx(0.5)
    assert policy["match", 1]["h"] == pytest.approx(0.5)


def lengths(plex):
    counts = np.zeros(plex.num_sequences, dtype=int)
    for infostate, before in enumerate(plex.parent_sequence):
        first = plex.first_sequence[infostate]
        counts[first : first + plex.num_actions[infostate]] = counts[before] + 1
    return counts


def flow_rows(plex):
    """Return the flow constraints of a plan and their right-hand side, by definition."""
    rows = np.zeros((1 + plex.num_infostates, plex.num_sequences))
    rows[0, 0] = 1
    for infostate, before in enumerate(plex.parent_sequence):
        first = plex.first_sequence[infostate]
        rows[1 + infostate, before] = -1
        rows[1 + infostate, first : first + plex.num_actions[infostate]] = 1
    return rows, np.eye(len(rows))[0]


def worst_of_trembling(form, policy, player, least):
    """Return the worst payoff of a policy, or of the best one if None, if the opponent trembles.

    The other plays each sequence of k actions with probability at least `least ** k`.
    """
    other = form.treeplexes[1 - player]
    flow, start = flow_rows(other)
    bounds = [(least**count, None) for count in lengths(other)]
    if policy is None:
        return best_against_trembling(form, player, flow, np.array(bounds)[:, 0].astype(float))
    plans = policy.realization_plans()
    # The payoffs of the players sum to zero.
    cost = -form.gradient(plans, 1 - player)
    return linprog(cost, A_eq=flow, b_eq=start, bounds=bounds).fun


def best_against_trembling(form, player, other_flow, least):
    """Return max_x min_y x·A y over y ≥ least, as max over x, q, w of q₀ + w·least."""
    flow, start = flow_rows(form.treeplexes[player])
    payoffs = np.zeros((other_flow.shape[1], flow.shape[1]))
    for sequences, paid in zip(form.terminal_sequence, form.payoff, strict=True):
        payoffs[sequences[1 - player], sequences[player]] += paid[player]
    blank = np.zeros((len(flow), len(other_flow) + len(least)))
    solved = linprog(
        -np.concatenate([np.zeros(flow.shape[1]), np.eye(len(other_flow))[0], least]),
        A_ub=np.hstack([-payoffs, other_flow.T, np.eye(len(least))]),
        b_ub=np.zeros(len(least)),
        A_eq=np.hstack([flow, blank]),
        b_eq=start,
        bounds=[(0, None)] * flow.shape[1]
        + [(None, None)] * len(other_flow)
        + [(0, None)] * len(least),
    )
    return -solved.fun


@settings(max_examples=8)
@given(random_games(num_players=2, zero_sum=True, max_histories=60, max_depth=4))
def test_no_optimal_plan_does_better_against_trembling_opponents(game):
    """Compare the limit with a program for a sufficiently small tremble."""
    form = infoset.build_tree(game).sequence_form
    refined = infoset.solve(game, REFINED)
    assert refined.outcome == "optimal"
    assert refined.exploitability < 1e-9
    assert refined.values == pytest.approx(infoset.solve(game, "lp").values, abs=1e-9)
    for player in (0, 1):
        if max(lengths(form.treeplexes[1 - player])) > 2:
            continue
        best = worst_of_trembling(form, None, player, 1e-3)
        found = worst_of_trembling(form, refined.policy, player, 1e-3)
        # The tolerances of SciPy's solver may leave `best` lower by 1e-7, never higher.
        assert best - 1e-9 <= found <= best + 1e-7


def test_blunders_pay_in_poker():
    """The opponent plays its equilibrium with one action in ten at random."""
    form = leduc_tree().sequence_form
    plain, refined = (infoset.solve(leduc_tree(), method).policy for method in ("lp", REFINED))
    for player, more in ((0, -0.002), (1, 0.003)):
        blundering = TabularPolicy(
            form,
            tuple(
                0.9 * own + 0.1 * random
                for own, random in zip(
                    plain.probabilities, uniform_policy(form).probabilities, strict=True
                )
            ),
        )
        earned = [
            expected_values(blundering.replace_player(player, policy))[player]
            for policy in (plain, refined)
        ]
        assert earned[1] - earned[0] > more


def test_refinement_out_of_time_returns_the_plain_answer(monkeypatch):
    plain = infoset.solve(leduc_tree(), "lp").policy
    left = iter([None, 0.0])
    monkeypatch.setattr(lp, "seconds_left", lambda budget: next(left))
    result = infoset.solve(leduc_tree(), REFINED)
    assert result.outcome == "seconds"
    assert result.exploitability < 1e-12
    assert np.array_equal(result.policy.probabilities[1], plain.probabilities[1])


def test_refine_must_be_a_boolean():
    with pytest.raises(ParameterError, match="refine='no' is of type str; give True or False"):
        LinearProgram(refine="no")


@pytest.mark.parametrize("extreme", [1e6, 1e8, -1e10])
@pytest.mark.parametrize("number", range(4))
def test_one_extreme_payoff_does_not_hide_the_others(extreme, number):
    """HiGHS's tolerances are absolute, so that 10⁻⁶ of the payoff range would accept anything."""
    table = np.random.default_rng(number).integers(-5, 10, size=(4, 4)).astype(float)
    table[number, 3 - number] = extreme
    tree = infoset.build_tree(infoset.games.matrix_game(table))
    exact = solve_exactly(tree)
    result = infoset.solve(tree, "lp")
    assert result.outcome == "optimal"
    assert result.values[0] == pytest.approx(float(exact.value), abs=1e-5)
    # Usual payoffs are at most 9; the sums that measure have rounding errors of the extreme one.
    assert result.exploitability <= 1e-5 + abs(extreme) * 1e-14


def test_extreme_payoffs_of_a_tree_do_not_hide_the_others():
    ends = iter([1.0, 2.0, -9e6, 2.0, -2.0, 1.0, 9e6, 0.5])

    def first(side):
        def pair(label):
            values = [next(ends) for _ in range(2)]
            left, right = (terminal(value, -value) for value in values)
            return decision(1, label, {f"{label}1": left, f"{label}2": right})

        return decision(0, side, {"l": pair("same"), "r": pair(f"right {side}")})

    halves = {"x": (Fraction(1, 2), first("x")), "y": (Fraction(1, 2), first("y"))}
    form = extensive_form_from_nodes(chance(halves), players=2)
    exact = solve_exactly(form)
    for method in ("auto", "lp"):
        result = infoset.solve(form, method)
        assert result.outcome == "optimal"
        assert result.values[0] == pytest.approx(float(exact.value), abs=1e-5)
    first_order = infoset.solve(form, "cfr+")
    assert first_order.outcome != "converged" or first_order.exploitability < 0.01
