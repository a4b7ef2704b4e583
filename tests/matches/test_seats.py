"""Matches between teams: the positions are groups of players."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.evaluation.tree_reach import reach_without
from infoset.games import load_game
from infoset.matches import exact_match, play_matches
from infoset.matches.seats import make_seats
from infoset.policy import random_policy, uniform_policy
from infoset.tree import build_tree

TEAMS = [(0, 2), (1, 3)]


@pytest.fixture(scope="module")
def partners():
    """Return a game of four players, and its tree."""
    game = load_game("kuhn_poker(players=4)")
    return game, build_tree(game)


def by_enumeration(tree, first, second, team):
    """Return the mean utility and the win rate of a team, over all histories."""
    seated = second
    for player in team:
        seated = seated.replace_player(player, first)
    others = [player for player in range(tree.num_players) if player not in team]
    utility = wins = 0.0
    reach = reach_without(tree, seated)
    for history in tree.terminals.tolist():
        rewards = tree.rewards_so_far[history]
        own, other = rewards[list(team)].sum(), rewards[others].sum()
        utility += reach[history] * rewards[list(team)].mean()
        wins += reach[history] * (0.5 if np.isclose(own, other) else float(own > other))
    return utility, wins


def test_seats_are_a_partition_of_the_players():
    seats = make_seats(4, TEAMS, "a game")
    assert seats.seat_of_player.tolist() == [0, 1, 0, 1]
    rewards = np.array([[1.0, 2.0, 3.0, -6.0]])
    assert seats.utilities(rewards).tolist() == [[2.0, -2.0]]
    assert seats.wins(rewards).tolist() == [[1.0, 0.0]]
    for teams in (
        [(0, 1)],
        [(0, 1), (1, 2), (3,)],
        [(0, 1, 2, 3), ()],
        [(0, 1), (2, 4)],
        3,
        ["01"],
    ):
        with pytest.raises(ParameterError):
            make_seats(4, teams, "a game")


def test_exact_matches_of_teams_are_those_of_an_enumeration(partners):
    _, tree = partners
    first, second = (
        random_policy(tree.sequence_form, np.random.default_rng(seed)) for seed in (1, 2)
    )
    found = exact_match(tree, first, second, teams=TEAMS)
    for team, utility, wins in zip(
        TEAMS, found.position_utilities, found.position_win_rates, strict=True
    ):
        expected = by_enumeration(tree, first, second, team)
        assert (utility.mean, wins.mean) == pytest.approx(expected, abs=1e-12)


def test_sampled_matches_of_teams_agree_with_exact_ones(partners):
    game, tree = partners
    first = random_policy(tree.sequence_form, np.random.default_rng(1))
    exact = exact_match(tree, first, None, teams=TEAMS)
    on_tree = play_matches(tree, first, None, num_deals=20_000, teams=TEAMS)
    by_rules = play_matches(game, first, None, num_deals=600, teams=TEAMS)
    for found in (on_tree, by_rules):
        assert len(found.position_utilities) == 2
        assert abs(found.mean - exact.mean) < 4 * found.standard_error
        for estimate, expected in zip(
            found.position_win_rates, exact.position_win_rates, strict=True
        ):
            assert abs(estimate.mean - expected.mean) < 4 * estimate.standard_error + 1e-12


def test_a_policy_against_itself_wins_half_as_a_team(partners):
    _, tree = partners
    uniform = uniform_policy(tree.sequence_form)
    found = play_matches(tree, uniform, None, num_deals=50, teams=TEAMS)
    assert found.win_rate.interval == (0.5, 0.5)
    assert found.interval == (0.0, 0.0)


def test_each_player_alone_is_the_default(partners):
    _, tree = partners
    first = random_policy(tree.sequence_form, np.random.default_rng(1))
    alone = [(player,) for player in range(4)]
    assert play_matches(tree, first, None, num_deals=30) == play_matches(
        tree, first, None, num_deals=30, teams=alone
    )
    assert exact_match(tree, first, None) == exact_match(tree, first, None, teams=alone)


def test_aivat_estimates_of_teams_are_unbiased(partners):
    _, tree = partners
    first, second = (
        random_policy(tree.sequence_form, np.random.default_rng(seed)) for seed in (1, 2)
    )
    values = np.random.default_rng(0).normal(size=(tree.num_histories, 4))
    exact = exact_match(tree, first, second, teams=TEAMS)
    found = play_matches(tree, first, second, num_deals=20_000, values=values, teams=TEAMS)
    assert abs(found.mean - exact.mean) < 4 * found.standard_error
