"""Runs of a learner, one after the other, measured on the way, and the best of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import dropwhile
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from infoset.runs import COST_BETWEEN_CLOCK_CHECKS, planned_measurements
from infoset.teams.hiding import HidingTrace, MinorizeMaximize, PenaltySchedule, ProgressiveHiding
from infoset.teams.hiding.relaxed_form import RelaxedForm
from infoset.teams.solving.result import TeamOutcome, TeamPoint
from infoset.teams.solving.task import TeamTask
from infoset.typing import FloatArray, StateArrays

__all__ = ["BestRun", "Learner", "LearningRuns", "Start"]

Learner: TypeAlias = ProgressiveHiding | MinorizeMaximize

Start: TypeAlias = Callable[[RelaxedForm, PenaltySchedule | float | None, int], Learner]
"""From a form, the penalty that is asked for, and a seed to the beginning of a run."""


class BestRun(NamedTuple):
    """The run whose best policy earns most so far; the first, where several teams learn.

    Attributes
    ----------
    run : int
    payoff : float
        What the best policy earns the first team.
    probability, last_probability : FloatArray
        [C] the best policy, and the last one of the run.
    """

    run: int
    payoff: float
    probability: FloatArray
    last_probability: FloatArray


class LearningRuns:
    """Runs from different first policies: which one goes on, and the best so far.

    Parameters
    ----------
    start : callable
        From a form, a penalty and a seed to the beginning of a run.
    task : TeamTask
        Takes the measurements.
    """

    def __init__(self, start: Start, task: TeamTask) -> None:
        self._start = start
        self._task = task
        self._begin(0)
        self.best = self._now()

    @property
    def task(self) -> TeamTask:
        """What is to be solved."""
        return self._task

    @property
    def iterations_of_run(self) -> int:
        """How many iterations a run has."""
        return self._task.options.iterations or 1

    @property
    def iteration(self) -> int:
        """Number of iterations done, in all runs."""
        return self.run * self.iterations_of_run + self._learner.iteration

    @property
    def is_run_over(self) -> bool:
        """Whether the run has done its iterations."""
        return self._learner.iteration >= self.iterations_of_run

    def next_run(self) -> None:
        """Begin another run, by the next seed."""
        self._begin(self.run + 1)

    def go_on(self) -> TeamOutcome | None:
        """Iterate up to the next measurement; return why to stop, or None to go on."""
        learner = self._learner
        planned = min(next(self._planned), self.iterations_of_run)
        trace = learner.run(planned - learner.iteration)
        is_better = len(self._task.teams) == 1 and learner.best_payoff > self.best.payoff
        if is_better or self.best.run == self.run:
            self.best = self._now()
        return self._task.record(_point(trace, self.run, learner.iteration, self._task.elapsed))

    def settings(self) -> Mapping[str, Any]:
        """Return what, with the game and what is lent, decides every iteration, by name."""
        first = self._start(self._task.relaxed_form, self._task.options.penalty, self._task.seed)
        return {"iterations of a run": self.iterations_of_run, **first.settings()}

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all that iterations move, by name."""
        best = self.best
        return {
            **self._learner.state(),
            "run": np.array(self.run),
            "best_run": np.array(best.run),
            "best_run_payoff": np.array(best.payoff),
            "best_run_policy": best.probability,
            "best_run_last_policy": best.last_probability,
        }

    def set_state(self, state: StateArrays) -> None:
        """Take the values of arrays named and shaped as those of `state`."""
        self._begin(int(state["run"]))
        self._learner.set_state(state)
        self._planned = self._plan()
        self.best = BestRun(
            int(state["best_run"]),
            float(state["best_run_payoff"]),
            state["best_run_policy"],
            state["best_run_last_policy"],
        )

    def _begin(self, run: int) -> None:
        self.run = run
        task = self._task
        self._learner = self._start(task.relaxed_form, task.options.penalty, task.seed + run)
        self._planned = self._plan()

    def _plan(self) -> Iterator[int]:
        """Return the iterations of the run after which to measure, of those that are to come."""
        form, done = self._task.relaxed_form, self._learner.iteration
        work = form.form.num_nodes + form.relaxed.num_entries
        return dropwhile(
            lambda at: at <= done, planned_measurements(work, COST_BETWEEN_CLOCK_CHECKS)
        )

    def _now(self) -> BestRun:
        learner = self._learner
        return BestRun(self.run, learner.best_payoff, learner.best_policy(), learner.policy())


def _point(trace: HidingTrace, run: int, iteration: int, seconds: float) -> TeamPoint:
    payoffs, relaxed, squared_distances, penalty_coefficients = (
        tuple(part[-1].tolist()) for part in trace
    )
    return TeamPoint(
        run, iteration, seconds, payoffs, relaxed, squared_distances, penalty_coefficients
    )
