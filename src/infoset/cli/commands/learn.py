"""`infoset learn`: learn from play, and save policies, traces and a plot in a folder."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from infoset.cli.exit_codes import INTERRUPTED
from infoset.cli.interrupts import interrupts_reported
from infoset.cli.options import (
    CheckpointOption,
    CheckpointSecondsOption,
    GameArgument,
    JsonOption,
    OnOption,
    SecondsOption,
    WorkersOption,
    checkpoint_options,
    executor_of,
    folder_option,
    parse_count,
)
from infoset.cli.progress import live
from infoset.cli.saved_results import Saved, save_and_report
from infoset.cli.screen import (
    add_times,
    asks_for_list,
    list_and_leave,
    number_text,
    print_json,
    print_table,
    tell_notes,
)
from infoset.cli.tables import TextTable

if TYPE_CHECKING:
    from infoset.efg import ExtensiveForm
    from infoset.game import Game
    from infoset.learning import LearnResult
    from infoset.runs import TracePoint

DEFAULT_METHOD = "auto"
DEFAULT_EPISODES = 1_000_000


def _list_learners(context: typer.Context, method: str) -> str:
    """Print the table of learners and exit if the value is `list`."""
    if asks_for_list(method):
        from infoset.learning import LEARNERS

        rows = [(row.name, row.knowledge.value, row.description) for row in LEARNERS.values()]
        list_and_leave(context, "learners", ("name", "knows", "description"), rows)
    return method


MethodOption: TypeAlias = Annotated[
    str,
    typer.Option(
        help="Learner, such as auto or balanced-omd, or file.py:NAME; 'list' prints all learners.",
        callback=_list_learners,
    ),
]
EpisodesOption: TypeAlias = Annotated[
    int,
    typer.Option(metavar="NUMBER", parser=parse_count, help="Number of episodes of each run."),
]
SeedsOption: TypeAlias = Annotated[
    int, typer.Option(metavar="NUMBER", help="Number of runs, with seeds 0, 1, ...")
]
PresetOption: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Named settings of the learner, such as theory or tuned."),
]


def run(
    game: GameArgument,
    method: MethodOption = DEFAULT_METHOD,
    episodes: EpisodesOption = DEFAULT_EPISODES,
    seeds: SeedsOption = 1,
    preset: PresetOption = None,
    seconds: SecondsOption = None,
    workers: WorkersOption = None,
    on: OnOption = None,
    out: Annotated[Path | None, folder_option("runs/GAME-METHOD")] = None,
    checkpoint: CheckpointOption = None,
    checkpoint_seconds: CheckpointSecondsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Learn policies for a game from self-play, and save them.

    Most learners use only the observations, actions and rewards of their own
    player; '--method list' shows what the others need. Ctrl-C stops at any time
    and saves the results so far.
    """
    from infoset.experiments import check_writable
    from infoset.front import learn, load, resolve_learner
    from infoset.runs import Budget

    rules, row = load(game), resolve_learner(method, preset=preset)
    check_writable(out)
    keeping = checkpoint_options(checkpoint, checkpoint_seconds)
    with (
        interrupts_reported(),
        executor_of(on, workers) as executor,
        live(str(rules)) as progress,
    ):

        def show(seed: int, point: TracePoint) -> None:
            if not progress.method:  # the first measurement: the game is built
                progress.solving(row.name, Budget(iterations=episodes, seconds=seconds))
            progress.measured(point)

        result = learn(
            rules,
            row,
            episodes=episodes,
            seeds=seeds,
            seconds=seconds,
            callback=show,
            workers=workers,
            executor=executor,
            progress=progress.building,
            **keeping,
        )
    tell_notes(rules)
    _save(result, out, rules, spec=game, as_json=as_json)
    is_partial = len(result.runs) < seeds
    if is_partial or any(run.outcome == "interrupted" for run in result.runs):
        raise typer.Exit(INTERRUPTED)


def _save(
    result: LearnResult,
    out: Path | None,
    rules: Game | ExtensiveForm,
    *,
    spec: str,
    as_json: bool,
) -> None:
    """Save a result in a folder, and print a report."""
    from infoset.experiments import save_learning

    def report(saved: Saved) -> None:
        if as_json:
            print_json({**result.summary(), **saved.record})
            return
        _report(result)
        saved.say(spec, next(iter(saved.files.values()), ""))

    save_and_report(lambda to: save_learning(result, to, game=rules), out, report)


def _report(result: LearnResult) -> None:
    table = TextTable()
    if result.reason is not None:
        table.add_row("method", result.reason)
    table.add_row("episodes", number_text(result.episodes))
    add_times(table, result)
    table.add_row("episodes per second", number_text(round(result.episodes_per_second)))
    for name, numbers in _errors(result).items():
        table.add_row(name, _spread_text(numbers))
    print_table(table, title=f"{result.game}, {result.method}")


def _errors(result: LearnResult) -> dict[str, tuple[float, ...]]:
    """Return the names of the errors, with their values in each run."""
    if result.cce_gap is not None:
        recommended = (
            {} if result.efce_gap is None else {"EFCE gap of recommended play": result.efce_gap}
        )
        return {
            **recommended,
            "CCE gap of joint play": result.cce_gap,
            "NashConv of average policies": result.nash_conv,
        }
    errors = {"NashConv": result.nash_conv}
    if result.exploitability is not None:
        errors["exploitability"] = result.exploitability
    return {**errors, "NashConv of the last policy": result.last_nash_conv}


def _spread_text(values: tuple[float, ...]) -> str:
    """Format the value of one run, or median, minimum and maximum of several."""
    if len(values) == 1:
        return number_text(values[0])
    low, middle, high = map(number_text, (min(values), median(values), max(values)))
    return f"{middle} (median of {len(values)} seeds, {low} to {high})"
