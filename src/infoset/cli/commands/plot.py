"""`infoset plot`: draw the errors of saved runs in one chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from infoset.cli.options import JsonOption, PictureOption
from infoset.cli.screen import number_text, print_json, print_table, say, tell
from infoset.cli.tables import TextTable

if TYPE_CHECKING:
    from infoset.runs import RunTrace

BOTH = "both"
RunsArgument: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN...",
        help="Folders of runs or CSV files, as PATH or NAME=PATH; runs with the same name form one "
        "line.",
        show_default=False,
    ),
]


def parse_size(text: str) -> tuple[float, float]:
    """Parse a width and a height in inches, such as `6x4`.

    Raises
    ------
    typer.BadParameter
        If the text is not two numbers with an x between them.
    """
    try:
        width, height = map(float, text.lower().split("x"))
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not a size; give a width and a height in inches, such as 6x4"
        ) from None
    return width, height


def run(
    runs: RunsArgument,
    out: PictureOption,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="AXIS",
            help="Horizontal axis: iterations, seconds or both.",
            show_default="both; iterations for several games",
        ),
    ] = None,
    band: Annotated[
        str,
        typer.Option(help="Band around the median of runs with the same name: range or quartiles."),
    ] = "range",
    target: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="Error to mark by a line, such as 0.01, or 0.1% (of the payoff range).",
        ),
    ] = None,
    percent: Annotated[
        bool, typer.Option("--percent", help="Draw errors as percentages of the payoff range.")
    ] = False,
    payoff_width: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="Payoff range, for files that do not record it: the largest difference between "
            "two utilities of a player.",
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Title.", show_default="the game, if it is only one"),
    ] = None,
    x_label: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Label of the first x axis.", show_default="iterations"),
    ] = None,
    y_label: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Label of the y axis.", show_default="the error"),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(metavar="WxH", help="Width and height in inches, such as 6x4."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Draw the errors of saved runs in one chart, or in a panel for each game.

    Runs are folders that solve, learn, train and compare saved, or CSV files of
    other programs with the columns iteration (or seconds) and exploitability.
    """
    from infoset.plotting import (
        check_target,
        common_error,
        plot_comparison,
        plot_games,
        save_figure,
    )
    from infoset.runs import read_traces

    check_target(out)
    named = [_name_and_path(text) for text in runs]
    given = [(name, path) if name else path for name, path in named]
    named_runs = [(name or run.method, run) for name, path in named for run in read_traces(path)]
    options: dict[str, Any] = {
        "band": band,
        "target": target,
        "percent_of_range": percent,
        "title": title,
        "figsize": None if size is None else parse_size(size),
    }
    labels = {"x_label": x_label, "y_label": y_label}
    of_one_game: dict[str, Any] = {"payoff_width": payoff_width, **labels}
    if len({run.game for _, run in named_runs if run.game}) > 1:
        _check_games(of_one_game)
        figure = plot_games(given, against=_only_axis(against), **options)
    else:
        figure = plot_comparison(given, against=against or BOTH, **options, **of_one_game)
    save_figure(figure, out)
    error = common_error([run for _, run in named_runs])
    rows = [_row(name, run, error) for name, run in named_runs]
    if any(next(iter(run.trace[-1].errors)) != error for _, run in named_runs):
        tell(f"note: the chart and the table show {error}, which all runs have")
    _report(rows, out, as_json)


def _check_games(of_one_game: Mapping[str, object]) -> None:
    """Raise if an option is given that applies to the chart of one game only."""
    for name, value in of_one_game.items():
        if value is not None:
            raise typer.BadParameter(
                f"--{name.replace('_', '-')} needs runs of one game, but these are of "
                "several; leave it out, or draw one chart for each game"
            )


def _only_axis(against: str | None) -> str:
    """Return the horizontal axis of the panels of several games; `both` is not possible."""
    if against == BOTH:
        raise typer.BadParameter(
            "--against both needs runs of one game, but these are of several; give iterations or "
            "seconds"
        )
    return against or "iterations"


def _name_and_path(text: str) -> tuple[str, str]:
    """Return the name, which may be empty, and the path of a run given as `NAME=PATH`.

    A path that exists may contain the character `=`.
    """
    name, equals, path = text.partition("=")
    return (name, path) if equals and not Path(text).exists() else ("", text)


def _report(rows: Sequence[dict[str, Any]], out: Path, as_json: bool) -> None:
    if as_json:
        print_json({"file": str(out), "runs": rows})
        return
    error = next(row["error"] for row in rows)
    columns = ("name", ">seed", ">measurements", ">iterations", f">last {error}")
    has_games = len({row["game"] for row in rows}) > 1
    table = TextTable(*["game"] * has_games, *columns)
    for row in rows:
        numbers = (row["seed"], row["measurements"], row["iterations"], row["last_error"])
        table.add_row(*[row["game"] or ""] * has_games, row["name"], *map(number_text, numbers))
    print_table(table)
    say(f"saved in {out}")


def _row(name: str, trace: RunTrace, error: str) -> dict[str, Any]:
    last = trace.trace[-1]
    return {
        "name": name,
        "game": trace.game or None,
        "seed": trace.seed,
        "measurements": len(trace.trace),
        "iterations": last.iteration,
        "error": error,
        "last_error": last.errors[error],
    }
