"""Folders of results of solvers, teams and learners, and of comparisons and best responses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from shutil import copyfile
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from infoset._version import __version__
from infoset.efg import ExtensiveForm
from infoset.evaluation import BestResponse, save_correlated_policy
from infoset.experiments.folders import (
    run_slug,
    save_result,
    source_record,
    write_picture,
    write_trace,
)
from infoset.forms import MAX_LISTED, LockedBehavior
from infoset.front import save_policy as save_measured_policy
from infoset.game import Game
from infoset.learning import LearnResult
from infoset.plotting import (
    plot_comparison,
    plot_convergence,
    plot_learning,
    plot_policy,
    plot_team,
)
from infoset.policy import TabularPolicy, save_behavior, save_policy
from infoset.runs import SolveResult, trace_rows
from infoset.teams import TeamResult
from infoset.utils.arguments import check_choice, check_type

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

PICTURE_FORMATS: Final = ("png", "pdf", "svg")
"""Formats of the picture of a comparison."""

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
    lock: str | Path | LockedBehavior | None = None,
    about: Mapping[str, Any] | None = None,
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
        Locked probabilities of a game with locks: a file, which is copied to the folder as
        `lock.json` or `lock.csv`, or probabilities as in `infoset.lock`, saved as `lock.json`.
    about
        Additional items for `result.json`, as JSON values.

    Returns
    -------
    Path
        The new folder.

    Raises
    ------
    ParameterError
        If the folder or a file cannot be written.
    """
    check_type("result", result, SolveResult, 'a result of solve, such as solve("kuhn_poker")')
    if "convergence" in run_files(result)["picture"]:
        figure = plot_convergence(result.trace, game=result.game, method=result.method)
    else:
        figure = plot_policy(result.policy, title=f"{result.game}, {result.method}")
    return _save_policy_run(result, folder, game, trace_rows(result), figure, storage, lock, about)


def run_files(result: SolveResult | TeamResult) -> dict[str, str]:
    """Return the file names of a result by content.

    A result with a single measurement, such as that of a linear program, has no convergence to
    plot. Its picture shows the policy, unless there are more than `MAX_LISTED` infostates.
    """
    shows_policy = (
        len(result.trace) == 1
        and isinstance(result.policy, TabularPolicy)
        and sum(plex.num_infostates for plex in result.policy.form.treeplexes) <= MAX_LISTED
    )
    return {**RUN_FILES, "picture": "policy.png"} if shows_policy else {**RUN_FILES}


def save_team(
    result: TeamResult,
    folder: str | Path | None = None,
    *,
    game: Game | ExtensiveForm | None = None,
) -> Path:
    """Write the policy, trace, figure and numbers of a team result to a new folder, as `save_run`.

    Parameters
    ----------
    result
        Result for a game; a result for a custom product form has no policy.
    folder
        By default `runs/GAME-METHOD`.
    game
        The game whose parameters are saved; by default the one that was solved.

    Raises
    ------
    ParameterError
        If `result` has no policy for a game, or the folder or a file cannot be written.
    """
    check_type("result", result, TeamResult, "a result of solve_team")
    title = f"{result.game}, {result.method}"
    is_curve = len(result.trace) > 1
    figure = plot_team(result) if is_curve else plot_policy(result.policy, title=title)
    return _save_policy_run(result, folder, game, _team_rows(result), figure)


def save_response(
    response: BestResponse,
    folder: str | Path | None = None,
    *,
    game: Game | ExtensiveForm | None = None,
) -> Path:
    """Write a best response, with its player and value, to a new folder, as `save_run`.

    Parameters
    ----------
    folder
        By default `runs/GAME-response-PLAYER`.
    game
        The game whose parameters are saved; by default that of the policy.

    Raises
    ------
    ParameterError
        If the folder or a file cannot be written.
    """
    check_type("response", response, BestResponse, "a result of best_response(policy, player)")
    policy, player = response.policy, response.player
    name = policy.form.name
    about = _about_policy(policy, game, f"best response of player {player}", None)
    numbers = {"game": name, "player": player, "value": response.value}
    return save_result(
        _with_source(numbers, policy, about),
        {what: RUN_FILES[what] for what in ("policy", "result")},
        {"policy": partial(save_measured_policy, policy, metadata=about)},
        folder,
        run_slug(name, f"response-{player}"),
    )


def comparison_files(picture_format: str = "png") -> dict[str, str]:
    """Return the file names of a comparison by content, in the order of writing.

    Examples
    --------
    >>> comparison_files("pdf")["picture"]
    'comparison.pdf'
    """
    check_choice("format", picture_format, PICTURE_FORMATS)
    picture = f"comparison.{picture_format}"
    return {"traces": "traces.csv", "picture": picture, "results": "results.json"}


def save_comparison(
    results: Sequence[SolveResult],
    folder: str | Path | None = None,
    *,
    picture_format: str = "png",
) -> Path:
    """Write the traces, figure and numbers of several results to a new folder, as `save_run`.

    Parameters
    ----------
    results
        At least one result; all are of the same game.
    folder
        By default `runs/GAME-comparison`.
    picture_format
        A name from `PICTURE_FORMATS`.

    Raises
    ------
    ParameterError
        If `results` is empty or of different games, or the folder or a file cannot be written.
    """
    files = comparison_files(picture_format)
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
    }
    writers = {
        "traces": partial(write_trace, _comparison_rows(results)),
        "picture": partial(write_picture, figure),
    }
    return save_result(record, files, writers, folder, run_slug(game, "comparison"))


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
    """Write the policies, traces, figure and numbers of a result to a new folder, as `save_run`.

    Parameters
    ----------
    folder
        By default `runs/GAME-METHOD`.
    game
        The game whose parameters are saved; by default the one that was learned.

    Raises
    ------
    ParameterError
        If the folder or a file cannot be written.
    """
    files = learning_files(result)
    policy = result.runs[0].policy
    source = source_record(policy.form.source, game)
    writers: dict[str, Any] = {}
    # The policies are the first files, one for each seed.
    for number, (seed, what) in enumerate(zip(result.seeds, files, strict=False)):
        about = {**source, "method": result.method, "seed": seed}
        if result.joint_play:
            joint = result.correlated_policies[number]
            writers[what] = partial(save_correlated_policy, joint, metadata=about)
        else:
            writers[what] = partial(save_policy, result.runs[number].policy, metadata=about)
    writers["trace"] = partial(write_trace, _learning_rows(result))
    writers["picture"] = partial(write_picture, plot_learning(result))
    record = _with_source(result.summary(), policy, source)
    return save_result(record, files, writers, folder, run_slug(result.game, result.method))


def _save_policy_run(
    result: SolveResult | TeamResult,
    folder: str | Path | None,
    game: Game | ExtensiveForm | None,
    rows: Iterable[list[object]],
    figure: Figure,
    storage: str = "float64",
    lock: str | Path | LockedBehavior | None = None,
    more: Mapping[str, Any] | None = None,
) -> Path:
    """Save a result with one policy; `rows` are those of its trace."""
    about = _about_policy(result.policy, game, result.method, result.seed)
    if isinstance(result, SolveResult) and result.start is not None:
        about["start"] = result.start._asdict()
    files = run_files(result)
    writers = {
        "policy": partial(save_measured_policy, result.policy, metadata=about, storage=storage),
        "trace": partial(write_trace, rows),
        "picture": partial(write_picture, figure),
    }
    if lock is not None:
        name = "lock.json"
        if isinstance(lock, str | Path):
            name, writers["lock"] = f"lock{Path(lock).suffix}", partial(copyfile, lock)
        else:
            writers["lock"] = partial(save_behavior, lock, form=result.policy.form)
        files = {"lock": name, **files}  # the record of the result is last
    record = _with_source({**result.summary(), **(more or {})}, result.policy, about)
    return save_result(record, files, writers, folder, run_slug(result.game, result.method))


def _about_policy(
    policy: TabularPolicy, game: Game | ExtensiveForm | None, method: str, seed: int | None
) -> dict[str, Any]:
    return {**source_record(policy.form.source, game), "method": method, "seed": seed}


def _with_source(
    numbers: Mapping[str, Any], policy: TabularPolicy, about: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the numbers of a result with its source and the version."""
    fingerprint = policy.form.fingerprint
    return {**numbers, **about, "version": __version__, "fingerprint": fingerprint}


def _team_rows(result: TeamResult) -> Iterator[list[object]]:
    """Yield the column names of a trace, then one row for each measurement of each run."""
    teams = range(len(result.teams))
    columns = [f"{name}_{team}" for team in teams for name in MEASURED]
    yield ["run", "iteration", "seconds", *columns]
    for point in result.trace:
        found = [getattr(point, name)[team] for team in teams for name in MEASURED.values()]
        yield [point.run, point.iteration, point.seconds, *found]


def _learning_rows(result: LearnResult) -> Iterator[list[object]]:
    """Yield the column names, then one row for each measurement of each seed."""
    _, *columns = next(trace_rows(result.runs[0]))
    yield ["game", "method", "seed", "episode", *columns]
    for seed, run in zip(result.seeds, result.runs, strict=True):
        for row in islice(trace_rows(run), 1, None):
            yield [result.game, result.method, seed, *row]


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
