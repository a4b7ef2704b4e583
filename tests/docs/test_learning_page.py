"""The page on learning lists every learner with its knowledge of the game."""

from __future__ import annotations

from infoset.learning import LEARNERS
from tests.docs.snippets import ROOT

PAGE = ROOT / "docs" / "learning" / "index.md"


def listed():
    """Return the name and the knowledge in each row of the table."""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and "`" in cells[0]:
            yield cells[0].split("`")[1], cells[1]


def test_the_table_has_every_learner_with_what_it_may_know():
    assert dict(listed()) == {name: row.knowledge.value for name, row in LEARNERS.items()}
