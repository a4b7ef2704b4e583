"""Independent tasks on an executor: retries, interrupts, the version check and provenance.

This is the only place of the library that submits work to other threads, processes and machines,
except for the threads inside one iteration of a solver.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from queue import Empty, SimpleQueue
from threading import Event
from typing import Any, NamedTuple
from uuid import uuid4

from infoset._version import __version__
from infoset.errors import InfosetError, LostWorkersError, describe_exception
from infoset.runs.machines import Machine
from infoset.runs.task_messages import (
    Reply,
    Work,
    answer,
    digest_of,
    interrupts,
    packed,
    perform,
    perform_here,
)
from infoset.utils.interrupts import interrupts_held

MAX_RETRIES = 3
"""How often a task is repeated because its worker was lost."""

MAX_SENT_WITH_EACH_TASK = 100_000
"""Bytes of a packed work that are sent with each task; larger works are sent on demand."""

MAX_SUBMITTED = 1024
"""Number of submitted tasks if the number of workers is unknown."""

SECONDS_BETWEEN_CHECKS = 5.0

GUARD = 'in a script, put the call under `if __name__ == "__main__":`'
"""What a script needs that starts processes, which execute it once more."""

UNREADABLE = (ImportError, AttributeError, TypeError)
"""Exceptions of executors whose workers cannot import the library: repeating would not help."""


class Done(NamedTuple):
    """A finished task."""

    position: int
    """Position of its item, from 0 on."""
    result: Any
    seconds: float
    """Time that it took, including compilation."""
    machine: Machine


@dataclass
class WorkerPool:
    """An executor, and what the driver knows about it."""

    executor: Executor
    interrupt: Any = field(default_factory=Event)
    """Set to end the tasks that are running, in so far as they can be reached."""
    renew: Callable[[], Executor] | None = None
    """Returns a new executor in the place of one that broke; None if the user owns it."""
    max_submitted: int = MAX_SUBMITTED
    """Number of tasks that are submitted before one has finished."""
    problem: Callable[[], str] | None = None
    """Returns what is wrong with the workers, such as their absence; empty if they are ready."""


class _Task(NamedTuple):
    """A submitted task: its position and item, how often workers were lost, and the executor."""

    position: int
    item: Any
    losses: int
    executor: Executor


class _Session:
    """The tasks of one call, of which a few at a time are submitted.

    Parameters
    ----------
    items : Iterable
    shares
        Whether threads may use `work` simultaneously; otherwise each gets a copy.
    """

    def __init__(self, work: Work, items: Iterable[Any], pool: WorkerPool, *, shares: bool) -> None:
        self.pool = pool
        self.name = uuid4().hex
        self._work = work
        self._items = enumerate(items)
        self._attempts = count()
        self._has_replies = False
        self._tasks: dict[Future[Any], _Task] = {}
        self._finished: SimpleQueue[Future[Any]] = SimpleQueue()
        self._is_here = shares and isinstance(pool.executor, ThreadPoolExecutor)
        self._packed = b"" if self._is_here else packed(work)
        self._digest = digest_of(self._packed)
        interrupts[self.name] = pool.interrupt

    def next(self) -> Done | None:
        """Return the next finished task; None if there are none left.

        Raises
        ------
        Exception
            If a task raised it.
        LostWorkersError
            If a task lost its worker too often, or the executor cannot be used any more.
        """
        while True:
            while len(self._tasks) < self.pool.max_submitted:
                found = next(self._items, None)
                if found is None:
                    break
                self._submit(_Task(*found, 0, self.pool.executor))
            if not self._tasks:
                return None
            future = self._finished_future()
            task = self._tasks.pop(future)
            reply = self._reply(future, task)
            if reply is None:
                continue
            self._has_replies = True
            if reply.kind == "wanted":
                self._submit(task, with_work=True)
                continue
            if reply.kind == "error":
                raise reply.content
            assert reply.machine is not None
            return Done(task.position, reply.content, reply.seconds, reply.machine)

    def stop(self) -> Iterator[Done]:
        """Cancel what has not begun, end what is running, and yield what is done."""
        # Cancelled before the interrupt is set, so that no worker begins another task.
        left = {future: task for future, task in self._tasks.items() if not future.cancel()}
        self.pool.interrupt.set()
        yield from _done(left)
        if isinstance(self.pool.executor, ThreadPoolExecutor) or self.pool.renew is not None:
            wait(left)  # they end soon; those elsewhere cannot be reached, and go on in vain
            yield from _done(left)

    def close(self) -> None:
        """Forget the session."""
        interrupts.pop(self.name, None)

    def _submit(self, task: _Task, *, with_work: bool = False) -> None:
        task = task._replace(executor=self.pool.executor)
        try:
            # Ctrl-C between these lines would leave a task that `stop` does not know.
            with interrupts_held():
                future = self._submitted(task, with_work)
                self._tasks[future] = task
            future.add_done_callback(self._finished.put)
        except BrokenExecutor as error:
            self._lose(task, error)
        except RuntimeError as error:  # after a shutdown
            raise LostWorkersError(f"the executor accepts no tasks: {error}") from error

    def _submitted(self, task: _Task, with_work: bool) -> Future[Any]:
        if self._is_here:
            arguments = self._work, task.item, self.pool.interrupt
            return task.executor.submit(perform_here, *arguments)
        sends = with_work or len(self._packed) <= MAX_SENT_WITH_EACH_TASK
        return task.executor.submit(
            perform,
            __version__,
            self.name,
            self._digest,
            self._packed if sends else None,
            packed(task.item),
            next(self._attempts),
        )

    def _finished_future(self) -> Future[Any]:
        while True:
            try:
                return self._finished.get(timeout=SECONDS_BETWEEN_CHECKS)
            except Empty:  # a cluster without workers fails no task; it only never answers
                problem = self.pool.problem and self.pool.problem()
                if problem:
                    raise LostWorkersError(problem) from None

    def _reply(self, future: Future[Any], task: _Task) -> Reply | None:
        """Return the reply of a worker; None if the worker was lost, and the task is repeated."""
        try:
            return answer(future.result())
        except UNREADABLE as error:
            if self._is_here:
                raise
            raise LostWorkersError(
                f"a worker cannot read its task ({describe_exception(error)}); install the same "
                f"version of infoset ({__version__}) on every worker"
            ) from error
        except InfosetError:  # about the reply
            raise
        except Exception as error:  # of the executor: errors of a task come in its reply
            self._lose(task, error)
            return None

    def _lose(self, task: _Task, error: BaseException) -> None:
        """Repeat a task whose worker was lost, on a new pool if its pool broke."""
        if task.losses >= MAX_RETRIES:
            is_unguarded = self.pool.renew is not None and not self._has_replies
            hint = f"; {GUARD}" if is_unguarded else ""
            raise LostWorkersError(
                f"workers were lost {task.losses + 1} times at the same task "
                f"({describe_exception(error)}){hint}"
            ) from error
        # The first lost task of a broken pool renews it; the others find it renewed.
        if isinstance(error, BrokenExecutor) and task.executor is self.pool.executor:
            if self.pool.renew is None:
                raise LostWorkersError(
                    f"the executor is broken ({describe_exception(error)})"
                ) from error
            self.pool.executor = self.pool.renew()
        if isinstance(error, CancelledError):
            raise LostWorkersError("the executor was shut down, or lost its workers") from error
        self._submit(task._replace(losses=task.losses + 1))


def _done(left: dict[Future[Any], _Task]) -> Iterator[Done]:
    """Yield the finished tasks, and remove them from those that are left."""
    for future in [future for future in left if future.done()]:
        task = left.pop(future)
        if future.cancelled() or future.exception() is not None:
            continue
        with suppress(InfosetError):
            reply = answer(future.result())
            if reply.kind == "done" and reply.machine is not None:
                yield Done(task.position, reply.content, reply.seconds, reply.machine)


def run_tasks(
    work: Work,
    items: Iterable[Any],
    pool: WorkerPool,
    on_done: Callable[[Done], object],
    *,
    shares: bool = True,
) -> None:
    """Apply a function to items on the workers of a pool.

    Parameters
    ----------
    work
        Function of an item and an `Interrupt`, independent of all other calls.
    items : Iterable
    on_done : callable
        Called with each finished task in this thread, in the order in which they finish. After
        Ctrl-C or an error it is still called with those that have finished.
    shares
        Whether threads of this process may use `work` simultaneously.

    Raises
    ------
    Exception
        That of the first task that failed; it is not repeated, and no further tasks begin.
    LostWorkersError
        If the worker of a task was lost four times, or the executor cannot be used any more.
    WorkerVersionError
        If a worker has another version of the library; it runs no task.
    ParameterError
        If `work` or an item cannot be sent to other processes.
    """
    session = _Session(work, items, pool, shares=shares)
    try:
        while (done := session.next()) is not None:
            with interrupts_held():
                on_done(done)
    except BaseException:
        for done in session.stop():
            with interrupts_held():
                on_done(done)
        raise
    finally:
        session.close()


def ordered_results(
    work: Work, items: Iterable[Any], pool: WorkerPool, *, shares: bool = True
) -> Iterator[Any]:
    """Yield the results of `run_tasks` in the order of the items."""
    session = _Session(work, items, pool, shares=shares)
    waiting: dict[int, Any] = {}
    try:
        for index in count():
            while index not in waiting:
                done = session.next()
                if done is None:
                    return
                waiting[done.position] = done.result
            yield waiting.pop(index)
    except BaseException:
        deque(session.stop(), maxlen=0)  # runs the generator to its end
        raise
    finally:
        session.close()
