"""What learning from play leaves on disk: a folder, with a policy for each seed."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from infoset._version import __version__
from infoset.efg import ExtensiveForm
from infoset.evaluation import save_correlated_policy
from infoset.experiments.folders import RUNS, make_folder, run_slug
from infoset.experiments.json_values import json_text
from infoset.experiments.run_folder import RUN_FILES, parameters_of, trace_rows
from infoset.game import Game
from infoset.learning import LearnResult
from infoset.plotting import plot_learning
from infoset.policy import save_policy
from infoset.utils.arguments import check_type
from infoset.utils.files import replace_file, write_text

__all__ = ["learning_files", "save_learning"]


def learning_files(result: LearnResult) -> dict[str, str]:
    """Return the files of a result by what they hold, those of `solve`; a policy for each seed.

    Of a single seed it is `policy.parquet`, of several `policy-SEED.parquet`; where joint play is
    learned, `correlated_policy.parquet`, and likewise.
    """
    check_type("result", result, LearnResult, "what learn returns")
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
    """Write policies, traces, the picture and the numbers of a result to a new folder.

    As with `save_run`, files are whole or not there, and a folder that exists is left alone.

    Parameters
    ----------
    result : LearnResult
    folder : str or Path, optional
        Where; by default `runs/` and the game and method.
    game : Game or ExtensiveForm, optional
        Whose parameters to note, for a game of your own.

    Returns
    -------
    Path
        The folder made.

    Raises
    ------
    ParameterError
        If the result is none, or the folder cannot be made.
    OSError
        If a file cannot be written.
    """
    files = learning_files(result)
    parameters = parameters_of(result.game, game)
    about = {"parameters": parameters, "method": result.method}
    figure = plot_learning(result)
    made = make_folder(RUNS / run_slug(result.game, result.method) if folder is None else folder)
    for number, (seed, name) in enumerate(zip(result.seeds, files.values(), strict=False)):
        if result.joint_play:
            policy = result.correlated_policies[number]
            save_correlated_policy(policy, made / name, {**about, "seed": seed})
        else:
            save_policy(result.runs[number].policy, made / name, {**about, "seed": seed})
    with replace_file(made / files["trace"]) as path:
        _write_traces(result, path)
    with replace_file(made / files["picture"]) as path:
        figure.savefig(path, format="png")
    write_text(made / files["result"], json_text(_record(result, parameters), indent=2) + "\n")
    return made


def _record(result: LearnResult, parameters: Any) -> dict[str, Any]:
    return {
        **result.summary(),
        "parameters": parameters,
        "version": __version__,
        "fingerprint": result.runs[0].policy.sequence_form.fingerprint,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "files": learning_files(result),
    }


def _write_traces(result: LearnResult, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        _, *columns = next(trace_rows(result.runs[0]))
        writer.writerow(["seed", "episode", *columns])
        for seed, run in zip(result.seeds, result.runs, strict=True):
            writer.writerows([seed, *row] for row in islice(trace_rows(run), 1, None))
