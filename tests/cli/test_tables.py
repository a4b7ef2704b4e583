"""Tests of tables of text: whole words at every width, wrapping, stacking, and where they apply."""

import os
import random
import re
from pathlib import Path

import pytest

import infoset.cli
from infoset.cli.screen import print_table
from infoset.cli.tables import JOINT, TextTable, output_width, text_width, wrapped

RULE = "─"


def table_of(headers, *rows):
    table = TextTable(*headers)
    for row in rows:
        table.add_row(*row)
    return table


WIDE = table_of(
    ["name", ">value", "remark"],
    ["a b", "-0.002074 ± 0.0001", "some text that is long"],
    ["goofspiel_4_descending", "12,345", "none"],
)


def test_a_table_of_any_width_has_one_line_a_row():
    assert WIDE.lines() == [
        "  name                                  value   remark",
        f" {RULE * 70}",
        "  a b                      -0.002074 ± 0.0001   some text that is long",
        "  goofspiel_4_descending               12,345   none",
    ]
    assert WIDE.lines(71) == WIDE.lines()


def test_text_is_wrapped_at_spaces_where_that_is_enough():
    table = table_of(["name", "remark"], ["first", "some text that is longer than it may be"])
    assert table.lines(36) == [
        "  name    remark",
        f" {RULE * 34}",
        "  first   some text that is longer",
        "          than it may be",
    ]


def test_columns_that_do_not_fit_are_stacked_whole():
    assert WIDE.lines(60) == [
        "  name                                  value",
        f" {RULE * 45}",
        "  a b                      -0.002074 ± 0.0001",
        "  goofspiel_4_descending               12,345",
        "",
        "  name                     remark",
        f" {RULE * 49}",
        "  a b                      some text that is long",
        "  goofspiel_4_descending   none",
    ]


def test_stacked_columns_repeat_those_that_tell_the_rows_apart():
    rows = [["leduc", size, *["0.1234567"] * 5] for size in ("1 seed", "2 seeds", "3 seeds")]
    lines = table_of(["game", "runs", *[f">{letter}" for letter in "abcde"]], *rows).lines(60)
    assert [line.split() for line in lines[2:5]] == [
        ["leduc", size, "seeds"[: 4 + (size > "1")], *["0.1234567"] * 3] for size in "123"
    ]
    assert [line.split()[:3] for line in lines[-3:]] == [
        ["leduc", size, "seeds"[: 4 + (size > "1")]] for size in "123"
    ]


def test_rows_are_numbered_where_the_columns_that_tell_them_apart_are_too_wide():
    rows = [[f"bandit_tree(branching={size})", learner, "0.12345"] for size, learner in PAIRS]
    table = table_of(["tree", "learner", ">distance from the best"], *rows)
    assert table.lines(50) == [
        "      tree                       learner",
        f" {RULE * 45}",
        "  1   bandit_tree(branching=4)   ixomd",
        "  2   bandit_tree(branching=4)   balanced-omd",
        "  3   bandit_tree(branching=8)   ixomd",
        "",
        "      distance from the best",
        f" {RULE * 28}",
        "  1                  0.12345",
        "  2                  0.12345",
        "  3                  0.12345",
    ]


PAIRS = [(4, "ixomd"), (4, "balanced-omd"), (8, "ixomd")]


def test_names_are_wrapped_with_their_values():
    table = TextTable()
    table.add_row("security level of player 0", "-0.0555556")
    table.add_row("method", "lp is exact and fast at this size")
    assert table.lines(34) == [
        "  security level   -0.0555556",
        "  of player 0",
        "  method           lp is exact",
        "                   and fast at",
        "                   this size",
    ]


def test_long_tables_are_wrapped_rather_than_stacked():
    table = TextTable("infostate", "policy", is_plain=True)
    for number in range(100):
        shares = f"fold{JOINT}0.{number:03}", f"call{JOINT}0.{999 - number}"
        table.add_row(f"[{number}] / call / raise", "  ".join(shares))
    lines = table.lines(24)
    assert lines[1:3] == ["[0] / call   fold 0.000", "/ raise      call 0.999"]
    assert max(map(len, lines)) <= 24


@pytest.mark.parametrize("seed", range(20))
def test_words_are_whole_and_lines_fit_where_words_allow_it(seed):
    rng = random.Random(seed)
    words = ["-0.00207", "1.5e-16", "below", "12,345", "ab", "goofspiel_4_descending", "é", "短い"]
    size = rng.randint(2, 9)
    table = table_of(
        [rng.choice(["", ">", ">"]) + f"head {column}" for column in range(size)],
        *[
            [f"{number} {rng.choice(words)}"]
            + [" ".join(rng.choices(words, k=rng.randint(0, 4))) for _ in range(size - 1)]
            for number in range(rng.randint(1, 40))
        ],
    )
    for width in (None, 200, 100, 80, 60, 40, 20):
        shown = [*table.lines(width)]
        found = {word for line in shown for word in line.split() if set(word) != {RULE}}
        cells = [*table.headers, *(cell for row in table.rows for cell in row)]
        words = {word for cell in cells for word in cell.split()}
        numbers = {str(number) for number in range(1, 1 + len(table.rows))}
        assert words <= found <= words | numbers
        if width is not None and width >= 60:  # two columns of the longest words fit
            assert max(map(text_width, shown)) <= width


def test_wrapping():
    assert wrapped("0.25 ± 0.01, then more", 12) == ["0.25 ± 0.01,", "then more"]
    assert wrapped("first\nsecond third", 6) == ["first", "second", "third"]
    assert wrapped("", 5) == [""]


def test_what_decides_the_width(monkeypatch, capsys):
    monkeypatch.delenv("COLUMNS", raising=False)
    assert output_width() is None, "a pipe is of any width"
    for text, width in {"120": 120, "0": None, "wide": None, "-3": None, "": None}.items():
        monkeypatch.setenv("COLUMNS", text)
        assert output_width() == width
    monkeypatch.setenv("COLUMNS", "60")
    print_table(WIDE)
    assert capsys.readouterr().out.splitlines() == WIDE.lines(60)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((44, 20)))
    assert output_width() == 44


def test_a_row_of_numbers_without_the_columns_that_do_not_fit():
    table = table_of(["iteration", "exploitability"], ["1,234,567", "0.00123456"])
    assert [line.split() for line in table.fitting_lines(22)[::2]] == [["iteration"], ["1,234,567"]]


def test_all_commands_print_tables_through_one_class():
    for path in Path(infoset.cli.__file__).parent.rglob("*.py"):
        assert not re.search(r"rich(\.table| import table)", path.read_text()), path
