"""`infoset tune`: search for parameters of a method."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from infoset.cli.exit_codes import INTERRUPTED
from infoset.cli.options import (
    GameArgument,
    JsonOption,
    OnOption,
    WorkersOption,
    executor_of,
    parse_count,
)
from infoset.cli.screen import number_text, print_json, print_table, say, tell
from infoset.cli.tables import TextTable

if TYPE_CHECKING:
    from infoset.experiments import Trial, TuningResult


def run(
    game: GameArgument,
    method: Annotated[
        str, typer.Option(help="Learner or solver, such as ixomd or rnad.", show_default=False)
    ],
    over: Annotated[
        list[str],
        typer.Option(
            metavar="RANGE",
            help="Parameter and its range, such as rate=1e-4..1, period=10..500 or "
            "anytime=true,false; may be repeated.",
            show_default=False,
        ),
    ],
    trials: Annotated[int, typer.Option(metavar="NUMBER", help="Number of trials.")] = 30,
    seeds: Annotated[int, typer.Option(metavar="NUMBER", help="Seeds of each trial.")] = 3,
    fresh_seeds: Annotated[
        int,
        typer.Option(metavar="NUMBER", help="Seeds on which the best parameters are measured."),
    ] = 10,
    length: Annotated[
        int | None,
        typer.Option(
            "--iterations",
            "--episodes",
            metavar="NUMBER",
            parser=parse_count,
            help="Iterations of each run, or episodes of a learner.",
            show_default="1,000 iterations, 100,000 episodes",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Seed of the search.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of the search; runs already finished there are skipped.",
            show_default="runs/GAME-METHOD-tuning",
        ),
    ] = None,
    workers: WorkersOption = None,
    on: OnOption = None,
    as_json: JsonOption = False,
) -> None:
    """Search for parameters with which a method comes close to an equilibrium.

    The best parameters are measured again on fresh seeds, and compared with the method's own
    parameters and with neighbors of the best ones. Ctrl-C stops at any time. The same command then
    resumes, and one with more trials continues. Needs the extra tune: pip install '.[tune]' in a
    clone.
    """
    from infoset.experiments import check_writable, run_slug, save_tuning, tune

    folder = Path("runs") / f"{run_slug(game, method)}-tuning" if out is None else out
    check_writable(folder)
    try:
        with executor_of(on, workers) as executor:
            result = tune(
                game,
                method,
                over,
                folder=folder,
                trials=trials,
                seeds=seeds,
                fresh_seeds=fresh_seeds,
                length=length,
                seed=seed,
                workers=workers,
                executor=executor,
                callback=None if as_json else _tell_trial,
            )
    except KeyboardInterrupt:
        tell(f"stopped; finished runs are saved in {folder}: the same command resumes from there")
        raise typer.Exit(INTERRUPTED) from None
    files = save_tuning(result)
    if as_json:
        print_json({**_values(result), "folder": str(folder), "files": files})
        return
    _report(result)
    say(f"saved in {folder}: {', '.join(files)}")


def _tell_trial(trial: Trial) -> None:
    """Print a finished trial on standard error."""
    from infoset.experiments import parameters_text

    tell(f"{parameters_text(trial.parameters)}: {number_text(trial.error)}")


def _report(result: TuningResult) -> None:
    from infoset.experiments import tuning_tables
    from infoset.experiments.reports import entry_text

    for table in tuning_tables(result)[:2]:
        first, *numbers = table.columns
        shown = TextTable(first, *(f">{name}" for name in numbers))
        for row in table.rows:
            shown.add_row(*map(entry_text, row))
        print_table(shown, title=table.title)


def _values(result: TuningResult) -> dict[str, object]:
    """Return a result as JSON values."""
    return {
        "game": result.game,
        "method": result.method,
        "length": result.length,
        "seed": result.seed,
        "trials": [
            {"parameters": dict(trial.parameters), "errors": trial.errors}
            for trial in result.trials
        ],
        "best": dict(result.best.parameters),
        "fresh": result.fresh._asdict(),
        "default": result.default._asdict(),
        "neighbors": [
            {"name": one.name, "value": one.value, **one.spread._asdict()}
            for one in result.neighbors
        ],
    }
