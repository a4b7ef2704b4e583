"""Two teams: values by independent methods, security levels, and the page."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import two_teams
from report import DOCS

from infoset.evaluation import best_response
from infoset.games import load_game
from infoset.policy import random_policy
from infoset.teams import build_product_form, from_tabular
from infoset.tree import build_tree
from tests.support.random_team_games import num_profiles, random_team_game

pytestmark = pytest.mark.benchmarks

SIDES = ((0, 1), (2,))


@pytest.mark.parametrize(
    ("game", "value"), [("kuhn_poker", -1 / 18), ("matrix_brps", 0), ("goofspiel(num_cards=3)", 0)]
)
def test_two_players_have_the_value_of_their_game(game, value):
    information = build_product_form(load_game(game)).information
    found = two_teams.game_value(information, ((0,), (1,)))
    assert found.value == pytest.approx(value, abs=1e-8)


def test_values_are_those_of_all_joint_plans():
    num_games = 0
    for seed in range(60):
        form = random_team_game(np.random.default_rng(seed), num_agents=3, is_common=False)
        if max(num_profiles(form.information, side) for side in SIDES) > 50:
            continue
        information = as_duel(form).information
        rows, columns = (pure_policies(information, side) for side in SIDES)
        paid = [[two_teams._paid(information, SIDES, a, b) for b in columns] for a in rows]
        wanted, _ = two_teams._solve(np.array(paid))
        found = two_teams.game_value(information, SIDES)
        assert found.value == pytest.approx(wanted, abs=1e-8)
        num_games += found.num_plans[0] > 2
    assert num_games >= 3


def as_duel(form):
    """Return the form in which the last agent pays the payoffs of the others."""
    payoff = form.arrays.payoff.copy()
    payoff[:, 2] = -payoff[:, :2].sum(axis=1)
    return replace(form, arrays=form.arrays._replace(payoff=payoff))


def pure_policies(information, side):
    """Return all pure policies of a side; others take their first actions."""
    labels = zip(information.num_actions.tolist(), information.agent.tolist(), strict=True)
    options = [range(count) if agent in side else (0,) for count, agent in labels]
    first = information.first_entry[:-1]
    policies = np.zeros((np.prod([*map(len, options)]), information.num_entries))
    for policy, picks in zip(policies, product(*options), strict=True):
        policy[first + picks] = 1
    return policies


def test_what_two_players_fall_short_of_is_what_others_gain():
    tree = build_tree(load_game("kuhn_poker"))
    policy = random_policy(tree.sequence_form, np.random.default_rng(0))
    information = build_product_form(tree).information
    found = two_teams.shortfalls(
        information, ((0,), (1,)), -1 / 18, from_tabular(information, policy)
    )
    gains = [best_response(policy, player).value for player in (0, 1)]
    assert found == pytest.approx([-1 / 18 + gains[1], 1 / 18 + gains[0]])


def test_projected_policies_come_near_the_value():
    duel = two_teams.Duel("kuhn_poker", ((0,), (1,)))
    row = two_teams.Row("none", "agent", 0.0, "-")
    measured = two_teams.measure(duel, [row], range(2), 1000)
    assert measured.shape == (1, 2, 2, 2)
    assert (measured > -1e-9).all()
    assert measured[:, :, 1].sum(axis=-1).max() < 0.01  # means rest, and
    assert measured[:, :, 0].sum(axis=-1).min() > 0.01  # last policies do not


def test_the_page_has_every_game_and_row():
    page = (DOCS / "teams" / "two_teams.md").read_text(encoding="utf-8")
    for duel in two_teams.DUELS:
        who = f"{', '.join(map(str, duel.sides[0]))} against"
        assert f"| {duel.game} | {who}" in page
    for row in two_teams.ROWS:
        assert page.count(f"| `{row.relaxation}` | `{row.weighting}` | {row.shown} |") == 1
