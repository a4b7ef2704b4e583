"""The page of the papers: what its rows name exists, and each row says what holds it."""

from __future__ import annotations

import ast
import csv
import re
import runpy
from collections import Counter
from datetime import date
from functools import cache

import pytest

from infoset.experiments import installed_studies
from tests.docs.snippets import ROOT
from tests.docs.test_named_objects import exists

SCRIPT = runpy.run_path(str(ROOT / "docs" / "write_tables.py"))
ROWS = SCRIPT["paper_rows"]()
KINDS = {"definition", "theorem", "algorithm", "game", "experiment", "figure", "table"}
FITTED = "IS-MCTS, 2 ln, 20 rollouts per leaf"
DICE = ("LD 3D", "LD 5D")
CARDS = ("CG 10C", "CG 20C")
COMMAND = re.compile(r"infoset reproduce (\S+) --experiment (\S+)")


@cache
def functions_in(path):
    """Return the names of the functions in a file, but for tests that run on request only."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and "pytest.mark.long" not in map(ast.unparse, node.decorator_list)
    }


def named(column, separator=None):
    """Return each name in a column once."""
    return sorted({name for row in ROWS for name in row[column].split(separator) if name})


def test_the_page_has_all_rows():
    page = (ROOT / "docs" / "papers.md").read_text("utf-8")
    assert page == SCRIPT["with_tables"](page)
    assert page.count("\n| ") == len(ROWS) + 2 * len(SCRIPT["PAPERS"])


def test_papers_kinds_and_statuses_are_known_and_items_differ():
    assert {row["paper"] for row in ROWS} == set(SCRIPT["PAPERS"])
    assert {row["kind"] for row in ROWS} == KINDS
    assert {row["status"] for row in ROWS} == set(SCRIPT["STATUSES"])
    assert max(Counter((row["paper"], row["item"]) for row in ROWS).values()) == 1


def test_what_a_row_names_can_be_imported():
    pytest.importorskip("jax")
    assert [name for name in named("where") if not exists(name)] == []


def test_the_tests_of_a_row_exist():
    for test in named("test"):
        path, _, function = test.partition("::")
        assert function in functions_in(path), test


def test_commands_reproduce_experiments():
    studies = installed_studies()
    for command in named("command", " && "):
        study, name = COMMAND.fullmatch(command).groups()
        assert name in {experiment.name for experiment in studies[study].experiments}, command


def test_a_row_has_what_holds_it_or_the_reason_why_nothing_does():
    for row in ROWS:
        assert (row["status"] == "missing") != bool(row["test"] or row["command"]), row
        assert bool(row["command"]) == bool(row["date"]), row
        assert not row["date"] or date.fromisoformat(row["date"])
        assert bool(row["theirs"]) == bool(row["ours"]), row
        assert row["status"] == "reproduced" or row["note"], row


@pytest.mark.parametrize(
    ("item", "tables", "searcher", "games", "exceptions"),
    [
        ("Table 1: PIMC, two dice", (1,), "PIMC", ("LD 2D",), 0),
        ("Table 1: PIMC, three dice", (1,), "PIMC", ("LD 3D",), 0),
        ("Table 1: PIMC, Leduc", (1,), "PIMC", ("LP",), 1),
        ("Table 3: PIMC, two dice, Leduc", (3,), "PIMC", ("LD 2D", "LP"), 1),
        ("Tables 1, 3: IS-MCTS, Leduc", (1, 3), FITTED, ("LP",), 0),
        ("Tables 1, 3: IS-MCTS, two dice", (1, 3), "IS-MCTS", ("LD 2D",), 0),
        ("Table 2: PIMC, dice", (2,), "PIMC", DICE, 0),
        ("Table 2: IS-MCTS, dice", (2,), "IS-MCTS", DICE, 0),
        ("Table 2: PIMC, cards", (2,), "PIMC", CARDS, 0),
        ("Table 2: IS-MCTS, cards", (2,), "IS-MCTS", CARDS, 0),
        ("Table 4: PIMC, dice", (4,), "PIMC", DICE, 0),
        ("Table 4: IS-MCTS, dice", (4,), "IS-MCTS", DICE, 0),
    ],
)
def test_differences_from_the_tables_of_search_are_those_of_the_study(
    item, tables, searcher, games, exceptions
):
    """The range of the paper's numbers, and the largest difference but for the exceptions."""
    cells = {"paper": [], "difference": []}
    for number in tables:
        path = ROOT / "docs" / "search" / "study" / f"table-{number}.csv"
        with path.open(encoding="utf-8") as file:
            for line in csv.DictReader(file):
                if line["searcher"] == searcher and line["game"] in games:
                    numbers = [float(line[weight]) for weight in list(line)[4:]]
                    cells.get(line["source"], []).extend(numbers)
    (row,) = (row for row in ROWS if row["item"] == item)
    low, high = map(float, row["theirs"].rstrip("%").split(" to "))
    unit = 1 if row["theirs"].endswith("%") else 0.001
    assert (low, high) == pytest.approx((min(cells["paper"]), max(cells["paper"])), abs=unit / 2)
    bound = max(map(abs, map(float, re.findall(r"[-\d.]+", row["ours"].replace("−", "-")))))
    differences = sorted(map(abs, cells["difference"]))
    assert differences[-1 - exceptions] == pytest.approx(bound, rel=0.1)
    assert all(
        difference > 1.1 * bound for difference in differences[len(differences) - exceptions :]
    )


def test_the_glossary_has_the_dictionary_of_the_fosg_paper():
    """Table 1 of the paper: one name per role in RL, EFGs and FOSGs, the last one ours."""
    text = (ROOT / "docs" / "basics" / "glossary.md").read_text("utf-8")
    terms, _, dictionary = text.partition("| RL | EFG | FOSG |\n|---|---|---|\n")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in dictionary.splitlines()]
    assert len(rows) == 11
    ours = {row[2] for row in rows} - {"player", "horizon"}
    assert {name for name in ours if f"\n| {name} |" not in terms} == {
        "value of a history",
        "transition probability",
    }
