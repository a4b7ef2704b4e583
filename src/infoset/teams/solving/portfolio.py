"""The default team method: capped exact search, then learning, then best responses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Final

from infoset.errors import GameTooLargeError
from infoset.runs import NullCheckpointer
from infoset.teams.exact import hill_climb, iterated_best_response, team_optimum
from infoset.teams.solving.direct_methods import point_of
from infoset.teams.solving.learning_methods import HIDING_DEFAULTS, hide_by, learn_in_runs
from infoset.teams.solving.learning_runs import LearningRuns
from infoset.teams.solving.result import TeamOutcome, TeamPoint, TeamResult
from infoset.teams.solving.task import TeamTask, reaches
from infoset.typing import FloatArray

__all__ = ["EXACT_STATES", "EXACT_STEPS", "solve_in_stages"]

EXACT_STATES: Final = 200_000
EXACT_STEPS: Final = 1 << 22
"""Caps on the exact search: numbers, not seconds, so that answers do not depend on the machine."""

EXACT_FRACTION = 0.5
LEARNING_FRACTION = 0.9
"""With a time limit, the fractions of it after which the exact search and learning end."""

CLIMBS = 100


def solve_in_stages(name: str, task: TeamTask) -> TeamResult:
    """Search for the optimum; if that proves nothing, also learn and climb; return the best policy.

    Every stage ends the method if its policy reaches the upper bound. The bound is that of the
    exact search, even if the search was stopped by its cap. If the time limit, the callback or
    Ctrl-C stops the method, the answer is the best policy so far.
    """
    stages = _Stages(task)
    outcome = stages.run()
    information, team = task.information, task.teams[0]
    answer = hill_climb(information, stages.probability, team, rule=task.rule)
    bound = stages.upper_bound
    return task.finish(name, outcome, answer, upper_bound=bound, run=stages.best_run)


@dataclass
class _Stages:
    """The best policy and the upper bound so far; each stage returns a reason to stop, or None."""

    task: TeamTask
    upper_bound: float = inf
    payoff: float = -inf
    best_run: int = 0

    def __post_init__(self) -> None:
        self.probability = self.task.uniform_policy()

    def run(self) -> TeamOutcome:
        """Run the stages until one of them ends the method.

        Raises
        ------
        KeyboardInterrupt
            If Ctrl-C is pressed before there is a policy.
        """
        try:
            for stage in (self._search, self._learn, self._climb):
                outcome = stage()
                if reaches(self.upper_bound, self.payoff):
                    return "optimal"
                if outcome is not None:
                    return outcome
        except KeyboardInterrupt:
            if not self.task.trace:
                raise
            return "interrupted"
        return "local"

    def _search(self) -> TeamOutcome | None:
        task = self.task
        try:
            found = team_optimum(
                task.information,
                task.teams[0],
                rule=task.rule,
                max_states=EXACT_STATES,
                max_steps=EXACT_STEPS,
                seconds=self._seconds_until(EXACT_FRACTION),
            )
        except GameTooLargeError:
            self.upper_bound = task.recall_bound()
            return None
        self.upper_bound = found.upper_bound
        self._offer(found.value, found.probability, 0)
        stopped = task.record(point_of(0, found.value, task.elapsed))
        return found.outcome if found.outcome in ("optimal", "interrupted") else stopped

    def _learn(self) -> TeamOutcome | None:
        task, first, stopped = self.task, self._num_runs, None

        def record(point: TeamPoint) -> bool:
            nonlocal stopped
            stopped = task.record(replace(point, run=first + point.run, seconds=task.elapsed))
            return stopped is not None

        # A form without private signals has only their part of the relaxation `recall`.
        relaxation = "recall" if task.form.private_signal is not None else "closure"
        seconds = self._seconds_until(LEARNING_FRACTION)
        options = replace(HIDING_DEFAULTS, relax=relaxation, seconds=seconds)
        learning = replace(task, options=options, callback=record, trace=[], build_seconds=0.0)
        runs = LearningRuns(hide_by(), learning)
        task.add_build_seconds(learning.build_seconds)
        outcome = learn_in_runs(runs, self.upper_bound, NullCheckpointer())
        best = hill_climb(task.information, runs.best.probability, task.teams[0], rule=task.rule)
        self._offer(task.payoff_of(best), best, first + runs.best.run)
        return outcome if outcome == "interrupted" else stopped

    def _climb(self) -> TeamOutcome | None:
        task, first = self.task, self._num_runs
        found = iterated_best_response(
            task.information,
            task.teams[0],
            rule=task.rule,
            restarts=CLIMBS,
            seed=task.seed,
            seconds=self._seconds_until(1.0),
        )
        self._offer(found.value, found.probability, first + int(found.values.argmax()))
        for run, value in enumerate(found.values.tolist()):
            stopped = task.record(point_of(first + run, value, task.elapsed))
            if stopped == "stopped":
                return stopped
        return None if found.outcome == "restarts" else found.outcome

    @property
    def _num_runs(self) -> int:
        trace = self.task.trace
        return trace[-1].run + 1 if trace else 0

    def _offer(self, payoff: float, probability: FloatArray, run: int) -> None:
        """Store a policy if it is the best so far."""
        if payoff > self.payoff:
            self.payoff, self.probability, self.best_run = payoff, probability, run

    def _seconds_until(self, fraction: float) -> float | None:
        """Return the seconds left until a fraction of the time limit; None without a limit."""
        limit = self.task.options.seconds
        return None if limit is None else max(0.0, fraction * limit - self.task.elapsed)
