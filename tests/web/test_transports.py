"""The three places of the page give the same answers: a server, a notebook and a file."""

from __future__ import annotations

import base64
import json
import re
import sys
import threading
import zlib

import pytest

import infoset
from infoset.errors import MissingExtraError
from infoset.web import save_page
from tests.web.test_server import send

QUESTIONS = [
    {"ask": "state", "policy": 1, "state": 3},
    {"ask": "children", "policy": 0, "state": 1, "start": 0},
    {"ask": "infostates", "policy": 1, "state": 1, "player": 0, "start": 0},
    {"ask": "histories", "policy": 1, "state": 2, "start": 0},
    {"ask": "beliefs", "policy": 1, "state": 2, "row": 0, "column": 1},
    {"ask": "leaks", "policy": 1, "start": 0},
    {"ask": "state_leaks", "policy": 0, "start": 0},
    {"ask": "differences", "first": 0, "second": 1, "start": 0},
]


@pytest.fixture(scope="module")
def page():
    with infoset.explore("kuhn_poker", ["uniform", "lp"], open_browser=False) as found:
        yield found


@pytest.fixture
def widget(page, monkeypatch):
    """The page as a widget whose messages are kept in `sent`."""
    pytest.importorskip("anywidget")
    found = page.widget()
    found.sent, found.is_over = [], threading.Event()

    def keep(content, buffers=None):
        found.sent.append(json.loads(json.dumps(content, allow_nan=False)))
        if content.get("over"):
            found.is_over.set()

    monkeypatch.setattr(found, "send", keep)
    return found


@pytest.fixture(params=["server", "notebook", "file"])
def ask(request, page, tmp_path):
    """A function that asks a question in one of the places."""
    if request.param == "server":
        return lambda question: json.loads(send(page, body=question)[2])
    if request.param == "file":
        save_page(page.explorer, tmp_path / "page.html")
        text = (tmp_path / "page.html").read_text("utf-8")
        packed = re.search(r'id="infoset-answers">([^<]*)<', text)[1]
        answers = json.loads(zlib.decompress(base64.b64decode(packed)))
        return lambda question: answers[json.dumps(question, sort_keys=True, separators=(",", ":"))]
    widget = request.getfixturevalue("widget")

    def of_notebook(question):
        widget._hear({"id": "view.1", "ask": question})
        assert widget.sent[-1]["id"] == "view.1"
        return widget.sent[-1]["answer"]

    return of_notebook


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["ask"])
def test_answers_are_those_of_the_explorer(ask, page, question):
    assert ask(question) == json.loads(json.dumps(page.explorer.ask(question)))


def test_a_notebook_is_told_of_errors(widget):
    widget._hear({"id": "a", "ask": {"ask": "state", "policy": 9, "state": 0}})
    assert "policy must be" in widget.sent[-1]["error"]
    widget._hear({"id": "b", "live": {"run": 10**6, "state": 0}})
    assert [message["id"] for message in widget.sent[-2:]] == ["b", "b"]
    assert "methods" in widget.sent[-2]["live"]["error"]
    assert widget.sent[-1]["over"]
    before = list(widget.sent)
    for wrong in (None, [], {}, {"id": 3, "ask": {}}):
        widget._hear(wrong)
    assert widget.sent == before


def test_a_notebook_watches_a_run_that_ends_with_its_widget(page, widget):
    method = [one.name for one in page.explorer.methods].index("cfr+")
    widget._hear({"id": "r", "live": {"run": method, "state": 1}})
    run = page.explorer._runs[-1]
    widget._hear({"id": "r", "live": {"state": 2}})
    assert run.state == 2
    widget.close()
    assert widget.is_over.wait(60)
    run.wait(60)
    assert run.is_over
    assert "policy" in widget.sent[-2]["live"]


def test_the_extra_is_named_where_it_is_missing(page, monkeypatch):
    monkeypatch.setattr(page, "_widget", None)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(MissingExtraError, match="notebook"):
        page.widget()
