"""`infoset report`: solve a poker endgame on many boards, and tabulate the results."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from infoset.cli.commands.solve import PrecisionOption, ThreadsOption
from infoset.cli.exit_codes import INTERRUPTED
from infoset.cli.options import JsonOption, OnOption, WorkersOption, executor_of
from infoset.cli.progress import cells_counted
from infoset.cli.screen import print_json, print_report_table, say, tell
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.utils.text import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from infoset.experiments.reports import Table

MAX_ROWS = 60
"""Number of rows of a table that are printed."""


def run(
    game: Annotated[
        str,
        typer.Argument(
            metavar="SPOT",
            help="A poker endgame: nolimit_endgame(board=...), or a spot file.",
            show_default=False,
        ),
    ],
    over: Annotated[
        str,
        typer.Option(
            metavar="STREET",
            help="Boards to solve: flops, turns after the spot's flop, or rivers after its turn "
            "(or flop). Games begin on that street.",
        ),
    ] = "turns",
    sample: Annotated[
        str,
        typer.Option(
            metavar="NUMBER|FILE",
            help="Number of boards to draw by their probabilities, a file with one board per "
            "line, or all (one for each class of symmetric boards).",
        ),
    ] = "all",
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the sample.")] = 0,
    line: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LINE",
            help="Public node whose action frequencies are reported, such as 'check / bet 50'; may "
            "be repeated.",
            show_default="(start)",
        ),
    ] = None,
    method: Annotated[
        str, typer.Option(metavar="NAME", help="Method that solves each board.")
    ] = "auto",
    target: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER", help="Exploitability at which to stop on each board, as in solve."
        ),
    ] = "0.5%pot",
    iterations: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of iterations on each board.")
    ] = None,
    precision: PrecisionOption = None,
    threads: ThreadsOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of the report; boards already finished there are skipped.",
            show_default="runs/report-STREET-BOARD-CODE",
        ),
    ] = None,
    workers: WorkersOption = None,
    on: OnOption = None,
    as_json: JsonOption = False,
) -> None:
    """Solve a poker endgame on many boards, and tabulate the results.

    The table has a row for each board and a row of means: probability given the ranges,
    exploitability, EV with the pot and equity of each player, and action frequencies. For a
    sample, the last row has standard errors.
    Ctrl-C stops at any time; the same command then resumes with the remaining boards.
    """
    from infoset.experiments import check_writable
    from infoset.experiments.board_report import board_setting, run_report
    from infoset.front import load
    from infoset.games import NoLimitEndgame

    rules = load(game)
    if not isinstance(rules, NoLimitEndgame):
        raise UnsupportedGameError(
            f"report solves hold'em endgames, and {shortened(str(rules))} is another game: give "
            "nolimit_endgame(board=...), or a spot file"
        )
    setting = board_setting(
        rules,
        over,
        sample=_sample(sample),
        seed=seed,
        lines=line or ("(start)",),
        method=method,
        target=target,
        iterations=iterations,
        precision=precision or "float64",
        threads=1 if threads is None else threads,
    )
    # The name depends on all parameters, so that no report overwrites another.
    folder = Path("runs") / setting.name if out is None else out
    check_writable(folder)
    try:
        with executor_of(on, workers) as executor, cells_counted() as callback:
            found = run_report(
                setting, folder, workers=workers, executor=executor, callback=callback
            )
    except KeyboardInterrupt:
        tell(f"stopped; finished boards are saved in {folder}: the same command resumes from there")
        raise typer.Exit(INTERRUPTED) from None
    (table,) = found.report.tables
    if as_json:
        rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        print_json({"game": str(rules), "over": over, "boards": rows, "folder": str(folder)})
        return
    print_report_table(_shortened(table), f"{found.experiment.title}. {table.title}")
    say(f"saved in {folder}: {', '.join(found.files)}")


def _sample(text: str) -> int | Sequence[str] | None:
    """Return a number of boards, the boards of a file, or None for all."""
    from infoset.games.holdem_hands import parse_cards

    if text == "all":
        return None
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    try:
        lines = Path(text).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ParameterError(
            f"--sample {text} is not a number, all, or a readable file ({error})"
        ) from None
    for number, line in enumerate(lines, start=1):
        try:
            parse_cards(line.strip())
        except ParameterError as error:
            raise ParameterError(
                f"--sample {text}, line {number}: {error}; write one board per line"
            ) from None
    boards = [line.strip() for line in lines if line.strip()]
    if not boards:
        raise ParameterError(f"--sample {text}: the file has no boards; write one per line")
    return boards


def _shortened(table: Table) -> Table:
    """Return a table with the first boards only, and its means and standard errors."""
    from dataclasses import replace

    boards = [row for row in table.rows if row[1] is not None]
    if len(boards) <= MAX_ROWS:
        return table
    more = ("...", *[None] * (len(table.columns) - 1))
    return replace(table, rows=(*boards[:MAX_ROWS], more, *table.rows[len(boards) :]))
