"""The two commands in the README agree with the actual ones."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import infoset

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def commands() -> list[str]:
    return re.findall(r"^\$ (.*)$", README, flags=re.MULTILINE)


def test_there_are_two_and_ci_runs_the_one_that_tests():
    solve, test = commands()
    assert "infoset solve leduc_poker" in solve
    assert f"\n{test}\n" in (ROOT / ".ci" / "run").read_text()


def test_every_link_and_picture_is_there():
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / target).exists(), target


def test_the_citation_has_the_version_and_its_date():
    text = (ROOT / "CITATION.cff").read_text()
    found = dict(re.findall(r"^([\w-]+): *\"?([^\"\n]*)", text, flags=re.MULTILINE))
    assert found["cff-version"] == "1.2.0"
    assert found["version"] == infoset.__version__
    assert date.fromisoformat(found["date-released"]).year >= 2026
    assert {"title", "message", "authors", "license"} <= found.keys()
