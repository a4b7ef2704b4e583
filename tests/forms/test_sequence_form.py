"""The sequence form: merging, preserved values, and fingerprints."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset.evaluation import expected_values
from infoset.games import load_game
from infoset.policy import random_policy
from infoset.tree import build_tree
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_histories import enumerate_histories, expected_utilities


@given(random_games(), st.integers(0, 2**32))
def test_expected_utilities_equal_the_walk(game, seed):
    form = build_tree(game).sequence_form
    policy = random_policy(form, np.random.default_rng(seed))
    walked = expected_utilities(enumerate_histories(game), policy)
    assert np.allclose(expected_values(policy), walked, rtol=1e-12, atol=1e-12)


SIZES = {
    # acting infostates, sequences, non-zero payoffs: from the reference curves' table.
    "kuhn_poker": (6, 13, 30),
    "leduc_poker": (468, 1093, 4920),
    "liars_dice": (12_288, 24_571, 147_420),
    "goofspiel(num_cards=4,imp_info=True,points_order=random,returns_type=point_difference)": (
        1804,
        3737,
        11_136,
    ),
    "goofspiel(num_cards=5,imp_info=True,points_order=descending,returns_type=point_difference)": (
        1062,
        2284,
        13_120,
    ),
}


@pytest.mark.parametrize("spec", SIZES)
def test_sizes_of_known_games(spec):
    form = build_tree(load_game(spec)).sequence_form
    infostates, sequences, payoffs = SIZES[spec]
    assert [plex.num_infostates for plex in form.treeplexes] == [infostates] * 2
    assert [plex.num_sequences for plex in form.treeplexes] == [sequences] * 2
    assert form.num_payoffs == payoffs
    assert form.is_zero_sum


def test_payoffs_are_merged_and_sorted():
    form = build_tree(load_game("leduc_poker")).sequence_form
    pairs = list(map(tuple, form.terminal_sequence.tolist()))
    assert pairs == sorted(set(pairs))
    assert (form.payoff != 0).any(axis=1).all()


@given(random_games(zero_sum=True))
def test_zero_sum_is_seen(game):
    assert build_tree(game).sequence_form.constant_sum == 0


def test_constant_sum_is_not_zero_sum():
    from infoset.games import matrix_game

    form = build_tree(matrix_game([[1, 0], [0, 1]], [[0, 1], [1, 0]])).sequence_form
    assert form.constant_sum == 1
    assert form.is_two_player_constant_sum
    assert not form.is_zero_sum
    battle = build_tree(load_game("matrix_bos")).sequence_form
    assert battle.constant_sum is None


def test_the_payoff_range_is_that_of_utilities():
    assert build_tree(load_game("leduc_poker")).sequence_form.payoff_range == (-13, 13)


def test_fingerprints_distinguish_games():
    specs = [
        "kuhn_poker",
        "kuhn_poker(players=3)",
        "leduc_poker",
        "goofspiel(num_cards=3,imp_info=True,returns_type=win_loss)",
        "goofspiel(num_cards=3,imp_info=True,returns_type=point_difference)",
        "matrix_mp",
        "matrix_rps",
    ]
    prints = [build_tree(load_game(spec)).sequence_form.fingerprint for spec in specs]
    assert len(set(prints)) == len(prints)


def test_fingerprints_do_not_depend_on_the_process(capsys):
    code = (
        "from infoset import build_tree, load; from infoset.game import Game, Observation\n"
        "class Sets(Game):\n"
        "    num_players = 1\n"
        "    initial_world = lambda s: 0\n"
        "    actors = lambda s, w: (0,) if w == 0 else ()\n"
        "    legal_actions = lambda s, w, p: (frozenset('abc'), frozenset('xyz'))\n"
        "    transitions = lambda s, w, a: [(1, 1)] if w == 0 else []\n"
        "    rewards = lambda s, w, a, x: (1 if 'a' in a[0] else 0,)\n"
        "    observe = lambda s, w, a, x: Observation(frozenset('pqr'))\n"
        "for game in (Sets(), load('kuhn_poker')):\n"
        "    print(build_tree(game).sequence_form.fingerprint)\n"
    )
    exec(code, {})
    there = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": "1", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout == capsys.readouterr().out
