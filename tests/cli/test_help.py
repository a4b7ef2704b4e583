"""Help and tables show texts as they are written, although Rich has a language of its own."""

from __future__ import annotations

import inspect
import re
from functools import cache
from itertools import pairwise
from typing import Annotated

import pytest
import typer

from infoset.cli.app import app
from infoset.cli.literal_help import LiteralCommand, LiteralGroup
from infoset.cli.screen import error_console, print_table
from infoset.cli.tables import TextTable

FRAMES_AND_STYLES = re.compile(r"[│╭╮╰╯─]|\x1b\[[0-9;]*m")

MARKUP = "a [deep] and [bold]b[/bold], [link=x], \\[c] or threads[:N] of [#d]"
"""Text that Rich would read as styles and an escape."""


@pytest.fixture
def help_of(capsys, monkeypatch):
    """Return a function that gives the help of a program at a width, on one line."""

    def show(program, *arguments, width):
        monkeypatch.setenv("COLUMNS", str(width))
        program.main([*arguments, "--help"], standalone_mode=False)
        return " ".join(FRAMES_AND_STYLES.sub(" ", capsys.readouterr().out).split())

    return show


def written_texts(function, end=""):
    """Yield the texts of a command as its author wrote them: docstring, end, options."""
    yield from inspect.cleandoc(function.__doc__).split("\n\n")
    yield from filter(None, end.split("\n\n"))
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        for part in getattr(parameter.annotation, "__metadata__", ()):
            yield from filter(None, [getattr(part, "help", None)])


COMMANDS = {
    (): (app.registered_callback.callback, ""),
    **{(one.name,): (one.callback, one.epilog) for one in app.registered_commands},
}


@cache
def parser():
    return typer.main.get_command(app)


@pytest.mark.parametrize("width", [80, 200])
@pytest.mark.parametrize("name", COMMANDS, ids=" ".join)
def test_help_is_shown_as_it_is_written(help_of, name, width):
    texts = [" ".join(text.split()) for text in written_texts(*COMMANDS[name])]
    shown = help_of(parser(), *name, width=width)
    assert len(texts) >= 2
    if width == 200:  # only the texts of options are broken into lines
        assert [text for text in texts if text not in shown] == []
    words = {word for text in texts for word in text.split() if re.search(r"[\[\]\\]", word)}
    assert words <= set(shown.split())
    assert "\\" not in shown


@pytest.mark.parametrize("name", COMMANDS, ids=" ".join)
def test_paragraphs_fill_the_lines_of_the_terminal(capsys, monkeypatch, name):
    """A line ends where the next word does not fit."""
    monkeypatch.setenv("COLUMNS", "80")
    parser().main([*name, "--help"], standalone_mode=False)
    before_options = re.split("[╭]", capsys.readouterr().out)[0]
    for paragraph in re.split(r"\n\s*\n", before_options.split("Usage:")[1]):
        lines = [line.strip() for line in paragraph.splitlines() if line.strip()]
        for line, following in pairwise(lines):
            assert len(f" {line} {following.split()[0]} ") > 80, line


@pytest.mark.parametrize(("name", "extra"), [("train", "deep"), ("tune", "tune")])
def test_help_names_the_extra_to_install(help_of, name, extra):
    needs = f"Needs the extra {extra}: pip install '.[{extra}]' in a clone."
    assert needs in help_of(parser(), name, width=80)


def test_nothing_in_a_help_text_is_markup(help_of):
    program = typer.Typer(cls=LiteralGroup, help=f"Program: {MARKUP}", epilog=f"End: {MARKUP}")

    @program.command("go", cls=LiteralCommand, epilog=f"Go ends: {MARKUP}", help=f"Go: {MARKUP}")
    def go(
        place: Annotated[str, typer.Argument(help=f"Place: {MARKUP}")],
        speed: Annotated[int, typer.Option(help=f"Speed: {MARKUP}")] = 1,
    ) -> None: ...

    @program.command("stop", cls=LiteralCommand, short_help=f"Stop: {MARKUP}")
    def stop() -> None: ...

    shown = typer.main.get_command(program)
    overview, of_go = help_of(shown, width=300), help_of(shown, "go", width=300)
    for text in ("Program", "End", "Go"):
        assert f"{text}: {MARKUP}" in overview
    for text in ("Go", "Place", "Speed", "Go ends"):
        assert f"{text}: {MARKUP}" in of_go


def test_nothing_in_a_table_is_markup(capsys):
    label = "a[deep] [bold]b[/bold] c:x:d :smile:"
    table = TextTable("name", "[red]number")
    table.add_row(label, "[1]")
    print_table(table, title="[deep] table")
    title, headers, _, row = capsys.readouterr().out.splitlines()
    assert title == "[deep] table"
    assert headers.split() == ["name", "[red]number"]
    assert row.strip().startswith(label)
    error_console().print(label)
    assert capsys.readouterr().err == f"{label}\n"
