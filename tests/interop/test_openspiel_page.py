"""The tables of the page on OpenSpiel's games agree with new counts."""

import re
from importlib.metadata import version
from pathlib import Path

import pytest

from infoset.errors import InfosetError
from infoset.interop import load_openspiel
from infoset.tree import build_tree, build_world_graph

pyspiel = pytest.importorskip("pyspiel")

pytestmark = pytest.mark.broad

PAGE = Path(__file__).parents[2] / "docs" / "openspiel.md"
ROW = re.compile(
    r"^\| `(?P<spec>[^`]+)` \| (?P<histories>[\d,]+) \| "
    r"(?P<acting>[\d, ]+) \| (?P<source>\w+) \| (?P<notes>[\w, ]*)\|$",
    re.MULTILINE,
)
TEXT = PAGE.read_text(encoding="utf-8")
ROWS = list(ROW.finditer(TEXT))
TOO_LARGE = re.findall("`([^`]+)`", TEXT.partition("\nMore than ")[2].partition(".\n")[0])
OTHERS = dict(re.findall(r"^\| `([^`]+)` \| ([^|]+) \|$", TEXT, re.MULTILINE))
SOURCES = {
    "moves": lambda sources: sources.moves,
    "observers": lambda sources: sources.public is not None,
    "strings": lambda sources: sources.own_turn is not None,
    "observations": lambda sources: sources.public is None and sources.private is not None,
}


def number(text):
    return int(text.replace(",", ""))


def test_the_tables_are_found():
    assert len(ROWS) + len(OTHERS) == TEXT.count("\n| `")
    assert len(ROWS) > 40
    assert len(TOO_LARGE) > 20
    assert len(OTHERS) > 4


def test_every_game_of_imperfect_information_is_in_a_table():
    if f"With OpenSpiel {version('open_spiel')}:" not in TEXT:
        pytest.skip("the tables were made with another version of OpenSpiel")
    pytest.importorskip("open_spiel.python.games")
    hidden = pyspiel.GameType.Information.IMPERFECT_INFORMATION
    listed = {row["spec"].partition("(")[0] for row in ROWS} | OTHERS.keys() | {*TOO_LARGE}
    names = {one.short_name for one in pyspiel.registered_games() if one.information == hidden}
    # OpenSpiel registers these only if pokerkit is installed.
    assert {name for name in names if "pokerkit" not in name} <= listed


@pytest.mark.parametrize("name", ["crossword", "negotiation", "tarok", "repeated_poker"])
def test_a_game_that_does_not_load_says_what_the_table_says(name):
    with pytest.raises(InfosetError) as caught:
        load_openspiel(name)
    assert str(caught.value).partition("; ")[0] == OTHERS[name]


@pytest.mark.parametrize("name", ["phantom_ttt", "hearts"])
def test_a_game_that_is_too_large_loads(name):
    assert name in TOO_LARGE
    assert not build_world_graph(load_openspiel(name), max_worlds=500, partial=True).is_complete


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=[pytest.mark.long] if number(row["histories"]) > 400 else [])
        for row in ROWS
        if number(row["histories"]) <= 1_500
    ],
    ids=lambda row: row["spec"],
)
def test_a_row_of_the_table(row):
    game = load_openspiel(row["spec"])
    tree = build_tree(game)
    assert tree.num_histories == number(row["histories"])
    acting = [one.num_acting for one in tree.infostate_trees]
    assert acting == [number(text) for text in row["acting"].split(", ")]
    assert SOURCES[row["source"]](game._sources)
    assert ("recall" in row["notes"]) == any("violate perfect recall" in n for n in game.notes)
    assert ("time" in row["notes"]) == any("hide the number of moves" in n for n in game.notes)
