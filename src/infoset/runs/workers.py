"""Pools of threads and processes of this machine, and the choice between them and an executor."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from types import FrameType
from typing import Any, Final, Generic, TypeAlias, TypeVar

from infoset.errors import ParameterError
from infoset.runs.task_messages import Interrupt, set_process_interrupt
from infoset.runs.tasks import MAX_SUBMITTED, WorkerPool, ordered_results
from infoset.utils.arguments import check_count, check_type

Portion = TypeVar("Portion")
Result = TypeVar("Result")
Function: TypeAlias = Callable[[Portion], Result]

ENDING_SIGNALS: Final = ("SIGTERM", "SIGHUP")

SECONDS_TO_INTERRUPT: Final = 2.0
"""Seconds after a signal in which the driver interrupts the tasks, if it wants their results."""

PENDING_PER_WORKER = 4
"""Number of portions submitted per worker; more than one, so that workers never wait."""

EXPECTED = "a concurrent.futures.Executor, such as ThreadPoolExecutor(4), or client.get_executor()"


def check_workers(workers: int | None, executor: Executor | None) -> None:
    """Check the number of workers, and an executor, of which at most one may be given."""
    if workers is not None:
        check_count("workers", workers, minimum=1)
    if executor is None:
        return
    check_type("executor", executor, Executor, EXPECTED)
    if workers is not None:
        raise ParameterError(
            f"workers={workers} and an executor are both given: an executor has its own number of "
            "workers, so leave workers out"
        )


class LocalProcesses(Executor):
    """Spawned processes of this machine, which are all replaced if one of them dies.

    They ignore Ctrl-C, and end their tasks when `interrupt` is set. They wait for this also after
    SIGTERM and SIGHUP, which batch systems and terminals send to all processes of a program.

    Parameters
    ----------
    workers
        Number of processes.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._context = get_context("spawn")
        self.interrupt = self._context.Event()
        self.processes = self.renew()

    def renew(self) -> Executor:
        """Start new processes in the place of the old ones, and return their executor."""
        self.processes = ProcessPoolExecutor(self.workers, self._context, _begin, (self.interrupt,))
        return self.processes

    def submit(
        self, function: Callable[..., Any], /, *arguments: Any, **options: Any
    ) -> Future[Any]:
        """Submit a call."""
        return self.processes.submit(function, *arguments, **options)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes after their tasks."""
        self.processes.shutdown(wait, cancel_futures=cancel_futures)


def local_workers(executor: Executor | None) -> int:
    """Return the number of threads or processes of this machine; 1 if there is no such executor."""
    if isinstance(executor, LocalProcesses):
        executor = executor.processes
    is_local = isinstance(executor, ProcessPoolExecutor | ThreadPoolExecutor)
    return int(vars(executor)["_max_workers"]) if is_local else 1


@contextmanager
def worker_pool(
    workers: int, executor: Executor | None = None, *, processes: bool = False
) -> Iterator[WorkerPool]:
    """Provide a pool on an executor of the user, or on threads or processes started for it.

    Parameters
    ----------
    workers
        Number of threads or processes; unused if an executor is given.
    executor
        It remains open.
    processes
        Whether to start `LocalProcesses` instead of threads.
    """
    if executor is not None:
        yield _pool_on(executor)
        return
    own = LocalProcesses(workers) if processes else ThreadPoolExecutor(workers)
    pool = _pool_on(own)
    pool.max_submitted = workers
    try:
        yield pool
    finally:
        pool.interrupt.set()
        own.shutdown(cancel_futures=True)


def _pool_on(executor: Executor) -> WorkerPool:
    if isinstance(executor, LocalProcesses):
        # Whatever is submitted when a process dies counts as lost, so that little is.
        return WorkerPool(
            executor.processes, executor.interrupt, executor.renew, max_submitted=executor.workers
        )
    workers = getattr(executor, "_max_workers", None)
    wanted = PENDING_PER_WORKER * workers if isinstance(workers, int) else MAX_SUBMITTED
    return WorkerPool(executor, max_submitted=wanted, problem=getattr(executor, "problem", None))


def _begin(interrupt: Interrupt) -> None:
    """Prepare a process: signals are handled by the driver, which sets the interrupt."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ENDING_SIGNALS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), partial(_end_soon, interrupt))
    set_process_interrupt(interrupt)


def _end_soon(interrupt: Interrupt, number: int, _: FrameType | None) -> None:
    """End this process in a moment, unless the driver has set the interrupt until then.

    The driver sends the same signal to processes of a broken pool, and may have died itself.
    """

    def end() -> None:
        if not interrupt.is_set():
            os._exit(128 + number)

    timer = threading.Timer(SECONDS_TO_INTERRUPT, end)
    timer.daemon = True
    timer.start()


@dataclass(frozen=True)
class _Portions(Generic[Portion, Result]):
    """Applies a function to portions, and does not look at the interrupt."""

    function: Function[Portion, Result]

    def __call__(self, portion: Portion, _: Interrupt) -> Result:
        return self.function(portion)


@contextmanager
def parallel_map(
    work: Function[Portion, Result],
    workers: int = 1,
    *,
    executor: Executor | None = None,
    compiled: bool = False,
) -> Iterator[Callable[[Iterable[Portion]], Iterator[Result]]]:
    """Provide a function that applies `work` to portions in parallel and yields results in order.

    Parameters
    ----------
    work : callable
        Function that returns the result of one portion, independently of all others.
    workers
        Number of processes; with 1, everything runs in the calling thread. Processes are spawned,
        and each receives `work` once.
    executor
        Where to run instead.
    compiled
        Whether `work` spends nearly all its time in kernels, which release the interpreter lock. If
        so, threads are used instead of processes, and they share `work`.

    Raises
    ------
    ParameterError
        If `work` cannot be sent to other processes.
    LostWorkersError
        If workers end unexpectedly, again and again.
    """
    if workers == 1 and executor is None:
        yield lambda portions: map(work, portions)
        return
    with worker_pool(workers, executor, processes=not compiled) as pool:
        pool.max_submitted = max(pool.max_submitted, PENDING_PER_WORKER * workers)
        yield lambda portions: ordered_results(_Portions(work), portions, pool, shares=compiled)
