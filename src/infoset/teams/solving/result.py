"""What solving a team game returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from infoset.policy import TabularPolicy
from infoset.teams.policies import to_tabular
from infoset.teams.product_form.form import InformationMap, Team
from infoset.typing import FloatArray

__all__ = ["TeamCallback", "TeamOutcome", "TeamPoint", "TeamResult"]

TeamOutcome: TypeAlias = Literal[
    "optimal", "local", "iterations", "seconds", "states", "stopped", "interrupted"
]
"""Why solving ended: the optimum is proved; no agent gains alone; the iterations, the seconds or
the states of a search are used up; the callback said stop; or Ctrl-C."""


@dataclass(frozen=True)
class TeamPoint:
    """How far a run had come at one moment.

    Attributes
    ----------
    run : int
        Which of the runs, from 0.
    iteration : int
        Iterations of this run.
    seconds : float
        Time since the first run began.
    payoffs : tuple[float, ...]
        What each team earns by what its agents know, in the game's units.
    relaxed_payoffs : tuple[float, ...]
        What each team earns by what its agents are lent; the same where nothing is.
    squared_distances : tuple[float, ...]
        How far the two policies are apart: E ‖π - π̂‖², summed over the stages of a play.
    penalty_coefficients : tuple[float, ...]
        The price γ of that, in units of utility.
    """

    run: int
    iteration: int
    seconds: float
    payoffs: tuple[float, ...]
    relaxed_payoffs: tuple[float, ...]
    squared_distances: tuple[float, ...]
    penalty_coefficients: tuple[float, ...]


TeamCallback: TypeAlias = Callable[[TeamPoint], object]
"""Called at every measurement; what it returns, if true, stops the method."""


@dataclass(frozen=True, eq=False)
class TeamResult:
    """What solving a team game returns.

    Attributes
    ----------
    game : str
        The game, as `load` reads it.
    method : str
    teams : tuple[Team, ...]
        T teams, which have every agent once.
    relaxed : InformationMap
        What agents were lent while they learned; what they know where nothing was.
    information : InformationMap
        What agents know.
    probability : FloatArray
        [entries] the answer as a policy for `information`: the best that was met in any run, once
        the agents have responded to it by turns. Where several teams learn, the last of the first
        run. What was earned before that is in the trace.
    last_probability : FloatArray
        [entries] the last of the run that the answer is of.
    payoffs : tuple[float, ...]
        [T] what each team earns by the answer, in the game's units.
    upper_bound : float or None
        No policy of the team earns more: proved by the search, or what it would earn if whoever
        acts knew all that the team knew and did. None where there are several teams.
    outcome : TeamOutcome
    run : int
        The run that the answer is of.
    seed : int
        Of the first run; the others have the numbers that follow.
    seconds : float
        Time taken, the making of the product form not counted.
    trace : tuple[TeamPoint, ...]
        Measurements on the way, of all runs.
    """

    game: str
    method: str
    teams: tuple[Team, ...]
    relaxed: InformationMap
    information: InformationMap
    probability: FloatArray
    last_probability: FloatArray
    payoffs: tuple[float, ...]
    upper_bound: float | None
    outcome: TeamOutcome
    run: int
    seed: int
    seconds: float
    trace: tuple[TeamPoint, ...]

    @cached_property
    def policy(self) -> TabularPolicy:
        """The answer as a policy for the game.

        Raises
        ------
        ParameterError
            If the product form was written down, and not made of a game.
        """
        return to_tabular(self.information, self.probability)

    @cached_property
    def last_policy(self) -> TabularPolicy:
        """The last iterate as a policy for the game; raises as `policy` does."""
        return to_tabular(self.information, self.last_probability)

    @property
    def payoff(self) -> float:
        """What the first team earns by the answer: the only one where all want the same."""
        return self.payoffs[0]

    @property
    def last(self) -> TeamPoint:
        """The last measurement of the run that the answer is of."""
        return self.trace_of(self.run)[-1]

    @property
    def num_runs(self) -> int:
        """Number of runs begun."""
        return self.trace[-1].run + 1

    def trace_of(self, run: int) -> tuple[TeamPoint, ...]:
        """Return the measurements of a run."""
        return tuple(point for point in self.trace if point.run == run)

    def summary(self) -> dict[str, Any]:
        """Return the numbers as JSON values, without policies and trace."""
        return {
            "game": self.game,
            "method": self.method,
            "teams": [list(team) for team in self.teams],
            "relaxed": self.relaxed.name,
            "payoffs": list(self.payoffs),
            "last_payoffs": list(self.last.payoffs),
            "relaxed_payoffs": list(self.last.relaxed_payoffs),
            "squared_distances": list(self.last.squared_distances),
            "penalty_coefficients": list(self.last.penalty_coefficients),
            "upper_bound": self.upper_bound,
            "outcome": self.outcome,
            "runs": self.num_runs,
            "run": self.run,
            "iterations": self.last.iteration,
            "seconds": self.seconds,
        }
