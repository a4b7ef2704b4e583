"""Exact matches of two policies against sums over all histories."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from infoset.errors import PolicyMismatchError
from infoset.policy import random_policy, uniform_policy
from infoset.views import view_match
from tests.support.cached_games import cached_tree


@pytest.mark.parametrize("name", ["kuhn_poker(players=3)", "goofspiel(num_cards=3)"])
def test_positions_are_sums_over_histories(name):
    tree = cached_tree(name)
    form = tree.sequence_form
    first, second = (random_policy(form, np.random.default_rng(seed)) for seed in (1, 2))
    match = view_match(first, second)
    assert [place.player for place in match.positions] == list(range(tree.num_players))
    ends = np.flatnonzero(np.diff(tree.first_child) == 0)
    for place in match.positions:
        reach = tree.chance_reach[ends].copy()
        for player in range(tree.num_players):
            policy = first if player == place.player else second
            reach *= policy.realization_plan(player)[tree.sequence[ends, player]]
        np.testing.assert_allclose(place.values, reach @ tree.rewards_so_far[ends], atol=1e-12)
    own = [place.values[place.player] for place in match.positions]
    assert match.mean == pytest.approx(np.mean(own))


def test_a_policy_against_itself_has_its_own_values():
    policy = infoset.solve("kuhn_poker", "lp").policy
    for place in view_match(policy, policy).positions:
        assert place.values == pytest.approx((-1 / 18, 1 / 18))


def test_two_trees_are_refused():
    names = ("kuhn_poker", "goofspiel(num_cards=3)")
    kuhn, goofspiel = (cached_tree(name).sequence_form for name in names)
    with pytest.raises(PolicyMismatchError, match="give two for the same game"):
        view_match(uniform_policy(kuhn), uniform_policy(goofspiel))
