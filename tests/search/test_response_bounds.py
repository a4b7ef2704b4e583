"""Lower bounds on exploitability, against exact exploitability."""

from __future__ import annotations

import numpy as np
import pytest

from infoset import solve
from infoset.errors import (
    ParameterError,
    ShortSearchWarning,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.evaluation import evaluate_policy
from infoset.game import Infostate
from infoset.games import load_game
from infoset.matches import exact_match
from infoset.policy import UniformPolicy, random_policy, tabulate, uniform_policy
from infoset.search import (
    ISMCTS,
    PIMC,
    exploitability_lower_bound,
    response_bounds,
    search_model,
)
from infoset.tree import build_tree
from tests.support.affine_games import AffineGame
from tests.support.cached_games import cached_tree

GOOFSPIEL = "goofspiel(num_cards=3,imp_info=True,points_order=descending)"


def responder(num_simulations):
    return f"ismcts(num_simulations={num_simulations},final_policy=max-visits)"


def exploitability(policy):
    return evaluate_policy(policy).exploitability


@pytest.mark.parametrize(
    ("name", "num_simulations"),
    [
        ("kuhn_poker", 500),
        (GOOFSPIEL, 500),
        pytest.param("leduc_poker", 1000, marks=pytest.mark.long),
    ],
)
def test_uniform_play_is_exploited_almost_fully(name, num_simulations):
    tree = cached_tree(name)
    exact = exploitability(uniform_policy(tree.sequence_form))
    found = exploitability_lower_bound(
        tree.game, None, responder=responder(num_simulations), num_deals=600
    )
    bound = found.exploitability_lower_bound
    assert 0.6 * exact < bound == found.gain.interval[0] < exact
    assert 0.8 * exact < found.gain.mean < exact + found.gain.half_width
    assert found.nash_conv_lower_bound == 2 * bound


@pytest.mark.parametrize("name", ["kuhn_poker", GOOFSPIEL])
def test_an_equilibrium_is_not_exploited(name):
    tree = cached_tree(name)
    policy = solve(tree, "lp").policy
    found = exploitability_lower_bound(tree.game, policy, responder=responder(300), num_deals=300)
    assert found.gain.interval[0] <= 1e-9
    assert found.exploitability_lower_bound <= 1e-9


class Both:
    """Two policies of response games as one policy."""

    def __init__(self, policies):
        self.policies = policies

    def action_probabilities(self, infostate, legal_actions):
        own = Infostate(0, infostate.steps)
        return self.policies[infostate.player].action_probabilities(own, legal_actions)


@pytest.mark.parametrize(("seed", "shift"), [(0, 0.0), (1, 7.0)])
def test_the_expected_gain_is_at_most_the_exploitability(seed, shift):
    """Weak responders, whose expected gain is computed exactly, in games of any constant sum."""
    game = AffineGame(load_game("kuhn_poker"), 1.0, (shift, -2.0))
    tree, made = build_tree(game), []

    def make(model):
        made.append(ISMCTS(model, num_simulations=40, seed=seed))
        return made[-1]

    policy = random_policy(tree.sequence_form, np.random.default_rng(seed))
    found = exploitability_lower_bound(game, policy, responder=make, num_deals=400, seed=seed)
    assert found.constant_sum == pytest.approx(shift - 2.0)
    expected = exact_match(tree, Both(made), policy).mean - (shift - 2.0) / 2
    assert expected < exploitability(policy)
    low, high = found.gain.interval
    assert low - found.gain.half_width < expected < high + found.gain.half_width
    assert found.gain.mean == pytest.approx(found.match.mean - (shift - 2.0) / 2)


def test_uniform_responses_to_uniform_play_gain_nothing():
    game = load_game("kuhn_poker")
    found = exploitability_lower_bound(
        game, None, responder=lambda model: UniformPolicy(), num_deals=50
    )
    assert found.gain.interval[0] < found.gain.mean == 0.0 < found.gain.interval[1]
    assert found.exploitability_lower_bound == 0.0


def test_searches_by_rules_are_those_on_arrays(monkeypatch):
    game = load_game("kuhn_poker")
    policy = random_policy(cached_tree("kuhn_poker").sequence_form, np.random.default_rng(5))
    settings = {"responder": responder(60), "num_deals": 200}
    compiled = exploitability_lower_bound(game, policy, **settings)
    monkeypatch.setattr(response_bounds, "MAX_HISTORIES", 1)
    by_rules = exploitability_lower_bound(game, policy, **settings)
    assert by_rules == compiled


def test_the_same_seed_gives_the_same_bits():
    game = load_game("kuhn_poker")
    settings = {"responder": responder(50), "num_deals": 50}
    first, again, other = (
        exploitability_lower_bound(game, None, **settings, seed=seed) for seed in (3, 3, 4)
    )
    assert first == again
    assert first.gain.mean != other.gain.mean
    assert first.match.seed == 3


@pytest.mark.broad
def test_the_answers_of_a_searcher_are_bounded():
    tree = cached_tree("liars_dice(dice_sides=3)")
    searcher = PIMC(search_model(tree), num_worlds=3, seed=8)
    exact = exploitability(tabulate(tree.sequence_form, [searcher] * 2))
    found = exploitability_lower_bound(
        tree.game, searcher, responder=responder(300), num_deals=600, seed=1
    )
    assert 0.5 * exact < found.gain.mean < exact + found.gain.half_width
    assert found.exploitability_lower_bound < exact


class Coin:
    """A searcher that is not a policy."""

    def search(self, infostate, rng):
        return np.eye(2)[rng.integers(2)]


def test_a_searcher_without_answers_of_its_own_is_queried_once_at_each_infostate():
    tree = cached_tree("kuhn_poker")
    exact = exploitability(tabulate(tree.sequence_form, [response_bounds._FixedPolicy(Coin())] * 2))
    found = exploitability_lower_bound(tree.game, Coin(), responder=responder(300), num_deals=400)
    assert 0.6 * exact < found.gain.mean < exact + found.gain.half_width


class Lost:
    """A responder that cannot search for player 1."""

    def __init__(self, model):
        self.player = model.game.player

    def action_probabilities(self, infostate, legal_actions):
        if self.player == 1:
            raise UnsupportedGameError("no sampled history agrees")
        return np.eye(len(legal_actions))[0]


def test_a_responder_that_cannot_search_plays_uniformly_and_says_so():
    game = load_game("kuhn_poker")

    class Passes:
        def action_probabilities(self, infostate, legal_actions):
            return np.array([1.0, 0.0])

    with pytest.warns(ShortSearchWarning, match="which lowers the bound: no sampled") as found:
        bound = exploitability_lower_bound(game, Passes(), responder=Lost, num_deals=100)
    assert len(found) == 1
    as_player_1 = bound.match.position_utilities[1].interval
    assert as_player_1[0] < 0.5 < as_player_1[1]  # a bet, half of the time, wins one chip


@pytest.mark.long
def test_in_a_larger_game_more_simulations_gain_more():
    """Goofspiel with 6 cards has 2 million histories; its searches run by the rules."""
    game = load_game("goofspiel(num_cards=6,imp_info=True,points_order=descending)")
    settings = {"num_deals": 30, "seed": 2}
    weak = exploitability_lower_bound(game, None, responder=responder(5), **settings)
    strong = exploitability_lower_bound(game, None, responder=responder(300), **settings)
    assert strong.exploitability_lower_bound > 0.3
    assert strong.gain.mean > weak.gain.mean


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"game": "kuhn_poker"}, ParameterError, "game='kuhn_poker' is of type str"),
        ({"policy": 3}, ParameterError, "3 is not a policy"),
        ({"game": load_game("kuhn_poker(players=3)")}, UnsupportedGameError, "has 3 players"),
        ({"game": load_game("tiny_bridge_2p")}, UnsupportedGameError, "sum to .* in one play"),
        ({"responder": "ismct"}, UnknownNameError, "unknown searcher 'ismct'"),
        ({"responder": 5}, ParameterError, "responder=5 is not a searcher by name"),
        ({"responder": lambda model: 5}, ParameterError, r"responder\(model\)=5"),
        ({"num_deals": 29}, ParameterError, "num_deals=29"),
        ({"seed": -1}, ParameterError, "seed=-1"),
    ],
)
def test_bad_arguments(settings, error, message):
    arguments = {"game": load_game("kuhn_poker"), "policy": None, **settings}
    with pytest.raises(error, match=message):
        exploitability_lower_bound(**arguments)
