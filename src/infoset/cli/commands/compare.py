"""`infoset compare`: solve one game with several methods; print a table and save a plot."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from infoset.cli.exit_codes import INTERRUPTED
from infoset.cli.options import (
    GameArgument,
    IterationsOption,
    JsonOption,
    MemoryOption,
    SecondsOption,
    Stops,
    TargetOption,
    folder_option,
)
from infoset.cli.progress import Progress, live
from infoset.cli.saved_results import save_results
from infoset.cli.screen import (
    duration_text,
    error_text,
    make_table,
    number_text,
    print_json,
    print_table,
    say,
    tell_notes,
)
from infoset.errors import ComparisonError

if TYPE_CHECKING:
    from infoset.runs import Budget, SolveResult, TracePoint

DEFAULT_METHODS = "cfr,cfr+,dcfr,dcfr+,pcfr+,sapcfr+,sapdcfr+"


def run(
    game: GameArgument,
    methods: Annotated[
        str,
        typer.Option(
            help="Methods, separated by commas; 'infoset solve --method list' prints them."
        ),
    ] = DEFAULT_METHODS,
    target: TargetOption = None,
    iterations: IterationsOption = None,
    seconds: SecondsOption = None,
    out: Annotated[Path | None, folder_option("runs/GAME-comparison")] = None,
    memory: MemoryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Solve a game with several methods, and plot their convergence.

    If none of --target, --iterations and --seconds is given, each method runs
    1,000 iterations. Ctrl-C stops at any time and saves the results so far.
    """
    from infoset.experiments import check_writable
    from infoset.front import compare, comparison_budget, load, to_form

    rules = load(game)
    check_writable(out)
    stops = Stops(target, iterations, seconds)._asdict()
    names = [name.strip() for name in methods.split(",") if name.strip()]
    failure = None
    with live(str(rules)) as progress:
        form = to_form(rules, memory=memory, progress=progress.building)
        show = partial(_show, progress, comparison_budget(form, **stops))
        try:
            results = compare(form, names, callback=show, **stops)
        except ComparisonError as error:
            results, failure = error.results, error
    tell_notes(rules)
    _save(results, out, as_json)
    if failure is not None:
        raise failure
    if results[-1].outcome == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _show(progress: Progress, limits: Budget, method: str, point: TracePoint) -> None:
    """Record a measurement of the current method."""
    if progress.method != method:
        progress.solving(method, limits)
    progress.measured(point)


def _save(results: Sequence[SolveResult], out: Path | None, as_json: bool) -> None:
    from infoset.experiments import COMPARISON_FILES, save_comparison

    folder = save_results(lambda to: save_comparison(results, to), out)
    if as_json:
        summaries = [result.summary() for result in results]
        about = {"folder": str(folder), "files": dict(COMPARISON_FILES)}
        print_json({"game": results[0].game, "results": summaries, **about})
    else:
        _report(results, folder)


def _report(results: Sequence[SolveResult], folder: Path) -> None:
    from infoset.experiments import COMPARISON_FILES

    error = "NashConv" if results[0].exploitability is None else "exploitability"
    table = make_table("method", ">iterations", ">time", f">{error}", "outcome")
    for result in results:
        reached = result.nash_conv if result.exploitability is None else result.exploitability
        table.add_row(
            result.method,
            number_text(result.iterations),
            duration_text(result.seconds),
            error_text(reached, result.measured.rounding),
            result.outcome,
        )
    print_table(table, title=results[0].game)
    say(f"saved in {folder}: {', '.join(COMPARISON_FILES.values())}")
