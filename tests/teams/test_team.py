"""Partitions of agents into teams, and the payoffs of teams."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.errors import ParameterError, UnknownNameError
from infoset.games import load_game
from infoset.teams import build_product_form, check_team, check_teams, relax, team_payoff


@pytest.fixture(scope="module")
def kuhn():
    return build_product_form(load_game("kuhn_poker(players=3)"))


def test_teams_are_sorted(kuhn):
    assert check_team(kuhn, [2, 0]) == (0, 2)
    assert check_teams(kuhn, [[2, 0], (1,)]) == ((0, 2), (1,))
    assert check_team(kuhn, np.array([1])) == (1,)


@pytest.mark.parametrize(
    ("team", "message"),
    [
        ((), "the team is empty"),
        ((0, 3), r"there is no player 3; kuhn_poker\(players=3\) has players 0 to 2"),
        ((0, True), "there is no player True"),
        ("ab", "there is no player 'a'"),
        ((1, 1), r"contains an agent twice"),
        (1, r"a team must be a sequence of agents.* not 1"),
    ],
)
def test_invalid_teams_are_refused(kuhn, team, message):
    with pytest.raises(ParameterError, match=message):
        check_team(kuhn, team)


@pytest.mark.parametrize(
    ("teams", "message"),
    [
        ([(0, 1)], r"agent 2 of .* is in no team of \[\(0, 1\)\]"),
        ([(0, 1), (1, 2)], "agent 1 of .* is in 2 teams"),
        ([(0, 1, 2), ()], "the team is empty"),
        (None, "teams must be a list of groups"),
        ([0, 1, 2], "a team must be a sequence of agents"),
    ],
)
def test_invalid_partitions_are_refused(kuhn, teams, message):
    with pytest.raises(ParameterError, match=message):
        check_teams(kuhn, teams)


def test_payoff_rules_sum_and_common(kuhn):
    total = team_payoff(kuhn, (0, 1, 2), "sum")
    np.testing.assert_allclose(total, 0, atol=1e-12)
    np.testing.assert_allclose(team_payoff(kuhn, (0, 1), "sum"), -team_payoff(kuhn, (2,)))
    trade = build_product_form(load_game("trade_comm(num_items=2)"))
    assert team_payoff(trade, (0, 1)).tolist() == [1.0] * 16
    assert team_payoff(trade, (0, 1), "sum").tolist() == [2.0] * 16


def test_different_payoffs_have_no_common_payoff(kuhn):
    with pytest.raises(ParameterError, match=r"differ .*give rule='sum' \(--rule sum\)"):
        team_payoff(kuhn, (0, 1))
    with pytest.raises(UnknownNameError, match=r"mean.*common"):
        team_payoff(kuhn, (0, 1), "mean")
    with pytest.raises(ParameterError, match="give a ProductForm"):
        team_payoff("kuhn", (0, 1))


def test_relax_takes_the_option_that_its_error_suggests(kuhn):
    with pytest.raises(ParameterError, match="give rule='sum'"):
        relax(kuhn)
    np.testing.assert_allclose(relax(kuhn, rule="sum").payoff, 0, atol=1e-12)
