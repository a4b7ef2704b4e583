"""The tables of the documentation that follow from the code are up to date."""

from __future__ import annotations

import runpy

import pytest
import typer

from infoset.cli.app import app
from tests.docs.snippets import ROOT

SCRIPT = runpy.run_path(str(ROOT / "docs" / "write_tables.py"))


@pytest.mark.parametrize("page", SCRIPT["PAGES"], ids=lambda page: page.name)
def test_tables_are_those_of_the_code(page):
    text = page.read_text("utf-8")
    assert SCRIPT["with_tables"](text) == text


@pytest.mark.parametrize("name", typer.main.get_command(app).commands)
def test_every_command_is_on_the_page_and_its_options_in_the_reference(name):
    page = (ROOT / "docs" / "cli.md").read_text("utf-8")
    reference = (ROOT / "docs" / "reference" / "cli.md").read_text("utf-8")
    assert f"`{name}`" in page
    assert f"\n## `{name}`\n" in reference
    rows = list(SCRIPT["options"](name))[2:]
    assert not rows or f"<!-- table: options {name} -->" in reference
