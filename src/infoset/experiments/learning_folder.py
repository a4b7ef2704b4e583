"""Folders of learning runs, with a policy for each random seed."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from infoset._version import __version__
from infoset.efg import ExtensiveForm
from infoset.evaluation import save_correlated_policy
from infoset.experiments.folders import RUNS, run_slug, save_folder, saved_record
from infoset.experiments.json_values import json_text
from infoset.experiments.run_folder import RUN_FILES, source_record
from infoset.game import Game
from infoset.learning import LearnResult
from infoset.plotting import plot_learning
from infoset.policy import save_policy
from infoset.runs import trace_rows
from infoset.utils.arguments import check_type
from infoset.utils.files import replace_file, write_text


def learning_files(result: LearnResult) -> dict[str, str]:
    """Return the file names of a result by content; there is one policy file for each seed.

    A single policy is saved as `policy.parquet`, those of several seeds as `policy-SEED.parquet`.
    Learners of joint play save `correlated_policy.parquet` in the same way. The other files are
    those of `save_run`.
    """
    check_type("result", result, LearnResult, "a result of learn")
    kind = "correlated policy" if result.joint_play else "policy"
    stem = kind.replace(" ", "_")
    policies = {kind: f"{stem}.parquet"}
    if len(result.seeds) > 1:
        policies = {f"{kind} of seed {seed}": f"{stem}-{seed}.parquet" for seed in result.seeds}
    return {**policies, **{what: name for what, name in RUN_FILES.items() if what != "policy"}}


def save_learning(
    result: LearnResult,
    folder: str | Path | None = None,
    *,
    game: Game | ExtensiveForm | None = None,
) -> Path:
    """Write the policies, traces, figure and numbers of a result to a new folder.

    As in `save_run`, the folder appears when it is complete, and an existing folder is not changed.

    Parameters
    ----------
    folder
        By default `runs/GAME-METHOD`.
    game
        The game whose parameters are saved; by default the one that was learned.

    Returns
    -------
    Path
        The new folder.

    Raises
    ------
    ParameterError
        If `result` is not a `LearnResult`, or the folder or a file cannot be written.
    """
    files = learning_files(result)
    source = source_record(result.runs[0].policy, game)
    about = {**source, "method": result.method}
    figure = plot_learning(result)

    def write(made: Path) -> None:
        for number, (seed, name) in enumerate(zip(result.seeds, files.values(), strict=False)):
            own = {**about, "seed": seed}
            if result.joint_play:
                save_correlated_policy(result.correlated_policies[number], made / name, own)
            else:
                save_policy(result.runs[number].policy, made / name, own)
        with replace_file(made / files["trace"]) as path:
            _write_traces(result, path)
        with replace_file(made / files["picture"]) as path:
            figure.savefig(path, format="png")
        record = saved_record(_record(result, source), made, files)
        write_text(made / files["result"], json_text(record, indent=2) + "\n")

    default = RUNS / run_slug(result.game, result.method)
    return save_folder(default if folder is None else folder, write)


def _record(result: LearnResult, source: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **result.summary(),
        **source,
        "version": __version__,
        "fingerprint": result.runs[0].policy.form.fingerprint,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _write_traces(result: LearnResult, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        _, *columns = next(trace_rows(result.runs[0]))
        writer.writerow(["game", "method", "seed", "episode", *columns])
        for seed, run in zip(result.seeds, result.runs, strict=True):
            about = result.game, result.method, seed
            writer.writerows([*about, *row] for row in islice(trace_rows(run), 1, None))
