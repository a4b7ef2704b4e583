"""Serialized games: what they preserve, and what the literal construction would leak."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from infoset import solve
from infoset.efg import build_extensive_form, is_serial
from infoset.errors import GameRuleError
from infoset.evaluation import evaluate_policy
from infoset.game import Game, Observation, check_game, forget_factorization, serialize
from infoset.games import load_game
from infoset.policy import random_policy
from infoset.tree import build_tree
from infoset.typing import NOOP
from tests.support.hypothesis_strategies import random_games
from tests.support.policy_transfer import carry, of_serial, of_unfactored, pair_infostates
from tests.support.reference_histories import enumerate_histories

GAMES = ["kuhn_poker", "matrix_rps", "goofspiel(num_cards=3,imp_info=True)"]


def assert_equivalent(game, other, project):
    base, rewritten = build_tree(game), build_tree(other)
    pairs = pair_infostates(game, other, project)
    assert len(pairs) == sum(tree.num_acting for tree in base.infostate_trees)
    for seed in range(3):
        policy = random_policy(base.sequence_form, np.random.default_rng(seed))
        here = evaluate_policy(policy)
        there = evaluate_policy(carry(policy, pairs, rewritten.sequence_form))
        np.testing.assert_allclose(there.values, here.values, atol=1e-12)
        np.testing.assert_allclose(there.gains, here.gains, atol=1e-12)


@settings(max_examples=12)
@given(random_games(max_histories=60))
def test_serialized_games_are_serial_and_equivalent(game):
    serial = serialize(game)
    assert is_serial(build_tree(serial).graph)
    assert_equivalent(game, serial, of_serial)


@settings(max_examples=12)
@given(random_games(max_histories=60))
def test_unfactored_games_are_equivalent(game):
    assert_equivalent(game, forget_factorization(game), of_unfactored)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    ("rewrite", "project"), [(serialize, of_serial), (forget_factorization, of_unfactored)]
)
def test_transforms_of_registered_games_are_equivalent(name, rewrite, project):
    game = load_game(name)
    assert_equivalent(game, rewrite(game), project)


@given(random_games(max_histories=60))
def test_transformed_games_keep_the_rules(game):
    check_game(serialize(game))
    check_game(forget_factorization(game))


@given(random_games(max_histories=60))
def test_serializing_twice_changes_nothing(game):
    once, twice = serialize(game), serialize(serialize(game))
    assert build_tree(twice).num_histories == build_tree(once).num_histories
    assert build_tree(twice).sequence_form.fingerprint == build_tree(once).sequence_form.fingerprint


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker(num_ranks=2)"])
def test_a_serial_game_is_unchanged(name):
    game = load_game(name)
    before, after = build_tree(game), build_tree(serialize(game))
    np.testing.assert_array_equal(after.parent, before.parent)
    assert after.sequence_form.fingerprint == before.sequence_form.fingerprint


@given(random_games(max_histories=60))
def test_in_a_posg_all_players_act_and_nothing_is_public(game):
    posg = forget_factorization(game)
    for visit in enumerate_histories(posg):
        history = visit.history
        assert history.observation.public is None
        if history.parent is not None and not history.is_terminal:
            assert history.actors == tuple(range(game.num_players))


def test_players_choose_in_order_without_observing_it():
    game = serialize(load_game("matrix_mp"))
    visits = enumerate_histories(game)
    assert [visit.history.actors for visit in visits] == [(0,), (1,), (1,), (), (), (), ()]
    after_heads, after_tails = visits[1].history, visits[2].history
    assert after_heads.infostates[1] == after_tails.infostates[1]
    assert after_heads.infostates[0] != after_tails.infostates[0]
    assert after_heads.rewards_so_far == (0, 0)


class Whisper(Game):
    """Player 1 sees a coin and acts only on tails; then player 0 guesses the side.

    On heads only player 0 acts, and sets the stake. On tails player 1 simultaneously sets a factor.
    After that, all players hear a bell.
    """

    num_players = 2
    bell = "bell"

    def initial_world(self):
        return ()

    def actors(self, world):
        if world == ("tails",):
            return (0, 1)
        return (0,) if len(world) in (1, 3) else ()

    def legal_actions(self, world, player):
        return (1, 2) if len(world) == 1 else ("heads", "tails")

    def transitions(self, world, joint_action):
        if not world:
            return [(("heads",), 0.5), (("tails",), 0.5)]
        if len(world) == 1:
            return [((*world, joint_action[0], joint_action[1] or 1), 1)]
        return [((*world, joint_action[0]), 1)] if len(world) == 3 else []

    def rewards(self, world, joint_action, next_world):
        if len(next_world) < 4:
            return (0, 0)
        side, stake, factor, guess = next_world
        paid = stake * factor * (1 if guess == side else -1)
        return (paid, -paid)

    def observe(self, world, joint_action, next_world):
        if not world:
            return Observation(private={1: next_world[0]})
        return Observation(public=self.bell if len(next_world) == 3 else None)


class Silent(Whisper):
    """The same game without the bell."""

    bell = None


class LiteralSerial(Game):
    """Example B.1 taken literally: a turn for each actor, then one of chance.

    A world state is (w, the actions so far of those who act at w). Chance moves when all have
    acted.
    """

    def __init__(self, game):
        self.game = game
        self.num_players = game.num_players

    def initial_world(self):
        return (self.game.initial_world(), ())

    def actors(self, world):
        original, chosen = world
        return tuple(self.game.actors(original))[len(chosen) : len(chosen) + 1]

    def legal_actions(self, world, player):
        return self.game.legal_actions(world[0], player)

    def transitions(self, world, joint_action):
        original, chosen = world
        acting = self.actors(world)
        if acting:
            return [((original, (*chosen, joint_action[acting[0]])), 1)]
        following = self.game.transitions(original, self.joint(world))
        return [((target, ()), probability) for target, probability in following]

    def rewards(self, world, joint_action, next_world):
        if self.actors(world):
            return (0,) * self.num_players
        return self.game.rewards(world[0], self.joint(world), next_world[0])

    def observe(self, world, joint_action, next_world):
        if self.actors(world):
            return Observation()
        return self.game.observe(world[0], self.joint(world), next_world[0])

    def joint(self, world):
        original, chosen = world
        actions = dict(zip(self.game.actors(original), chosen, strict=True))
        return tuple(actions.get(player, NOOP) for player in range(self.num_players))


def value(game):
    return solve(game, "lp").values[0]


@pytest.mark.parametrize("game", [Whisper(), Silent()], ids=str)
def test_our_construction_keeps_the_value_and_the_rules(game):
    check_game(game)
    serial = serialize(game)
    check_game(serial)
    assert is_serial(build_tree(serial).graph)
    for kind in (game, serial, build_extensive_form(game)):
        assert value(kind) == pytest.approx(0)


def test_the_literal_construction_changes_the_value_of_a_game():
    """The time of the bell reveals the number of players who acted before it."""
    literal = LiteralSerial(Whisper())
    check_game(literal)
    assert is_serial(build_tree(literal).graph)
    assert value(literal) == pytest.approx(2)


def test_without_the_bell_the_literal_construction_breaks_a_rule():
    """Without the bell, player 0 cannot tell whether it must act."""
    with pytest.raises(GameRuleError, match="determines whether it acts"):
        check_game(LiteralSerial(Silent()))


@pytest.mark.parametrize(
    ("construct", "infostates"), [(LiteralSerial, 4), (serialize, 2), (lambda game: game, 2)]
)
def test_the_time_of_the_bell_leaks_the_number_of_actors(construct, infostates):
    """Before its guess player 0 should know only its stake; the leak also reveals the side."""
    tree = build_tree(construct(Whisper())).sequence_form.infostate_trees[0]
    guessing = [n for n in tree.acting.tolist() if "heads" in tree.legal_actions(n)]
    assert len(guessing) == infostates


def test_the_constructions_agree_if_the_number_of_actors_is_public():
    class Open(Whisper):
        def observe(self, world, joint_action, next_world):
            return Observation(public=next_world[0])

    for kind in (Open(), LiteralSerial(Open()), serialize(Open())):
        assert value(kind) == pytest.approx(2)
