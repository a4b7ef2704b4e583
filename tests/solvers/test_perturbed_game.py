"""Minimum action probabilities, against a linear program with lower bounds and pure policies."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import block_array, coo_array

from infoset import solve
from infoset.errors import (
    CheckpointMismatchError,
    ParameterError,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.evaluation import evaluate_policy
from infoset.forms import lock
from infoset.policy import TabularPolicy, complete_policy, random_policy, uniform_policy
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.runs import Budget, Checkpointing
from infoset.solvers import (
    LinearProgram,
    LocalMethod,
    PerturbedMethod,
    get_method,
    perturb_game,
    run_method,
)
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_regret import generic

pytestmark = pytest.mark.broad


@cache
def kuhn_form():
    return cached_tree("kuhn_poker").sequence_form


@cache
def leduc_form():
    return cached_tree("leduc_poker").sequence_form


def random_least(form, rng, most=0.3):
    """Return random minimum probabilities by infostate: a number, one per action, or none."""
    given = {}
    for row in uniform_policy(form).rows():
        kind, room = rng.integers(3), most / len(row.actions)
        if kind == 1:
            given[row.infostate, row.player] = room * rng.random()
        if kind == 2:
            numbers = 2 * room * rng.random(len(row.actions))
            given[row.infostate, row.player] = dict(zip(row.actions, numbers, strict=True))
    return given


def value_with_lower_bounds(perturbed):
    """Return the value by the program of player 0's plan x, with rows for all lower bounds.

    If the opponent's plan y satisfies F y = f and B y ≥ 0, the security level of x is the maximum
    q₀ with Aᵀx = Fᵀq + Bᵀs and s ≥ 0.
    """
    form = perturbed.form
    first, second = form.treeplexes
    payoff = coo_array(
        (form.payoff[:, 0], tuple(form.terminal_sequence[:, p] for p in (1, 0))),
        shape=(second.num_sequences, first.num_sequences),
    )
    flow, bounds = constraints(first, perturbed.min_probabilities[0])
    other_flow, other_bounds = constraints(second, perturbed.min_probabilities[1])
    equal = block_array(
        [[flow, None, None], [payoff, -other_flow.T, -other_bounds.T]], format="csr"
    )
    size = equal.shape[1]
    least = coo_array((-bounds.data, bounds.coords), shape=(bounds.shape[0], size)).tocsr()
    right = np.zeros(equal.shape[0])
    right[0] = 1
    cost = np.zeros(size)
    cost[first.num_sequences] = -1
    free = first.num_sequences + other_flow.shape[0]
    limits = [(None, None)] * free + [(0, None)] * (size - free)
    solved = linprog(
        cost, A_ub=least, b_ub=np.zeros(least.shape[0]), A_eq=equal, b_eq=right, bounds=limits
    )
    assert solved.status == 0
    return -solved.fun


def constraints(plex, least):
    """Return the flow F of a plan, and B with a row x(I, a) − ε x(p(I)) for each sequence."""
    flow = np.zeros((1 + plex.num_infostates, plex.num_sequences))
    bounds = np.eye(plex.num_sequences)
    flow[0, 0] = 1
    for infostate in range(plex.num_infostates):
        parent, first = plex.parent_sequence[infostate], plex.first_sequence[infostate]
        own = np.arange(first, first + plex.num_actions[infostate])
        flow[1 + infostate, own] = 1
        flow[1 + infostate, parent] -= 1
        bounds[own, parent] -= least[own]
    return coo_array(flow), coo_array(bounds)


def assert_respected(perturbed, policy):
    for own, least in zip(policy.probabilities, perturbed.min_probabilities, strict=True):
        assert (own >= least).all()


@pytest.mark.parametrize(
    ("kind", "make_form"),
    [("one number", kuhn_form), ("by infostate", kuhn_form), ("by infostate", leduc_form)],
    ids=["one number-kuhn", "by infostate-kuhn", "by infostate-leduc"],
)
def test_methods_find_the_value_of_the_program_with_lower_bounds(kind, make_form):
    form = make_form()
    rng = np.random.default_rng(1)
    perturbed = perturb_game(form, 0.05 if kind == "one number" else random_least(form, rng))
    value = value_with_lower_bounds(perturbed)
    plain = get_method("lp").run(form, Budget()).values[0]
    assert abs(value - plain) > 1e-4
    exact = perturbed.solve("lp", Budget())
    assert exact.outcome == "optimal"
    assert exact.values[0] == pytest.approx(value, abs=1e-9)
    assert exact.exploitability < 1e-9
    iterated = perturbed.solve("sapdcfr+", Budget(target=1e-5, iterations=5000))
    assert iterated.outcome == "converged"
    assert iterated.values[0] == pytest.approx(value, abs=1e-6)
    low, high = iterated.security_levels[0], -iterated.security_levels[1]
    assert low <= value + 1e-12
    assert value <= high + 1e-12
    for policy in (exact.policy, iterated.policy, iterated.current_policy):
        assert_respected(perturbed, policy)
    assert evaluate_policy(exact.policy).exploitability > 1e-3


@given(random_games(max_histories=60, max_depth=3), st.integers(0, 2**32))
def test_best_responses_are_best_among_all_perturbed_pure_plans(game, seed):
    rng = np.random.default_rng(seed)
    form = build_tree(game).sequence_form
    perturbed = perturb_game(form, random_least(form, rng, most=0.5))
    policy = perturbed.mix(random_policy(form, rng))
    measured = perturbed.evaluate(policy)
    plex = form.treeplexes[0]
    assume(np.prod(plex.num_actions.astype(float)) <= 64)
    paid = []
    for choice in product(*map(range, plex.num_actions.tolist())):
        pure = np.zeros(plex.num_sequences)
        pure[0] = 1
        pure[plex.first_sequence + np.array(choice, dtype=np.int32)] = 1
        meant = TabularPolicy(form, (pure, *policy.probabilities[1:]))
        tried = policy.replace_player(0, perturbed.mix(meant))
        paid.append(evaluate_policy(tried).values[0])
    assert measured.values[0] + measured.gains[0] == pytest.approx(max(paid), abs=1e-12)
    free = evaluate_policy(policy)
    assert measured.values == free.values
    assert all(own <= most + 1e-12 for own, most in zip(measured.gains, free.gains, strict=True))


@pytest.mark.parametrize("least", [0.0, 0.05])
def test_guarantees_allow_for_rounding(least):
    """They have the same allowance as in `evaluate_policy`; a rounding of 1/4 makes it visible."""
    form = replace(kuhn_form(), payoff_rounding=0.25)
    perturbed = perturb_game(form, least)
    policy = perturbed.mix(random_policy(form, np.random.default_rng(1)))
    measured = perturbed.evaluate(policy)
    assert measured.rounding >= 0.25
    for player in (0, 1):
        left = -(measured.values[1 - player] + measured.gains[1 - player])
        assert measured.security_levels[player] == pytest.approx(
            left - measured.rounding, abs=1e-12
        )
    if not least:
        assert measured.security_levels == pytest.approx(
            evaluate_policy(policy).security_levels, abs=1e-12
        )


@pytest.mark.parametrize("name", SCHEMES)
def test_zero_minimum_probabilities_leave_the_method_unchanged(name):
    scheme = SCHEMES[name]
    form = generic(kuhn_form(), seed=6)
    result = perturb_game(form, 0.0).solve(scheme, Budget(iterations=8))
    kernel = RegretMinimizer(form, replace(scheme, horizon=8))
    kernel.run(8)
    expected = TabularPolicy.from_weights(form, kernel.average_plans())
    for made, wanted in zip(result.policy.probabilities, expected.probabilities, strict=True):
        assert made == pytest.approx(wanted, abs=1e-9)


def test_the_value_converges_in_proportion_to_the_minimum_probability():
    values = [
        perturb_game(kuhn_form(), least).solve("lp", Budget()).values[0]
        for least in (1e-2, 1e-4, 1e-6)
    ]
    gaps = np.abs(np.array(values) + 1 / 18)
    assert gaps[0] > 1e-4
    assert gaps[1:] == pytest.approx(gaps[0] / np.array([1e2, 1e4]), rel=0.1)


def test_minimum_probabilities_that_sum_to_one_lock():
    behavior = {("[J]", 0): {"bet": 1.0}, ("[Q] / bet", 1): {"bet": 0.5, "pass": 0.5}}
    locked = run_method(get_method("lp"), lock(kuhn_form(), behavior), Budget())
    perturbed = perturb_game(kuhn_form(), behavior)
    for method in ("lp", "pcfr+"):
        result = perturbed.solve(method, Budget(iterations=2000))
        assert result.values[0] == pytest.approx(locked.values[0], abs=1e-5)
        assert result.policy["[J]", 0] == {"pass": 0.0, "bet": 1.0}
    everything = perturb_game(kuhn_form(), 0.5).solve("cfr+", Budget(iterations=3))
    assert everything.policy.probabilities[0] == pytest.approx(
        uniform_policy(kuhn_form()).probabilities[0], abs=1e-15
    )
    assert everything.exploitability == pytest.approx(0, abs=1e-12)


def test_many_players_and_a_custom_method():
    def hedge(row, values, policy, state):
        state[0] += values
        weights = np.exp(row[0] * (state[0] - state[0].max(axis=0)))
        policy[:] = weights / weights.sum(axis=0)

    three = cached_tree("kuhn_poker(players=3)").sequence_form
    perturbed = perturb_game(three, 0.1)
    result = perturbed.solve("pcfr+", Budget(iterations=500))
    assert_respected(perturbed, result.policy)
    assert result.exploitability is None
    assert result.nash_conv < evaluate_policy(result.policy).nash_conv
    mine = LocalMethod("mine", hedge, schedule=lambda t: 5 / np.sqrt(t))
    two = perturb_game(kuhn_form(), 0.05).solve(mine, Budget(iterations=500))
    assert (two.method, two.exploitability < 0.02) == ("mine", True)


def test_a_text_alone_names_the_infostate_of_one_player():
    by_text = perturb_game(kuhn_form(), {"[K]": 0.1})
    in_full = perturb_game(kuhn_form(), {("[K]", 0): 0.1})
    for ours, theirs in zip(by_text.min_probabilities, in_full.min_probabilities, strict=True):
        assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize(
    ("least", "error", "message"),
    [
        (0.6, ParameterError, "at most 0.5"),
        (-0.1, ParameterError, "not negative"),
        (float("nan"), ParameterError, "finite number"),
        ("0.1", ParameterError, "min_probability='0.1' must be a finite number"),
        ([0.1], ParameterError, "finite number"),
        ({("[K]", 0): "x"}, ParameterError, r"'\[K\]'='x' must be a finite number"),
        ({(0, "[K]"): 0.1}, ParameterError, r"as in policy\['\[J\]', 0\]"),
        ({("[K]", 0): {"bet": 0.7, "pass": 0.4}}, ParameterError, "sum to at most 1"),
        ({("[K]", 2): 0.1}, ParameterError, "kuhn_poker has players 0 to 1"),
        ({("[X]", 0): 0.1}, UnknownNameError, r"player 0 has no infostate '\[X\]'"),
        ({("[K]", 0): {"raise": 0.1}}, UnknownNameError, "known: bet, pass"),
    ],
)
def test_invalid_minimum_probabilities_are_refused(least, error, message):
    with pytest.raises(error, match=message):
        perturb_game(kuhn_form(), least)


def test_unsupported_methods_are_refused():
    with pytest.raises(UnknownNameError, match="unknown method for perturbed games 'xfp'"):
        perturb_game(kuhn_form(), 0.1).solve("xfp", Budget(iterations=1))
    for row in (LinearProgram(), get_method("cfr+")):
        with pytest.raises(ParameterError, match=r"method is of type .* give a name such as"):
            solve("kuhn_poker", PerturbedMethod(0.1, row))
    three = cached_tree("kuhn_poker(players=3)").sequence_form
    with pytest.raises(UnsupportedGameError, match=r"use cfr\+"):
        perturb_game(three, 0.1).solve("lp", Budget())


def test_perturbed_runs_are_saved_and_distinguished(tmp_path):
    def run(least, iterations, method="cfr+"):
        budget = Budget(iterations=iterations, checkpoint=Checkpointing(tmp_path / "run"))
        return perturb_game(kuhn_form(), least).solve(method, budget)

    whole = perturb_game(kuhn_form(), 0.05).solve("cfr+", Budget(iterations=60))
    run(0.05, 25)
    resumed = run(0.05, 60)
    assert all(map(np.array_equal, resumed.policy.probabilities, whole.policy.probabilities))
    with pytest.raises(CheckpointMismatchError, match="minimum probabilities"):
        run(0.04, 80)
    with pytest.raises(ParameterError, match="not supported by lp"):
        run(0.05, 80, "lp")


def test_the_rest_of_a_locked_game_can_be_perturbed():
    behavior = {("[J]", 0): {"bet": 1.0}, ("[Q] / bet", 1): {"bet": 0.5, "pass": 0.5}}
    locked = lock(kuhn_form(), behavior)
    rest = perturb_game(locked, 0.05).solve("lp", Budget())
    everywhere = {(row.infostate, row.player): 0.05 for row in uniform_policy(kuhn_form()).rows()}
    at_once = perturb_game(kuhn_form(), {**everywhere, **behavior}).solve("lp", Budget())
    assert rest.values == pytest.approx(at_once.values, abs=1e-9)
    whole = complete_policy(TabularPolicy(locked, rest.policy.probabilities))
    assert evaluate_policy(whole).values == pytest.approx(rest.values, abs=1e-12)
    assert whole["[K]", 0]["pass"] >= 0.05


def test_auto_takes_the_program_unless_iterations_are_given():
    perturbed = perturb_game(kuhn_form(), 0.05)
    exact = perturbed.solve("auto", Budget())
    assert (exact.method, exact.outcome) == ("lp", "optimal")
    assert "lp is exact" in exact.reason
    counted = perturbed.solve("auto", Budget(iterations=10))
    assert (counted.method, counted.iterations) == ("sapdcfr+", 10)
    assert "number of iterations" in counted.reason


def test_perturbed_methods_work_in_solve():
    row = PerturbedMethod(0.05, "sapdcfr+")
    result = solve("kuhn_poker", row, target=1e-6)
    exact = perturb_game(kuhn_form(), 0.05).solve("lp", Budget())
    assert result.method == row.name == "sapdcfr+ with minimum probabilities"
    assert result.values == pytest.approx(exact.values, abs=1e-6)
    assert PerturbedMethod(0.05, SCHEMES["cfr"]).name == "cfr with minimum probabilities"
    with pytest.raises(ParameterError, match=r"at most 0\.5"):
        solve("kuhn_poker", PerturbedMethod(0.6))
