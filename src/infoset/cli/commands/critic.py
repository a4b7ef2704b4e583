"""`infoset critic`: train a critic for a policy, and measure search with it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from infoset.cli.commands.train import (
    StepsOption,
    TransformationsOption,
    WeightsSeedOption,
    known_critic,
    say_critic,
)
from infoset.cli.exit_codes import INTERRUPTED
from infoset.cli.interrupts import interrupts_reported
from infoset.cli.options import (
    GameArgument,
    JsonOption,
    SecondsOption,
    folder_option,
)
from infoset.cli.progress import Progress, StepPoint, live
from infoset.cli.saved_results import Saved, save_and_report
from infoset.cli.screen import (
    duration_text,
    number_text,
    print_json,
    print_table,
    tell_notes,
)
from infoset.cli.tables import TextTable
from infoset.utils.clocks import working_seconds

if TYPE_CHECKING:
    from infoset.deep import Critic, CriticReport, DeviceGame, NetworkPolicy
    from infoset.policy import TabularPolicy
    from infoset.tree import GameTree

DEFAULT_METHOD = "expected-backup"


def run(
    game: GameArgument,
    policy: Annotated[
        str,
        typer.Argument(
            metavar="POLICY",
            help="Policy whose values the critic learns: a network, a policy file, the folder of a "
            "run, or uniform.",
            show_default=False,
        ),
    ],
    method: Annotated[
        str,
        typer.Option(
            help="Method, such as expected-backup or v-trace; 'list' prints all.",
            callback=known_critic,
        ),
    ] = DEFAULT_METHOD,
    transformations: TransformationsOption = None,
    steps: StepsOption = None,
    seconds: SecondsOption = None,
    seed: WeightsSeedOption = 0,
    build: Annotated[
        bool | None,
        typer.Option(
            "--build/--no-build",
            help="Build the game, or play by rules in JAX, which needs a network that was trained "
            "so.",
            show_default="build unless too large",
        ),
    ] = None,
    out: Annotated[Path | None, folder_option("runs/GAME-critic")] = None,
    as_json: JsonOption = False,
) -> None:
    """Train the critic that search on a network needs, and save it.

    The critic learns the values of histories under POLICY and transformations of it. The last line
    reports the effect of search with it on the policy: NashConv with and without search if the game
    is built and small enough, otherwise how well the critic predicts new episodes. Ctrl-C stops at
    any time and saves the critic. Needs the extra deep: pip install '.[deep]' in a clone.
    """
    from infoset.deep import report_critic, train_critic
    from infoset.experiments import check_writable, save_critic_run
    from infoset.front import load, to_game
    from infoset.runs import Budget

    rules = load(game)
    check_writable(out)
    losses: list[tuple[int, float]] = []
    with interrupts_reported(), live(str(rules)) as progress:
        source, blueprint = _inputs(to_game(rules), policy, build, progress)
        progress.solving(f"critic by {method}", Budget(iterations=steps, seconds=seconds))
        began = working_seconds()

        def show(step: int, loss: float) -> None:
            losses.append((step, loss))
            progress.measured(StepPoint(step, working_seconds() - began, {"loss": loss}))

        critic = train_critic(
            source,
            blueprint,
            transformations,
            method,
            steps=steps,
            seconds=seconds,
            seed=seed,
            callback=show,
        )
        report: CriticReport | None = None
        if critic.outcome != "interrupted":
            report = report_critic(critic, source, blueprint, callback=progress.at_stage)
    tell_notes(rules)
    about = {"policy": policy, "method": method, "seed": seed, **_numbers(critic)}

    def say_result(saved: Saved) -> None:
        if as_json:
            found = {} if report is None else {"critic": report.summary()}
            print_json({"game": str(rules), **about, **found, **saved.record})
            return
        table = TextTable()
        table.add_row("transformations", number_text(len(critic.transformations)))
        table.add_row("learner steps", number_text(critic.steps))
        table.add_row("time", duration_text(critic.seconds))
        print_table(table, title=f"{rules}: critic of {policy} by {method}")
        saved.say()
        path = saved.folder and saved.folder / saved.files["critic"]
        say_critic(report, game, Path(policy), path)

    save = partial(save_critic_run, critic, report, losses, about, game=rules)
    save_and_report(save, out, say_result)
    if critic.outcome == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _inputs(
    rules: Any, path: str, build: bool | None, progress: Progress
) -> tuple[GameTree | DeviceGame, TabularPolicy | NetworkPolicy]:
    """Return the game, built or as rules in JAX, and the policy of a file."""
    from infoset.deep.training_run import training_source
    from infoset.front import is_network, load_network_file, resolve_policy
    from infoset.tree import GameTree

    blueprint = load_network_file(path, rules) if is_network(path) else None
    source = training_source(rules, build, progress.building)
    if blueprint is not None:
        return source, blueprint
    if not isinstance(source, GameTree):
        raise typer.BadParameter(f"{path} is a table, which needs a built game: use --build")
    return source, resolve_policy(path, source.sequence_form)


def _numbers(critic: Critic) -> dict[str, Any]:
    return {"outcome": critic.outcome, "steps": critic.steps, "seconds": critic.seconds}
