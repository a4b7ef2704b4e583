"""Run the command line in this process or in a separate one."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass

import pytest

from infoset.cli import main
from infoset.cli.tables import TextTable

WIDTHS = (40, 80, 100, 200, None)


@dataclass(frozen=True)
class Ran:
    """Result of a command: its exit code and its output."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """The single JSON object on standard output."""

        def refuse(constant):
            raise AssertionError(f"{constant} is not JSON")

        assert self.out.endswith("}\n")
        assert self.out.count("\n") == 1
        found = json.loads(self.out, parse_constant=refuse)
        assert isinstance(found, dict)
        return found

    @property
    def complaint(self):
        """The error message of one or two lines; standard output must be empty."""
        assert self.code == 2
        assert self.out == ""
        assert 1 <= len(self.err.splitlines()) <= 2
        assert self.err.startswith("error: ")
        assert "Traceback" not in self.err
        return self.err


@pytest.fixture(autouse=True)
def _charts_only_if_requested(empty_charts):
    """Save charts of results without drawing them, except in tests with the fixture `charts`."""


@pytest.fixture(autouse=True)
def _no_lines_of_progress(monkeypatch):
    """Write no line about the progress, however slow the machine is."""
    monkeypatch.setattr("infoset.cli.progress.MIN_PAUSE", 1e6)


@pytest.fixture(autouse=True)
def _words_stay_whole(monkeypatch):
    """Check every table that a command prints: at no width is a number or a word cut."""
    lines = TextTable.lines

    def checked(table, width=None):
        words = {word for text in texts_of(table) for word in text.split()}
        numbers = {str(number) for number in range(1, 1 + len(table.rows))}
        for other in WIDTHS:
            shown = {word for line in lines(table, other) for word in line.split()}
            assert shown >= words, other
            assert {word for word in shown if set(word) != {"─"}} <= words | numbers, other
        return lines(table, width)

    monkeypatch.setattr(TextTable, "lines", checked)


def texts_of(table):
    """Return the headers and cells of a table."""
    return [*table.headers, *(cell for row in table.rows for cell in row)]


@pytest.fixture
def command(capsys, monkeypatch, tmp_path):
    """Return a function that runs `infoset` in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, stdin=""):
        stream = io.StringIO(stdin) if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", stream)
        capsys.readouterr()
        with pytest.raises(SystemExit) as ending:
            main([str(argument) for argument in arguments])
        written = capsys.readouterr()
        return Ran(ending.value.code or 0, written.out, written.err)

    return run
