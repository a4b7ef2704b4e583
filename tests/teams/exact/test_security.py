"""Security levels of teams, against all joint plans of the other agents."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError
from infoset.games import load_game
from infoset.teams import (
    build_product_form,
    expected_payoffs,
    security_level,
    team_optimum,
)

GAMES = (
    "random_game(seed=11,num_players=3,max_histories=60)",
    "random_game(seed=5,num_players=3,max_histories=40)",
    "random_game(seed=2,num_players=2,max_histories=40)",
)


def random_probabilities(information, seed):
    """Return [entries] a random policy of all agents."""
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.dirichlet(np.ones(n)) for n in information.num_actions.tolist()])


def choices(information, team):
    """Return the cells at which agents outside a team choose."""
    free = ~np.isin(information.agent, team) & (information.num_actions > 1)
    return np.flatnonzero(free).tolist()


def worst_by_enumeration(information, team, policy):
    """Return the least payoff of a team over all pure plans of the other agents."""
    cells, worst = choices(information, team), np.inf
    for plan in product(*(range(information.num_actions[cell]) for cell in cells)):
        chosen = policy.copy()
        for cell, action in zip(cells, plan, strict=True):
            first = information.first_entry[cell]
            chosen[first : first + information.num_actions[cell]] = 0
            chosen[first + action] = 1
        worst = min(worst, expected_payoffs(information, chosen)[list(team)].sum())
    return worst


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_minimum_over_all_plans_of_the_others(game, seed):
    information = build_product_form(load_game(game)).information
    policy = random_probabilities(information, seed)
    teams = [
        team
        for team in ((0,), (1,), (0, 1))
        if len(team) < information.form.num_agents
        and np.prod(information.num_actions[choices(information, team)]) < 5000
    ]
    assert teams
    for team in teams:
        worst = worst_by_enumeration(information, team, policy)
        level = security_level(information, team, policy, rule="sum")
        assert level.lower == pytest.approx(worst, abs=1e-9)
        assert level.upper == pytest.approx(worst, abs=1e-9)
        earned = expected_payoffs(information, policy)[list(team)].sum()
        assert level.lower <= earned + 1e-9


def test_in_zero_sum_games_it_is_the_negated_optimum_of_the_others():
    information = build_product_form(load_game("kuhn_poker(players=4)")).information
    policy = random_probabilities(information, 1)
    level = security_level(information, (0, 2), policy, rule="sum")
    optimum = team_optimum(information, (1, 3), others=policy, rule="sum")
    assert level.lower == pytest.approx(-optimum.value, abs=1e-9)


def test_a_search_that_is_cut_short_leaves_bounds():
    information = build_product_form(load_game("random_game(seed=4,num_players=4)")).information
    policy = random_probabilities(information, 0)
    exact = security_level(information, (0,), policy)
    bounds = security_level(information, (0,), policy, max_steps=1)
    assert bounds.lower <= exact.lower + 1e-12
    assert exact.upper <= bounds.upper + 1e-12


def test_results_of_two_sides_say_what_each_is_sure_of():
    found = infoset.solve_team("kuhn_poker(players=3)", teams=[(0, 1), (2,)], rule="sum")
    for team, level, payoff in zip(found.teams, found.security_levels, found.payoffs, strict=True):
        again = security_level(found.information, team, found.probability, rule="sum")
        assert level == again
        assert level.lower <= payoff
    assert found.summary()["security_levels"] == found.security_levels
    assert infoset.solve_team("cooperative_matching_pennies").security_levels is None


def test_each_team_answers_with_what_is_sure_of_more():
    for teams in ([(0, 1), (2,)], [(0, 2), (1,)], [(1, 2), (0,)]):
        found = infoset.solve_team("kuhn_poker(players=3)", teams=teams, rule="sum", iterations=200)
        for team, level in zip(found.teams, found.security_levels, strict=True):
            last = security_level(found.information, team, found.last_probability, rule="sum")
            assert level.lower >= last.lower


def test_two_players_have_the_levels_of_their_policies():
    found = infoset.solve_team("kuhn_poker", teams=[(0,), (1,)], iterations=50)
    levels = infoset.evaluate(found.policy).security_levels
    assert [level.lower for level in found.security_levels] == pytest.approx(levels)


def test_somebody_must_be_left_to_respond():
    information = build_product_form(load_game("kuhn_poker")).information
    policy = random_probabilities(information, 0)
    with pytest.raises(ParameterError, match="nobody is left"):
        security_level(information, (0, 1), policy)
