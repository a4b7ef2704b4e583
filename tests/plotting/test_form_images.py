"""The pictures of the pages on forms and checks are those that their script draws now."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from infoset.plotting import draw
from tests.plotting.svg_reader import Svg

DOCS = Path(__file__).parents[2] / "docs"
FORMS = runpy.run_path(str(DOCS / "images" / "draw_forms.py"))["forms"]()


@pytest.mark.parametrize("name", FORMS)
def test_a_picture_is_up_to_date(name):
    stored = Svg((DOCS / "images" / f"{name}.svg").read_text("utf-8"))
    drawn = Svg(draw(FORMS[name]).svg())
    assert stored.groups.keys() == drawn.groups.keys()
    assert [text for text, *_ in stored.text_places()] == [t for t, *_ in drawn.text_places()]
    assert stored.size == pytest.approx(drawn.size, abs=2)


def test_the_pages_show_all_of_them_and_no_others():
    text = "".join((DOCS / page).read_text("utf-8") for page in ("forms.md", "checks.md"))
    assert set(re.findall(r"\]\(images/([\w-]+)\.svg\)", text)) == set(FORMS)
