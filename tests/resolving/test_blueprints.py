"""Blueprints by name, as functions and as results, where policies are accepted."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from infoset.errors import (
    ParameterError,
    PolicyFileError,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.front import resolve_players
from infoset.matches import exact_match
from infoset.policy import FunctionPolicy, UniformPolicy, save_policy_csv, tabulate
from infoset.resolving import ContinualResolving, DepthLimitedSearch
from infoset.search import RulesModel
from infoset.tree import derive_public_form
from tests.support.cached_games import cached_random_policies, cached_tree


def always_first(infostate, legal_actions):
    return {legal_actions[0]: 1.0}


def random_policy():
    (policy,) = cached_random_policies("kuhn_poker")
    return policy


@pytest.mark.parametrize("build", [cached_tree, lambda name: derive_public_form(cached_tree(name))])
@pytest.mark.parametrize("search", [ContinualResolving, DepthLimitedSearch])
def test_a_name_function_or_result_is_the_policy_that_it_stands_for(search, build):
    game = build("kuhn_poker")
    form = getattr(game, "sequence_form", game)
    solved = infoset.solve(form, "cfr+")
    expected = [
        ("uniform", None),
        ("cfr+", solved.policy),
        (always_first, tabulate(form, always_first)),
        (solved, solved.policy),
    ]
    for given, policy in expected:
        assert search(game, given).blueprint.digest == search(game, policy).blueprint.digest


def test_policies_of_the_zoo_and_of_files_are_blueprints(tmp_path):
    tree, policy = cached_tree("kuhn_poker"), random_policy()
    infoset.save_policy(policy, tmp_path / "p.parquet")
    save_policy_csv(policy, tmp_path / "p.csv")
    for path in (tmp_path / "p.parquet", str(tmp_path / "p.csv")):
        assert ContinualResolving(tree, path).blueprint.digest == policy.digest
    known = infoset.load_policy("zoo:kuhn_poker")
    assert ContinualResolving(tree, "zoo:kuhn_poker").blueprint.digest == known.digest
    (tmp_path / "p.npz").touch()
    with pytest.raises(PolicyFileError, match=r"read its policy by infoset\.load_policy"):
        ContinualResolving(tree, tmp_path / "p.npz")


def test_names_need_the_game_and_functions_do_not():
    rules = RulesModel(infoset.load("goofspiel(num_cards=8,imp_info=True)"))
    options = {"depth": None, "gadget": "none"}
    assert isinstance(ContinualResolving(rules, "uniform", **options).blueprint, UniformPolicy)
    ContinualResolving(rules, always_first, values=lambda histories, player: None)
    with pytest.raises(UnsupportedGameError, match=r"blueprint='cfr\+' needs the tree"):
        ContinualResolving(rules, "cfr+", values=lambda histories, player: None)


def test_other_blueprints_are_refused():
    tree = cached_tree("kuhn_poker")
    with pytest.raises(UnknownNameError, match=r"unknown blueprint 'cfr\+\+'; did you mean cfr\+"):
        ContinualResolving(tree, "cfr++")
    with pytest.raises(ParameterError, match=r"blueprint=3 is not a policy.*'zoo:kuhn_poker'"):
        ContinualResolving(tree, 3)


def test_searchers_by_name_take_names():
    by_name = infoset.make_searcher("continual_resolving(blueprint=lp)", cached_tree("kuhn_poker"))
    game = infoset.load("kuhn_poker")
    (on_command_line,) = resolve_players(["continual_resolving(blueprint=LP)"], game)
    solved = infoset.solve("kuhn_poker", "lp").policy
    assert by_name.blueprint.digest == on_command_line.blueprint.digest == solved.digest


def test_evaluations_matches_and_beliefs_take_functions_and_the_word_uniform():
    tree = cached_tree("kuhn_poker")
    table = tabulate(tree.sequence_form, always_first)
    assert infoset.evaluate(tree, always_first) == infoset.evaluate(tree, table)
    mixed = infoset.evaluate(tree, [always_first, "uniform"])
    assert mixed == infoset.evaluate(tree, tabulate(tree.sequence_form, [always_first, "uniform"]))
    solved = infoset.solve(tree, "cfr+", iterations=9)
    for given, same in ((always_first, FunctionPolicy(always_first)), (solved, solved.policy)):
        played = infoset.play_matches(tree, given, "uniform", num_deals=9)
        assert played == infoset.play_matches(tree, same, None, num_deals=9)
        assert exact_match(tree, given, "uniform") == exact_match(tree, same, None)
    history = infoset.initial_history(tree.game)
    history = history.sample(history.joint({}), np.random.default_rng(0))
    infostate = history.infostates[history.actors[0]]
    beliefs = [
        infoset.private_belief(tree.game, infostate, policies=given).probability.tolist()
        for given in ("uniform", infoset.uniform_policy(tree.sequence_form))
    ]
    assert beliefs[0] == beliefs[1]
    with pytest.raises(ParameterError, match="a function of an infostate and its legal actions"):
        infoset.play_matches(tree, "unifrom", None, num_deals=9)
