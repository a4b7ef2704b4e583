"""The policy to return if a limit ends a linear program: regret minimization in parallel."""

from __future__ import annotations

from collections.abc import Callable
from sys import maxsize
from threading import Event
from typing import NamedTuple, TypeAlias

from infoset.errors import NumericalError
from infoset.evaluation import Evaluation
from infoset.policy import TabularPolicy
from infoset.runs import Budget, IterativeSolver, SolveResult, run_measured

Measure: TypeAlias = Callable[[TabularPolicy], Evaluation]

BEST = "sapdcfr+"
"""The fastest member of the CFR family over all two-player constant-sum benchmark games."""

SECONDS_BETWEEN_CHECKS = 0.05
HEAD_START = 0.01
"""Fraction of the time limit that the linear program has for itself, so that small programs neither
use a second core nor compile kernels that they do not need."""
HEAD_START_SECONDS = 0.6
"""The same without a time limit."""


class Substitute(NamedTuple):
    """A policy that may be returned instead of the policy of the linear program."""

    policy: TabularPolicy
    measured: Evaluation
    origin: str
    """Description of the policy, for the `reason` of a result."""


class Incumbent:
    """Regret minimization that runs while a linear program is solved in another thread.

    A linear program that is cut off has no useful policy. The incumbent is the policy that an
    iterative method finds in the same time. If the program is solved, the incumbent is discarded,
    so a solution never depends on it.

    Parameters
    ----------
    make_solver : Callable
        Function that returns the solver before its first iteration.
    uniform
        The policy before any iteration.
    measure
        Function that evaluates a policy.
    budget
        The limits of the linear program.
    """

    def __init__(
        self,
        make_solver: Callable[[], IterativeSolver],
        uniform: TabularPolicy,
        measure: Measure,
        budget: Budget,
    ) -> None:
        self._make_solver = make_solver
        self._solver: IterativeSolver | None = None
        self._uniform = uniform
        self._measure = measure
        self._budget = budget
        self._head_start = HEAD_START_SECONDS
        if budget.seconds is not None:
            self._head_start = HEAD_START * budget.seconds
        self._result: SolveResult | None = None
        self._is_done = False

    def improve(self, is_over: Event) -> None:
        """Iterate until `is_over` is set; if the target is reached before, wait a moment for it.

        HiGHS may notice its time limit late, for example in presolve. The time limit of the budget
        therefore does not end the iterations: the caller has to wait for HiGHS anyway.

        Raises
        ------
        KeyboardInterrupt
            At Ctrl-C; the policy so far remains available.
        """
        if self._is_done:
            is_over.wait(SECONDS_BETWEEN_CHECKS)
            return
        if self._solver is None and is_over.wait(self._head_start):
            return
        result = self._iterate(maxsize, None, is_over)
        # Interrupted by the event or by Ctrl-C; whether the event is set distinguishes them.
        self._is_done = result is None or result.outcome != "interrupted"
        if not self._is_done and not is_over.is_set():
            raise KeyboardInterrupt

    def use_time_left(self) -> None:
        """Iterate until the time limit.

        Compilation does not count as time, but HiGHS runs meanwhile. It can therefore reach its
        limit before the first iteration.
        """
        if not self._is_done:
            self._iterate(maxsize, self._budget.seconds, Event())

    def best(self) -> Substitute:
        """Return the better of the uniform policy and the policy after one or more iterations."""
        if self._result is None and not self._is_done:
            self._iterate(1, self._budget.seconds, Event())
        uniform = Substitute(self._uniform, self._measure(self._uniform), "the uniform policy")
        if self._result is None or self._result.nash_conv > uniform.measured.nash_conv:
            return uniform
        origin = f"the policy of {BEST} after {self._result.iterations:,} iterations"
        return Substitute(self._result.policy, self._result.measured, origin)

    def _iterate(
        self, iterations: int, seconds: float | None, is_over: Event
    ) -> SolveResult | None:
        """Iterate within the limits; return None if the method breaks down numerically."""
        budget = Budget(
            self._budget.target,
            iterations,
            seconds,
            started=self._budget.started,
            interrupt=is_over,
        )
        try:
            self._solver = self._solver or self._make_solver()
            self._result = run_measured(self._solver, BEST, budget, self._measure)
        except NumericalError:
            return None
        return self._result
