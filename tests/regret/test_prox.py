"""The treeplex prox, against a convex solver, its optimality condition, and hand calculations."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.optimize import LinearConstraint, minimize

from infoset.errors import ParameterError, UnknownNameError
from infoset.forms import Treeplex
from infoset.regret import Distance, TreeplexProx, balanced_weights, unit_weights
from tests.support.reference_distances import (
    bregman,
    project,
    random_behavior,
    random_treeplex,
    reference_prox,
    regularizer,
    regularizer_slope,
)
from tests.support.reference_regret import infostates, plan_of

pytestmark = pytest.mark.broad


def uneven_weights(treeplex):
    return 0.5 + np.arange(treeplex.num_infostates) % 3


DISTANCES = [
    Distance(kind, weights)
    for kind, weights in product(
        ("entropy", "euclidean"), (unit_weights, balanced_weights, uneven_weights)
    )
]
NAMES = [f"{distance.kind}-{distance.weights.__name__}" for distance in DISTANCES]
each_distance = pytest.mark.parametrize("distance", DISTANCES, ids=NAMES)


def flow(plex):
    """Return the flow matrix [I, Q]: plans satisfy flow @ plan = 0."""
    matrix = np.zeros((plex.num_infostates, plex.num_sequences))
    for row, (parent, own) in zip(matrix, infostates(plex), strict=True):
        row[own] = 1
        row[parent] = -1
    return matrix


class Problem:
    """A prox problem on a random treeplex, with its objective in plain NumPy."""

    def __init__(self, distance, seed, levels=3):
        rng = np.random.default_rng(seed)
        self.plex = random_treeplex(seed, levels)
        self.distance = distance
        self.weights = distance.weights(self.plex)
        self.gradient = rng.standard_normal(self.plex.num_sequences)
        self.temperature, self.inverse_step_size = rng.uniform(0.2, 1, 2)
        self.magnet, self.center = (random_behavior(self.plex, rng) for _ in range(2))
        self.other_behavior = random_behavior(self.plex, rng)
        self.other = plan_of(self.plex, self.other_behavior)

    def answer(self):
        return TreeplexProx(self.plex, self.distance).respond(
            self.gradient,
            temperature=self.temperature,
            magnet=self.magnet,
            inverse_step_size=self.inverse_step_size,
            center=self.center,
        )

    def divergence(self, plan, behavior):
        center = plan_of(self.plex, behavior)
        return bregman(self.plex, self.weights, self.distance.kind, plan, center)

    def objective(self, plan):
        return (
            self.gradient @ plan
            - self.temperature * self.divergence(plan, self.magnet)
            - self.inverse_step_size * self.divergence(plan, self.center)
        )

    def slope(self, plan):
        slope = self.gradient.copy()
        for strength, center in (
            (self.temperature, self.magnet),
            (self.inverse_step_size, self.center),
        ):
            for sign, at in ((-1, plan), (1, plan_of(self.plex, center))):
                slope += (
                    sign
                    * strength
                    * regularizer_slope(self.plex, self.weights, self.distance.kind, at)
                )
        return slope


@each_distance
def test_a_convex_solver_finds_the_same_plan(distance):
    problem = Problem(distance, seed=0, levels=2)
    free = null_space(np.vstack([np.eye(1, problem.plex.num_sequences), flow(problem.plex)]))

    def plan_at(steps):
        return np.maximum(problem.other + free @ steps, 1e-9)

    found = minimize(
        lambda steps: -problem.objective(plan_at(steps)),
        np.zeros(free.shape[1]),
        jac=lambda steps: -free.T @ problem.slope(plan_at(steps)),
        method="SLSQP",
        constraints=LinearConstraint(free, 1e-7 - problem.other),
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    answer = problem.answer()
    assert -found.fun == pytest.approx(answer.value, abs=1e-5)
    assert -found.fun <= answer.value + 1e-12
    np.testing.assert_allclose(answer.plan, plan_at(found.x), atol=1e-5)


@each_distance
@pytest.mark.parametrize("seed", range(10))
def test_no_plan_is_better_by_the_three_point_inequality(distance, seed):
    # F(x) − F(z) ≥ k D(z, x) for the maximizer x of F and any plan z, and equal where x has no
    # zeros, as with entropy.
    problem = Problem(distance, seed)
    answer = problem.answer()
    assert answer.value == pytest.approx(
        problem.objective(np.maximum(answer.plan, 1e-300)), abs=1e-11
    )
    prox = TreeplexProx(problem.plex, distance)
    apart = prox.divergence(problem.other_behavior, problem.other, answer.policy)
    loss = answer.value - problem.objective(problem.other)
    stiffness = problem.temperature + problem.inverse_step_size
    assert apart > 0
    assert loss >= stiffness * apart - 1e-10
    if distance.kind == "entropy":
        assert loss == pytest.approx(stiffness * apart, abs=1e-10)


@each_distance
@pytest.mark.parametrize("seed", range(5))
def test_the_kernel_equals_the_reference_implementation(distance, seed):
    problem = Problem(distance, seed)
    terms = [(problem.temperature, problem.magnet), (problem.inverse_step_size, problem.center)]
    behavior, value = reference_prox(
        problem.plex, problem.weights, distance.kind, problem.gradient, terms
    )
    answer = problem.answer()
    np.testing.assert_allclose(answer.policy, behavior, atol=1e-13)
    np.testing.assert_allclose(answer.plan, plan_of(problem.plex, behavior), atol=1e-13)
    assert answer.value == pytest.approx(value, abs=1e-12)


@each_distance
def test_zero_temperature_ignores_the_magnet_and_a_zero_center_is_no_center(distance):
    problem = Problem(distance, 1)
    prox = TreeplexProx(problem.plex, distance)
    step = prox.respond(problem.gradient, inverse_step_size=2.0, center=problem.center)
    same = prox.respond(
        problem.gradient,
        inverse_step_size=2.0,
        center=problem.center,
        temperature=0.0,
        magnet=problem.magnet,
    )
    assert np.array_equal(step.policy, same.policy)
    smoothed = prox.respond(problem.gradient, temperature=2.0)
    plan = np.maximum(smoothed.plan, 1e-300)
    least = regularizer(problem.plex, problem.weights, distance.kind, plan)
    assert smoothed.value == pytest.approx(problem.gradient @ plan - 2 * least, abs=1e-11)


@each_distance
@pytest.mark.parametrize("seed", range(3))
def test_divergences_are_bregman_divergences(distance, seed):
    problem = Problem(distance, seed)
    prox = TreeplexProx(problem.plex, distance)
    plan = plan_of(problem.plex, problem.magnet)
    for center in (None, problem.center):
        base = None if center is None else plan_of(problem.plex, center)
        expected = bregman(problem.plex, problem.weights, distance.kind, plan, base)
        assert prox.divergence(problem.magnet, plan, center) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_projection_on_the_simplex(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 8))
    point = rng.standard_normal(size) * 10.0 ** rng.integers(-3, 3)
    point[rng.integers(size)] = point[0]
    plex = Treeplex(*(np.array([n], np.int32) for n in (0, 1, size)), size + 1)
    prox = TreeplexProx(plex, Distance("euclidean"))
    found = prox.respond(np.concatenate([[0], point]), temperature=1.0).policy[1:]
    np.testing.assert_allclose(found, project(point), atol=1e-12)


@each_distance
@pytest.mark.parametrize("size", [1e8, 1e30])
def test_large_gradients_still_give_probabilities(distance, size):
    problem = Problem(distance, 2)
    prox = TreeplexProx(problem.plex, distance)
    answer = prox.respond(size * problem.gradient, inverse_step_size=1.0, center=problem.center)
    again = prox.respond(-size * problem.gradient, inverse_step_size=1.0, center=answer.policy)
    for behavior in (answer.policy, again.policy):
        for _, own in infostates(problem.plex):
            assert behavior[own].sum() == pytest.approx(1, abs=1e-12)
            assert (behavior[own] >= 0).all()


def pure_plans(plex):
    """Yield every pure plan, some more than once."""
    for chosen in product(*(range(own.start, own.stop) for _, own in infostates(plex))):
        behavior = np.zeros(plex.num_sequences)
        behavior[[0, *chosen]] = 1
        yield plan_of(plex, behavior)


@each_distance
def test_bounds_are_the_minimum_and_maximum_of_the_regularizer(distance):
    plex = random_treeplex(8, levels=2)
    weights = distance.weights(plex)
    least, greatest = TreeplexProx(plex, distance).bounds
    at_pure = [
        regularizer(plex, weights, distance.kind, np.maximum(plan, 1e-300))
        for plan in pure_plans(plex)
    ]
    assert greatest == pytest.approx(max(at_pure), abs=1e-9)
    _, most = reference_prox(
        plex, weights, distance.kind, np.zeros(plex.num_sequences), [(1, None)]
    )
    assert least == pytest.approx(-most, abs=1e-12)


def test_balanced_weights_by_hand():
    # Infostate 0 at the root with two actions; 1 and 2 below its first, 3 below its second.
    plex = Treeplex(*(np.array(a, np.int32) for a in ([0, 1, 1, 2], [1, 3, 5, 7], [2] * 4)), 9)
    assert balanced_weights(plex).tolist() == [2 + 2 * (2 + 2), 2, 2, 2]


@pytest.mark.parametrize("kind", ["entropy", "euclidean"])
@pytest.mark.parametrize("seed", range(20))
def test_with_balanced_weights_divergence_is_at_least_half_the_squared_distance(kind, seed):
    rng = np.random.default_rng(seed)
    plex = random_treeplex(seed)
    plan, center = (plan_of(plex, random_behavior(plex, rng) ** 3) for _ in range(2))
    for x in (plan, center):
        for parent, own in infostates(plex):
            x[own] *= x[parent] / x[own].sum()
    divergence = bregman(plex, balanced_weights(plex), kind, plan, center)
    assert divergence >= 0.5 * (plan - center) @ (plan - center)


def test_an_unknown_distance_is_refused():
    with pytest.raises(UnknownNameError, match="euclidean"):
        Distance("euclidian")


@pytest.mark.parametrize("wrong", [lambda plex: np.ones(1), lambda plex: -unit_weights(plex)])
def test_weights_must_be_positive_and_one_for_each_infostate(wrong):
    with pytest.raises(ParameterError, match="one positive number for each"):
        TreeplexProx(random_treeplex(1), Distance("entropy", wrong))


@pytest.mark.parametrize(
    "numbers", [{}, {"temperature": -1.0}, {"inverse_step_size": -1.0, "temperature": 2.0}]
)
def test_zero_regularization_is_refused(numbers):
    plex = random_treeplex(1)
    with pytest.raises(ParameterError, match="best response"):
        TreeplexProx(plex, Distance()).respond(np.zeros(plex.num_sequences), **numbers)
