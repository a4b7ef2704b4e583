"""`infoset train`: train a policy network, and save it with its measurements in a folder."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

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
    checkpoint_options,
    executor_of,
    folder_option,
    parse_count,
)
from infoset.cli.progress import live
from infoset.cli.saved_results import Saved, save_and_report, save_results
from infoset.cli.screen import (
    asks_for_list,
    duration_text,
    error_text,
    list_and_leave,
    number_text,
    print_json,
    print_table,
    say,
    tell,
    tell_notes,
)
from infoset.cli.tables import TextTable

if TYPE_CHECKING:
    from infoset.deep import CriticReport, ResponseBound, TrainingResult

DEFAULT_METHOD = "rnad"


def _known_preset(context: typer.Context, method: str) -> str:
    """Check the name of a preset; print the table of presets and exit if it is `list`."""
    from infoset.deep import PRESETS, get_preset

    if asks_for_list(method):
        rows = [(row.name, row.description) for row in PRESETS.values()]
        list_and_leave(context, "methods", ("name", "description"), rows)
    return get_preset(method).name


MethodOption: TypeAlias = Annotated[
    str,
    typer.Option(
        help="A preset, such as rnad, rnad-expected or ppo; 'list' prints all.",
        callback=_known_preset,
    ),
]


def known_critic(context: typer.Context, critic: str | None) -> str | None:
    """Check the name of a critic's method; print the table of methods and exit for `list`."""
    if critic is None:
        return None
    from infoset.deep import CRITICS

    descriptions = {name: spec.description for name, spec in CRITICS.items()}
    return _known(context, critic, "critics", "method of a critic", descriptions)


def known_transformations(context: typer.Context, name: str | None) -> str | None:
    """Check the name of a set of transformations; print the sets and exit if it is `list`."""
    if name is None:
        return None
    from infoset.deep import TRANSFORMATION_SETS

    noun = "set of transformations"
    return _known(context, name, "transformations", noun, TRANSFORMATION_SETS)


def _known(
    context: typer.Context, name: str, title: str, noun: str, descriptions: Mapping[str, str]
) -> str:
    from infoset.errors import UnknownNameError

    if asks_for_list(name):
        list_and_leave(context, title, ("name", "description"), descriptions.items())
    if name not in descriptions:
        raise UnknownNameError.of(noun, name, descriptions)
    return name


StepsOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER",
        parser=parse_count,
        help="Number of learner steps.",
        show_default="10000",
    ),
]


WeightsSeedOption: TypeAlias = Annotated[
    int, typer.Option(metavar="NUMBER", help="Seed of weights and episodes.")
]


TransformationsOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Continuations of the opponent that the critic learns: constants (always one action) "
        "or all (22 transformations); 'list' describes them.",
        callback=known_transformations,
        show_default="constants if no infostate has more than 3 actions, otherwise all",
    ),
]


CriticOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="METHOD",
        help="Train a critic with the network, by a method such as expected-backup; 'list' prints "
        "all. The searcher sepot needs one; see also infoset critic.",
        callback=known_critic,
        show_default="no critic",
    ),
]


def run(
    game: GameArgument,
    method: MethodOption = DEFAULT_METHOD,
    steps: StepsOption = None,
    seconds: SecondsOption = None,
    seed: WeightsSeedOption = 0,
    seeds: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            help="Number of runs, with seeds 0, 1, ..., each saved in its own folder.",
            show_default="one run with --seed",
        ),
    ] = None,
    on: OnOption = None,
    build: Annotated[
        bool | None,
        typer.Option(
            "--build/--no-build",
            help="Build the game and measure exactly, or play by its rules in JAX and measure by "
            "matches.",
            show_default="build unless too large",
        ),
    ] = None,
    critic: CriticOption = None,
    transformations: TransformationsOption = None,
    response_steps: Annotated[
        int,
        typer.Option(
            metavar="NUMBER",
            parser=parse_count,
            help="If the game is not built: learner steps of the response that bounds "
            "exploitability, within a fifth of --seconds; 0 for no bound.",
            show_default=True,
        ),
    ] = 500,
    out: Annotated[Path | None, folder_option("runs/GAME-METHOD")] = None,
    checkpoint: CheckpointOption = None,
    checkpoint_seconds: CheckpointSecondsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Train a policy network by self-play, and save it.

    The game must be two-player constant-sum. The saved network.npz can be used wherever a policy
    file can: evaluate, show, match, play, draw. Ctrl-C stops at any time and saves the
    results so far. With --critic, the last line reports the effect of search with it on the
    network. Needs the extra deep: pip install '.[deep]' in a clone.
    """
    from infoset.deep import get_preset, train
    from infoset.experiments import check_writable
    from infoset.front import load, to_game
    from infoset.runs import Budget

    rules = load(game)
    check_writable(out)
    keeping = checkpoint_options(checkpoint, checkpoint_seconds)
    options: dict[str, Any] = dict(
        steps=steps,
        seconds=seconds,
        build=build,
        critic=critic,
        transformations=transformations,
        response_steps=response_steps,
    )
    if seeds is not None or on is not None:
        if keeping:
            raise typer.BadParameter(
                "--checkpoint supports only a single run in this process: omit --seeds and --on"
            )
        numbers = [seed] if seeds is None else seeds
        _train_seeds(rules, method, numbers, on, out, options, as_json=as_json)
        return
    with interrupts_reported(), live(str(rules)) as progress:

        def show(point: Any) -> None:
            if not progress.method:  # the first measurement: the game is built
                limits = Budget(iterations=steps, seconds=seconds)
                progress.training(method, limits, get_preset(method).batch_size)
            progress.measured(point)

        result = train(
            to_game(rules),
            method,
            seed=seed,
            callback=show,
            stage_callback=progress.at_stage,
            progress=progress.building,
            **options,
            **keeping,
        )
    tell_notes(rules)
    _save(result, out, rules, spec=game, as_json=as_json)
    if result.outcome == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _train_seeds(
    rules: Any,
    method: str,
    seeds: int | list[int],
    on: str | None,
    out: Path | None,
    options: dict[str, Any],
    *,
    as_json: bool,
) -> None:
    """Train with several seeds, and save each network in a folder when all are done."""
    from infoset.deep import train_seeds
    from infoset.experiments import run_slug, save_training
    from infoset.front import to_game

    with interrupts_reported(), executor_of(on) as executor:
        results = train_seeds(
            to_game(rules),
            method,
            seeds=seeds,
            executor=executor,
            callback=lambda result: tell(f"seed {result.seed}: {_quality(result)}"),
            **options,
        )
    tell_notes(rules)
    base = out or Path("runs") / run_slug(results[0].game, method)
    folders = []
    for result in results:
        own = base.with_name(f"{base.name}-seed-{result.seed}")
        folders.append(save_results(partial(save_training, result, game=rules), own))
    if as_json:
        runs = [
            {"seed": result.seed, **result.summary(), "folder": str(folder)}
            for result, folder in zip(results, folders, strict=True)
        ]
        print_json({"game": results[0].game, "method": results[0].method, "runs": runs})
    else:
        say(f"saved in {', '.join(map(str, folders))}")
    wanted = seeds if isinstance(seeds, int) else len(seeds)
    if len(results) < wanted or any(result.outcome == "interrupted" for result in results):
        raise typer.Exit(INTERRUPTED)


def _quality(result: TrainingResult) -> str:
    """Return what is known of the quality of a network in one line."""
    return ", ".join(f"{name} {text}" for name, text in _measured(result).items())


def _save(
    result: TrainingResult, out: Path | None, rules: Any, *, spec: str, as_json: bool
) -> None:
    """Save a result in a folder, and print a report."""
    from infoset.experiments import save_training

    def report(saved: Saved) -> None:
        if as_json:
            print_json({**result.summary(), **saved.record})
            return
        _print_table(result)
        saved.say()
        network = Path() if saved.folder is None else saved.folder / saved.files["network"]
        if saved.folder is not None:
            against = quote(str(network))
            say(f"to play against the network: infoset play {quote(spec)} --against {against}")
        if result.critic is not None:
            critic = saved.folder and saved.folder / saved.files["critic"]
            say_critic(result.critic_report, spec, network, critic)

    save_and_report(lambda to: save_training(result, to, game=rules), out, report)


def _print_table(result: TrainingResult) -> None:
    table = TextTable()
    table.add_row("learner steps", number_text(result.steps))
    if result.episodes:
        table.add_row("episodes", number_text(result.episodes))
    table.add_row("time", duration_text(result.seconds))
    table.add_row("compiling", duration_text(result.compile_seconds))
    for name, text in _measured(result).items():
        table.add_row(name, text)
    print_table(table, title=f"{result.game}, {result.method}")


def say_critic(
    report: CriticReport | None, game: str, blueprint: Path, critic: Path | None
) -> None:
    """Print how to play against a search with a critic; the last line is its measured effect.

    `critic` is None if the file could not be saved.
    """
    depths = () if report is None else report.helpful_depths
    if critic is not None and (report is None or not report.is_harmful):
        depth = f",depth={depths[-1]}" if depths else ""
        search = quote(f"sepot(blueprint={blueprint},values={critic}{depth})")
        say(f"to play against a search with it: infoset play {quote(game)} --against {search}")
    say("the critic was not measured" if report is None else report.verdict)


def _measured(result: TrainingResult) -> dict[str, str]:
    """Return what is known of the quality of the network."""
    if result.run is not None:
        run = result.run
        return {
            "NashConv": error_text(run.nash_conv, run.measured.rounding),
            "exploitability": error_text(run.exploitability, run.measured.rounding),
        }
    last: Any = result.trace[-1] if result.trace else None
    found = {}
    if last is not None:
        spread = f"{number_text(last.score)} ± {2 * last.standard_error:.2g}"
        found["won per play against uniform"] = spread
    if result.response is not None:
        found["exploitability, lower bound"] = _bound_text(result.response)
    return found


def _bound_text(response: ResponseBound) -> str:
    """Return a lower bound on exploitability, and how far its response was learned."""
    done = f"{response.steps:,} of {response.max_steps:,} steps of a response"
    if response.gains is None:
        why = "no time was left" if response.outcome == "seconds" else response.outcome
        return f"not computed ({done}: {why})"
    bound = number_text(response.exploitability_lower_bound)
    return bound if response.steps == response.max_steps else f"{bound} ({done})"
