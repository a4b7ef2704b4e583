"""Folders of trained networks."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from infoset._version import __version__
from infoset.efg import ExtensiveForm
from infoset.experiments.folders import RUNS, run_slug, save_folder, saved_record
from infoset.experiments.json_values import json_text, json_value
from infoset.experiments.run_folder import RUN_FILES
from infoset.game import Game, GameSource
from infoset.plotting import plot_convergence
from infoset.policy import save_policy
from infoset.runs import trace_rows
from infoset.utils.files import replace_file, write_text

if TYPE_CHECKING:
    from infoset.deep import Critic, CriticReport, TrainingResult


NETWORK = "network.npz"
CRITIC = "critic.npz"

CRITIC_FILES = {"critic": CRITIC, "trace": RUN_FILES["trace"], "result": RUN_FILES["result"]}
"""The file names of a critic that was trained alone, by content."""


def training_files(result: TrainingResult) -> dict[str, str]:
    """Return the file names of a trained network by content.

    A game that was not built has no policy as a table, and no exact measurements to plot.
    """
    networks = {"network": NETWORK} | ({} if result.critic is None else {"critic": CRITIC})
    if result.run is None:
        return {**networks, "trace": RUN_FILES["trace"], "result": RUN_FILES["result"]}
    files = dict(RUN_FILES)
    if len(result.trace) == 1:
        del files["picture"]
    return {**networks, **files}


def save_training(
    result: TrainingResult,
    folder: str | Path | None = None,
    *,
    game: Game | ExtensiveForm | None = None,
) -> Path:
    """Write a network with its critic, policy table, trace, figure and numbers to a new folder.

    As in `save_run`, the folder appears when it is complete, and an existing folder is not changed.

    Parameters
    ----------
    folder
        By default `runs/GAME-METHOD`.
    game
        The game whose parameters are saved.

    Returns
    -------
    Path
        The new folder.

    Raises
    ------
    ParameterError
        If the folder or a file cannot be written.
    """
    from infoset.deep import save_critic, save_network

    files = training_files(result)
    about = {
        **_about(result.game, game),
        "method": result.method,
        "seed": result.seed,
        "steps": result.steps,
        "settings": json_value(result.settings),
    }

    def write(made: Path) -> None:
        save_network(result.policy, made / files["network"], about)
        if result.critic is not None:
            save_critic(result.critic, made / files["critic"])
        if result.run is not None:
            save_policy(result.run.policy, made / files["policy"], about)
        _write_rows(made / files["trace"], _rows(result))
        if "picture" in files and result.run is not None:
            figure = plot_convergence(result.run.trace, game=result.game, method=result.method)
            with replace_file(made / files["picture"]) as path:
                figure.savefig(path, format="png")
        _write_record(made, files, {**result.summary(), **about})

    default = RUNS / run_slug(result.game, result.method)
    return save_folder(default if folder is None else folder, write)


def save_critic_run(
    critic: Critic,
    report: CriticReport | None,
    losses: Sequence[tuple[int, float]],
    about: Mapping[str, Any],
    folder: str | Path | None = None,
    *,
    game: Game | ExtensiveForm,
) -> Path:
    """Write a critic that was trained for a policy, its losses and its report to a new folder.

    As in `save_run`, the folder appears when it is complete, and an existing folder is not changed.

    Parameters
    ----------
    report
        What search with the critic is worth, if it was measured.
    losses
        Learner steps and losses.
    about
        Further JSON values, such as the path of the policy.
    folder
        By default `runs/GAME-critic`.
    game
        The game whose parameters are saved.

    Returns
    -------
    Path
        The new folder.

    Raises
    ------
    ParameterError
        If the folder or a file cannot be written.
    """
    from infoset.deep import save_critic

    def write(made: Path) -> None:
        save_critic(critic, made / CRITIC)
        _write_rows(made / CRITIC_FILES["trace"], [("step", "loss"), *losses])
        record = {
            **_about(str(game), game),
            **about,
            "transformations": [row.name for row in critic.transformations],
            "settings": json_value(asdict(critic.settings)),
        }
        if report is not None:
            record["critic"] = report.summary()
        _write_record(made, CRITIC_FILES, record)

    return save_folder(RUNS / run_slug(str(game), "critic") if folder is None else folder, write)


def _about(name: str, game: Game | ExtensiveForm | None) -> dict[str, Any]:
    """Return the name of a game, its parameters and its source, as JSON values."""
    source = GameSource.of_rules(game) if isinstance(game, Game) else GameSource()
    return {
        "game": name,
        "parameters": json_value(source.parameters),
        "source": {"kind": source.kind, "rules": source.rules or None},
    }


def _write_record(folder: Path, files: Mapping[str, str], record: Mapping[str, Any]) -> None:
    """Write a record as result.json, with the version, the time and the checksums of the files."""
    finished = datetime.now(UTC).isoformat(timespec="seconds")
    whole = saved_record({**record, "version": __version__, "finished": finished}, folder, files)
    write_text(folder / files["result"], json_text(whole, indent=2) + "\n")


def _write_rows(file: Path, rows: Iterable[Sequence[Any]]) -> None:
    with replace_file(file) as path, path.open("w", encoding="utf-8", newline="") as written:
        csv.writer(written, lineterminator="\n").writerows(rows)


def _rows(result: TrainingResult) -> list[Any]:
    """Return the column names of a trace, and one row for each measurement."""
    if result.run is not None:
        return list(trace_rows(result.run))
    names = [field.name for field in fields(result.trace[0])] if result.trace else []
    return [names, *map(astuple, result.trace)]
