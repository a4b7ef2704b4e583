"""Code on the pages fits the column of the site."""

from __future__ import annotations

import pytest

from tests.docs.snippets import BLOCK, COLUMNS, PAGES, ROOT

SITE = [page for page in PAGES if page.is_relative_to(ROOT / "docs")]


@pytest.mark.parametrize("page", SITE, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_line_of_code_is_wider_than_the_column(page):
    found = BLOCK.finditer(page.read_text(encoding="utf-8"))
    wide = [line for block in found for line in block["body"].split("\n") if len(line) > COLUMNS]
    assert not wide, "\n".join(wide)
