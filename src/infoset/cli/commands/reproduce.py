"""`infoset reproduce`: run the experiments of a study, and compare with published numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from infoset.cli.exit_codes import INTERRUPTED
from infoset.cli.options import JsonOption, OnOption, WorkersOption, executor_of
from infoset.cli.progress import cells_counted
from infoset.cli.screen import (
    asks_for_list,
    list_and_leave,
    print_json,
    print_report_table,
    say,
    tell,
)

if TYPE_CHECKING:
    from infoset.experiments import Experiment, Finished


def _list_studies(context: typer.Context, study: str) -> str:
    """Print the table of experiments and exit if the value is `list`."""
    if asks_for_list(study):
        from infoset.experiments import installed_studies
        from infoset.experiments.studies import NO_STUDIES

        if not installed_studies():
            tell(NO_STUDIES)
        rows = [
            (name, experiment.name, experiment.title, experiment.quick_time, experiment.full_time)
            for name, known in installed_studies().items()
            for experiment in known.experiments
        ]
        columns = ("study", "experiment", "title", "quick", "full")
        list_and_leave(context, "experiments", columns, rows)
    return study


def run(
    study: Annotated[
        str,
        typer.Argument(
            metavar="STUDY",
            help="Study, such as balanced; 'list' prints all studies and experiments.",
            callback=_list_studies,
            show_default=False,
        ),
    ],
    experiment: Annotated[
        list[str] | None,
        typer.Option(
            "--experiment",
            "--table",
            metavar="NAME",
            help="Experiment to run, by its name or by a table of the paper; may be repeated.",
            show_default="all",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Use smaller settings, which take minutes on two cores.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of the study; runs already finished there are skipped.",
            show_default="runs/STUDY",
        ),
    ] = None,
    workers: WorkersOption = None,
    on: OnOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run the experiments of a study, and compare its numbers with the published ones.

    The studies are a separate package: `pip install . ./studies` in a clone of the repository.
    Ctrl-C stops at any time. The same command then resumes with the missing runs.
    """
    from infoset.experiments import check_writable, get_study, run_study

    chosen = get_study(study)
    folder = Path("runs") / chosen.name if out is None else out
    check_writable(folder)
    try:
        with executor_of(on, workers) as executor, cells_counted() as callback:
            finished = run_study(
                chosen,
                folder,
                experiment or (),
                is_quick=quick,
                workers=workers,
                executor=executor,
                callback=callback,
                started_callback=None if as_json else lambda started: _announce(started, quick),
                finished_callback=None if as_json else lambda done: _report(done, quick),
            )
    except KeyboardInterrupt:
        tell(f"stopped; finished runs are saved in {folder}: the same command resumes from there")
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        found = {done.experiment.name: _values(done) for done in finished}
        print_json({"study": chosen.name, "quick": quick, "folder": str(folder), **found})
    else:
        say(f"saved in {folder}: {', '.join(file for done in finished for file in done.files)}")


def _announce(experiment: Experiment, is_quick: bool) -> None:
    """Print how long an experiment takes."""
    time = experiment.quick_time if is_quick else experiment.full_time
    tell(f"{experiment.name}: time on two cores, without runs finished before: {time}")


def _report(done: Finished, is_quick: bool) -> None:
    for table in done.report.tables:
        print_report_table(table, f"{done.experiment.title}. {table.title}")
    if is_quick:
        say(f"these are the quick settings; without --quick it takes {done.experiment.full_time}")
    say()


def _values(done: Finished) -> dict[str, object]:
    tables = {
        table.name: [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        for table in done.report.tables
    }
    return {"title": done.experiment.title, "tables": tables, "files": done.files}
