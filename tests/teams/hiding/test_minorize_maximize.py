"""Algorithm 1: monotone (T2), exact in each step, and its table of outcomes."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.teams import find_recall_violation
from infoset.teams.hiding import (
    MinorizeMaximize,
    project,
    relaxed_objective,
    squared_distance,
)
from tests.teams.hiding.hiding_games import (
    TEAM,
    bridge,
    pennies,
    random_duel,
    random_policy,
    random_team,
    trade,
)

pytestmark = pytest.mark.broad

GAMES = {
    "pennies": pennies,
    "trade": lambda: trade(2),
    "trade of three": lambda: trade(3),
    "random": lambda: random_team(5),
    "bridge": bridge,
}


def objective(trace):
    return (trace.relaxed - trace.penalty_coefficient * trace.squared_distance)[:, 0]


@pytest.mark.parametrize("penalty", [0.02, 1.0])
@pytest.mark.parametrize("game", GAMES)
def test_the_objective_never_falls(game, penalty):
    """T2, Theorem 3."""
    for seed in range(2):
        algorithm = MinorizeMaximize(GAMES[game](), penalty, seed=seed)
        values = objective(algorithm.run(100))
        assert np.diff(values).min() >= -1e-9
        assert values[-1] - values[-2] < 1e-3 * (1 + abs(values[-1]))
        start = objective(MinorizeMaximize(GAMES[game](), penalty, seed=seed).run(1))[0]
        assert values[0] == start


def test_the_trace_is_the_objective_of_its_policy():
    algorithm = MinorizeMaximize(trade(3), 0.7, seed=2)
    value = objective(algorithm.run(5))[-1]
    assert value == pytest.approx(relaxed_objective(trade(3), algorithm.relaxed_policy(), 0.7)[0])
    np.testing.assert_allclose(
        algorithm.policy(), project(trade(3), algorithm.relaxed_policy()), atol=1e-12
    )


@pytest.mark.parametrize("game", GAMES)
def test_a_step_is_the_best_response_to_the_projected_policy(game):
    """No other policy has a larger J(π) - γ E ‖π - π̂‖² against the old projection."""
    relaxed_form, penalty = GAMES[game](), 0.4
    generator = np.random.default_rng(1)
    start = random_policy(relaxed_form.relaxed, generator)
    projected = project(relaxed_form, start)
    algorithm = MinorizeMaximize(relaxed_form, penalty, start=start)
    algorithm.run(1)
    answer = algorithm.relaxed_policy()

    def value(policy):
        earned = relaxed_form.payoffs(policy)[0]
        return earned - penalty * squared_distance(relaxed_form, policy, projected)[0]

    best = value(answer)
    for share in (1e-3, 0.03, 0.3, 1.0):
        for _ in range(20):
            other = random_policy(relaxed_form.relaxed, generator)
            assert value((1 - share) * answer + share * other) <= best + 1e-9
    assert best >= value(start)
    assert best >= value(relaxed_form.lift(projected))


@pytest.mark.parametrize(
    ("game", "penalty", "objective_mean", "projected_mean", "solved"),
    [
        (pennies, 0.02, 1.000, 1.000, 1.0),
        (pennies, 3.0, 1.000, 1.000, 1.0),
        (lambda: trade(2), 0.02, 1.000, 1.000, 1.0),
        pytest.param(*(lambda: trade(3), 0.02, 0.999, 0.939, 0.7), marks=pytest.mark.long),
        (lambda: trade(3), 0.3, 0.982, 0.939, 0.7),
        pytest.param(*(lambda: trade(3), 1.0, 0.958, 0.944, 0.75), marks=pytest.mark.long),
        pytest.param(*(lambda: trade(3), 3.0, 0.938, 0.934, 0.6), marks=pytest.mark.long),
    ],
)
def test_the_table_of_outcomes(game, penalty, objective_mean, projected_mean, solved):
    """Means over 20 starts, other than the published ones, after 100 iterations."""
    traces = [MinorizeMaximize(game(), penalty, seed=seed).run(100) for seed in range(20)]
    projections = np.array([trace.implementable[-1, 0] for trace in traces])
    assert np.mean([objective(trace)[-1] for trace in traces]) == pytest.approx(
        objective_mean, abs=0.02
    )
    assert projections.mean() == pytest.approx(projected_mean, abs=0.05)
    assert np.mean(projections > 0.99) == pytest.approx(solved, abs=0.3)


def test_the_trade_off_between_small_and_large_penalties():
    by_penalty = {}
    for penalty in (0.02, 3.0):
        ends = [MinorizeMaximize(trade(3), penalty, seed=seed).run(100) for seed in range(10)]
        by_penalty[penalty] = np.mean(
            [(e.relaxed[-1, 0], e.squared_distance[-1, 0]) for e in ends], axis=0
        )
    assert by_penalty[0.02][0] > by_penalty[3.0][0] + 0.02
    assert by_penalty[0.02][1] > by_penalty[3.0][1]


def test_the_objective_never_falls_against_a_fixed_team():
    duel = random_duel(4)
    fixed = {1: random_policy(duel.original, np.random.default_rng(2))}
    values = objective(MinorizeMaximize(duel, 0.5, fixed=fixed).run(60))
    assert np.diff(values).min() >= -1e-9
    assert values[-1] > values[0]


def test_resumed_runs_are_bit_identical():
    whole, parts = (MinorizeMaximize(trade(2), 0.5, seed=3) for _ in range(2))
    whole.run(9)
    parts.run(4)
    parts.run(5)
    for name, array in whole.state().items():
        np.testing.assert_array_equal(parts.state()[name], array)


def test_unsupported_arguments():
    with pytest.raises(UnsupportedGameError, match="perfect_recall_closure"):
        MinorizeMaximize(trade(2, "private_revealed"), 0.5)
    with pytest.raises(ParameterError, match="penalty=0 has no proximal step"):
        MinorizeMaximize(trade(2), 0.0)
    with pytest.raises(ParameterError, match="penalty=-1"):
        MinorizeMaximize(trade(2), -1.0)
    with pytest.raises(ParameterError, match="2 teams would learn"):
        MinorizeMaximize(random_duel(4), 1.0)
    with pytest.raises(ParameterError, match="have shape"):
        MinorizeMaximize(trade(2), 1.0, start=np.ones(3))
    assert find_recall_violation(trade(2, "private_revealed").relaxed, TEAM) is not None
