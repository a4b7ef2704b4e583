"""The tables of the documentation that follow from the code are up to date."""

from __future__ import annotations

import runpy

import pytest

from tests.docs.snippets import ROOT

SCRIPT = runpy.run_path(str(ROOT / "docs" / "write_tables.py"))


@pytest.mark.parametrize("page", SCRIPT["PAGES"], ids=lambda page: page.name)
def test_tables_are_those_of_the_code(page):
    text = page.read_text("utf-8")
    assert SCRIPT["with_tables"](text) == text
