"""Questions of a page: answers are JSON, and wrong questions are refused."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

import infoset
from infoset.games import load_game
from infoset.policy import UniformPolicy, random_policy, uniform_policy
from infoset.tree import build_tree
from infoset.views import (
    Explorer,
    RequestError,
    TreePlaces,
    WatchedMethod,
    view_infostates,
)
from infoset.views.explorer import MAX_PLAYS
from infoset.views.glossary import TERMS
from tests.support.cached_games import cached_tree
from tests.support.market import Market

CFR_PLUS = WatchedMethod.named("cfr+", "CFR family", "CFR+")
GLOSSARY = Path(__file__).parents[2] / "docs" / "basics" / "glossary.md"


@pytest.fixture
def leduc() -> Explorer:
    tree = cached_tree("leduc_poker")
    policies = {
        "uniform": uniform_policy(tree.sequence_form),
        "random": random_policy(tree.sequence_form, np.random.default_rng(0)),
    }
    return Explorer(tree, policies, {"bot": UniformPolicy()}, methods=[CFR_PLUS])


def test_answers_are_the_views_as_json(leduc):
    about = leduc.ask({"ask": "game"})
    assert about["kind"] == "tree"
    assert about["opponents"] == ("uniform", "random", "bot")
    assert [policy["name"] for policy in about["policies"]] == ["uniform", "random"]
    policy = random_policy(leduc.tree.sequence_form, np.random.default_rng(0))
    view = view_infostates(TreePlaces(leduc.tree, policy), 5, 1)
    question = {"ask": "infostates", "policy": 1, "state": 5, "player": 1}
    assert leduc.ask(question) == asdict(view)
    for question in (
        {"ask": "game"},
        {"ask": "state", "policy": 1, "state": 5},
        {"ask": "children", "policy": 1, "state": 0},
        {"ask": "histories", "policy": 0, "state": 5, "start": 3},
        {"ask": "beliefs", "policy": 1, "state": 5, "row": 1, "column": 0},
        {"ask": "differences", "first": 0, "second": 1},
        {"ask": "match", "first": 0, "second": 1},
    ):
        text = json.dumps(leduc.ask(question), allow_nan=False)
        assert 2 < len(text) < 200_000


@pytest.mark.parametrize(
    "request_",
    [
        None,
        [],
        "game",
        {},
        {"ask": "nothing"},
        {"ask": ["state"]},
        {"ask": "__init__"},
        {"ask": "game", "policy": 0},
        {"ask": "state", "policy": 0},
        {"ask": "state", "policy": 2, "state": 0},
        {"ask": "state", "policy": -1, "state": 0},
        {"ask": "state", "policy": 0, "state": 10**9},
        {"ask": "state", "policy": True, "state": 0},
        {"ask": "state", "policy": 0, "state": 0.0},
        {"ask": "state", "policy": "0", "state": 0},
        {"ask": "children", "policy": 0, "state": 0, "start": 10**6},
        {"ask": "beliefs", "policy": 0, "state": 0, "row": 0, "column": 0},
        {"ask": "play", "opponent": 3, "player": 0, "seed": 0},
        {"ask": "act", "play": 1, "action": 0},
        {"ask": "review", "play": 1},
        {"ask": "load", "game": "evil.py:Evil"},
    ],
)
def test_wrong_questions_are_refused(leduc, request_):
    with pytest.raises(RequestError):
        leduc.ask(request_)


def test_a_play_by_questions(leduc):
    view = leduc.ask({"ask": "play", "opponent": 1, "player": 0, "seed": 3})
    with pytest.raises(RequestError, match="not over"):
        leduc.ask({"ask": "review", "play": view["play"], "policy": 1})
    while not view["is_over"]:
        view = leduc.ask({"ask": "act", "play": view["play"], "action": 1})
    review = leduc.ask({"ask": "review", "play": view["play"], "policy": 1})
    assert review["decisions"]
    assert review["utilities"][0] == view["utility"]
    for _ in range(MAX_PLAYS):
        leduc.ask({"ask": "play", "opponent": 0, "player": 1, "seed": 0})
    with pytest.raises(RequestError, match="does not exist any more"):
        leduc.ask({"ask": "review", "play": view["play"]})


def test_two_runs_at_most_and_their_policies_can_be_shown(leduc):
    runs = [leduc.start_run(0, 0) for _ in range(2)]
    with pytest.raises(RequestError, match="2 runs"):
        leduc.start_run(0, 0)
    while runs[0].newest() is None:
        runs[0].wait(0.01)
    leduc.stop()
    assert all(run.is_over for run in runs)
    assert leduc.keep_policy(runs[0]) == 2
    assert leduc.ask({"ask": "game"})["policies"][2]["name"].startswith("cfr+, ")
    assert leduc.ask({"ask": "state", "policy": 2, "state": 0})["values"]
    for wrong in ((1, 0), (0, 10**6)):
        with pytest.raises(RequestError, match="counted from 0"):
            leduc.start_run(*wrong)


def test_the_page_begins_at_the_first_decision_of_the_most_probable_line():
    tree = cached_tree("goofspiel(num_cards=3,imp_info=True)")
    explorer = Explorer(tree, {"uniform": uniform_policy(tree.sequence_form)})
    start = explorer.ask({"ask": "game"})["start"]
    view = explorer.ask({"ask": "state", "policy": 0, "state": start})
    assert view["actors"] == (0, 1)
    assert all(not link["actors"] for link in view["path"][:-1])


def test_plays_are_continued_by_questions(leduc):
    view = leduc.ask({"ask": "play", "opponent": 1, "player": 0, "seed": 3})
    while not view["is_over"]:
        view = leduc.ask({"ask": "act", "play": view["play"], "action": 0})
    step = leduc.ask({"ask": "review", "play": view["play"], "policy": 0})["decisions"][0]["step"]
    again = leduc.ask({"ask": "again", "play": view["play"], "step": step, "seed": 0})
    assert again["play"] != view["play"]
    assert again["actions"]
    with pytest.raises(RequestError, match="made no decision there"):
        leduc.ask({"ask": "again", "play": view["play"], "step": 99, "seed": 0})


def test_equal_names_get_numbers(leduc):
    policy = uniform_policy(leduc.tree.sequence_form)
    assert leduc.add_policy("uniform", policy) == 2
    assert leduc.policy_names[2] == "uniform #2"


def test_a_page_has_the_names_of_the_players():
    tree = build_tree(Market())
    explorer = Explorer(tree, {"uniform": uniform_policy(tree.sequence_form)})
    assert explorer.ask({"ask": "game"})["player_names"] == ("seller", "buyer")
    rules = Explorer(load_game("kuhn_poker"), {}, {"bot": UniformPolicy()})
    assert rules.ask({"ask": "game"})["player_names"] == ("player 0", "player 1")


def test_extensive_forms_and_rules_have_their_own_questions():
    form = infoset.load("tests/efg/files/games/one_card_poker.efg")
    explorer = Explorer(form, {"uniform": uniform_policy(form.sequence_form)})
    assert explorer.ask({"ask": "game"})["kind"] == "form"
    assert explorer.ask({"ask": "form_children", "policy": 0, "history": 0})["total"] == 2
    with pytest.raises(RequestError, match="has no public states; ask form_history"):
        explorer.ask({"ask": "state", "policy": 0, "state": 0})
    rules = Explorer(load_game("kuhn_poker"), {}, {"bot": UniformPolicy()})
    assert rules.ask({"ask": "game"})["kind"] == "rules"
    view = rules.ask({"ask": "play", "opponent": 0, "player": 0, "seed": 0})
    while not view["is_over"]:
        view = rules.ask({"ask": "act", "play": view["play"], "action": 0})
    review = rules.ask({"ask": "review", "play": view["play"]})
    assert review["thoughts"]
    belief = rules.ask({"ask": "opponent_belief", "play": view["play"], "thought": 0})
    assert sum(entry["probability"] for entry in belief["entries"]) == pytest.approx(1)


def test_terms_have_the_meaning_of_the_glossary():
    # Tables of terms have four columns, that of names in other fields has three.
    row = re.compile(r"^\| ([^|]+) \| [^|]*\| ([^|]+) \| [^|]*\|$", re.M)
    meanings = dict(row.findall(GLOSSARY.read_text("utf-8")))
    for term, meaning in TERMS.items():
        assert meanings[term] == meaning
