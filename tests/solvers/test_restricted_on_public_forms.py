"""Coarse correlation, minimum probabilities and quantal responses on both forms of a game."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.errors import UnsupportedGameError
from infoset.evaluation import evaluate_cce
from infoset.forms import sequences_in_tree
from infoset.policy import random_policy, transfer_policy
from infoset.regret import Distance, balanced_weights
from infoset.runs import Budget
from infoset.solvers import (
    payoff_scale,
    perturb_game,
    quantal_distance,
    quantal_gap,
    solve_coarse_correlated,
)
from infoset.tree import build_tree, derive_public_form
from tests.support.cached_games import cached_tree, cached_tree_without_ties
from tests.support.random_public_games import RandomPublicGame

pytestmark = pytest.mark.broad

GENERAL_SUM = 6


def forms(game):
    tree = cached_tree(game) if isinstance(game, str) else build_tree(RandomPublicGame(game))
    return derive_public_form(tree), tree.sequence_form


def assert_equal(found, expected):
    in_tree = transfer_policy(found, expected.form)
    for one, other in zip(in_tree.probabilities, expected.probabilities, strict=True):
        assert np.abs(one - other).max() < 1e-9


@pytest.mark.parametrize("game", ["leduc_poker", GENERAL_SUM])
def test_coarse_correlated_play(game):
    public, form = forms(game)
    found, expected = (
        solve_coarse_correlated(one, "cfr", Budget(iterations=10), sample_every=5)
        for one in (public, form)
    )
    assert found.joint.values == pytest.approx(expected.joint.values, abs=1e-9)
    assert found.joint.gains == pytest.approx(expected.joint.gains, abs=1e-9)
    assert_equal(found.result.policy, expected.result.policy)
    assert found.joint.cce_gap > 0
    mixture = evaluate_cce(found.samples, found.weights)
    assert mixture.gains == pytest.approx(
        evaluate_cce(expected.samples, expected.weights).gains, abs=1e-9
    )
    with pytest.raises(UnsupportedGameError, match="needs the sequence form"):
        found.distribution()


@pytest.mark.parametrize("method", ["cfr", "cfr+"])
def test_minimum_probabilities(method):
    tree = cached_tree_without_ties("leduc_poker")
    public, form = derive_public_form(tree), tree.sequence_form
    text, number = next(iter(public.labeled_infostates(1)))
    action = public.actions_at(1, number)[0]
    for minimum in (0.05, {(text, 1): {action: 0.3}}):
        found, expected = (
            perturb_game(one, minimum).solve(method, Budget(iterations=20))
            for one in (public, form)
        )
        assert_equal(found.policy, expected.policy)
        assert found.measured.gains == pytest.approx(expected.measured.gains, abs=1e-9)
        own, in_tree = sequences_in_tree(public, form, 1)
        given = perturb_game(public, minimum).min_probabilities[1][own]
        assert given.tolist() == perturb_game(form, minimum).min_probabilities[1][in_tree].tolist()
        assert given.max() == pytest.approx(0.3 if isinstance(minimum, dict) else 0.05)


def test_auto_and_lp_with_minimum_probabilities():
    public, _ = forms("kuhn_poker")
    game = perturb_game(public, 0.05)
    result = game.solve("auto", Budget(iterations=50))
    assert result.method == "sapdcfr+"
    assert "public forms do not list" in result.reason
    assert min(own.min() for own in result.policy.probabilities) >= 0.05 - 1e-12
    with pytest.raises(UnsupportedGameError, match="needs the sequence form"):
        game.solve("lp", Budget())


@pytest.mark.parametrize(
    "distance", [Distance(), Distance("euclidean"), Distance("entropy", balanced_weights)]
)
def test_quantal_gaps(distance):
    public, form = forms("leduc_poker")
    assert payoff_scale(public) == pytest.approx(payoff_scale(form))
    policy = random_policy(public, np.random.default_rng(1))
    in_tree = transfer_policy(policy, form)
    for measure in (quantal_gap, quantal_distance):
        expected = measure(in_tree, 0.02, distance)
        assert expected > 0.1
        assert measure(policy, 0.02, distance) == pytest.approx(expected, abs=1e-9)
