"""Folders of trained networks."""

from __future__ import annotations

import csv
from dataclasses import astuple, fields
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
    from infoset.deep import TrainingResult

__all__ = ["save_training", "training_files"]

NETWORK = "network.npz"
CRITIC = "critic.npz"


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
    result : TrainingResult
    folder : str or Path, optional
        By default `runs/GAME-METHOD`.
    game : Game or ExtensiveForm, optional
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
    source = GameSource.of_rules(game) if isinstance(game, Game) else GameSource()
    about = {
        "game": result.game,
        "parameters": json_value(source.parameters),
        "source": {"kind": source.kind, "rules": source.rules or None},
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
        with (
            replace_file(made / files["trace"]) as path,
            path.open("w", encoding="utf-8", newline="") as file,
        ):
            csv.writer(file, lineterminator="\n").writerows(_rows(result))
        if "picture" in files and result.run is not None:
            figure = plot_convergence(result.run.trace, game=result.game, method=result.method)
            with replace_file(made / files["picture"]) as path:
                figure.savefig(path, format="png")
        finished = datetime.now(UTC).isoformat(timespec="seconds")
        record = {**result.summary(), **about, "version": __version__, "finished": finished}
        whole = saved_record(record, made, files)
        write_text(made / files["result"], json_text(whole, indent=2) + "\n")

    default = RUNS / run_slug(result.game, result.method)
    return save_folder(default if folder is None else folder, write)


def _rows(result: TrainingResult) -> list[Any]:
    """Return the column names of a trace, and one row for each measurement."""
    if result.run is not None:
        return list(trace_rows(result.run))
    names = [field.name for field in fields(result.trace[0])] if result.trace else []
    return [names, *map(astuple, result.trace)]
