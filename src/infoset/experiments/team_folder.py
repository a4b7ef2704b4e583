"""Folders of team results, with the same files as those of `save_run`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from infoset.efg import ExtensiveForm
from infoset.experiments.run_folder import source_record, write_run
from infoset.game import Game
from infoset.plotting import plot_team
from infoset.teams import TeamResult
from infoset.utils.arguments import check_type

__all__ = ["save_team", "team_trace_rows"]

MEASURED = {
    "payoff": "payoffs",
    "relaxed_payoff": "relaxed_payoffs",
    "squared_distance": "squared_distances",
    "penalty_coefficient": "penalty_coefficients",
}
"""Columns of a trace for each team, with the names of the attributes of a trace point."""


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
    result : TeamResult
        Result for a game; a result for a custom product form has no policy.
    folder : str or Path, optional
        By default `runs/GAME-METHOD`.
    game : Game or ExtensiveForm, optional
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
    rows = team_trace_rows(result)
    return write_run(result, folder, about=about, rows=rows, figure=plot_team(result))


def team_trace_rows(result: TeamResult) -> Iterator[list[object]]:
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
