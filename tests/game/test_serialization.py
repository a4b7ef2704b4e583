"""Serialization and forgetting the factorization keep choices, information and values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from equivalence import carry, of_serial, of_unfactored, pair_infostates
from infoset.efg.unrolled import is_serial
from infoset.evaluation import evaluate_policy
from infoset.game import check_game, forget_factorization, serialize
from infoset.games import load_game
from infoset.policy import random_policy
from infoset.tree import build_tree
from oracle import enumerate_histories
from strategies import random_games

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


@settings(max_examples=60)
@given(random_games(max_histories=60))
def test_serialized_games_are_serial_and_equivalent(game):
    serial = serialize(game)
    assert is_serial(build_tree(serial).graph)
    assert_equivalent(game, serial, of_serial)


@settings(max_examples=60)
@given(random_games(max_histories=60))
def test_unfactored_games_are_equivalent(game):
    assert_equivalent(game, forget_factorization(game), of_unfactored)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    ("rewrite", "project"), [(serialize, of_serial), (forget_factorization, of_unfactored)]
)
def test_games_of_the_table_are_equivalent(name, rewrite, project):
    game = load_game(name)
    assert_equivalent(game, rewrite(game), project)


@given(random_games(max_histories=60))
def test_rewritten_games_keep_the_rules(game):
    check_game(serialize(game))
    check_game(forget_factorization(game))


@given(random_games(max_histories=60))
def test_serializing_twice_changes_nothing(game):
    once, twice = serialize(game), serialize(serialize(game))
    assert build_tree(twice).num_histories == build_tree(once).num_histories
    assert build_tree(twice).sequence_form.fingerprint == build_tree(once).sequence_form.fingerprint


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker(num_ranks=2)"])
def test_a_serial_game_stays_as_it_is(name):
    game = load_game(name)
    before, after = build_tree(game), build_tree(serialize(game))
    np.testing.assert_array_equal(after.parent, before.parent)
    assert after.sequence_form.fingerprint == before.sequence_form.fingerprint


@given(random_games(max_histories=60))
def test_posg_has_everybody_acting_and_nothing_public(game):
    posg = forget_factorization(game)
    for visit in enumerate_histories(posg):
        history = visit.history
        assert history.observation.public is None
        if history.parent is not None and not history.is_terminal:
            assert history.actors == tuple(range(game.num_players))


def test_players_choose_in_order_and_see_nothing_of_it():
    game = serialize(load_game("matrix_mp"))
    visits = enumerate_histories(game)
    assert [visit.history.actors for visit in visits] == [(0,), (1,), (1,), (), (), (), ()]
    after_heads, after_tails = visits[1].history, visits[2].history
    assert after_heads.infostates[1] == after_tails.infostates[1]
    assert after_heads.infostates[0] != after_tails.infostates[0]
    assert after_heads.rewards_so_far == (0, 0)
