"""Pages as single files."""

from __future__ import annotations

import base64
import json
import re
import zlib

import pytest

import infoset
from infoset.errors import LimitError, UnsupportedGameError
from infoset.games import load_game
from infoset.policy import UniformPolicy, uniform_policy
from infoset.views import Explorer
from infoset.web import make_explorer, save_page, saved_page


def answers(path):
    packed = re.search(r'id="infoset-answers">([^<]*)<', path.read_text("utf-8"))[1]
    return json.loads(zlib.decompress(base64.b64decode(packed)))


def test_a_page_has_the_answers_of_the_explorer_and_equal_bytes(tmp_path):
    explorer = make_explorer("kuhn_poker", ["uniform", "lp"])
    for name in ("one.html", "two.html"):
        save_page(explorer, tmp_path / name)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()
    found = answers(tmp_path / "one.html")
    about = found.pop('{"ask":"game"}')
    assert about["saved"]
    assert about["opponents"] == about["methods"] == []
    for text, answer in found.items():
        assert answer == json.loads(json.dumps(explorer.ask(json.loads(text))))
    states = explorer.tree.public_tree.num_public_states
    for policy in (0, 1):
        for state in range(states):
            assert f'{{"ask":"state","policy":{policy},"state":{state}}}' in found
    assert '{"ask":"match","first":1,"second":0}' in found
    shown = found['{"ask":"differences","first":0,"second":1,"start":0}']
    assert len(shown["differences"]) == shown["total"] > 0


def test_a_page_names_no_outside_address(tmp_path):
    save_page(make_explorer("kuhn_poker"), tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    addresses = set(re.findall(r"https?://[^\s\"'`)]+", text))
    assert all(address.startswith("http://www.w3.org/") for address in addresses), addresses
    assert text.count("</script") == 2
    assert "default-src 'none'" in text


def test_depth_cuts_a_page_and_large_pages_are_refused(tmp_path, monkeypatch):
    explorer = make_explorer("leduc_poker")
    save_page(explorer, tmp_path / "cut.html", depth=2)
    saved = answers(tmp_path / "cut.html").values()
    states = {answer["state"] for answer in saved if "path" in answer}
    assert 3 < len(states) < 20
    monkeypatch.setattr(saved_page, "MAX_PAGE_BYTES", 50_000)
    with pytest.raises(LimitError, match="MB: give a smaller depth"):
        save_page(explorer, tmp_path / "large.html")
    assert not (tmp_path / "large.html").exists()


def test_extensive_forms_are_saved_and_rules_are_not(tmp_path):
    form = infoset.load("tests/efg/files/games/one_card_poker.efg")
    save_page(Explorer(form, {"uniform": uniform_policy(form.sequence_form)}), tmp_path / "f.html")
    assert '{"ask":"form_history","history":0,"policy":0}' in answers(tmp_path / "f.html")
    rules = Explorer(load_game("hanabi"), {}, {"bot": UniformPolicy()})
    with pytest.raises(UnsupportedGameError, match="too large to build"):
        save_page(rules, tmp_path / "r.html")
