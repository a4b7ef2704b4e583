"""The page on games and the page of each game agree with the registry and the games."""

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import infoset
from infoset.game import parameter_text
from infoset.games import GAMES, MATRIX_GAMES, load_game
from infoset.tree import count_public_form
from infoset.utils.text import format_bytes
from tests.support.cached_games import cached_tree

DOCS = Path(__file__).parents[2] / "docs"
INDEX = (DOCS / "games.md").read_text(encoding="utf-8")
PAGES = {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "games").glob("*.md")}

LARGEST, LARGEST_QUICK = 600_000, 12_000
"""Histories of the largest game counted, and of the largest counted without `-m long`."""

LARGEST_SOLVED, LARGEST_SOLVED_QUICK = 120_000, 10_000
"""The same for games that are solved."""


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def tables(page):
    """Yield the tables of a page as rows by column name."""
    for text in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE):
        header, _, *lines = text.splitlines()
        yield [dict(zip(cells_of(header), cells_of(line), strict=True)) for line in lines]


def number(text):
    return int(text.replace(",", ""))


# --- the index ---------------------------------------------------------------------------------


def test_every_page_is_linked_and_shows_how_to_load_the_game():
    """`docs/write_tables.py` writes the index; `tests/docs/test_tables.py` compares it."""
    for name, page in PAGES.items():
        assert f"games/{name}" in INDEX
        assert "```python" in page, name


# --- parameters --------------------------------------------------------------------------------


@pytest.mark.parametrize("row", GAMES.values(), ids=list(GAMES))
def test_a_page_lists_the_parameters(row):
    heading = f"# `{row.name}`\n"
    pages = [page for page in PAGES.values() if heading in page]
    assert len(pages) == 1, f"describe the game in docs/games/{row.name}.md"
    listed = next((rows for rows in tables(pages[0]) if "parameter" in rows[0]), [])
    if row.name in MATRIX_GAMES:
        listed = []
    assert [cells["parameter"] for cells in listed] == [f"`{p.name}`" for p in row.parameters]
    for parameter, cells in zip(row.parameters, listed, strict=True):
        default = "required" if parameter.is_required else f"`{parameter_text(parameter.default)}`"
        assert cells["default"] == default
        assert ("addition" in cells["meaning"]) == parameter.is_addition


# --- sizes and values --------------------------------------------------------------------------


def sized_rows(largest, largest_quick):
    """Yield the rows of the tables of sizes, except those of larger games."""
    for page in PAGES.values():
        for rows in tables(page):
            for row in rows:
                if "world states" in row and (size := number(row["histories"])) <= largest:
                    marks = [] if size <= largest_quick else [pytest.mark.long]
                    yield pytest.param(row, id=row[""], marks=marks)


@pytest.mark.parametrize("row", list(sized_rows(LARGEST, LARGEST_QUICK)))
def test_a_page_counts_right(row):
    info = infoset.info(row[""].strip("`"))
    counts = [info.world_states, info.histories, info.terminals]
    assert counts == [number(row[name]) for name in ("world states", "histories", "terminal")]
    acting = [number(text) for text in row["acting infostates"].split(" and ")]
    assert list(info.acting_infostates) == (acting if acting[1:] else acting * info.num_players)
    assert info.observable_rewards is (row.get("observable rewards", "yes") == "yes")


@pytest.mark.parametrize(
    "row",
    [
        param
        for param in sized_rows(LARGEST_SOLVED, LARGEST_SOLVED_QUICK)
        if param.values[0].get("value")
    ],
)
def test_a_page_gives_the_value(row):
    value = row["value"].replace("−", "-")
    result = infoset.solve(row[""].strip("`"), "lp")
    assert result.values[0] == pytest.approx(float(Fraction(value)), abs=1e-9)


def test_a_page_gives_the_sizes_of_public_forms():
    rows = [row for page in PAGES.values() for rows in tables(page) for row in rows]
    sized = [row for row in rows if "memory forecast" in row]
    assert sized
    for row in sized:
        counts = count_public_form(load_game(row[""].strip("`")).public_rules(), memory=10**12)
        shown = [number(row[name]) for name in ("hands", "public nodes", "ends")]
        assert [(shown[0],) * 2, *shown[1:]] == [counts.hands, counts.nodes, counts.ends]
        assert row["memory forecast"] == format_bytes(counts.bytes)


# --- observable rewards ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "observable"),
    [
        ("kuhn_poker(players=3)", True),
        ("trick_taking(num_cards=6,num_suits=2,hand_size=2,tie=draw)", True),
        ("random_game", False),
        (
            "battleship(board_width=2,board_height=1,ship_sizes=[1;1],ship_values=[1;3],num_shots=1)",
            False,
        ),
        *((name, True) for name in MATRIX_GAMES),
    ],
)
def test_info_says_whether_infostates_determine_the_rewards(spec, observable):
    tree = cached_tree(spec)
    assert are_observable(tree.infostate, tree.rewards_so_far) is observable
    assert infoset.info(spec).observable_rewards is observable


def are_observable(infostates, rewards):
    """Return whether rewards [H, N] are a function of infostates [H, N], player by player."""
    for known, paid in zip(infostates.T, rewards.T, strict=True):
        first = np.zeros(known.max() + 1)
        first[known] = paid
        if not np.allclose(first[known], paid, rtol=0, atol=1e-12):
            return False
    return True


# --- payoffs -----------------------------------------------------------------------------------


def payoff_tables():
    """Yield the tables of payoffs, by the name of the game."""
    page = PAGES["matrix_games.md"].replace("−", "-")
    for section in page.split("\n### ")[1:]:
        (rows,) = tables(section)
        pairs = [
            [tuple(map(int, cell.split(","))) for cell in list(row.values())[1:]] for row in rows
        ]
        yield section.split("`")[1], pairs


@pytest.mark.parametrize(("name", "pairs"), list(payoff_tables()))
def test_the_page_on_matrix_games_shows_the_payoffs(name, pairs):
    game = load_game(name)
    rows = [[game.payoffs[r, c] for c in game.column_actions] for r in game.row_actions]
    assert rows == pairs


def test_every_matrix_game_by_name_has_its_payoffs():
    assert [name for name, _ in payoff_tables()] == list(MATRIX_GAMES)
