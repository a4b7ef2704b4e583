"""Response games: their optimal values and beliefs are those of best responses."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief, private_belief
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation import best_response
from infoset.game import Infostate, Step, check_game
from infoset.games import load_game
from infoset.policy import random_policy, uniform_policy
from infoset.search import ResponseGame, RulesModel
from infoset.search.response_game import ResponseModel
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree

GAMES = (
    "kuhn_poker",
    "liars_dice(dice_sides=2)",
    "goofspiel(num_cards=3,imp_info=True,points_order=random)",
    "matrix_rps",
)


def policy_for(tree, seed=0):
    """Return a random policy, with some probabilities of zero."""
    policy = random_policy(tree.sequence_form, np.random.default_rng(seed))
    weights = [np.where(p > 0.2, p, 0.0) for p in policy.probabilities]
    return policy.from_weights(tree.sequence_form, weights)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("player", [0, 1])
def test_the_optimal_value_is_that_of_a_best_response(name, player):
    tree = cached_tree(name)
    policy = policy_for(tree)
    response = build_tree(ResponseGame(tree.game, policy, player))
    optimum = best_response(uniform_policy(response.sequence_form), 0).value
    assert optimum == pytest.approx(best_response(policy, player).value, abs=1e-12)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("player", [0, 1])
def test_the_prior_is_the_posterior_under_the_policy(name, player):
    tree = cached_tree(name)
    policy = policy_for(tree)
    response = ResponseGame(tree.game, policy, player)
    own = build_tree(response).infostate_trees[0]
    for number in range(0, own.num_infostates, 1 + own.num_infostates // 20):
        known = own.infostate_at(number)
        prior = private_belief(response, known)
        found = Counter()
        for world, probability in zip(prior.worlds, prior.probability.tolist(), strict=True):
            found[world.world, world.opponent] += probability
        posterior = private_belief(tree.game, Infostate(player, known.steps), policies=policy)
        assert posterior.model_noise == 0
        wanted = Counter()
        others = posterior.infostates(1 - player)
        for world, other, probability in zip(
            posterior.worlds, others, posterior.probability.tolist(), strict=True
        ):
            wanted[world, other] += probability
        assert found == pytest.approx(wanted)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("player", [0, 1])
def test_models_have_the_roots_and_legal_actions_of_any_model_by_rules(name, player):
    tree = cached_tree(name)
    response = ResponseGame(tree.game, policy_for(tree), player)
    general, special = RulesModel(response), ResponseModel(response)
    own = build_tree(response).infostate_trees[0]
    for number in np.flatnonzero(own.num_actions)[:20].tolist():
        known = own.infostate_at(number)
        assert special.legal_actions(known) == general.legal_actions(known)
        found = []
        for model in (general, special):
            rng = np.random.default_rng(0)
            roots = model.roots(known, PublicPrivateBelief(0.0), rng)
            assert roots.infostates.tolist() == [[0]] * len(roots.states)
            worlds = [model._positions[at].world for at in roots.states[:, 0].tolist()]
            numbers = np.column_stack([roots.probability, roots.rewards_so_far]).tolist()
            found.append(dict(zip(worlds, numbers, strict=True)))
        assert set(found[0]) == set(found[1])
        for world, numbers in found[0].items():
            assert numbers == pytest.approx(found[1][world])


def test_it_follows_the_rules_of_games():
    report = check_game(ResponseGame(load_game(GAMES[2]), uniform_policy(), 1))
    assert "no rule violations found" in str(report)
    assert "draws of sample_transition" in str(report)


def test_deals_that_are_too_many_to_list_are_drawn_as_they_are_seen():
    game = load_game("liars_dice(numdice=2)")

    class Honest:
        """Bids the own high die more often."""

        def action_probabilities(self, infostate, legal_actions):
            high = infostate.steps[0].private[-1]
            weights = np.array([3.0 if str(a).endswith(str(high)) else 1.0 for a in legal_actions])
            return weights / weights.sum()

    response = ResponseGame(game, Honest(), 1)
    known = Infostate(0, (Step(None, (1, 2), None), Step(None, None, "1-5")))
    exact = private_belief(response, known)
    assert exact.is_exact
    wanted, found = Counter(), Counter()
    for world, probability in zip(exact.worlds, exact.probability.tolist(), strict=True):
        wanted[world.world.hands] += probability
    num_seeds = 60
    for seed in range(num_seeds):
        rng = np.random.default_rng(seed)
        drawn = private_belief(response, known, rng=rng, max_worlds=10, num_samples=15)
        assert drawn.method == "samples"
        for world, probability in zip(drawn.worlds, drawn.probability.tolist(), strict=True):
            found[world.world.hands] += probability / num_seeds
    assert found == pytest.approx(wanted, abs=0.04)


def test_bad_arguments():
    kuhn, uniform = load_game("kuhn_poker"), uniform_policy()
    with pytest.raises(ParameterError, match="game="):
        ResponseGame("kuhn_poker", uniform, 0)
    with pytest.raises(ParameterError, match="policy="):
        ResponseGame(kuhn, "uniform", 0)
    with pytest.raises(ParameterError, match="there is no player 2"):
        ResponseGame(kuhn, uniform, 2)
    with pytest.raises(UnsupportedGameError, match="has 3 players"):
        ResponseGame(load_game("kuhn_poker(players=3)"), uniform, 0)
    assert str(ResponseGame(kuhn, uniform, 1)) == "response(kuhn_poker,player=1)"
