"""Runs of a comparison: in turn in this process, or on an executor."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

from infoset.errors import ComparisonError, InfosetError, as_error
from infoset.forms import Form
from infoset.runs import (
    Budget,
    Done,
    Interrupt,
    SolveResult,
    TracePoint,
    run_tasks,
    worker_pool,
)
from infoset.runs.task_messages import packed_without, unpacked_with
from infoset.solvers import MethodSpec, run_method

MethodCallback: TypeAlias = Callable[[str, TracePoint], object]


class _FailedMethod(InfosetError):
    """What a method raised on a worker, and the name of the method."""

    def __init__(self, method: str, reason: Exception) -> None:
        super().__init__(f"{method} failed: {reason}")
        self.method, self.reason = method, reason


@dataclass(frozen=True)
class ComparedRuns:
    """The runs of a comparison, as work of which the items are positions."""

    form: Form
    entries: tuple[MethodSpec | SolveResult, ...]
    budget: Callable[..., Budget]
    """Returns the budget of a run; its parameter is `callback`."""

    def name(self, position: int) -> str:
        """Return the name of the method."""
        entry = self.entries[position]
        return entry.method if isinstance(entry, SolveResult) else entry.name

    def result(
        self,
        position: int,
        callback: MethodCallback | None = None,
        interrupt: Interrupt | None = None,
    ) -> SolveResult:
        """Return the result of one run, or a result that was given."""
        entry = self.entries[position]
        if isinstance(entry, SolveResult):
            return entry
        watch = None if callback is None else partial(callback, entry.name)
        budget = self.budget(callback=watch)
        if interrupt is not None:
            budget.interrupt = interrupt
        result = run_method(entry, self.form, budget)
        seed = getattr(entry, "seed", None)
        return result if seed is None else replace(result, seed=seed)

    def __call__(self, position: int, interrupt: Interrupt) -> bytes:
        """Return a packed result, without the form of the game."""
        try:
            return packed_without(self.result(position, None, interrupt), self.form)
        except BaseException as error:
            raise _FailedMethod(self.name(position), as_error(error)) from error


def run_in_turn(runs: ComparedRuns, callback: MethodCallback | None) -> tuple[SolveResult, ...]:
    """Return the results, up to and including the first one that was interrupted."""
    results: list[SolveResult] = []
    for position, entry in enumerate(runs.entries):
        try:
            results.append(runs.result(position, callback))
        except BaseException as error:
            reason = as_error(error)
            if not results:
                raise reason from reason.__cause__
            raise ComparisonError(runs.name(position), reason, tuple(results)) from reason
        if results[-1].outcome == "interrupted" and not isinstance(entry, SolveResult):
            break
    return tuple(results)


def run_on_executor(
    runs: ComparedRuns, executor: Executor, callback: MethodCallback | None
) -> tuple[SolveResult, ...]:
    """Return the results of runs on an executor; after Ctrl-C those that are done."""
    found = {n: entry for n, entry in enumerate(runs.entries) if isinstance(entry, SolveResult)}
    items = [position for position in range(len(runs.entries)) if position not in found]
    num_given = len(found)

    def keep(done: Done) -> None:
        result: SolveResult = unpacked_with(done.result, runs.form)
        found[items[done.position]] = result
        if callback is not None:
            for point in result.trace:
                callback(result.method, point)

    try:
        with worker_pool(1, executor) as pool:
            run_tasks(runs, items, pool, keep)
    except KeyboardInterrupt:
        if len(found) == num_given:
            raise
    except _FailedMethod as error:
        if not found:
            raise error.reason from None
        results = tuple(result for _, result in sorted(found.items()))
        raise ComparisonError(error.method, error.reason, results) from error.reason
    return tuple(result for _, result in sorted(found.items()))
