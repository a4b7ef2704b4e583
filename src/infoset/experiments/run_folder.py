"""Folders of results of solvers and teams, and of comparisons: policies, traces and figures."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from shutil import copyfile
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from infoset._version import __version__
from infoset.efg import ExtensiveForm
from infoset.evaluation import BestResponse
from infoset.experiments.folders import RUNS, run_slug, save_folder, saved_record
from infoset.experiments.json_values import json_text, json_value
from infoset.front import save_policy
from infoset.game import Game, GameSource
from infoset.plotting import plot_comparison, plot_convergence, plot_policy, plot_team
from infoset.policy import TabularPolicy
from infoset.runs import SolveResult, trace_rows
from infoset.teams import TeamResult
from infoset.utils.arguments import check_type
from infoset.utils.files import replace_file, write_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


RUN_FILES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "policy": "policy.parquet",
        "trace": "trace.csv",
        "picture": "convergence.png",
        "result": "result.json",
    }
)
"""File names of a run by content, in the order of writing."""

COMPARISON_FILES: Final[Mapping[str, str]] = MappingProxyType(
    {"traces": "traces.csv", "picture": "comparison.png", "results": "results.json"}
)
"""File names of a comparison by content, in the order of writing."""

MEASURED = {
    "payoff": "payoffs",
    "relaxed_payoff": "relaxed_payoffs",
    "squared_distance": "squared_distances",
    "penalty_coefficient": "penalty_coefficients",
}
"""Columns of a trace for each team, with the names of the attributes of a trace point."""


def save_run(
    result: SolveResult,
    folder: str | Path | None = None,
    *,
    game: Game | ExtensiveForm | None = None,
    storage: str = "float64",
    lock: str | Path | None = None,
) -> Path:
    """Write the policy, trace, figure and numbers of a solver result to a new folder.

    The files are written to a temporary folder, which is then renamed: a folder of results is
    complete. `result.json` has the checksums of all files, which `check_results` compares. If
    the folder exists, the next free name with `-2`, `-3` and so on is used.

    Parameters
    ----------
    folder
        By default `runs/GAME-METHOD`.
    game
        The game whose parameters are saved; by default the one that was solved.
    storage
        How the file of the policy stores probabilities; see `infoset.save_policy`.
    lock
        The file of locked probabilities, if the game was solved with one. It is copied to the
        folder, as `lock.json` or `lock.csv`.

    Returns
    -------
    Path
        The new folder.

    Raises
    ------
    ParameterError
        If `result` is not a `SolveResult`, or the folder or a file cannot be written.
    """
    check_type("result", result, SolveResult, 'a result of solve, such as solve("kuhn_poker")')
    about = {
        **source_record(result.policy, game),
        "method": result.method,
        "seed": result.seed,
    }
    if "convergence" in run_files(result)["picture"]:
        figure = plot_convergence(result.trace, game=result.game, method=result.method)
    else:
        figure = plot_policy(result.policy, title=f"{result.game}, {result.method}")
    copies = {} if lock is None else {"lock": Path(lock)}
    return _write_run(
        result,
        folder,
        about=about,
        rows=trace_rows(result),
        figure=figure,
        storage=storage,
        copies=copies,
    )


def run_files(result: SolveResult | TeamResult) -> dict[str, str]:
    """Return the file names of a result by content.

    A result with a single measurement, such as that of a linear program, has no convergence to
    plot. Its picture shows the policy.
    """
    shows_policy = len(result.trace) == 1 and isinstance(result.policy, TabularPolicy)
    return {**RUN_FILES, "picture": "policy.png"} if shows_policy else {**RUN_FILES}


def save_team(
    result: TeamResult,
    folder: str | Path | None = None,
    *,
    game: Game | ExtensiveForm | None = None,
) -> Path:
    """Write the policy, trace, figure and numbers of a team result to a new folder.

    The files are those of `save_run`: the folder appears when it is complete, and an existing
    folder is not changed.

    Parameters
    ----------
    result
        Result for a game; a result for a custom product form has no policy.
    folder
        By default `runs/GAME-METHOD`.
    game
        The game whose parameters are saved; by default the one that was solved.

    Returns
    -------
    Path
        The new folder.

    Raises
    ------
    ParameterError
        If `result` is not a `TeamResult` or has no policy for a game, or the folder or a file
        cannot be written.
    """
    check_type("result", result, TeamResult, "a result of solve_team")
    about = {
        **source_record(result.policy, game),
        "method": result.method,
        "seed": result.seed,
    }
    title = f"{result.game}, {result.method}"
    is_curve = len(result.trace) > 1
    figure = plot_team(result) if is_curve else plot_policy(result.policy, title=title)
    return _write_run(result, folder, about=about, rows=_team_rows(result), figure=figure)


def save_response(
    response: BestResponse,
    folder: str | Path | None = None,
    *,
    game: Game | ExtensiveForm | None = None,
) -> Path:
    """Write a best response, with its player and value, to a new folder.

    Parameters
    ----------
    folder
        By default `runs/GAME-response-PLAYER`.
    game
        The game whose parameters are saved; by default that of the policy.

    Returns
    -------
    Path
        The new folder.

    Raises
    ------
    ParameterError
        If `response` is not a `BestResponse`, or the folder or a file cannot be written.
    """
    check_type("response", response, BestResponse, "a result of best_response(policy, player)")
    policy, player = response.policy, response.player
    name = policy.form.name
    about = {
        **source_record(policy, game),
        "method": f"best response of player {player}",
        "seed": None,
    }
    numbers = {"game": name, "player": player, "value": response.value}
    files = {what: RUN_FILES[what] for what in ("policy", "result")}

    def write(made: Path) -> None:
        save_policy(policy, made / files["policy"], about)
        record = saved_record(_with_source(numbers, policy, about), made, files)
        write_text(made / files["result"], json_text(record, indent=2) + "\n")

    default = RUNS / run_slug(name, f"response-{player}")
    return save_folder(default if folder is None else folder, write)


def save_comparison(results: Sequence[SolveResult], folder: str | Path | None = None) -> Path:
    """Write the traces, figure and numbers of several solver results to a new folder.

    As in `save_run`, the folder appears when it is complete, and an existing folder is not changed.

    Parameters
    ----------
    results
        At least one result; all are of the same game.
    folder
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
    check_type("results", results, (list, tuple), "results of compare, or of solve")
    for result in results:
        check_type("a result", result, SolveResult, "a result of compare or solve")
    figure = plot_comparison(results)
    game = results[0].game
    record = {
        "game": game,
        "fingerprint": results[0].policy.form.fingerprint,
        "results": [result.summary() for result in results],
        "version": __version__,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }

    def write(made: Path) -> None:
        with replace_file(made / COMPARISON_FILES["traces"]) as path:
            _write_trace(_comparison_rows(results), path)
        with replace_file(made / COMPARISON_FILES["picture"]) as path:
            _write_picture(figure, path)
        whole = saved_record(record, made, COMPARISON_FILES)
        write_text(made / COMPARISON_FILES["results"], json_text(whole, indent=2) + "\n")

    default = RUNS / run_slug(game, "comparison")
    return save_folder(default if folder is None else folder, write)


def _write_run(
    result: SolveResult | TeamResult,
    folder: str | Path | None,
    *,
    about: Mapping[str, Any],
    rows: Iterable[list[object]],
    figure: Figure,
    storage: str = "float64",
    copies: Mapping[str, Path] = MappingProxyType({}),
) -> Path:
    """Write the files of a result with one policy to a new folder, and return the folder.

    Parameters
    ----------
    folder
        By default `runs/GAME-METHOD`.
    about
        Further metadata of the policy and of `result.json`.
    rows
        Rows of the trace, after a row of column names.
    storage
        As in `save_run`.
    copies
        Files to copy to the folder, by content.
    """
    copied = {what: f"{what}{path.suffix}" for what, path in copies.items()}
    files = {**copied, **run_files(result)}  # the record of the result is last

    def write(made: Path) -> None:
        save_policy(result.policy, made / RUN_FILES["policy"], about, storage=storage)
        with replace_file(made / RUN_FILES["trace"]) as path:
            _write_trace(rows, path)
        with replace_file(made / files["picture"]) as path:
            _write_picture(figure, path)
        for what, source in copies.items():
            copyfile(source, made / files[what])
        record = saved_record(_with_source(result.summary(), result.policy, about), made, files)
        write_text(made / RUN_FILES["result"], json_text(record, indent=2) + "\n")

    default = RUNS / run_slug(result.game, result.method)
    return save_folder(default if folder is None else folder, write)


def source_record(policy: TabularPolicy, game: Game | ExtensiveForm | None) -> dict[str, Any]:
    """Return where a game came from and its parameters, as JSON values.

    The name of the game is never loaded: it may be the title of a file.

    Parameters
    ----------
    policy : TabularPolicy or PublicPolicy
        A policy for the game.
    game
        The game to describe; by default the one for which the policy was made.
    """
    source = policy.form.source
    if game is not None:
        source = GameSource.of_rules(game) if isinstance(game, Game) else GameSource()
    return {
        "parameters": json_value(source.parameters),
        "source": {"kind": source.kind, "rules": source.rules or None},
    }


def _with_source(
    numbers: Mapping[str, Any], policy: TabularPolicy, about: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the numbers of a result with its source, the version, and the time."""
    return {
        **numbers,
        **about,
        "version": __version__,
        "fingerprint": policy.form.fingerprint,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _write_trace(rows: Iterable[list[object]], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def _team_rows(result: TeamResult) -> Iterator[list[object]]:
    """Yield the column names of a trace, then one row for each measurement of each run."""
    teams = range(len(result.teams))
    yield [
        "run",
        "iteration",
        "seconds",
        *(f"{name}_{team}" for team in teams for name in MEASURED),
    ]
    for point in result.trace:
        found = [getattr(point, name)[team] for team in teams for name in MEASURED.values()]
        yield [point.run, point.iteration, point.seconds, *found]


def _comparison_rows(results: Sequence[SolveResult]) -> Iterator[list[object]]:
    """Yield the column names, then one row for each measurement of each result.

    The columns are those of the result with the most: some methods measure gaps of joint play.
    """
    columns = max((next(trace_rows(result)) for result in results), key=len)
    yield ["game", "method", "seed", *columns]
    for result in results:
        own = next(trace_rows(result))
        for row in islice(trace_rows(result), 1, None):
            entries = dict(zip(own, row, strict=True))
            yield [result.game, result.method, result.seed, *map(entries.get, columns)]


def _write_picture(figure: Figure, path: Path) -> None:
    figure.savefig(path, format="png")
