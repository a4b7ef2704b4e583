"""Run every code block of the documentation and the README, and compare the output."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

from tests.docs.snippets import (
    BLOCK,
    COLUMNS,
    PAGES,
    ROOT,
    assert_command_output,
    assert_output,
    blocks,
    commands,
    run_page,
)
from tests.support.registries import undo_registrations

SOURCES = sorted((ROOT / "src" / "infoset").rglob("*.py"))
MODULES = [
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    for path in SOURCES
    if ">>>" in path.read_text(encoding="utf-8")
]


EXTRAS = {
    "openspiel": ("pyspiel",),
    "import-export": ("pyspiel", "pettingzoo"),
    "infoset.interop.openspiel": ("pyspiel",),
    "infoset.interop.pettingzoo": ("pettingzoo",),
    "nolimit_endgame": ("phevaluator",),
    "poker_endgames": ("phevaluator",),
    "solve_a_spot": ("phevaluator",),
    "lock_and_learn": ("phevaluator",),
    "infoset.games.holdem_hands": ("phevaluator",),
}
"""Pages, and packages with their modules, that need an optional extra."""


def skip_without_extra(name: str) -> None:
    """Skip a page or a module if an extra that it needs is not installed."""
    for place, needed in EXTRAS.items():
        if f"{name}.".startswith(f"{place}."):
            for module in needed:
                pytest.importorskip(module)


QUICK_PAGES = ("README.md", "docs/index.md", "docs/first-solve.md", "docs/own-game.md")
"""Pages that the ordinary tests run; `-m broad` runs all others."""


def page_case(page: Path):
    """Return a page as a parameter with its name and mark."""
    name = str(page.relative_to(ROOT))
    return pytest.param(page, id=name, marks=[] if name in QUICK_PAGES else [pytest.mark.broad])


@pytest.mark.parametrize("page", [page_case(page) for page in PAGES])
def test_page(page, tmp_path, monkeypatch, empty_charts):
    skip_without_extra(page.stem)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    monkeypatch.setenv("NO_COLOR", "1")
    undo_registrations(monkeypatch)
    run_page(page)


@pytest.mark.broad
@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name, tmp_path, monkeypatch):
    skip_without_extra(name)
    monkeypatch.chdir(tmp_path)
    undo_registrations(monkeypatch)
    runner = doctest.DocTestRunner()
    report: list[str] = []
    tests = doctest.DocTestFinder().find(importlib.import_module(name))
    assert any(test.examples for test in tests)
    for test in tests:
        runner.run(test, out=report.append)
    assert not runner.failures, "".join(report)


def write_page(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text.replace("'''", "```"), encoding="utf-8")
    return page


def test_a_page_is_run_in_one_namespace(tmp_path):
    page = write_page(
        tmp_path,
        """
'''python
first = 1
'''
    '''python
    >>> second = first + 1
    >>> print("one", second)
    one ...
    '''

'''python
print(first + second)
'''

'''text
3
'''
""",
    )
    run_page(page)
    assert [block.line for block in blocks(page)] == [3, 6, 12, 16]


@pytest.mark.parametrize(
    "text",
    [
        "'''python\nassert False\n'''",
        "'''python\n>>> 1 + 1\n3\n'''",
        "'''python\nprint(1)\n'''\n\n'''text\n2\n'''",
        "'''console\n$ infoset no_such_command\n'''",
        "'''console\n$ infoset --version\ninfoset 99\n'''",
        "<!-- test: exit 2 -->\n'''console\n$ infoset --version\n'''",
        "<!-- test: perhaps -->\n'''python\n'''",
    ],
)
def test_what_is_wrong_on_a_page_is_found(tmp_path, text):
    with pytest.raises(AssertionError):
        run_page(write_page(tmp_path, text))


def test_what_is_left_alone(tmp_path):
    text = (
        "<!-- test: skip -->\n'''python\nassert False\n'''\n\n"
        "'''console\n$ rm -rf everything\n'''\n\n"
        "<!-- test: exit 2 -->\n\n'''console\n$ infoset info no_such_game\nerror: unknown...\n'''\n"
    )
    run_page(write_page(tmp_path, text))


def test_commands_and_their_output():
    body = "$ infoset games\na\nb\n$ infoset info kuhn_poker\n$ cd\n"
    assert commands(body) == [
        ("infoset games", "a\nb\n"),
        ("infoset info kuhn_poker", ""),
        ("cd", ""),
    ]
    assert_output("here", "one ... three", "one two\n  three\n")


def test_no_block_is_overlooked():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert text.count("```") == 2 * len(BLOCK.findall(text)), page.name


SHOWN = "kuhn\n  time       0.04 s\n  iterations 50\n  value      -0.0856\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("0.04 s", "3 min"),
        ("0.04 s", "1:06"),
        ("0.0856", "0.08561"),
        ("\n  value", " value"),
        ("50", "51"),
    ],
)
def test_numbers_of_the_machine_may_differ(before, after):
    assert_command_output("page", SHOWN, SHOWN.replace(before, after), varying=("iterations",))


@pytest.mark.parametrize(
    ("before", "after"),
    [("-0.0856", "0.0856"), ("0.0856", "0.0876"), ("50", "51"), ("time", "times"), ("kuhn", "")],
)
def test_other_differences_are_found(before, after):
    with pytest.raises(AssertionError, match="printed was"):
        assert_command_output("page", SHOWN, SHOWN.replace(before, after))
