"""Runs of a learner from different initial policies, with plans, measurements and checkpoints."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from itertools import dropwhile
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from infoset.errors import CheckpointMismatchError
from infoset.runs import (
    COST_BETWEEN_CLOCK_CHECKS,
    Checkpoint,
    Checkpointer,
    Checkpointing,
    NullCheckpointer,
    json_settings,
    planned_measurements,
)
from infoset.teams.hiding import (
    HidingTrace,
    MinorizeMaximize,
    PenaltySchedule,
    ProgressiveHiding,
    RelaxedForm,
)
from infoset.teams.solving.result import TeamOutcome, TeamPoint
from infoset.teams.solving.task import TeamTask
from infoset.typing import FloatArray, StateArrays

PLANNED_AFTER = (0.05, 0.5)
"""Fractions of a time limit after which the rest of a run is planned by the measured rate."""
PLANNED_FRACTION = 0.95
"""Part of the time left for which iterations are planned."""

Learner: TypeAlias = ProgressiveHiding | MinorizeMaximize
Start: TypeAlias = Callable[[RelaxedForm, PenaltySchedule | float | None, int], Learner]
"""Function of a relaxed form, the requested penalty and a seed that returns a new learner."""


class BestRun(NamedTuple):
    """The run with the best policy so far; always the first run if several teams learn."""

    run: int
    payoff: float
    """Payoff of the best policy for the first team."""
    probability: FloatArray
    last_probability: FloatArray
    """[C] the best policy and the last policy of the run."""


class MeasuredPace:
    """The number of iterations that fit into a time limit, by the measured rate.

    A plan is due early in the limit, when the rate is first known well enough, and once again in
    the middle of it.
    """

    def __init__(self, task: TeamTask) -> None:
        self._task = task
        self._total: float | None = None
        self._done = 0
        self._due = list(PLANNED_AFTER)

    def begin(self) -> None:
        """Begin to measure the time, if it has not begun."""
        if self._total is None:
            self._total = self._task.learning_seconds_left

    def count(self, iterations: int) -> None:
        """Count iterations as done."""
        self._done += iterations

    def is_due(self) -> bool:
        """Return whether it is time for the first or the second plan; True once for each."""
        # Plans that are due at the same time count as one.
        passed = [at for at in self._due if self._total and self._spent >= at * self._total]
        self._due = self._due[len(passed) :]
        return bool(passed)

    def iterations_left(self) -> int | None:
        """Return how many more iterations fit into the limit; None without a limit or a rate."""
        left = self._task.learning_seconds_left
        if left is None or self._spent <= 0:
            return None
        return int(PLANNED_FRACTION * left * self._done / self._spent)

    @property
    def _spent(self) -> float:
        left = self._task.learning_seconds_left
        return 0.0 if self._total is None or left is None else self._total - left


class LearningRuns:
    """Consecutive runs from different initial policies, and the best policy so far.

    Parameters
    ----------
    start : callable
        Function of a relaxed form, a penalty and a seed that returns a learner.
    task
        The task, which records the measurements. Runs are numbered after those in its trace.
    """

    def __init__(self, start: Start, task: TeamTask) -> None:
        self._start = start
        self._task = task
        self._pace = MeasuredPace(task)
        self.first_run = task.num_runs
        self._first_point = len(task.trace)
        self._begin(0)
        self.best = self._now()

    @property
    def task(self) -> TeamTask:
        """The task that is being solved."""
        return self._task

    @property
    def is_measured(self) -> bool:
        """Whether there is a measurement of these runs, from this session or an earlier one."""
        return len(self._task.trace) > self._first_point

    @property
    def iterations_of_run(self) -> int:
        """Number of iterations of each run."""
        return self._task.options.iterations or 1

    @property
    def iteration(self) -> int:
        """Number of iterations done, in all runs."""
        return self.run * self.iterations_of_run + self._learner.iteration

    @property
    def is_run_over(self) -> bool:
        """Whether the current run has done its iterations."""
        return self._learner.iteration >= self.iterations_of_run

    def next_run(self) -> None:
        """Begin the next run, with the next seed."""
        self._begin(self.run + 1)
        self._plan_by_clock()

    def advance(self) -> TeamOutcome | None:
        """Iterate up to the next measurement; return a reason to stop, or None."""
        learner = self._learner
        planned = min(next(self._planned), self.iterations_of_run)
        self._pace.begin()
        trace = learner.run(planned - learner.iteration)
        # Payoffs of several teams do not compare runs: the first run stays the best.
        is_better = len(self._task.teams) == 1 and learner.best_payoff > self.best.payoff
        if is_better or self.best.run == self.run:
            self.best = self._now()
        run, seconds = self.first_run + self.run, self._task.clock.elapsed
        outcome = self._task.record(_point(trace, run, learner.iteration, seconds))
        self._pace.count(len(trace.relaxed))
        if self._pace.is_due():
            self._plan_by_clock()
        return outcome

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that, with the game and its maps, determine every iteration."""
        first = self._start(self._task.relaxed_form, self._task.options.penalty, self._task.seed)
        return {"iterations of a run": self.iterations_of_run, **first.settings()}

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all arrays that iterations modify, by name."""
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
        """Restore the runs from arrays with the names and shapes of `state()`."""
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
        self._learner.plan(self.iterations_of_run)
        self._planned = self._plan()

    def _plan_by_clock(self) -> None:
        """Plan the rest of a run for the iterations that fit into the time left, if not all do.

        Runs with a checkpoint keep their plan, because later sessions complete them.
        """
        if self._task.options.checkpoint is not None:
            return
        fitting = self._pace.iterations_left()
        if fitting is not None and fitting < self.iterations_of_run - self._learner.iteration:
            # The rest of the run is shortened, so that its schedule ends in time.
            self._learner.plan(max(1, fitting))
            self._task.clock.changed_course = True

    def _plan(self) -> Iterator[int]:
        """Return the remaining iterations of the run after which to measure."""
        form, done = self._task.relaxed_form, self._learner.iteration
        work = form.form.num_nodes + form.relaxed.num_entries
        # Measurements are part of the iterations; the trace has some of them.
        planned = planned_measurements(work, max_cost_between=COST_BETWEEN_CLOCK_CHECKS)
        return dropwhile(lambda at: at <= done, planned)

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


class TeamCheckpointer(Checkpointer):
    """Saves the runs of a learner to a file, and restores them.

    Parameters
    ----------
    method
        Name of the method in the result.
    to
        The file, and how often to save.
    """

    def __init__(self, runs: LearningRuns, method: str, to: Checkpointing) -> None:
        super().__init__(to)
        self._runs = runs
        self._method = method

    def resume(self) -> None:
        """Restore the state, the trace and the elapsed time of the runs from the file.

        Raises
        ------
        CheckpointFileError
            If the file cannot be read.
        CheckpointMismatchError
            If the file belongs to other runs, or to more runs than requested.
        """
        task = self._runs.task
        kept = self.read(TeamPoint, task.options.seconds)
        begun, asked = int(kept.state["run"]) + 1, task.options.restarts or 1
        if begun > asked:
            raise CheckpointMismatchError(
                f"{self._to.path} has reached run {begun}, more than restarts={asked}; give at "
                f"least restarts={begun}, or use another file"
            )
        self._runs.set_state(kept.state)
        task.trace.extend(kept.trace)
        task.clock.started -= kept.seconds

    def checkpoint(self) -> Checkpoint:
        """Return the current state of the runs as a checkpoint."""
        task = self._runs.task
        return Checkpoint(
            game=task.form.name,
            fingerprint=fingerprint_of(task.relaxed_form),
            method=self._method,
            settings=json_settings(self._runs.settings()),
            iteration=self._runs.iteration,
            seconds=task.clock.elapsed,
            trace=tuple(task.trace),
            state=self._runs.state(),
        )


def make_checkpointer(runs: LearningRuns, method: str) -> TeamCheckpointer | NullCheckpointer:
    """Return a checkpointer for the runs; if its file exists, resume them from it.

    Raises
    ------
    CheckpointFileError, CheckpointMismatchError
        In the cases that `TeamCheckpointer.resume` lists.
    """
    to = runs.task.options.checkpoint
    if to is None:
        return NullCheckpointer()
    checkpointer = TeamCheckpointer(runs, method, to)
    if to.path.exists():
        checkpointer.resume()
    return checkpointer


def fingerprint_of(relaxed_form: RelaxedForm) -> str:
    """Return a hash of a game, its teams, their information and the relaxation."""
    form, found = relaxed_form.form, hashlib.sha256(repr(relaxed_form.teams).encode())
    # The form, both maps and the payoffs of the teams: all that iterations read.
    cells = relaxed_form.original.cell, relaxed_form.relaxed.cell
    for array in (*form.arrays, *cells, relaxed_form.payoff):
        found.update(array.tobytes())
    return found.hexdigest()
