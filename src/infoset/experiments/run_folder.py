"""What a solve leaves on disk: a folder of four files."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from infoset._version import __version__
from infoset.errors import InfosetError, ParameterError
from infoset.experiments.json_values import json_text, json_value
from infoset.front import load
from infoset.game import Game
from infoset.plotting import plot_convergence
from infoset.policy import save_policy
from infoset.solvers import SolveResult
from infoset.tree import ExtensiveForm

__all__ = ["RUN_FILES", "check_writable", "run_slug", "save_run"]

RUNS = Path("runs")
LONGEST_SLUG = 100

RUN_FILES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "policy": "policy.parquet",
        "trace": "trace.csv",
        "picture": "convergence.png",
        "result": "result.json",
    }
)
"""The files of a run by what they hold, in the order in which they are written."""


def run_slug(game: str, method: str) -> str:
    """Return a folder name of a game and a method, of letters, digits, `-` and `_` alone.

    Examples
    --------
    >>> run_slug("leduc_poker(num_ranks=4)", "cfr+")
    'leduc_poker-num_ranks-4-cfr-plus'
    """
    end = _slug(method.replace("+", "-plus"))
    return f"{_slug(game)[: LONGEST_SLUG - len(end) - 1].rstrip('-')}-{end}".strip("-")


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")


def save_run(
    result: SolveResult,
    folder: str | Path | None = None,
    *,
    game: Game | ExtensiveForm | None = None,
) -> Path:
    """Write the policy, the trace, the picture and the numbers of a solve to a new folder.

    Each file is written under a temporary name and renamed, `result.json` last. A folder that
    exists is left alone: the next name, with `-2`, `-3` and so on, is taken.

    Parameters
    ----------
    result : SolveResult
    folder : str or Path, optional
        Where; by default `runs/` and the game and method.
    game : Game or ExtensiveForm, optional
        Whose parameters to note; needed only for a game of your own, which `load` does not know
        by `result.game`.

    Returns
    -------
    Path
        The folder made.

    Raises
    ------
    ParameterError
        If the folder cannot be made.
    OSError
        If a file cannot be written.
    """
    wanted = RUNS / run_slug(result.game, result.method) if folder is None else _named(folder)
    about = {
        "parameters": _parameters(result.game, game),
        "method": result.method,
        "seed": None,
    }
    made = _make_folder(wanted)
    save_policy(result.policy, made / RUN_FILES["policy"], about)
    _write(made / RUN_FILES["trace"], lambda path: _write_trace(result, path))
    _write(made / RUN_FILES["picture"], lambda path: _write_picture(result, path))
    text = json_text(_record(result, about), indent=2) + "\n"
    _write(made / RUN_FILES["result"], lambda path: _write_text(text, path))
    return made


def check_writable(folder: str | Path | None) -> None:
    """Raise, before any work is done, if a run could not be saved under `folder`.

    Raises
    ------
    ParameterError
        If the nearest folder that exists is none, or may not be written to.
    """
    wanted = (RUNS if folder is None else _named(folder)).absolute()
    nearest = next(path for path in wanted.parents if path.exists())
    if not nearest.is_dir():
        raise ParameterError(f"cannot write to {wanted}: {nearest} is not a folder; choose another")
    if not os.access(nearest, os.W_OK):
        raise ParameterError(f"cannot write to {wanted}: {nearest} is read-only; choose another")


def _named(folder: str | Path) -> Path:
    """Return a folder by a path that ends in its name, as `.` and `..` do not."""
    path = Path(folder)
    if path.name in ("", ".."):
        path = Path(os.path.abspath(path))
    if not path.name:
        raise ParameterError(f"cannot write a run to {path}; give a folder inside of it")
    return path


def _make_folder(wanted: Path) -> Path:
    """Make a folder that did not exist; of several processes, each gets its own."""
    try:
        wanted.parent.mkdir(parents=True, exist_ok=True)
        for number in count(1):
            name = wanted.name if number == 1 else f"{wanted.name}-{number}"
            folder = wanted.with_name(name)
            try:
                folder.mkdir()
            except FileExistsError:
                continue
            return folder
    except OSError as error:
        raise ParameterError(
            f"cannot make the folder {wanted}: {error.strerror}; choose another"
        ) from error
    raise AssertionError("count has no end")


def _parameters(spec: str, game: Game | ExtensiveForm | None) -> Any:
    """Return the parameters of the game as JSON values; None where nothing tells them."""
    if game is None:
        try:
            game = load(spec)
        except InfosetError:
            return None
    return json_value(game.parameters()) if isinstance(game, Game) else None


def _record(result: SolveResult, about: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **result.summary(),
        **about,
        "version": __version__,
        "fingerprint": result.policy.sequence_form.fingerprint,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "files": dict(RUN_FILES),
    }


def _write(path: Path, write: Callable[[Path], None]) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write(temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _write_text(text: str, path: Path) -> None:
    path.write_text(text, encoding="utf-8")


def _write_trace(result: SolveResult, path: Path) -> None:
    values = [f"value_{player}" for player in range(len(result.values))]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["iteration", "seconds", *values, "nash_conv", "exploitability"])
        for point in result.trace:
            errors = (point.nash_conv, point.exploitability)
            writer.writerow([point.iteration, point.seconds, *point.values, *errors])


def _write_picture(result: SolveResult, path: Path) -> None:
    figure = plot_convergence(result.trace, game=result.game, method=result.method)
    figure.savefig(path, format="png")
