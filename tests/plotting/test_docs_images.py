"""The pictures of the documentation are those that the code draws now."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import infoset
from infoset.efg import build_extensive_form, forget_non_acting
from infoset.plotting import draw
from tests.plotting.svg_reader import Svg

DOCS = Path(__file__).parents[2] / "docs"
IMAGES = DOCS / "images"
FORMS = runpy.run_path(str(IMAGES / "draw_forms.py"))["forms"]()


def classical():
    return forget_non_acting(build_extensive_form(infoset.load("kuhn_poker")))


def solved():
    return infoset.solve("kuhn_poker", "cfr+", iterations=1000).policy


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("history", lambda: draw("kuhn_poker")),
        ("infostate", lambda: draw("kuhn_poker", "infostate")),
        ("public", lambda: draw("kuhn_poker", "public")),
        ("policy", lambda: draw("kuhn_poker", "infostate", policy=solved())),
        ("classical", lambda: draw(classical())),
    ],
)
def test_a_picture_of_kuhn_poker_is_up_to_date(name, make):
    assert_up_to_date(f"kuhn_poker-{name}", make())


@pytest.mark.parametrize("name", FORMS)
def test_a_picture_of_a_form_is_up_to_date(name):
    assert_up_to_date(name, draw(FORMS[name]))


def test_the_pages_on_forms_and_checks_show_all_pictures_of_forms():
    text = "".join((DOCS / page).read_text("utf-8") for page in ("forms.md", "checks.md"))
    assert set(re.findall(r"\]\(images/([\w-]+)\.svg\)", text)) == set(FORMS)


def assert_up_to_date(name, drawing):
    """Compare a stored picture with its drawing: elements, texts and size."""
    stored = Svg((IMAGES / f"{name}.svg").read_text("utf-8"))
    drawn = Svg(drawing.svg())
    assert stored.groups.keys() == drawn.groups.keys()
    assert [text for text, *_ in stored.text_places()] == [t for t, *_ in drawn.text_places()]
    assert stored.size == pytest.approx(drawn.size, abs=2)


def test_the_picture_of_the_rooms_is_that_of_the_contract():
    drawing = runpy.run_path(str(IMAGES / "draw_rooms.py"))
    stored = (IMAGES / "rooms.svg").read_text("utf-8")
    assert stored == drawing["picture"](drawing["layers"]())
