"""The tables of options on the page of the command line are those of the commands."""

from __future__ import annotations

import runpy

from snippets import ROOT


def test_the_tables_of_options_are_up_to_date():
    script = runpy.run_path(str(ROOT / "docs" / "cli_tables.py"))
    text = script["PAGE"].read_text("utf-8")
    assert script["with_tables"](text) == text
