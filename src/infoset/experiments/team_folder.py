"""What solving a team game leaves on disk: a folder with the files of `solve`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from infoset.efg import ExtensiveForm
from infoset.experiments.run_folder import parameters_of, write_run
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
"""The columns of a trace that each team has, and what they are called in a point."""


def save_team(
    result: TeamResult,
    folder: str | Path | None = None,
    *,
    game: Game | ExtensiveForm | None = None,
) -> Path:
    """Write the policy, the trace, the picture and the numbers of a result to a new folder.

    The files are those of `save_run`, whole or not there, and a folder that exists is left alone.

    Parameters
    ----------
    result : TeamResult
        Of a game, not of a product form that was written down.
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
        If the result is none, has no policy for a game, or the folder cannot be made.
    OSError
        If a file cannot be written.
    """
    check_type("result", result, TeamResult, "what solve_team returns")
    about = {
        "parameters": parameters_of(result.game, game),
        "method": result.method,
        "seed": result.seed,
    }
    rows = team_trace_rows(result)
    return write_run(result, folder, about=about, rows=rows, figure=plot_team(result))


def team_trace_rows(result: TeamResult) -> Iterator[list[object]]:
    """Yield the names of the columns of a trace, then a row per measurement, of all runs."""
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
