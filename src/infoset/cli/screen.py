"""Output to the terminal: data on standard output, everything else on standard error."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from io import StringIO
from math import isnan
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import typer

from infoset.cli.tables import JOINT, TextTable, output_width
from infoset.utils.text import format_count, printable, printable_line

if TYPE_CHECKING:
    from rich.console import Console

    from infoset.evaluation import Evaluation
    from infoset.experiments.reports import Table
    from infoset.front import CompiledGame
    from infoset.game import Game, InitialPot
    from infoset.learning import LearnResult
    from infoset.runs import SolveResult
    from infoset.teams import TeamResult
    from infoset.typing import Action, Player


AVERAGE_NOTE = (
    "note: {path} is a correlated policy; its average stands for it, in which players draw "
    "independently"
)
LONG_TEXT = re.compile(r"('[^']{40})[^']{20,}'")
"""A quoted text, such as a range of hands, that titles of tables shorten."""

SMALLEST_SHOWN = 0.0005
"""Smaller probabilities are not printed."""
SEARCHER_NOTE = "note: the searcher was queried once at each infostate; these answers are measured"


def say(line: str = "") -> None:
    """Write a line to standard output.

    Names, labels and metadata come from files of others: a terminal would obey their control
    characters, and a line break would make a line that looks like one of this program. Both are
    written as escapes.
    """
    sys.stdout.write(f"{printable_line(line)}\n")


def tell(line: str = "") -> None:
    """Write a line to standard error, as `say` does."""
    sys.stderr.write(f"{printable_line(line)}\n")


def in_lines(write: Callable[[str], None], text: str) -> None:
    """Write a text of several lines of this program, by `say` or `tell`."""
    for line in text.split("\n"):
        write(line)


def say_data(write: Callable[[TextIO], object]) -> None:
    """Write data as it is to standard output; on a terminal, control characters are escaped."""
    if not sys.stdout.isatty():
        write(sys.stdout)
        return
    text = StringIO()
    write(text)
    sys.stdout.write(printable(text.getvalue()))


def tell_average(path: str) -> None:
    """Report that the average of a correlated policy is used, if a path names one."""
    from infoset.front import is_correlated, is_policy_file

    if is_policy_file(path) and is_correlated(path):
        tell(AVERAGE_NOTE.format(path=path))


def complain(message: str, hint: str = "") -> None:
    """Write an error to standard error: one line, and one more for a hint."""
    tell(f"error: {' '.join(message.split())}")
    if hint:
        tell(hint)


def tell_notes(game: Game | CompiledGame) -> None:
    """Write remarks about loading the game to standard error."""
    for note in getattr(getattr(game, "game", game), "notes", ()):
        tell(f"note: {note}")


def print_json(value: Any) -> None:
    """Write a value to standard output as one JSON object on one line."""
    from infoset.experiments import json_text, json_value, portable_integers

    text = json_text(portable_integers(json_value(value)))
    # The only control character that JSON leaves as it is.
    say(text.replace("\x7f", "\\u007f"))


def print_table(table: TextTable, title: str = "") -> None:
    """Write a title and a table to standard output."""
    if title:
        say(LONG_TEXT.sub(r"\1...'", title))
    for line in table.lines(output_width()):
        say(line)


def error_console() -> Console:
    """Return the console on standard error."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def add_times(table: TextTable, result: SolveResult | LearnResult | TeamResult) -> None:
    """Add the time of a run, and the times that its limit does not count."""
    table.add_row("time", duration_text(result.seconds))
    table.add_row("building", duration_text(result.build_seconds))
    table.add_row("compiling", duration_text(result.compile_seconds))


def asks_for_list(name: str) -> bool:
    """Return whether a value is the word `list`, which asks for the table of all names."""
    return name.lower() == "list"


def list_and_leave(
    context: typer.Context, name: str, columns: Sequence[str], rows: Iterable[Sequence[str]]
) -> NoReturn:
    """Print a table of the library, as JSON under `name` with `--json`, and exit.

    Raises
    ------
    typer.Exit
        Always.
    """
    if context.params["as_json"]:
        print_json({name: [dict(zip(columns, row, strict=True)) for row in rows]})
    else:
        table = TextTable(*columns)
        for row in rows:
            table.add_row(*row)
        print_table(table)
    raise typer.Exit


def print_report_table(table: Table, title: str) -> None:
    """Print a table of a report, numbers on the right."""
    numbers = [
        any(isinstance(row[column], int | float) for row in table.rows)
        for column in range(len(table.columns))
    ]
    headers = [
        f">{name}" if is_number else name
        for name, is_number in zip(table.columns, numbers, strict=True)
    ]
    shown = TextTable(*headers)
    for row in table.rows:
        shown.add_row(*(table.text(entry).replace("`", "") for entry in row))
    print_table(shown, title=title)


def number_text(value: float | int | None) -> str:
    """Format a number: integers with commas, others with six digits, `-` if missing."""
    if isinstance(value, int):
        return format_count(value)
    return "-" if value is None or isnan(value) else f"{value:.6g}"


def value_text(value: float, player: Player, pot: InitialPot | None) -> str:
    """Format a value; in a game with an initial pot, also with the player's contribution to it."""
    if pot is None:
        return number_text(value)
    return f"{number_text(value)} ({number_text(value + pot.contributions[player])} with the pot)"


def error_text(value: float | None, rounding: float) -> str:
    """Format an error, without digits that may be rounding."""
    if value is not None and value < rounding:
        return f"below {rounding:.1g}, which may be rounding"
    return number_text(value)


def error_rows(measured: Evaluation, pot: InitialPot | None) -> list[tuple[str, str]]:
    """Return the names and texts of the distances of a policy from equilibrium.

    Exploitability is defined in two-player constant-sum games; in others, the largest gain takes
    its place. In a game with an initial pot, it is also given in percent of the pot.
    """
    rows = [("NashConv", error_text(measured.nash_conv, measured.rounding))]
    name, error = "exploitability", measured.exploitability
    if error is None:
        name, error = "largest gain", max(measured.gains)
    text = error_text(error, measured.rounding)
    if pot is not None and error >= measured.rounding:
        text += f" ({100 * error / pot.size:.3g}% of the pot)"
    return [*rows, (name, text)]


def frequencies_text(actions: Sequence[Action], frequencies: Iterable[float]) -> str:
    """Format how often actions are played; a table does not break a line within an action."""
    pairs = zip(actions, frequencies, strict=True)
    texts = (f"{action} {share:.3f}" for action, share in pairs if share >= SMALLEST_SHOWN)
    return "  ".join(text.replace(" ", JOINT) for text in texts)


def say_equilibrium(measured: Evaluation) -> None:
    """Say in words what the largest gain means, where there is no exploitability."""
    gain = max(measured.gains)
    if measured.exploitability is not None or isnan(gain):
        return
    bound = "rounding" if gain < measured.rounding else number_text(gain)
    if len(measured.gains) == 1:
        say(f"optimal up to {bound}: no policy is better by more than that")
    else:
        say(f"a Nash equilibrium up to {bound}: no player gains more by deviating alone")


def duration_text(seconds: float | None) -> str:
    """Format a time: `0.42 s`, `1:05`, `2:03:04`, `3 days`, `-` if unknown."""
    if seconds is None:
        return "-"
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 48:
        return f"{hours // 24:,} days"
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
