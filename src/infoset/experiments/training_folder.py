"""Folders of trained networks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, astuple, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from infoset._version import __version__
from infoset.efg import ExtensiveForm
from infoset.experiments.folders import (
    run_slug,
    save_result,
    source_record,
    write_picture,
    write_trace,
)
from infoset.experiments.json_values import json_value
from infoset.experiments.run_folder import RUN_FILES
from infoset.game import Game, GameSource
from infoset.plotting import plot_convergence
from infoset.policy import save_policy
from infoset.runs import trace_rows

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
    """Write a network, its critic, policy, trace, figure and numbers to a folder, as `save_run`.

    Parameters
    ----------
    folder
        By default `runs/GAME-METHOD`.
    game
        The game whose parameters are saved.

    Raises
    ------
    ParameterError
        If the folder or a file cannot be written.
    """
    from infoset.deep import save_critic, save_network

    files = training_files(result)
    about = {
        "game": result.game,
        **source_record(GameSource(), game),
        "method": result.method,
        "seed": result.seed,
        "steps": result.steps,
        "settings": json_value(result.settings),
    }
    writers: dict[str, Callable[[Path], object]] = {
        "network": partial(save_network, result.policy, metadata=about),
        "trace": partial(write_trace, _rows(result)),
    }
    if result.critic is not None:
        writers["critic"] = partial(save_critic, result.critic)
    if result.run is not None:
        writers["policy"] = partial(save_policy, result.run.policy, metadata=about)
        if "picture" in files:
            figure = plot_convergence(result.run.trace, game=result.game, method=result.method)
            writers["picture"] = partial(write_picture, figure)
    record = {**result.summary(), **about, "version": __version__}
    return save_result(record, files, writers, folder, run_slug(result.game, result.method))


def save_critic_run(
    critic: Critic,
    report: CriticReport | None,
    losses: Sequence[tuple[int, float]],
    about: Mapping[str, Any],
    folder: str | Path | None = None,
    *,
    game: Game | ExtensiveForm,
) -> Path:
    """Write a critic trained for a policy, its losses and its report to a folder, as `save_run`.

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

    Raises
    ------
    ParameterError
        If the folder or a file cannot be written.
    """
    from infoset.deep import save_critic

    record = {
        "game": str(game),
        **source_record(GameSource(), game),
        **about,
        "transformations": [row.name for row in critic.transformations],
        "settings": json_value(asdict(critic.settings)),
        **({} if report is None else {"critic": report.summary()}),
        "version": __version__,
    }
    writers = {
        "critic": partial(save_critic, critic),
        "trace": partial(write_trace, [("step", "loss"), *losses]),
    }
    return save_result(record, CRITIC_FILES, writers, folder, run_slug(str(game), "critic"))


def _rows(result: TrainingResult) -> list[Any]:
    """Return the column names of a trace, and one row for each measurement."""
    if result.run is not None:
        return list(trace_rows(result.run))
    names = [field.name for field in fields(result.trace[0])] if result.trace else []
    return [names, *map(astuple, result.trace)]
