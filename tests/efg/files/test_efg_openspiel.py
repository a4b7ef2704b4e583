"""OpenSpiel's reader of .efg files gets the games that infoset writes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from infoset import solve
from infoset.efg import build_extensive_form, find_recall_violation, load_efg, save_efg
from infoset.games import load_game
from tests.interop.openspiel_walk import walk_openspiel, walk_ours
from tests.support.hypothesis_strategies import random_games

pyspiel = pytest.importorskip("pyspiel")

GAMES = [
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "kuhn_poker_long",  # rewards before the end
    "goofspiel(num_cards=3,imp_info=True)",  # draws
    "matrix_rps",
    "random_game(seed=1)",
    "trade_comm(num_items=2)",
]


def read(game, path):
    """Save a game and return OpenSpiel's reading of the file."""
    save_efg(game, path)
    return pyspiel.load_game("efg_game", {"filename": str(path)})


def assert_same_game(game, theirs):
    """Compare the numbers of histories, and the probability of each outcome in uniform play."""
    ours, found = walk_ours(game), walk_openspiel(theirs)
    form = build_extensive_form(game)
    assert (found.histories, found.terminals) == (form.num_histories, len(form.terminals))
    assert found.outcomes.keys() == ours.outcomes.keys()
    for utilities, probability in ours.outcomes.items():
        assert found.outcomes[utilities] == pytest.approx(probability, abs=1e-9)


@pytest.mark.parametrize("spec", GAMES)
def test_openspiel_reads_our_files(spec, tmp_path):
    game = load_game(spec)
    assert_same_game(game, read(game, tmp_path / "game.efg"))


@settings(max_examples=15)
@given(game=random_games(max_histories=60))
def test_openspiel_reads_random_games(game, tmp_path_factory):
    path = tmp_path_factory.mktemp("efg") / "game.efg"
    assert_same_game(game, read(game, path))


@pytest.mark.parametrize("spec", ["kuhn_poker", "goofspiel(num_cards=3,imp_info=True)"])
def test_openspiel_solves_our_files_as_we_do(spec, tmp_path):
    path = tmp_path / "game.efg"
    theirs = read(load_game(spec), path)
    solver = pyspiel.CFRSolver(theirs)
    for _ in range(8):
        solver.evaluate_and_update_policy()
    form = load_efg(path)
    assert find_recall_violation(form) is None
    ours = solve(form, "cfr", iterations=8)
    assert pyspiel.nash_conv(theirs, solver.average_policy()) == pytest.approx(ours.nash_conv)
