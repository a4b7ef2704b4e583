"""Games, trees and policies have representations in notebooks; importing remains fast."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import infoset
from infoset.efg import build_extensive_form
from infoset.games import load_game
from infoset.plotting import draw, notebooks
from infoset.plotting.notebooks import policy_html
from infoset.policy import uniform_policy
from infoset.utils.notebooks import SHOWN, register_formatters
from tests.plotting.svg_reader import Svg

pytest.importorskip("IPython")


@pytest.fixture
def show():
    """Return the representations of an object in a notebook by MIME type."""
    from IPython.core.formatters import DisplayFormatter

    formatter = DisplayFormatter()
    formatter.active_types = formatter.format_types
    register_formatters(lambda: notebooks, formatter.formatters)
    return lambda thing: formatter.format(thing)[0]


def test_a_game_shows_its_histories(show):
    shown = show(load_game("kuhn_poker"))
    assert Svg(shown["image/svg+xml"]).text("history-title").startswith("kuhn_poker")
    assert len(Svg(shown["image/svg+xml"]).ids(r"history-\d+-edge")) == 54
    assert shown["text/plain"].startswith("KuhnPoker")


def test_a_large_game_is_shown_in_part(show):
    svg = Svg(show(load_game("leduc_poker"))["image/svg+xml"])
    assert len(svg.ids(r"history-\d+-edge")) == 30
    assert "more histories" in svg.text("history-remark")


def test_trees_and_forms_show_their_histories(show):
    tree = infoset.build_tree(load_game("matrix_mp"))
    for thing in (tree, build_extensive_form(load_game("matrix_mp"))):
        assert Svg(show(thing)["image/svg+xml"]).text("history-title").startswith("matrix_mp")


def test_drawings_show_themselves(show):
    drawing = draw("matrix_mp", "public")
    assert show(drawing)["image/svg+xml"] == drawing.svg()


def test_a_policy_shows_a_table(show):
    policy = infoset.solve("kuhn_poker", "lp").policy
    html = show(policy)["text/html"]
    assert html.count("<tr>") == 2 + 12
    assert re.search(r"<td>\[K\] / pass / bet</td>", html)
    assert html.count("% 100% no-repeat") == 24
    probability = policy["[K] / pass / bet", 0]["bet"]
    assert f"0 / {probability * 100:.1f}% 100% no-repeat" in html
    assert f"bet {probability:.3f}" in html


def test_a_long_table_is_cut_and_says_so():
    form = infoset.build_tree(load_game("leduc_poker")).sequence_form
    html = policy_html(uniform_policy(form))
    assert html.count("… 428 more infostates") == 2


def test_what_cannot_be_drawn_is_shown_as_text(show, monkeypatch):
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    assert set(show(load_game("kuhn_poker"))) == {"text/plain"}


def test_the_names_of_the_classes_are_right():
    for module, name, _, _ in SHOWN:
        found = getattr(__import__(module, fromlist=[name]), name)
        assert (found.__module__, found.__name__) == (module, name)


@pytest.mark.broad
def test_importing_infoset_in_a_notebook_is_enough_and_loads_nothing():
    program = (
        "import sys; from IPython.core.interactiveshell import InteractiveShell\n"
        "from traitlets.config import Config\n"
        "config = Config(); config.HistoryManager.enabled = False\n"
        "shell = InteractiveShell.instance(config=config)\n"
        "import infoset\n"
        "assert not {'numba', 'pygraphviz', 'infoset.plotting'} & set(sys.modules)\n"
        "shell.display_formatter.active_types = shell.display_formatter.format_types\n"
        "shown, _ = shell.display_formatter.format(infoset.load('matrix_mp'))\n"
        "assert 'history-title' in shown['image/svg+xml']"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_without_a_notebook_nothing_happens():
    program = "import sys, infoset; assert 'IPython' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
