"""The projector (T1), penalties and the relaxed objective (T3), and their gradients."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.teams.hiding import PROJECTORS, Projector, project, relaxed_objective, squared_distance
from tests.teams.hiding.hiding_games import (
    bridge,
    by_cell,
    pennies,
    random_policy,
    random_team,
    trade,
)

GAMES = {
    "pennies": pennies,
    "trade": lambda: trade(2),
    "private_revealed": lambda: trade(3, "private_revealed"),
    "random": lambda: random_team(4),
    "random too": lambda: random_team(7, "private_revealed"),
    "bridge": bridge,
}


@pytest.fixture(params=GAMES)
def game(request):
    return GAMES[request.param]()


@pytest.fixture
def generator():
    return np.random.default_rng(6)


def reference_weight(game, generator):
    """[N] the reach under an implementable policy of full support."""
    return game.reach(game.lift(random_policy(game.original, generator)))


def inner(game, weight, left, right):
    """<x, y> = Σ_n ρ(n) x_n · y_n, of relaxed vectors [S]."""
    by_entry = np.bincount(game.relaxed.cell, weight)
    return np.sum(np.repeat(by_entry, game.relaxed.num_actions) * left * right)


def lifted_projection(game, vector, weight):
    return game.lift(project(game, vector, weight))


def test_the_projection_is_a_policy(game, generator):
    projected = project(
        game, random_policy(game.relaxed, generator), reference_weight(game, generator)
    )
    assert (projected >= 0).all()
    np.testing.assert_allclose(
        [own.sum() for own in by_cell(game.original, projected)], 1, atol=1e-12
    )


def test_implementable_policies_are_the_fixed_points(game, generator):
    """Proposition 1, both ways."""
    weight = reference_weight(game, generator)
    projected = random_policy(game.original, generator)
    np.testing.assert_allclose(project(game, game.lift(projected), weight), projected, atol=1e-12)
    policy = random_policy(game.relaxed, generator)
    assert np.abs(lifted_projection(game, policy, weight) - policy).max() > 1e-3


def test_the_projection_is_idempotent(game, generator):
    weight = reference_weight(game, generator)
    once = lifted_projection(game, random_policy(game.relaxed, generator), weight)
    np.testing.assert_allclose(lifted_projection(game, once, weight), once, atol=1e-12)


def test_the_projection_is_self_adjoint(game, generator):
    """Proposition 2."""
    weight = reference_weight(game, generator)
    x, y = generator.normal(size=(2, game.relaxed.num_entries))
    left = inner(game, weight, lifted_projection(game, x, weight), y)
    assert left == pytest.approx(
        inner(game, weight, x, lifted_projection(game, y, weight)), abs=1e-12
    )


def test_pythagoras_makes_it_the_nearest_implementable_policy(game, generator):
    weight = reference_weight(game, generator)
    x = generator.normal(size=game.relaxed.num_entries)
    image = lifted_projection(game, x, weight)
    whole, kept, off = (inner(game, weight, v, v) for v in (x, image, x - image))
    assert whole == pytest.approx(kept + off, rel=1e-12)
    projected = project(game, x, weight)
    assert squared_distance(game, x, projected, weight)[0] == pytest.approx(off, rel=1e-12)
    other = projected + generator.normal(size=len(projected))
    assert squared_distance(game, x, other, weight)[0] > off


def test_the_derivative_of_the_distance_in_a_fixed_norm(game, generator):
    weight = reference_weight(game, generator)
    x, direction = generator.normal(size=(2, game.relaxed.num_entries))

    def distance(point):
        return squared_distance(game, point, project(game, point, weight), weight)[0]

    step = 1e-4
    slope = (distance(x + step * direction) - distance(x - step * direction)) / (2 * step)
    off = x - lifted_projection(game, x, weight)
    assert slope == pytest.approx(2 * inner(game, weight, off, direction), rel=1e-6, abs=1e-9)


def test_by_default_weights_are_the_reach_of_the_policy(game, generator):
    policy = random_policy(game.relaxed, generator)
    reach = game.reach(policy)
    projected = project(game, policy)
    np.testing.assert_array_equal(projected, project(game, policy, reach))
    np.testing.assert_array_equal(
        squared_distance(game, policy, projected), squared_distance(game, policy, projected, reach)
    )


def test_nodes_without_weight_are_averaged():
    game = trade(2)
    policy = random_policy(game.relaxed, np.random.default_rng(0))
    weight = np.zeros(game.form.num_nodes)
    np.testing.assert_allclose(
        project(game, policy, weight), project(game, policy, np.ones(len(weight))), atol=1e-15
    )


def best_deterministic(game, relaxation):
    """The payoff of the best deterministic policy under either map, by enumeration."""
    information = game.relaxed if relaxation else game.original
    best = -np.inf
    for choice in np.ndindex(*information.num_actions):
        policy = np.zeros(information.num_entries)
        policy[information.first_entry[:-1] + choice] = 1
        best = max(best, game.payoffs(policy if relaxation else game.lift(policy))[0])
    return best


def test_the_relaxed_optimum_lies_between_the_bounds():
    """T3, with the optima of both maps by brute force, at the ends and in the middle of γ."""
    game = pennies()
    best, best_relaxed = (
        best_deterministic(game, relaxation=False),
        best_deterministic(game, relaxation=True),
    )
    assert (best, best_relaxed) == (1.0, 1.0)
    generator = np.random.default_rng(3)
    policies = [random_policy(game.relaxed, generator) for _ in range(200)]
    for penalty in (0.0, 0.1, 1.0, 10.0):
        assert max(relaxed_objective(game, p, penalty)[0] for p in policies) <= best_relaxed
    truth = np.zeros(game.original.num_entries)
    truth[game.original.first_entry[:-1] + np.array([0, 1, 0, 1])] = 1
    for penalty in (0.0, 1.0, 1000.0):
        assert relaxed_objective(game, game.lift(truth), penalty)[0] == best


def test_a_penalty_never_raises_the_objective(game, generator):
    policy = random_policy(game.relaxed, generator)
    values = [relaxed_objective(game, policy, penalty)[0] for penalty in (0.0, 0.5, 1.0, 4.0)]
    assert values[0] == game.payoffs(policy)[0]
    assert values == sorted(values, reverse=True)
    np.testing.assert_allclose(np.diff(values) / [0.5, 0.5, 3.0], values[1] * 2 - values[0] * 2)


def test_projectors_define_their_reference_profiles():
    assert PROJECTORS["previous"].previous == PROJECTORS["current"].current == 1
    mixed = Projector("half", "both", current=0.5, previous=0.5).mixed(0.2)
    assert (mixed.current, mixed.previous, mixed.uniform) == (0.4, 0.4, 0.2)
    with pytest.raises(ParameterError, match=r"sum to 0\.7; they must sum to 1"):
        Projector("less", "than all", current=0.7)
    with pytest.raises(ParameterError, match="current=-1"):
        Projector("negative", "", current=-1, previous=2)
