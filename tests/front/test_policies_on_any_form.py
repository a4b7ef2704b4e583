"""Policies on any form of a game, where a tree can be built and where it cannot."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from infoset.errors import GameTooLargeError, PolicyMismatchError, UnsupportedGameError
from infoset.evaluation import PublicContinuation
from infoset.forms import cut
from infoset.front import choose_form, policy_kind, resolve_players, to_game
from infoset.game import PublicRulesGame
from infoset.games import load_game
from infoset.policy import (
    STORAGES,
    random_policy,
    rounded_policy,
    save_policy_csv,
    transfer_policy,
    uniform_policy,
)
from infoset.resolving import ContinualResolving
from infoset.search import exploitability_lower_bound
from infoset.tree import build_public_form, build_tree
from tests.support.cached_games import cached_random_policies, cached_tree
from tests.support.small_holdem import SmallHoldem, small_holdem

LARGE, MEMORY = "leduc_poker(num_ranks=4)", 900_000
"""A game, and a limit on memory within which its public form fits, but not its sequence form."""


@pytest.fixture(scope="module")
def large_policy():
    form = build_public_form(load_game(LARGE))
    return random_policy(form, np.random.default_rng(5))


@pytest.mark.parametrize("name", ["large.parquet", "large.csv"])
def test_files_are_measured_where_no_tree_fits(name, large_policy, tmp_path):
    path = str(tmp_path / name)
    save = save_policy_csv if name.endswith("csv") else infoset.save_policy
    save(large_policy, path)
    assert choose_form(LARGE, policy_kind(path), memory=MEMORY).form.kind == "public"
    wanted = infoset.evaluate(large_policy)
    found = infoset.evaluate(LARGE, path, memory=MEMORY)
    assert found.values == pytest.approx(wanted.values, abs=1e-12)
    assert found.gains == pytest.approx(wanted.gains, abs=1e-12)
    text = f"pimc(depth=1,leaf_value='{path}',num_worlds=2)"
    played, searcher = resolve_players([path, text], load_game(LARGE), memory=MEMORY)
    assert played.form.kind == searcher.leaf_value.policy.form.kind == "public"
    assert infoset.evaluate(played).values == pytest.approx(wanted.values, abs=1e-12)


def test_the_form_is_that_of_the_policies(tmp_path):
    (policy,) = cached_random_policies("leduc_poker")
    form = build_public_form(load_game("leduc_poker"))
    by_hand = transfer_policy(policy, form)
    searcher = infoset.make_searcher("pimc", form)
    assert policy_kind(policy) == policy_kind("uniform", policy) == "sequence"
    assert policy_kind(policy, by_hand) == "public"
    assert policy_kind("uniform", searcher) == "auto"
    path = tmp_path / "policy.parquet"
    infoset.save_policy(policy, path)
    assert policy_kind(str(path), searcher) == "sequence"
    infoset.save_policy(by_hand, path)
    (searcher,) = resolve_players([f"pimc(depth=1,leaf_value='{path}')"], load_game("leduc_poker"))
    assert searcher.leaf_value.policy.form.kind == "public", "as in the file, without a tree"


def test_hands_of_a_policy_on_a_sequence_form_are_measured():
    (policy,) = cached_random_policies("leduc_poker")
    wanted = infoset.evaluate_hands("leduc_poker", policy)
    for found, own in zip(infoset.evaluate_hands(policy), wanted, strict=True):
        assert found.values == pytest.approx(own.values, abs=1e-12)
        assert found.gains == pytest.approx(own.gains, abs=1e-12)


def test_what_plays_by_rules_takes_those_of_a_form():
    form = infoset.build_public_form("kuhn_poker")
    bounds = [
        exploitability_lower_bound(game, None, num_deals=30).gain
        for game in (form, load_game("kuhn_poker"))
    ]
    assert bounds[0] == bounds[1]


def test_the_rules_of_a_form_are_its_game():
    game = load_game("leduc_poker")
    assert to_game(build_public_form(game)) == game


def test_forms_of_unknown_games_say_what_to_give():
    form = small_holdem()
    with pytest.raises(UnsupportedGameError, match=r"small.*: give the game as rules"):
        exploitability_lower_bound(form, None)
    tree = build_tree(PublicRulesGame(SmallHoldem("AKQ"), "tiny_holdem"))
    with pytest.raises(UnsupportedGameError, match=r"tiny_holdem .*infoset.register_game"):
        infoset.evaluate_hands(uniform_policy(tree.sequence_form))


def test_results_on_any_form_are_compared():
    tree = cached_tree("kuhn_poker")
    result = infoset.solve(tree, "cfr", iterations=20)
    form = infoset.build_public_form("kuhn_poker")
    first, second = infoset.compare(form, [result, "cfr+"], iterations=10)
    assert first is result
    assert second.policy.form is form
    with pytest.raises(PolicyMismatchError, match="result of cfr is of kuhn_poker, not of leduc"):
        infoset.compare("leduc_poker", [result, "cfr+"], iterations=10)


def test_files_of_policies_on_locked_and_cut_forms_are_read(tmp_path):
    form, path = infoset.build_public_form("kuhn_poker"), tmp_path / "policy.parquet"
    locked = infoset.lock(form, {("J", "(start)"): {"bet": 1.0}})
    for changed in (locked, cut(form, PublicContinuation(uniform_policy(form)), depth=1)):
        policy = random_policy(changed, np.random.default_rng(4))
        for storage in STORAGES:
            infoset.save_policy(policy, path, storage=storage)
            found = infoset.load_policy(path, changed)
            assert found.digest == rounded_policy(policy, storage).digest
        with pytest.raises(PolicyMismatchError, match="complete_policy"):
            infoset.evaluate("kuhn_poker", policy)
        with pytest.raises(PolicyMismatchError, match="restrict_policy"):
            infoset.evaluate(changed, uniform_policy(form))


def test_files_of_other_games_are_named_where_no_tree_fits(tmp_path):
    (policy,) = cached_random_policies("kuhn_poker")
    infoset.save_policy(policy, tmp_path / "kuhn.parquet")
    with pytest.raises(PolicyMismatchError, match=r"a policy for kuhn_poker, not for leduc_poker"):
        infoset.evaluate(LARGE, tmp_path / "kuhn.parquet", memory=MEMORY)


def test_learners_of_games_without_a_tree():
    assert infoset.learn(LARGE, episodes=2, memory=MEMORY).method == "cs-mccfr"
    with pytest.raises(
        GameTooLargeError, match=r"Only .*: auto, es-mccfr, cs-mccfr.* the tree: os-mccfr"
    ):
        infoset.learn(LARGE, "os-mccfr", episodes=2, memory=MEMORY)


def test_a_blueprint_on_a_sequence_form_is_transferred():
    tree, form = cached_tree("kuhn_poker"), infoset.build_public_form("kuhn_poker")
    (policy,) = cached_random_policies("kuhn_poker")
    assert policy.form is tree.sequence_form
    found = ContinualResolving(form, policy).blueprint
    assert found.digest == transfer_policy(policy, form).digest
