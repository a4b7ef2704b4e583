"""Team methods that compute an answer for one team, without information relaxation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from infoset.errors import UnsupportedGameError
from infoset.teams.exact import iterated_best_response, team_optimum
from infoset.teams.solving.result import TeamOutcome, TeamPoint, TeamResult
from infoset.teams.solving.task import TeamOptions, TeamTask


@dataclass(frozen=True)
class DirectMethod:
    """A method that computes an answer for one team, without information relaxation."""

    name: str
    description: str
    defaults: TeamOptions
    takes: frozenset[str]
    """Names of the options that the method accepts."""
    find: Callable[[str, TeamTask], TeamResult]
    """Function of the name of the method and the task that returns the result."""

    def solve(self, task: TeamTask) -> TeamResult:
        """Solve a game of one team.

        Raises
        ------
        UnsupportedGameError
            If there are several teams.
        """
        if len(task.teams) > 1:
            raise UnsupportedGameError(
                f"{self.name} supports one team, but there are {len(task.teams)}: "
                f"{list(task.teams)}; leave out the method, or use progressive-hiding"
            )
        return self.find(self.name, task)


def run_best_responses(name: str, task: TeamTask) -> TeamResult:
    """Run iterated best response from many random policies.

    After the time limit or Ctrl-C, the answer is the best policy so far.
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
        task.record(point_of(run, value, task.clock.elapsed))
    outcome: TeamOutcome = "local" if found.outcome == "restarts" else found.outcome
    best, bound = int(found.values.argmax()), task.upper_bound()
    return task.finish(name, outcome, found.probability, upper_bound=bound, run=best)


def find_optimum(name: str, task: TeamTask) -> TeamResult:
    """Run the exact search until it is done or stopped, and return its policy and bound."""
    found = team_optimum(
        task.information, task.teams[0], rule=task.rule, seconds=task.options.seconds
    )
    task.record(point_of(0, found.value, task.clock.elapsed))
    return task.finish(name, found.outcome, found.probability, upper_bound=found.upper_bound)


def point_of(run: int, value: float, seconds: float) -> TeamPoint:
    """Return the only measurement of a run without relaxation."""
    return TeamPoint(run, 1, seconds, (value,), (value,), (0.0,), (0.0,))
