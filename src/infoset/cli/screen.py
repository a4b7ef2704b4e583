"""Writing to the terminal: data to standard output, everything else to standard error."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any, NoReturn

import typer

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod
    from rich.table import Table

    from infoset.front import CompiledGame
    from infoset.game import Game

__all__ = [
    "ASKED_ONCE",
    "asks_for_list",
    "complain",
    "duration_text",
    "error_console",
    "error_text",
    "list_and_leave",
    "make_table",
    "number_text",
    "print_json",
    "print_table",
    "say",
    "tell",
    "tell_notes",
]

ASKED_ONCE = "note: a searcher is asked once at each infostate, and what it says there is measured"

WIDTH_OF_A_FILE = 100


def say(text: str = "") -> None:
    """Write a line to standard output."""
    sys.stdout.write(f"{text}\n")


def tell(text: str = "") -> None:
    """Write a line to standard error."""
    sys.stderr.write(f"{text}\n")


def complain(message: str, hint: str = "") -> None:
    """Write an error to standard error: one line, and one more for a hint."""
    tell(f"error: {' '.join(message.split())}")
    if hint:
        tell(hint)


def tell_notes(game: Game | CompiledGame) -> None:
    """Write to standard error what the game's loader has to say."""
    for note in getattr(getattr(game, "game", game), "notes", ()):
        tell(f"note: {note}")


def print_json(value: Any) -> None:
    """Write a value to standard output as one JSON object on one line."""
    from infoset.experiments import json_text

    say(json_text(value))


def print_table(table: Table, title: str = "") -> None:
    """Write a title and a table to standard output."""
    from rich.console import Console

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH_OF_A_FILE
    console = Console(width=width, highlight=False, markup=False)
    with console.capture() as captured:
        console.print(table)
    if title:
        say(title)
    for line in captured.get().strip("\n").split("\n"):
        if line.strip():
            say(line.rstrip())


def error_console() -> Console:
    """Return the console on standard error."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, markup=False)


def make_table(*headers: str) -> Table:
    """Return an empty table in the one style that the commands share.

    A header that begins with `>` is of a column of numbers, aligned to the right.
    """
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_header=bool(headers))
    for header in headers:
        justify: JustifyMethod = "right" if header.startswith(">") else "left"
        table.add_column(header.removeprefix(">"), justify=justify, overflow="fold")
    return table


def asks_for_list(name: str) -> bool:
    """Return whether a name is none, but the word that asks for the table of all."""
    return name.lower() == "list"


def list_and_leave(
    context: typer.Context, name: str, columns: Sequence[str], rows: Iterable[Sequence[str]]
) -> NoReturn:
    """Write the rows of a table that the library has, with `--json` under `name`; and leave.

    Raises
    ------
    typer.Exit
        Always.
    """
    if context.params["as_json"]:
        print_json({name: [dict(zip(columns, row, strict=True)) for row in rows]})
    else:
        table = make_table(*columns)
        for row in rows:
            table.add_row(*row)
        print_table(table)
    raise typer.Exit


def number_text(value: float | int | None) -> str:
    """Return a number as people read it: whole ones with commas, others with six digits."""
    if isinstance(value, int):
        return f"{value:,}"
    return "-" if value is None or isnan(value) else f"{value:.6g}"


def error_text(value: float | None, rounding: float) -> str:
    """Return an error as text, and no digits of what rounding may have made of zero."""
    if value is not None and value < rounding:
        return f"below {rounding:.1g}, which may be rounding"
    return number_text(value)


def duration_text(seconds: float | None) -> str:
    """Return a time as text: `0.42 s`, `1:05`, `2:03:04`, `3 days`; `-` where unknown."""
    if seconds is None:
        return "-"
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 48:
        return f"{hours // 24:,} days"
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
