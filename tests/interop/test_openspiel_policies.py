"""Policies to and from OpenSpiel have the same values there as here."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from infoset.errors import PolicyMismatchError, UnsupportedGameError
from infoset.evaluation import evaluate_policy
from infoset.games import load_game
from infoset.interop import load_openspiel, policy_from_openspiel, policy_to_openspiel
from infoset.policy import random_policy, uniform_policy
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree

pyspiel = pytest.importorskip("pyspiel")
from open_spiel.python import policy as spiel_policy  # noqa: E402
from open_spiel.python.algorithms import exploitability  # noqa: E402

THEIRS = [
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "leduc_poker(suit_isomorphism=True)",
    "goofspiel(imp_info=True,num_cards=3)",
    "sheriff(max_items=2,max_bribe=2,num_rounds=2)",
    "misere(game=kuhn_poker)",
]


def assert_same(first, second):
    for before, after in zip(first.probabilities, second.probabilities, strict=True):
        assert np.abs(before - after).max() < 1e-14


@pytest.mark.parametrize("name", THEIRS)
def test_policies_for_games_of_openspiel(name):
    tree = build_tree(load_openspiel(name))
    policy = random_policy(tree.sequence_form, np.random.default_rng(5))
    table = policy_to_openspiel(policy, tree)
    assert table.game is tree.game.pyspiel_game
    assert np.abs(table.action_probability_array.sum(axis=1) - 1).max() < 1e-12
    assert_same(policy, policy_from_openspiel(table, tree))
    conv = exploitability.nash_conv(tree.game.pyspiel_game, table)
    assert conv == pytest.approx(evaluate_policy(policy).nash_conv, abs=1e-9)
    if "goofspiel" not in name:
        in_cpp = spiel_policy.python_policy_to_pyspiel_policy(table)
        assert_same(policy, policy_from_openspiel(in_cpp, tree))
        conv = pyspiel.nash_conv(tree.game.pyspiel_game, in_cpp)
        assert conv == pytest.approx(evaluate_policy(policy).nash_conv, abs=1e-9)


def test_policies_for_a_game_by_name_or_by_its_rules():
    policy = uniform_policy(build_tree(load_game("kuhn_poker")).sequence_form)
    for game in ("kuhn_poker", load_game("kuhn_poker")):
        table = infoset.policy_to_openspiel(policy, game)
        assert_same(policy, infoset.policy_from_openspiel(table, game))


def test_policies_in_cpp_for_simultaneous_games():
    tree = build_tree(load_openspiel("goofspiel(imp_info=True,num_cards=3)"))
    policy = random_policy(tree.sequence_form, np.random.default_rng(5))
    in_cpp = spiel_policy.python_policy_to_pyspiel_policy(policy_to_openspiel(policy, tree))
    assert_same(policy, policy_from_openspiel(in_cpp, tree))


@pytest.mark.parametrize("name", ["kuhn_poker", "openspiel:kuhn_poker"])
def test_policies_that_are_no_tables(name):
    ours = name == "kuhn_poker"
    tree = build_tree(load_game(name) if ours else load_openspiel(name))
    game = policy_to_openspiel(uniform_policy(tree.sequence_form), tree).game
    for policy in (pyspiel.UniformRandomPolicy(game), spiel_policy.UniformRandomPolicy(game)):
        assert_same(policy_from_openspiel(policy, tree), uniform_policy(tree.sequence_form))
    first = policy_from_openspiel(spiel_policy.FirstActionPolicy(game), tree)
    assert first[tree.infostate_trees[0].acting_labels[0], 0] in (
        {"pass": 1, "bet": 0},
        {"Pass": 1, "Bet": 0},
    )


@pytest.mark.long
def test_a_policy_of_openspiels_solver_on_its_own_leduc_poker():
    tree = build_tree(load_openspiel("leduc_poker"))
    solver = pyspiel.CFRPlusSolver(tree.game.pyspiel_game)
    for _ in range(10):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    found = evaluate_policy(policy_from_openspiel(average, tree))
    theirs = pyspiel.exploitability(tree.game.pyspiel_game, average)
    assert found.exploitability == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("policy", [{}, {"0: [J]": [(0, 1.0)]}])
def test_a_policy_without_an_infostate_is_refused(policy):
    tree = cached_tree("kuhn_poker")
    with pytest.raises(PolicyMismatchError, match=r"player 0 at '0: \[[JQ]\]'.*to_openspiel\(kuhn"):
        policy_from_openspiel(pyspiel.TabularPolicy(policy), tree)


def test_a_policy_for_another_game():
    kuhn, leduc = (build_tree(load_game(name)) for name in ("kuhn_poker", "leduc_poker"))
    table = policy_to_openspiel(uniform_policy(kuhn.sequence_form), kuhn)
    with pytest.raises(PolicyMismatchError, match=r"leduc_poker\), with a distribution"):
        policy_from_openspiel(table, leduc)
    with pytest.raises(
        PolicyMismatchError, match="the policy is for kuhn_poker, but the tree is of leduc"
    ):
        policy_to_openspiel(uniform_policy(kuhn.sequence_form), leduc)


def test_infostates_that_openspiel_does_not_distinguish():
    tree = build_tree(load_openspiel("dark_hex_ir(board_size=2)"))
    uniform = uniform_policy(tree.sequence_form)
    assert_same(uniform, policy_from_openspiel(policy_to_openspiel(uniform, tree), tree))
    with pytest.raises(
        UnsupportedGameError, match=r"for several infostates of player . in openspiel:dark_hex_ir"
    ):
        policy_to_openspiel(random_policy(tree.sequence_form, np.random.default_rng(0)), tree)


def test_tables_keyed_by_observation_strings():
    name = "hanabi(colors=1,ranks=2,hand_size=2,max_life_tokens=1,max_information_tokens=2)"
    tree = build_tree(load_openspiel(name))
    table = policy_to_openspiel(uniform_policy(tree.sequence_form), tree)
    assert_same(uniform_policy(tree.sequence_form), policy_from_openspiel(table, tree))
