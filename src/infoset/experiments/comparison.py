"""Folders of method comparisons: traces, figure and results."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Final

from infoset._version import __version__
from infoset.experiments.folders import RUNS, run_slug, save_folder, saved_record
from infoset.experiments.json_values import json_text
from infoset.experiments.run_folder import trace_rows
from infoset.plotting import plot_comparison
from infoset.runs import SolveResult
from infoset.utils.files import replace_file, write_text

__all__ = ["COMPARISON_FILES", "save_comparison"]

COMPARISON_FILES: Final[Mapping[str, str]] = MappingProxyType(
    {"traces": "traces.csv", "picture": "comparison.png", "results": "results.json"}
)
"""File names of a comparison by content, in the order of writing."""


def save_comparison(results: Sequence[SolveResult], folder: str | Path | None = None) -> Path:
    """Write the traces, figure and numbers of several solver results to a new folder.

    As in `save_run`, the folder appears when it is complete, and an existing folder is not changed.

    Parameters
    ----------
    results : Sequence[SolveResult]
        At least one result; all are of the same game.
    folder : str or Path, optional
        By default `runs/GAME-comparison`.

    Returns
    -------
    Path
        The new folder.

    Raises
    ------
    ParameterError
        If `results` is empty or of different games, or the folder or a file cannot be written.
    """
    figure = plot_comparison(results)
    game = results[0].game
    record = {
        "game": game,
        "fingerprint": results[0].policy.sequence_form.fingerprint,
        "results": [result.summary() for result in results],
        "version": __version__,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }

    def write(made: Path) -> None:
        with replace_file(made / COMPARISON_FILES["traces"]) as path:
            _write_traces(results, path)
        with replace_file(made / COMPARISON_FILES["picture"]) as path:
            figure.savefig(path, format="png")
        whole = saved_record(record, made, COMPARISON_FILES)
        write_text(made / COMPARISON_FILES["results"], json_text(whole, indent=2) + "\n")

    default = RUNS / run_slug(game, "comparison")
    return save_folder(default if folder is None else folder, write)


def _write_traces(results: Sequence[SolveResult], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["method", *next(trace_rows(results[0]))])
        for result in results:
            writer.writerows([result.method, *row] for row in islice(trace_rows(result), 1, None))
