"""The first-order family: reference implementations, theorems, and reference curves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

import infoset
from infoset.errors import ParameterError, UnknownNameError, UnsupportedGameError
from infoset.evaluation import evaluate_policy
from infoset.games import matrix_game
from infoset.policy import TabularPolicy, uniform_policy
from infoset.regret import Distance, balanced_weights, unit_weights
from infoset.solvers import (
    FIRST_ORDER,
    FirstOrderScheme,
    FirstOrderSolver,
    payoff_scale,
    quantal_distance,
    quantal_gap,
)
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_distances import bregman, reference_prox, regularizer
from tests.support.reference_first_order import (
    ReferenceLeader,
    ReferenceMagnetic,
    ReferenceMirrorDescent,
    ReferenceMirrorProx,
    ReferenceOptimistic,
    scale_of,
)
from tests.support.reference_regret import generic, gradient_of, plan_of

pytestmark = pytest.mark.broad

KUHN, LEDUC, LIAR = "kuhn_poker", "leduc_poker", "liars_dice(dice_sides=4)"
GOOFSPIEL = "goofspiel(num_cards=4,imp_info=True,returns_type=point_difference)"
ENTROPY, EUCLIDEAN = Distance("entropy"), Distance("euclidean")
REFERENCES = {
    "omd": ReferenceMirrorDescent,
    "ftrl": ReferenceLeader,
    "optimistic-omd": ReferenceOptimistic,
    "optimistic-ftrl": ReferenceLeader,
    "mirror-prox": ReferenceMirrorProx,
    "mmd": ReferenceMagnetic,
    "mmd-moving": ReferenceMagnetic,
}


def name_of(value):
    """Return the name of a distance for the list of tests."""
    return f"{value.kind}-{value.weights.__name__}" if isinstance(value, Distance) else None


each_row = pytest.mark.parametrize("name", FIRST_ORDER)


def form_of(spec):
    return cached_tree(spec).sequence_form


def in_units(spec, row, step_size, temperature=0.0):
    """Return a scheme whose step size and temperature are given in the game's units."""
    scale = scale_of(form_of(spec))
    return replace(row, step_size=step_size * scale, temperature=temperature / scale)


def both_exploitabilities(spec, row, iterations):
    """Return the exploitability of the average and of the last iterate."""
    solver = FirstOrderSolver(form_of(spec), row)
    solver.run(iterations)
    policies = (solver.average_policy(), solver.current_policy())
    return [evaluate_policy(policy).exploitability for policy in policies]


def assert_equal_to_the_reference(form, row, reference, iterations, atol):
    fast, slow = FirstOrderSolver(form, row), reference(form, row)
    for _ in range(iterations):
        slow.step()
    fast.run(1)
    fast.run(iterations - 1)
    assert fast.iteration == iterations
    expected = TabularPolicy.from_weights(form, slow.averages)
    for found, kept in (
        (fast.current_policy().probabilities, slow.played),
        (fast.average_policy().probabilities, expected.probabilities),
    ):
        for of_player, of_reference in zip(found, kept, strict=True):
            np.testing.assert_allclose(of_player, of_reference, atol=atol)


@each_row
@pytest.mark.parametrize(
    "distance", [ENTROPY, EUCLIDEAN, Distance("entropy", balanced_weights)], ids=name_of
)
def test_schemes_equal_their_reference_implementations_on_kuhn_poker(name, distance):
    row = replace(FIRST_ORDER[name], distance=distance)
    if row.magnet_period is not None:
        row = replace(row, magnet_period=7)
    assert_equal_to_the_reference(form_of(KUHN), row, REFERENCES[name], iterations=10, atol=1e-10)


@settings(max_examples=8)
@given(random_games(num_players=2, zero_sum=True), st.integers(0, 2**32), st.booleans())
def test_random_games_equal_the_reference_implementations(game, seed, alternating):
    form = generic(build_tree(game).sequence_form, seed)
    for name, reference in REFERENCES.items():
        alternates = alternating and name != "mirror-prox"
        row = replace(FIRST_ORDER[name], alternating=alternates, average_exponent=2.0)
        assert_equal_to_the_reference(form, row, reference, iterations=4, atol=1e-9)


@pytest.mark.parametrize(("name", "limit"), [("mmd", 1e-10), ("mmd-moving", 1e-10)])
def test_magnetic_mirror_descent_with_decreasing_temperature(name, limit):
    row = replace(FIRST_ORDER[name], temperature_exponent=0.5, step_exponent=0.5, magnet_period=9)
    assert_equal_to_the_reference(form_of(KUHN), row, ReferenceMagnetic, iterations=30, atol=limit)


def test_without_a_temperature_magnetic_mirror_descent_is_mirror_descent():
    policies = []
    for row in (FIRST_ORDER["omd"], replace(FIRST_ORDER["omd"], magnet_period=5)):
        solver = FirstOrderSolver(form_of(KUHN), row)
        solver.run(100)
        policies.append(np.concatenate(solver.current_policy().probabilities))
    assert np.array_equal(*policies)


@pytest.mark.parametrize(
    ("spec", "distance", "step_size", "iterations", "average", "last"),
    # Values of an independent implementation, with step sizes in the games' units.
    [
        (KUHN, ENTROPY, 3.0, 1000, 2.1e-5, 1e-15),
        (KUHN, EUCLIDEAN, 1.0, 1000, 1.6e-5, 1e-15),
        (LEDUC, EUCLIDEAN, 3.0, 1000, 2.4e-3, None),
        (GOOFSPIEL, EUCLIDEAN, 1.0, 1000, 1.5e-2, None),
    ],
    ids=name_of,
)
def test_reference_curves_of_optimistic_mirror_descent(
    spec, distance, step_size, iterations, average, last
):
    row = in_units(spec, replace(FIRST_ORDER["optimistic-omd"], distance=distance), step_size)
    found = both_exploitabilities(spec, row, iterations)
    assert found[0] == pytest.approx(average, rel=0.04)
    assert last is None or found[1] < last


def test_reference_curves_of_moving_magnets():
    entropy = replace(
        FIRST_ORDER["mmd-moving"], distance=ENTROPY, magnet_period=50, alternating=False
    )
    row = in_units(KUHN, entropy, step_size=10.0, temperature=0.1)
    average, last = both_exploitabilities(KUHN, row, 1000)
    assert (average, last) == (pytest.approx(1.3e-3, rel=0.05), pytest.approx(5e-5, rel=0.05))
    assert both_exploitabilities(KUHN, row, 5000)[1] < 1e-14


@pytest.mark.parametrize(
    ("temperature", "step_size", "exploitability"), [(0.1, 1.0, 0.10369), (0.01, 1.0, 4.881e-3)]
)
def test_a_fixed_magnet_leads_to_the_quantal_response_equilibrium(
    temperature, step_size, exploitability
):
    row = in_units(KUHN, FIRST_ORDER["mmd"], step_size, temperature)
    result = infoset.solve(KUHN, row, iterations=5000)
    assert result.exploitability == pytest.approx(exploitability, rel=1e-3)
    again = quantal_gap(result.policy, temperature)
    assert result.gaps["quantal"] == pytest.approx(again, abs=1e-15)
    assert result.gaps["quantal"] < (1e-10 if temperature == 0.1 else 1e-5)
    assert result.summary()["gaps"] == dict(result.gaps)


def test_a_uniform_magnet_leads_to_a_different_equilibrium():
    # The value that an independent implementation reports for temperature 0.1: 0.11.
    form = form_of(KUHN)
    slow = ReferenceMagnetic(form, in_units(KUHN, FIRST_ORDER["mmd"], 1.0, 0.1))
    slow.magnets = [own.copy() for own in slow.played]
    for _ in range(200):
        slow.step()
    policy = TabularPolicy.from_weights(form, slow.played)
    assert evaluate_policy(policy).exploitability == pytest.approx(0.1099, abs=1e-4)


def test_convergence_to_the_quantal_response_equilibrium_is_linear():
    # Sokota et al. (2023), Theorem 3.4: D(x*, x_t) falls by 1 + η α at least in each iteration.
    form, row = form_of(KUHN), FIRST_ORDER["mmd"]
    rate = 1 + row.step_size * row.temperature
    limit = FirstOrderSolver(form, row)
    limit.run(8000)
    fixed = limit.current_policy().realization_plans()

    def distance_from(solver):
        plans = solver.current_policy().realization_plans()
        return sum(
            bregman(plex, unit_weights(plex), "entropy", at, plan)
            for plex, at, plan in zip(form.treeplexes, fixed, plans, strict=True)
        )

    solver = FirstOrderSolver(form, row)
    distances = [distance_from(solver)]
    for _ in range(15):
        solver.run(100)
        distances.append(distance_from(solver))
    falls = np.array(distances[1:]) / np.array(distances[:-1])
    assert (falls <= rate**-100).all()
    assert falls[-1] > rate**-250


@settings(max_examples=10)
@given(random_games(num_players=2, zero_sum=True))
def test_the_quantal_gap_meets_its_definition(game):
    form = build_tree(game).sequence_form
    policy = uniform_policy(form)
    plans = policy.realization_plans()
    for distance in (ENTROPY, Distance("euclidean", balanced_weights)):
        expected = 0.0
        for player, plex in enumerate(form.treeplexes):
            weights = distance.weights(plex)
            gradient = gradient_of(form, player, plans)
            best, _ = reference_prox(plex, weights, distance.kind, gradient, [(0.7, None)])
            for sign, plan in ((1, plan_of(plex, best)), (-1, plans[player])):
                cost = 0.7 * regularizer(plex, weights, distance.kind, np.maximum(plan, 1e-300))
                expected += sign * (gradient @ plan - cost)
        assert quantal_gap(policy, 0.7, distance) == pytest.approx(expected, abs=1e-9)
        assert quantal_gap(policy, 0.7, distance) >= -1e-12


def test_the_quantal_response_equilibrium_of_a_matrix_game():
    # The logit equilibrium of a two by two game, by a root in one variable.
    payoffs, temperature = np.array([[3.0, -1.0], [-2.0, 1.0]]), 0.5

    def logit(difference):
        return 1 / (1 + np.exp(-difference / temperature))

    def answer(row_first):
        own = np.array([row_first, 1 - row_first])
        return logit(-(own @ payoffs) @ [1, -1])

    def reply(row_first):
        other = np.array([answer(row_first), 1 - answer(row_first)])
        return logit([1, -1] @ payoffs @ other)

    row_first = brentq(lambda p: reply(p) - p, 0, 1, xtol=1e-14)
    # Payoffs go from -2 to 3, so that the largest is 2.5 after the midrange is subtracted.
    row = replace(FIRST_ORDER["mmd"], temperature=temperature / 2.5, step_size=0.1)
    result = infoset.solve(matrix_game(payoffs, -payoffs), row, iterations=3000)
    rows, columns = result.policy.probabilities
    assert rows[1] == pytest.approx(row_first, abs=1e-9)
    assert columns[1] == pytest.approx(answer(row_first), abs=1e-9)
    assert abs(result.gaps["quantal"]) < 1e-10


@pytest.mark.parametrize(
    ("name", "distance"), [(KUHN, "entropy"), (LEDUC, "entropy"), (KUHN, "euclidean")]
)
def test_without_limits_the_quantal_response_equilibrium_is_reached_in_probability(name, distance):
    row = replace(FIRST_ORDER["mmd"], distance=Distance(distance))
    result = infoset.solve(cached_tree(name), row)
    assert result.outcome == "converged"
    exact = infoset.solve(cached_tree(name), row, iterations=3 * result.iterations).policy
    for own, other in zip(result.policy.probabilities, exact.probabilities, strict=True):
        assert np.abs(own - other).max() < 1e-3


def test_the_quantal_distance_is_an_upper_bound():
    form = form_of(KUHN)
    temperature = 0.1 * payoff_scale(form)
    exact = infoset.solve(KUHN, "mmd", iterations=4000).policy
    for iterations in (10, 100, 1000):
        policy = infoset.solve(KUHN, "mmd", iterations=iterations).policy
        bound = quantal_distance(policy, temperature)
        for plex, own, other, plan in zip(
            form.treeplexes,
            policy.probabilities,
            exact.probabilities,
            policy.realization_plans(),
            strict=True,
        ):
            reach = np.repeat(plan[plex.parent_sequence], plex.num_actions)
            assert (np.abs(own - other)[1:] * np.sqrt(reach) <= bound).all()
    with pytest.raises(UnsupportedGameError, match="quantal_distance"):
        quantal_distance(uniform_policy(form_of("matrix_bos")), 1.0)


def test_the_target_of_a_fixed_magnet_is_an_exploitability():
    reached = infoset.solve(KUHN, "mmd", target=0.1)
    assert reached.outcome == "converged"
    assert reached.exploitability <= 0.1 < reached.trace[-2].exploitability
    unreached = infoset.solve(KUHN, "mmd", target=0.01)
    assert unreached.outcome == "stalled"
    assert unreached.exploitability > 0.02
    # It stops at the first measurement after the limit; with a target, these are closer together.
    assert (
        unreached.iterations <= infoset.solve(KUHN, "mmd").iterations <= 1.1 * unreached.iterations
    )


def test_only_fixed_magnets_have_a_quantal_gap():
    assert "quantal" not in infoset.solve(KUHN, "mmd-moving", iterations=2).gaps
    falling = replace(FIRST_ORDER["mmd"], temperature_exponent=0.5)
    assert not infoset.solve(KUHN, falling, iterations=2).gaps


@pytest.mark.parametrize("name", ["optimistic-omd", "optimistic-ftrl", "mirror-prox"])
def test_exploitability_of_optimistic_averages_falls_as_one_over_t(name):
    form = form_of(KUHN)
    solver = FirstOrderSolver(form, replace(FIRST_ORDER[name], average_exponent=0.0))
    gaps = []
    for _ in range(3):
        solver.run(2 * solver.iteration or 1000)
        gaps.append(solver.iteration * evaluate_policy(solver.policy()).exploitability)
    assert max(gaps) < 1.2 * min(gaps)


@pytest.mark.parametrize(
    ("name", "spec", "limit"),
    # The bounds are 1.5 times the measurements after 1000 iterations.
    [
        pytest.param("omd", KUHN, 1.6e-3, marks=pytest.mark.long),
        ("omd", LEDUC, 3.4e-3),
        pytest.param("omd", LIAR, 9e-4, marks=pytest.mark.long),
        ("ftrl", KUHN, 5.4e-4),
        pytest.param("optimistic-omd", LEDUC, 7.8e-3, marks=pytest.mark.long),
        ("optimistic-omd", LIAR, 5.5e-4),
        ("optimistic-ftrl", LIAR, 5e-4),
        pytest.param("mirror-prox", LEDUC, 4.1e-3, marks=pytest.mark.long),
        ("mirror-prox", LIAR, 2.9e-4),
        ("mmd-moving", KUHN, 1e-14),
        ("mmd-moving", LEDUC, 1.9e-2),
        pytest.param("mmd-moving", LIAR, 1.1e-4, marks=pytest.mark.long),
    ],
)
def test_schemes_on_games_of_different_kinds(name, spec, limit):
    assert infoset.solve(spec, name, iterations=1000).exploitability <= limit


@each_row
@pytest.mark.parametrize("power", [-3, 8])
def test_scaling_the_payoffs_by_a_power_of_two_changes_no_bit(name, power):
    form = form_of(LEDUC)
    scaled = replace(form, payoff=form.payoff * 2.0**power)
    policies = []
    for game in (form, scaled):
        solver = FirstOrderSolver(game, FIRST_ORDER[name])
        solver.run(25)
        policies.append(np.concatenate(solver.policy().probabilities))
    assert np.array_equal(*policies)


def test_the_answer_is_the_average_or_the_last_iterate():
    for name, is_last in (("omd", False), ("mmd", True)):
        solver = FirstOrderSolver(form_of(KUHN), FIRST_ORDER[name])
        solver.run(10)
        answer, last = (
            np.concatenate(policy.probabilities)
            for policy in (solver.policy(), solver.current_policy())
        )
        assert np.array_equal(answer, last) == is_last


@each_row
def test_a_run_resumes_from_its_state_with_the_same_bits(name):
    form = form_of(KUHN)
    first, second = (FirstOrderSolver(form, FIRST_ORDER[name]) for _ in range(2))
    first.run(27)
    second.set_state(first.state())
    assert second.iteration == 27
    for solver in (first, second):
        solver.run(30)
    for found, expected in zip(
        second.policy().probabilities, first.policy().probabilities, strict=True
    ):
        assert np.array_equal(found, expected)


def test_settings_differ_between_distances():
    form, row = form_of(KUHN), FIRST_ORDER["omd"]
    settings = FirstOrderSolver(form, row).settings()
    assert settings["distance"] == {"kind": "euclidean", "weights": unit_weights}
    assert settings["step_size"] == row.step_size
    balanced = replace(row, distance=Distance("euclidean", balanced_weights))
    assert FirstOrderSolver(form, balanced).settings() != settings


def test_before_the_first_iteration_the_policy_is_uniform():
    form = form_of(KUHN)
    solver = FirstOrderSolver(form, FIRST_ORDER["omd"])
    for found, expected in zip(
        solver.policy().probabilities, uniform_policy(form).probabilities, strict=True
    ):
        np.testing.assert_allclose(found, expected)


@each_row
@pytest.mark.parametrize("spec", ["kuhn_poker(players=3)", "matrix_bos"])
def test_it_is_for_two_player_constant_sum_games(name, spec):
    with pytest.raises(UnsupportedGameError, match=r"two-player constant-sum.*use cfr\+"):
        infoset.solve(spec, name, iterations=1)


def test_a_quantal_gap_is_for_two_players():
    policy = uniform_policy(form_of("kuhn_poker(players=3)"))
    with pytest.raises(UnsupportedGameError, match="two players"):
        quantal_gap(policy, 1.0)
    with pytest.raises(ParameterError, match="temperature=0"):
        quantal_gap(uniform_policy(form_of(KUHN)), 0.0)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"step_size": 0.0}, "step_size=0.0 must be positive"),
        ({"step_size": float("inf")}, "step_size=inf must be a finite number"),
        ({"step_exponent": float("nan")}, "step_exponent=nan must be a finite number"),
        ({"average_exponent": -1.0}, "average_exponent=-1.0 must be .*at least 0"),
        ({"temperature": -1.0}, "temperature=-1.0 must be .*at least 0"),
        ({"temperature_exponent": "1"}, "temperature_exponent='1' must be a finite number"),
        ({"magnet_period": 0}, "magnet_period=0 must be a whole number, at least 1"),
        ({"magnet_period": 2.5}, "magnet_period=2.5 must be a whole number, at least 1"),
        ({"is_lazy": True, "magnet_period": 5}, "magnet_period=5 .* is_lazy=False"),
        ({"is_lazy": True, "temperature": 1.0}, "use is_lazy=False"),
        ({"prediction": "extra", "alternating": True}, "use alternating=False"),
    ],
)
def test_numbers_out_of_range_are_refused(numbers, message):
    with pytest.raises(ParameterError, match=message):
        FirstOrderScheme("mine", "", **numbers)


def test_an_unknown_prediction_is_refused():
    with pytest.raises(UnknownNameError, match="extra"):
        FirstOrderScheme("mine", "", prediction="exta")


@pytest.mark.parametrize("temperature", [0, -0.1, float("nan"), "0.1"])
def test_the_quantal_gap_needs_a_temperature(temperature):
    form = form_of(KUHN)
    with pytest.raises(ParameterError, match=f"temperature={temperature!r} "):
        quantal_gap(uniform_policy(form), temperature)


def test_a_distance_given_as_text_is_refused():
    with pytest.raises(ParameterError, match=r"distance='entropy' .* give a Distance"):
        infoset.solve(KUHN, replace(FIRST_ORDER["omd"], distance="entropy"), iterations=1)
