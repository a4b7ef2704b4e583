"""The function `explore`, and its command."""

from __future__ import annotations

import base64
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import zlib
from dataclasses import replace

import pytest

import infoset
from infoset.errors import ParameterError, PolicyMismatchError, UnknownNameError
from infoset.evaluation import PublicValues
from infoset.views import Explorer, PotView
from infoset.web import make_explorer, save_page


def test_policies_are_named_files_methods_and_objects(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = infoset.solve("kuhn_poker", "cfr", iterations=10)
    explorer = make_explorer("kuhn_poker", ["uniform", "lp", result, result.policy])
    assert explorer.policy_names == ["uniform", "lp", "cfr", "policy 4"]
    assert explorer.ask({"ask": "game"})["policies"][1]["nash_conv"] < 1e-9
    assert make_explorer("kuhn_poker", {"mine": result}).policy_names == ["mine"]
    assert make_explorer("kuhn_poker").policy_names == ["uniform"]
    with pytest.raises(UnknownNameError, match="pimcc"):
        make_explorer("kuhn_poker", against=["pimcc"])
    with pytest.raises(UnknownNameError, match="unknown policy 'unifrom'; did you mean uniform"):
        make_explorer("kuhn_poker", ["unifrom"])
    with pytest.raises(PolicyMismatchError):
        make_explorer("leduc_poker", [result])


def test_extensive_forms_are_played_by_their_rules():
    explorer = make_explorer("tests/efg/files/games/one_card_poker.efg")
    assert explorer.ask({"ask": "game"})["kind"] == "form"
    view = explorer.ask({"ask": "play", "opponent": 0, "player": 0, "seed": 0})
    assert view["actions"]


def test_a_game_that_is_too_large_can_be_played():
    with infoset.build_limits(max_worlds=5):
        explorer = make_explorer("goofspiel(num_cards=3)")
        with pytest.raises(ParameterError, match="too large to build"):
            make_explorer("goofspiel(num_cards=3)", ["uniform"])
    about = explorer.ask({"ask": "game"})
    assert (about["kind"], about["opponents"]) == ("rules", ("uniform", "ismcts"))


def test_a_game_that_is_too_large_for_a_tree_is_shown_as_a_public_form(tmp_path):
    game = "nolimit_endgame(board=Ks9d8h4s2c,max_raises=1,ranges='QQ+,AKs',pot=90,dead=10)"
    form = infoset.build_public_form(infoset.load(game))
    result = infoset.solve(form, "cfr+", iterations=10)
    infoset.save_policy(result.policy, tmp_path / "policy.parquet")
    with infoset.build_limits(max_worlds=5):
        explorer = make_explorer(game, ["uniform", str(tmp_path / "policy.parquet"), "cfr+"])
    about = explorer.ask({"ask": "game"})
    assert about["kind"] == "public"
    assert about["policies"][1]["values"] == pytest.approx(result.values)
    assert about["policies"][2]["exploitability"] < about["policies"][0]["exploitability"]
    assert about["pot"] == {"size": 90, "contributions": (40, 40)}
    held = explorer.ask({"ask": "infostates", "policy": 1, "state": 0, "player": 0})
    assert held["frequencies"] == pytest.approx(PublicValues(result.policy).action_frequencies(0))
    waiting = explorer.ask({"ask": "infostates", "policy": 1, "state": 0, "player": 1})
    assert waiting["frequencies"] is None
    rows = held["infostates"]
    assert {row["label"] for row in rows} == {*map(str, form.hands[0])}
    assert all(0 <= row["equity"] <= 1 for row in rows)
    view = explorer.ask({"ask": "play", "opponent": 1, "player": 0, "seed": 1})
    while view["actions"]:
        view = explorer.ask({"ask": "act", "play": view["play"], "action": 0})
    assert view["is_over"]
    assert -250 <= view["utility"] <= 250
    alone = make_explorer(form, [result.policy])
    assert alone.ask({"ask": "game"})["opponents"] == ("policy 1",)
    assert alone.ask({"ask": "game"})["pot"] == about["pot"]
    assert Explorer(form, {"cfr+": result.policy}).describe().pot == PotView(90, (40, 40))
    assert make_explorer("kuhn_poker").ask({"ask": "game"})["pot"] is None


@pytest.mark.broad
def test_pages_of_public_forms_are_saved(tmp_path):
    form = infoset.build_public_form(infoset.load("leduc_poker(num_ranks=2,num_raises=1)"))
    save_page(make_explorer(form, ["uniform"]), tmp_path / "whole.html")
    save_page(make_explorer(form, ["uniform"]), tmp_path / "part.html", depth=1)
    whole, part = ((tmp_path / name).read_text() for name in ("whole.html", "part.html"))
    assert len(part) < len(whole)
    answers = re.search(r'id="infoset-answers">([^<]*)<', part)[1]
    saved = json.loads(zlib.decompress(base64.b64decode(answers)))
    assert len([key for key in saved if '"state"' in key]) > 3
    assert all(answer is not None for answer in saved.values())


def test_the_page_ends_with_its_block():
    with infoset.explore("kuhn_poker", open_browser=False) as page:
        port = page._address.port
        assert str(port) in repr(page)
        assert page.url in page._repr_mimebundle_()["text/html"]
    with pytest.raises(OSError, match="refused"):
        http.client.HTTPConnection("127.0.0.1", port, timeout=5).request("GET", "/")


@pytest.mark.broad
def test_ctrl_c_ends_the_command_with_130():
    command = [sys.executable, "-m", "infoset", "explore", "kuhn_poker", "--no-browser"]
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    )
    line = child.stdout.readline()
    assert line.startswith("kuhn_poker is shown at http://127.0.0.1:")
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert (child.returncode, out, err) == (130, "", "")


def test_a_public_form_of_a_registered_game_is_played():
    form = infoset.build_public_form("leduc_poker(num_raises=1)")
    explorer = make_explorer(form, ["uniform"])
    assert explorer.rules == infoset.load("leduc_poker(num_raises=1)")
    play = explorer.ask({"ask": "play", "opponent": 0, "player": 0, "seed": 0})
    while not play["is_over"]:
        play = explorer.ask({"ask": "act", "play": play["play"], "action": 0})
    assert explorer.ask({"ask": "review", "play": play["play"], "policy": 0})["decisions"]
    derived = infoset.tree.derive_public_form(infoset.build_tree("kuhn_poker"))
    own = replace(derived, source=replace(derived.source, rules="somewhere.Else"))
    assert make_explorer(own, ["uniform"]).rules is None
