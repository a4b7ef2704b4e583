"""The table of the page on OpenSpiel's games, counted again."""

import re
from pathlib import Path

import pytest

from infoset.interop import load_openspiel
from infoset.tree import build_tree

pytest.importorskip("pyspiel")

PAGE = Path(__file__).parents[2] / "docs" / "openspiel.md"
ROW = re.compile(
    r"^\| `(?P<spec>[^`]+)` \| (?P<histories>[\d,]+) \| (?P<terminals>[\d,]+) \| "
    r"(?P<acting>[\d, ]+) \| (?P<source>\w+) \| (?P<notes>[\w, ]*)\|$",
    re.MULTILINE,
)
ROWS = list(ROW.finditer(PAGE.read_text(encoding="utf-8")))
SOURCES = {
    "moves": lambda sources: sources.moves,
    "observers": lambda sources: sources.public is not None,
    "strings": lambda sources: sources.own_turn is not None,
    "observations": lambda sources: sources.public is None and sources.private is not None,
}


def number(text):
    return int(text.replace(",", ""))


def test_the_table_is_found():
    assert len(ROWS) == PAGE.read_text(encoding="utf-8").count("\n| `") > 40


@pytest.mark.parametrize(
    "row", [row for row in ROWS if number(row["histories"]) <= 1_500], ids=lambda row: row["spec"]
)
def test_a_row_of_the_table(row):
    game = load_openspiel(row["spec"])
    tree = build_tree(game)
    assert (tree.num_histories, len(tree.terminals)) == (
        number(row["histories"]),
        number(row["terminals"]),
    )
    acting = [one.num_acting for one in tree.infostate_trees]
    assert acting == [number(text) for text in row["acting"].split(", ")]
    assert SOURCES[row["source"]](game._sources)
    assert ("recall" in row["notes"]) == any("break perfect recall" in n for n in game.notes)
    assert ("time" in row["notes"]) == any("hide how many moves" in n for n in game.notes)
