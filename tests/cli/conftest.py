"""Running the command line, in this process or as one of its own."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass

import pytest

from infoset.cli import main


@dataclass(frozen=True)
class Ran:
    """What a command did: its exit code, and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """The one JSON object on standard output, refusing what is not JSON."""

        def refuse(constant):
            raise AssertionError(f"{constant} is not JSON")

        assert self.out.endswith("}\n")
        assert self.out.count("\n") == 1
        found = json.loads(self.out, parse_constant=refuse)
        assert isinstance(found, dict)
        return found

    @property
    def complaint(self):
        """What went wrong, told in one or two lines, with nothing on standard output."""
        assert self.code == 2
        assert self.out == ""
        assert 1 <= len(self.err.splitlines()) <= 2
        assert self.err.startswith("error: ")
        assert "Traceback" not in self.err
        return self.err


@pytest.fixture
def command(capsys, monkeypatch, tmp_path):
    """Run `infoset` with some arguments in an empty folder; return what it did."""
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
