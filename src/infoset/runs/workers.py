"""Pools of threads and processes of this machine, and the choice between them and an executor."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from threading import Event
from typing import Generic, TypeAlias, TypeVar

from infoset.errors import ParameterError
from infoset.runs.task_messages import Interrupt, set_process_interrupt
from infoset.runs.tasks import MAX_SUBMITTED, WorkerPool, ordered_results
from infoset.utils.arguments import check_count, check_type

__all__ = ["check_workers", "local_processes", "parallel_map", "worker_pool"]

Portion = TypeVar("Portion")
Result = TypeVar("Result")
Function: TypeAlias = Callable[[Portion], Result]

PENDING_PER_WORKER = 4
"""Number of portions submitted per worker; more than one, so that workers never wait."""

EXPECTED = "a concurrent.futures.Executor, such as ThreadPoolExecutor(4), or client.get_executor()"


def check_workers(workers: int | None, executor: Executor | None) -> None:
    """Check the number of workers, and an executor, of which at most one may be given.

    Raises
    ------
    ParameterError
        If both are given, `workers` is not a positive integer, or `executor` is not an executor.
    """
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


@contextmanager
def worker_pool(
    workers: int, executor: Executor | None = None, *, processes: bool = False
) -> Iterator[WorkerPool]:
    """Provide a pool on an executor of the user, or on threads or processes started for it.

    Parameters
    ----------
    workers : int
        Number of threads or processes; unused if an executor is given.
    executor : Executor, optional
        It remains open.
    processes : bool
        Whether to spawn processes. They ignore Ctrl-C, and are replaced if one of them dies.
    """
    if executor is not None:
        per_worker = getattr(executor, "_max_workers", None)
        wanted = PENDING_PER_WORKER * per_worker if isinstance(per_worker, int) else MAX_SUBMITTED
        yield WorkerPool(executor, max_submitted=wanted, problem=getattr(executor, "problem", None))
        return
    pool = local_processes(workers) if processes else _local_threads(workers)
    try:
        yield pool
    finally:
        pool.interrupt.set()
        pool.executor.shutdown(cancel_futures=True)


def _local_threads(workers: int) -> WorkerPool:
    return WorkerPool(ThreadPoolExecutor(workers), Event(), max_submitted=workers)


def local_processes(workers: int) -> WorkerPool:
    """Return a pool of spawned processes. If one dies, they are all replaced."""
    context = get_context("spawn")
    interrupt = context.Event()

    def start() -> Executor:
        return ProcessPoolExecutor(workers, context, _begin, (interrupt,))

    return WorkerPool(start(), interrupt, start, max_submitted=workers)


def _begin(interrupt: Interrupt) -> None:
    """Prepare a process: Ctrl-C is handled by the driver, which sets the interrupt."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    set_process_interrupt(interrupt)


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
    workers : int
        Number of processes; with 1, everything runs in the calling thread. Processes are spawned,
        and each receives `work` once.
    executor : Executor, optional
        Where to run instead.
    compiled : bool
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
