"""Conditional samples of transitions have the probabilities of the listed ones."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from infoset.game import Game, Step, initial_history
from infoset.games import GAMES, load_game
from infoset.typing import NOOP

SPECS = (
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "leduc_poker",
    "leduc_poker(suit_isomorphism=True)",
    "liars_dice(numdice=2,dice_sides=3)",
    "nolimit_endgame(board=Ks9d8h4s2c,ranges=['QQ,AhQh:0.5,9h8d';'AhAd,QdJd:0.25,9h9c:0.5,QhQc'])",
    "nolimit_preflop(ranges=['KK+,AKs:0.5,72o';'AA,QQ,AK:0.25'])",
    "trick_taking(num_cards=5,hand_size=2,num_suits=2)",
    "hanabi(colors=1,ranks=2,hand_size=1)",
    "hanabi(players=3,colors=1,ranks=3,hand_size=1,random_start_player=True)",
    "hanabi(colors=2,ranks=1,hand_size=2,observation_type=seer,random_start_player=True)",
)
GARBAGE = (None, "nothing", ("K", "K"), (7, 7), ("player 9 begins",), 3, (("R1",), ("R9",)))


def sights(game):
    """Return the probability of each world after the deal, by player and for the public view."""
    root, found = initial_history(game), {}
    joint = root.joint({})
    for world, probability in game.transitions(root.world, joint):
        seen = game.observe(root.world, joint, world)
        for player in (None, *range(game.num_players)):
            private = None if player is None else seen.seen_by(player)
            step = Step(NOOP, private, seen.public)
            weights = found.setdefault((player, step), Counter())
            weights[world] += float(probability)
    return found


def draws(kind):
    """Return whether the class of a game has its own sampling."""
    return getattr(kind, "sample_transition", Game.sample_transition) is not Game.sample_transition


def draw(game, player, step, rng):
    root = initial_history(game)
    return game.sample_observed_transition(root.world, root.joint({}), player, step, rng)


@pytest.mark.parametrize("name", GAMES)
def test_games_that_sample_can_sample_given_an_observation(name):
    kind = GAMES[name].loader
    knows = (
        getattr(kind, "sample_observed_transition", Game.sample_observed_transition)
        is not Game.sample_observed_transition
    )
    assert knows == draws(kind)


def test_every_game_that_samples_is_tested():
    drawing = {name for name, row in GAMES.items() if draws(row.loader)}
    assert {spec.partition("(")[0] for spec in SPECS} == drawing


@pytest.mark.parametrize("spec", SPECS)
def test_samples_agree_with_the_observation(spec):
    game, rng = load_game(spec), np.random.default_rng(0)
    found = sights(game)
    for (player, step), weights in list(found.items())[:: max(1, len(found) // 12)]:
        total, number = sum(weights.values()), 40 * len(weights)
        draws = [draw(game, player, step, rng) for _ in range(number)]
        assert {round(chance, 12) for _, chance in draws} == {round(total, 12)}
        counts = Counter(world for world, _ in draws)
        assert counts.keys() <= weights.keys()
        expected = np.array([number * share / total for share in weights.values()])
        observed = np.array([counts[world] for world in weights])
        squares = float(((observed - expected) ** 2 / expected).sum())
        assert squares < len(weights) + 5 * np.sqrt(2 * len(weights)) + 1e-9


@pytest.mark.parametrize("spec", SPECS)
def test_impossible_observations_give_none(spec):
    """Otherwise a sampled transition has other observations and is rejected."""
    game, rng = load_game(spec), np.random.default_rng(0)
    root, possible = initial_history(game), sights(game)
    for player in range(game.num_players):
        for private in GARBAGE:
            for public in GARBAGE:
                step = Step(NOOP, private, public)
                found = draw(game, player, step, rng)
                if (player, step) not in possible and found is not None:
                    seen = game.observe(root.world, root.joint({}), found[0])
                    assert (seen.seen_by(player), seen.public) != (private, public)


def test_other_games_give_none():
    kuhn = load_game("kuhn_poker")
    step = Step(NOOP, "K", None)
    assert (
        Game.sample_observed_transition(kuhn, None, (), 0, step, np.random.default_rng(0)) is None
    )
    after_deal = next(iter(kuhn.transitions(kuhn.initial_world(), (None, None))))[0]
    assert kuhn.sample_observed_transition(after_deal, ("bet", None), 1, step, None) is None
