"""The page has the marks and colors of the library's drawings."""

from __future__ import annotations

import re
from pathlib import Path

from infoset.plotting import pen

WEB = Path(__file__).parents[2] / "web" / "src"
STYLE = (WEB / "style.css").read_text("utf-8")
LIGHT = re.search(r"^\.infoset \{\n  --ink(.*?)^\}", STYLE, re.M | re.S)[1]


def colors(letter):
    return re.findall(rf"--{letter}\d: (#\w{{6}})", LIGHT)


def test_players_have_the_colors_and_marks_of_drawings():
    assert tuple(colors("p")) == pen.COLORS
    marks = re.search(r"MARKS = \[(.*)\]", (WEB / "parts.tsx").read_text("utf-8"))[1]
    assert marks == '"▲", "▼", "◆", "⬟", "⬢", "■"'
    assert [sides for sides, *_ in pen.SHAPES] == [3, 3, 4, 5, 6, 4]


def test_the_bundle_is_small():
    static = WEB.parents[1] / "src" / "infoset" / "web" / "static"
    assert sum(file.stat().st_size for file in static.iterdir()) <= 160_000
