"""Players given as text: a file, a searcher, or the word `uniform`."""

from __future__ import annotations

from pathlib import Path

import pytest

import infoset
from infoset.errors import (
    ParameterError,
    PolicyFileError,
    PolicyMismatchError,
    UnknownNameError,
)
from infoset.evaluation import nash_conv
from infoset.front import is_policy_file, is_searcher, resolve_players, to_game

KUHN = infoset.load("kuhn_poker")
FORMS = Path(__file__).parents[1] / "efg" / "files" / "games"


@pytest.fixture
def policy_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tree = infoset.build_tree(KUHN)
    policy = infoset.solve(tree, "cfr", iterations=3).policy
    infoset.save_policy(policy, tmp_path / "pimc")
    infoset.policy.save_policy_csv(policy, tmp_path / "Table.CSV")
    return policy


def test_files_with_any_name_are_policies(policy_file):
    for source in (KUHN, infoset.build_tree(KUHN)):
        found = resolve_players(["pimc", "Table.CSV"], source)
        for policy in found:
            assert isinstance(policy, infoset.TabularPolicy)
            assert infoset.policy.distance(policy, policy_file) == pytest.approx(0, abs=1e-12)


def test_what_is_no_file_is_a_searcher_or_uniform():
    uniform, pimc, tree_search = resolve_players(
        ["uniform", "PIMC(public_weight=0.5)", "ismcts"], KUHN
    )
    assert isinstance(uniform, infoset.policy.UniformPolicy)
    assert isinstance(pimc, infoset.PIMC)
    assert isinstance(tree_search, infoset.ISMCTS)
    assert pimc.belief.public_weight == 0.5
    assert pimc.model is tree_search.model


def test_a_leaf_value_may_be_a_policy_file(policy_file):
    texts = [f"pimc(depth=1,leaf_value={name})" for name in ("Table.CSV", "uniform")]
    played, uniform = resolve_players(texts, KUHN)
    assert played.settings()["leaf_value"] == "Rollouts(policy=TabularPolicy, num_rollouts=1)"
    assert infoset.policy.distance(played.leaf_value.policy, policy_file) < 1e-12
    assert uniform.settings()["leaf_value"] is None


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("pimc(leaf_value=3,depth=1)", ParameterError, "leaf_value=3 is not a file"),
        ("alphamu", UnknownNameError, r"unknown player 'alphamu'; did you mean alpha-mu\?"),
        ("unifrom", UnknownNameError, "unknown player 'unifrom'; did you mean uniform"),
        ("ismct(num_simulations=3)", UnknownNameError, "unknown player 'ismct'; did you mean"),
        ("", ParameterError, "cannot read the player ''.*give uniform"),
        ("kuhn_poker", UnknownNameError, "'kuhn_poker' is a game, not a player: give it before"),
        ("runs/policy", PolicyFileError, "there is no file or folder runs/policy; give uniform"),
        ("uniform(a=1)", UnknownNameError, "unknown searcher 'uniform'"),
        ("nowhere.parquet", PolicyFileError, "nowhere.parquet"),
    ],
)
def test_mistakes(text, kind, message):
    with pytest.raises(kind, match=message):
        resolve_players(["uniform", text], KUHN)


def test_no_game_is_built_for_nothing():
    huge = infoset.load("liars_dice(numdice=5)")
    assert len(resolve_players(["uniform", "pimc"], huge)) == 2
    with pytest.raises(UnknownNameError):
        resolve_players(["nobody", "runs/policy.parquet"], huge)


def test_what_looks_like_a_file_is_one():
    assert is_policy_file("runs/a(b=1)/policy.parquet")
    assert is_policy_file("A.CSV")
    assert not is_policy_file("pimc(public_weight=0.5)")


def test_files_of_a_tree_are_played_by_its_rules(tmp_path):
    path = FORMS / "toll_road.efg"
    form = infoset.load(str(path))
    rules = to_game(form)
    tree = infoset.build_tree(rules)
    of_form = infoset.solve(form, "cfr", iterations=3).policy
    of_rules = infoset.solve(tree, "cfr", iterations=3).policy
    for number, policy in enumerate((of_form, of_rules)):
        infoset.save_policy(policy, tmp_path / f"{number}.parquet")
        infoset.policy.save_policy_csv(policy, tmp_path / f"{number}.csv")
    names = sorted(map(str, tmp_path.iterdir()))
    for source in (rules, tree):
        for name, policy in zip(names, resolve_players(names, source), strict=True):
            wanted = of_form if "0." in name else of_rules
            assert infoset.evaluate(policy).values == pytest.approx(infoset.evaluate(wanted).values)
    other = tmp_path / "kuhn.parquet"
    infoset.save_policy(infoset.solve(KUHN, "lp").policy, other)
    with pytest.raises(PolicyMismatchError, match="a policy for kuhn_poker, not for A toll road"):
        resolve_players([str(other)], rules)


def test_texts_of_searchers(policy_file):
    assert is_searcher("PIMC (public_weight=0.5)")
    assert is_searcher("ismcts")
    assert not any(map(is_searcher, ["pimc", "uniform", "pimcs", "epimc.csv"]))


@pytest.mark.broad
def test_what_evaluates_policies_evaluates_searchers():
    searcher = infoset.make_searcher("pimc(num_worlds=None)", infoset.load("leduc_poker"))
    found = infoset.evaluate("leduc_poker", searcher)
    assert found.gains == pytest.approx((0.4, 0.6))
    one_card = infoset.load(str(FORMS / "one_card_poker.efg"))
    searcher = infoset.make_searcher("pimc(num_worlds=None)", to_game(one_card))
    assert infoset.evaluate(one_card, searcher).values[0] == pytest.approx(0.25)


@pytest.mark.parametrize(("name", "command"), [("cfr+", "solve"), ("es-mccfr", "learn")])
def test_a_method_is_not_a_player(name, command):
    with pytest.raises(UnknownNameError, match=rf"infoset {command} GAME --method"):
        resolve_players([name], infoset.load("kuhn_poker"))


@pytest.mark.parametrize("kind", ["public", "sequence"])
def test_re_solving_is_on_the_form_of_its_blueprint(kind, tmp_path):
    result = infoset.solve(KUHN, "cfr+", form=kind, iterations=2)
    path = tmp_path / "blueprint"
    infoset.save_policy(result.policy, path)
    [searcher] = resolve_players([f"continual_resolving(blueprint='{path}',depth=None)"], KUHN)
    assert searcher.blueprint.form.kind == kind
    assert searcher.blueprint.digest == result.policy.digest
    assert (searcher.tree is None) == (kind == "public")
    assert nash_conv(searcher.search_policy()) < 0.5 * nash_conv(result.policy)
