"""`infoset compare`: solve one game with several methods; print a table and save a plot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from infoset.cli.exit_codes import INTERRUPTED
from infoset.cli.options import (
    FormOption,
    GameArgument,
    IterationsOption,
    JsonOption,
    OnOption,
    SecondsOption,
    Stops,
    TargetOption,
    executor_of,
    folder_option,
)
from infoset.cli.progress import Progress, live
from infoset.cli.saved_results import Saved, save_and_report
from infoset.cli.screen import (
    asks_for_list,
    duration_text,
    error_text,
    number_text,
    print_json,
    print_table,
    tell,
    tell_notes,
)
from infoset.cli.tables import TextTable
from infoset.errors import ComparisonError

if TYPE_CHECKING:
    from infoset.front import CompiledGame
    from infoset.game import Game
    from infoset.runs import Budget, SolveResult, TracePoint

DEFAULT_METHODS = "cfr,cfr+,dcfr,dcfr+,pcfr+,sapcfr+,sapdcfr+"


def run(
    game: GameArgument,
    methods: Annotated[
        str,
        typer.Option(
            help="Methods and learners, separated by commas, by name or as file.py:NAME; 'list' "
            "prints those that apply to the game."
        ),
    ] = DEFAULT_METHODS,
    target: TargetOption = None,
    iterations: IterationsOption = None,
    seconds: SecondsOption = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            help="Number of runs, with seeds 0, 1, ..., of learners and of your own methods with "
            "a seed.",
        ),
    ] = None,
    on: OnOption = None,
    out: Annotated[Path | None, folder_option("runs/GAME-comparison")] = None,
    form: FormOption = "auto",
    picture_format: Annotated[
        str,
        typer.Option("--format", metavar="FORMAT", help="Format of the plot: png, pdf or svg."),
    ] = "png",
    as_json: JsonOption = False,
) -> None:
    """Solve a game with several methods, and plot their convergence.

    If none of --target, --iterations and --seconds is given, each method runs 1,000 iterations
    (learners, 1,000 episodes). Ctrl-C stops at any time and saves the results so far.
    """
    from infoset.experiments import check_writable, comparison_files
    from infoset.front import compare, comparison_budget, load, prepare_comparison
    from infoset.front.game_sources import check_target

    rules = load(game)
    if asks_for_list(methods):
        _list_methods(rules, as_json)
        return
    check_writable(out)
    comparison_files(picture_format)  # an unknown format is an error before any work is done
    check_target(rules, target)
    stops = Stops(target, iterations, seconds)._asdict()
    failure = None
    with executor_of(on) as executor, live(str(rules)) as progress:
        (found, why), entries = prepare_comparison(
            rules, _names(methods), seeds, form=form, progress=progress.building
        )
        show = partial(_show, progress, comparison_budget(found, **stops))
        try:
            results = compare(found, entries, executor=executor, callback=show, **stops)
        except ComparisonError as error:
            results, failure = error.results, error
    tell_notes(rules)
    if why is not None:
        tell(f"note: on the {why}")
    _save(results, out, picture_format, as_json)
    if failure is not None:
        raise failure
    if len(results) < len(entries) or results[-1].outcome == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _names(methods: str) -> list[str]:
    """Return the methods in a text; commas in parentheses are between parameters of one method."""
    names = re.split(r",(?![^(]*\))", methods)
    return [name.strip() for name in names if name.strip()]


def _list_methods(rules: Game | CompiledGame, as_json: bool) -> None:
    """Print the methods that apply to a game."""
    from infoset.front import applicable_methods

    with live(str(rules)) as progress:
        found = applicable_methods(rules, progress=progress.building)
    if as_json:
        rows = [{"name": name, "description": text} for name, text in found.items()]
        print_json({"game": str(rules), "methods": rows})
        return
    table = TextTable("name", "description")
    for name, description in found.items():
        table.add_row(name, description)
    print_table(table, title=f"methods that apply to {rules}")


def _show(progress: Progress, limits: Budget, method: str, point: TracePoint) -> None:
    """Record a measurement of the current method."""
    if progress.method != method:
        progress.solving(method, limits)
    progress.measured(point)


def _save(
    results: Sequence[SolveResult], out: Path | None, picture_format: str, as_json: bool
) -> None:
    from infoset.experiments import save_comparison

    def report(saved: Saved) -> None:
        if as_json:
            summaries = [result.summary() for result in results]
            print_json({"game": results[0].game, "results": summaries, **saved.record})
            return
        _report(results)
        saved.say()

    save_and_report(partial(save_comparison, results, picture_format=picture_format), out, report)


def _report(results: Sequence[SolveResult]) -> None:
    error = "NashConv" if results[0].exploitability is None else "exploitability"
    has_seeds = any(result.seed is not None for result in results)
    seed_column = [">seed"] * has_seeds
    table = TextTable("method", *seed_column, ">iterations", ">time", f">{error}", "outcome")
    for result in results:
        reached = result.nash_conv if result.exploitability is None else result.exploitability
        table.add_row(
            result.method,
            *([number_text(result.seed)] * has_seeds),
            number_text(result.iterations),
            duration_text(result.seconds),
            error_text(reached, result.measured.rounding),
            result.outcome,
        )
    print_table(table, title=results[0].game)
