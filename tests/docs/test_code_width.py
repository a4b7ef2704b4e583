"""Code on the pages fits the column of the site."""

from __future__ import annotations

import re

import pytest

from tests.docs.snippets import BLOCK, COLUMNS, PAGES, ROOT

SITE = [page for page in PAGES if page.is_relative_to(ROOT / "docs")]

LIST_ITEM = re.compile(r"[-*] |\d+\. ")
INDENT = "    "


def indented_code(text):
    """Return the lines of indented blocks; indented lines after an item of a list are its text."""
    found, last = [], ""
    for line in text.split("\n"):
        if not line.startswith(INDENT):
            last = line or last
        elif not LIST_ITEM.match(last):
            found.append(line.removeprefix(INDENT))
    return found


def test_indented_code_is_found():
    assert indented_code("a\n\n    b\n\n    c\n- d\n\n    text of d\n\ne\n\n    f") == [
        "b",
        "c",
        "f",
    ]


@pytest.mark.parametrize("page", SITE, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_line_of_code_is_wider_than_the_column(page):
    text = page.read_text(encoding="utf-8")
    lines = [line for block in BLOCK.finditer(text) for line in block["body"].split("\n")]
    wide = [line for line in lines + indented_code(text) if len(line) > COLUMNS]
    assert not wide, "\n".join(wide)
