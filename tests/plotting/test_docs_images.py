"""The pictures of the documentation are those that the code draws now."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import infoset
from infoset.efg import build_extensive_form, forget_non_acting
from infoset.plotting import draw
from tests.plotting.svg_reader import Svg

IMAGES = Path(__file__).parents[2] / "docs" / "images"


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
def test_a_picture_of_the_documentation_is_up_to_date(name, make):
    stored = Svg((IMAGES / f"kuhn_poker-{name}.svg").read_text("utf-8"))
    drawn = Svg(make().svg())
    assert stored.groups.keys() == drawn.groups.keys()
    assert [text for text, *_ in stored.text_places()] == [t for t, *_ in drawn.text_places()]
    assert stored.size == pytest.approx(drawn.size, abs=2)


def test_the_picture_of_the_rooms_is_that_of_the_contract():
    drawing = runpy.run_path(str(IMAGES / "draw_rooms.py"))
    stored = (IMAGES / "rooms.svg").read_text("utf-8")
    assert stored == drawing["picture"](drawing["layers"]())
