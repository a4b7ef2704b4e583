"""Progressive hedging: exact steps, convergence where payoffs are linear, and tiny team games."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.teams import (
    TEAM_METHODS,
    InformationMap,
    expected_payoffs,
    geometric_penalty,
    product_form_from_functions,
)
from infoset.teams.hiding import (
    MinorizeMaximize,
    ProgressiveHedging,
    project,
    relax,
    squared_distance,
)
from tests.teams.hiding.hiding_games import pennies, random_policy, random_team, trade

GAMES = {"pennies": pennies, "trade": lambda: trade(2), "random": lambda: random_team(6)}


def scenarios(form):
    """Relax a form so that every chance outcome is a separate scenario."""
    return relax(form, InformationMap(form, np.arange(form.num_nodes), "scenarios"))


def guess(seed, num_agents=1, num_actions=3):
    """Agents who see whether their type is odd act once each; payoffs are arbitrary."""
    rng = np.random.default_rng(seed)
    kinds = tuple(product(range(4), repeat=num_agents))
    weight = rng.dirichlet(np.ones(len(kinds)))
    payoff = rng.uniform(-1, 1, size=(len(kinds), *[num_actions] * num_agents))
    return product_form_from_functions(
        dict(zip(kinds, weight.tolist(), strict=True)),
        agent_names=tuple(f"agent {agent}" for agent in range(num_agents)),
        num_stages=num_agents,
        agent=lambda types, actions: len(actions) if len(actions) < num_agents else None,
        legal_actions=lambda types, actions: tuple(range(num_actions)),
        information=lambda types, actions: types[len(actions)] % 2,
        reward=lambda types, actions: (float(payoff[(kinds.index(types), *actions)]),) * num_agents,
        name=f"guess {seed}",
    )


def best_pure(form):
    """Return the largest payoff of a pure policy, by enumeration."""
    information = form.information
    return max(
        expected_payoffs(
            information,
            np.concatenate(
                [np.eye(n)[a] for n, a in zip(information.num_actions, choice, strict=True)]
            ),
        )[0]
        for choice in product(*map(range, information.num_actions))
    )


@pytest.mark.parametrize("seed", range(4))
def test_with_one_choice_in_a_play_it_converges_to_the_optimum(seed):
    form = guess(seed)
    relaxed_form = scenarios(form)
    hedging = ProgressiveHedging(relaxed_form, 0.1, seed=seed)
    trace = hedging.run(400)
    assert trace.implementable[-1, 0] == pytest.approx(best_pure(form), abs=1e-6)
    assert trace.squared_distance[-1, 0] == pytest.approx(0, abs=1e-9)
    # The penalty alone leaves a distance.
    alone = MinorizeMaximize(relaxed_form, 0.1, seed=seed).run(400)
    assert alone.squared_distance[-1, 0] > 0.01


def test_multipliers_have_mean_zero_where_agents_cannot_tell_scenarios_apart():
    form = guess(1)
    relaxed_form = scenarios(form)
    hedging = ProgressiveHedging(relaxed_form, 0.2)
    hedging.run(7)
    multipliers = hedging.state()["regret"].reshape(-1, 3)
    assert abs(multipliers).max() > 0.1
    chance = relaxed_form.nodes.chance
    for cell in range(form.information.num_cells):
        inside = form.information.cell == cell
        assert chance[inside] @ multipliers[relaxed_form.relaxed.cell[inside]] == pytest.approx(0)


@pytest.mark.parametrize("game", GAMES)
def test_a_step_is_the_best_response_with_prices(game):
    """No policy has a larger J(π) - E [<w, π> + γ ‖π - π̂‖²], and w rises by 2γ (π - π̂)."""
    relaxed_form, penalty = GAMES[game](), 0.05
    hedging = ProgressiveHedging(relaxed_form, penalty, seed=2)
    hedging.run(3)
    prices, projected = hedging.state()["regret"].copy(), hedging.policy()
    hedging.run(1)
    answer = hedging.relaxed_policy()
    fine = relaxed_form.relaxed

    def value(policy):
        reach = np.bincount(fine.cell, relaxed_form.reach(policy), fine.num_cells)
        paid = np.repeat(reach, fine.num_actions) @ (prices * policy)
        distance = squared_distance(relaxed_form, policy, projected)[0]
        return relaxed_form.payoffs(policy)[0] - paid - penalty * distance

    generator = np.random.default_rng(1)
    others = [random_policy(fine, generator) for _ in range(20)]
    for first, num in zip(fine.first_entry[:-1], fine.num_actions, strict=True):
        for action in range(num):
            others.append(answer.copy())
            others[-1][first : first + num] = np.eye(num)[action]
    assert abs(prices).max() > 0.01
    for share, other in product((1e-3, 0.03, 0.3, 1.0), others):
        assert value((1 - share) * answer + share * other) <= value(answer) + 1e-9
    np.testing.assert_allclose(hedging.policy(), project(relaxed_form, answer), atol=1e-12)
    gap = answer - relaxed_form.lift(hedging.policy())
    np.testing.assert_allclose(hedging.state()["regret"], prices + 2 * penalty * gap, atol=1e-12)


def test_tiny_team_games_by_enumeration():
    """Payoffs are at most the optimum; multipliers close the distance, but optima may be local."""
    shortfalls = []
    for seed in range(12):
        form = guess(seed, num_agents=2, num_actions=2)
        runs = [ProgressiveHedging(scenarios(form), 0.02, seed=start) for start in range(4)]
        traces = [run.run(300) for run in runs]
        assert max(trace.squared_distance[-1, 0] for trace in traces) < 1e-3
        shortfalls.append(best_pure(form) - max(run.best_payoff for run in runs))
    assert min(shortfalls) >= -1e-12
    assert np.mean(np.array(shortfalls) < 1e-3) >= 0.5


def test_pennies_are_solved_with_a_small_penalty_only():
    assert best_pure(pennies().form) == 1
    payoffs = {
        penalty: [
            ProgressiveHedging(pennies(), penalty, seed=seed).run(100).implementable[-1, 0]
            for seed in range(10)
        ]
        for penalty in (0.05, 3.0)
    }
    assert payoffs[0.05] == pytest.approx([1.0] * 10)
    assert np.mean(payoffs[3.0]) < 0.5


def test_resumed_hedging_is_bit_identical():
    """A saved state contains the multipliers."""
    whole, begun, resumed = (ProgressiveHedging(trade(2), 0.05, seed=seed) for seed in (3, 3, 4))
    whole.run(9)
    begun.run(4)
    resumed.set_state({name: array.copy() for name, array in begun.state().items()})
    begun.run(5)
    resumed.run(5)
    for name, array in whole.state().items():
        np.testing.assert_array_equal(begun.state()[name], array)
        np.testing.assert_array_equal(resumed.state()[name], array)


@pytest.mark.parametrize(
    ("name", "penalty"), [("progressive-hedging", 0.03), ("minorize-maximize", 0.9)]
)
def test_the_default_penalty_is_a_part_of_the_payoff_range(name, penalty):
    """Payoffs of cooperative matching pennies are from -2 to 1."""
    learner = TEAM_METHODS[name].start(pennies(), None, 0)
    assert learner.settings()["penalty"] == pytest.approx(penalty)


def test_a_relaxation_without_perfect_recall_is_refused():
    with pytest.raises(UnsupportedGameError, match=r"cannot tell .* \(--relax recall\)"):
        infoset.solve_team("trade_comm(num_items=2)", "progressive-hedging", relax="none")


def test_a_penalty_schedule_is_refused():
    schedule = geometric_penalty(0.1, 1.0, 100)
    with pytest.raises(ParameterError, match=r"'geometric.*' is a schedule.* such as 0\.01"):
        infoset.solve_team("trade_comm(num_items=2)", "progressive-hedging", penalty=schedule)


def test_as_a_method_of_solve_team():
    found = infoset.solve_team("trade_comm(num_items=2)", "progressive-hedging", seed=0)
    assert found.method == "progressive-hedging"
    assert found.payoff == pytest.approx(1.0)
