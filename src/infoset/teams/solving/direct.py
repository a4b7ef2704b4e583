"""Methods that find an answer by themselves, for one team and with nothing lent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from infoset.errors import UnsupportedGameError
from infoset.teams.exact import iterated_best_response, team_optimum
from infoset.teams.solving.result import TeamOutcome, TeamPoint, TeamResult
from infoset.teams.solving.task import TeamOptions, TeamTask

__all__ = ["DirectMethod", "find_optimum", "respond_by_turns"]


@dataclass(frozen=True)
class DirectMethod:
    """A function finds the answer, for one team.

    Attributes
    ----------
    name : str
    description : str
    defaults : TeamOptions
    takes : frozenset[str]
        Which options it has a use for.
    find : callable
        From the name of the method and the task to the result.
    """

    name: str
    description: str
    defaults: TeamOptions
    takes: frozenset[str]
    find: Callable[[str, TeamTask], TeamResult]

    def solve(self, task: TeamTask) -> TeamResult:
        """Solve a game of one team.

        Raises
        ------
        UnsupportedGameError
            If there are several.
        """
        if len(task.teams) > 1:
            raise UnsupportedGameError(
                f"{self.name} is for one team, and there are {len(task.teams)}: "
                f"{list(task.teams)}; let all learn by progressive-hiding"
            )
        return self.find(self.name, task)


def respond_by_turns(name: str, task: TeamTask) -> TeamResult:
    """Have agents respond to each other by turns, from many random policies.

    When the seconds are over, and after Ctrl-C, the best so far is the answer.
    """
    found = iterated_best_response(
        task.information,
        task.teams[0],
        rule=task.rule,
        restarts=task.options.restarts or 1,
        seed=task.seed,
        seconds=task.options.seconds,
    )
    for run, value in enumerate(found.values.tolist()):
        task.record(_point(run, value, task.elapsed))
    outcome: TeamOutcome = "local" if found.outcome == "restarts" else found.outcome
    best, bound = int(found.values.argmax()), task.upper_bound()
    return task.finish(name, outcome, found.probability, upper_bound=bound, run=best)


def find_optimum(name: str, task: TeamTask) -> TeamResult:
    """Search for the optimum; the outcome is what ends that, and the bound what it knows then."""
    found = team_optimum(
        task.information, task.teams[0], rule=task.rule, seconds=task.options.seconds
    )
    task.record(_point(0, found.value, task.elapsed))
    return task.finish(name, found.outcome, found.probability, upper_bound=found.upper_bound)


def _point(run: int, value: float, seconds: float) -> TeamPoint:
    """Return the one measurement of a run in which nothing is lent."""
    return TeamPoint(run, 1, seconds, (value,), (value,), (0.0,), (0.0,))
