"""Parallel work in threads or processes, with results in order."""

from __future__ import annotations

import pickle
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from typing import Any, NoReturn, TypeAlias, TypeVar

from infoset.errors import ParameterError

__all__ = ["packed", "parallel_map"]

Portion = TypeVar("Portion")
Result = TypeVar("Result")
Work: TypeAlias = Callable[[Portion], Result]

PENDING_PER_WORKER = 4
"""Number of portions submitted per worker; more than one, so that no worker is ever idle."""

UNSENDABLE = (pickle.PicklingError, AttributeError, TypeError)


@contextmanager
def parallel_map(
    work: Work[Portion, Result], workers: int, *, compiled: bool = False
) -> Iterator[Callable[[Iterable[Portion]], Iterator[Result]]]:
    """Provide a function that applies `work` to portions in parallel and yields results in order.

    Parameters
    ----------
    work : callable
        Function that returns the result of one portion, independently of all others.
    workers : int
        Number of processes; with 1, everything runs in the calling thread. Processes are spawned,
        and each receives `work` once.
    compiled : bool
        Whether `work` spends nearly all its time in kernels, which release the interpreter lock. If
        so, threads are used instead of processes.

    Raises
    ------
    ParameterError
        If `work` cannot be sent to other processes, or a process ends unexpectedly.
    """
    if workers == 1:
        yield lambda portions: map(work, portions)
        return
    pool: Executor
    if compiled:
        pool, task = ThreadPoolExecutor(workers), work
    else:
        pool = ProcessPoolExecutor(workers, get_context("spawn"), _receive, (packed(work),))
        task = _do_received
    try:
        yield lambda portions: _in_order(pool, task, portions, PENDING_PER_WORKER * workers)
    except BrokenExecutor as error:
        raise ParameterError(
            f"workers={workers}: a worker process ended unexpectedly; in a script, put the call "
            'under `if __name__ == "__main__":` and define policies and games in a module that '
            "can be imported; or give workers=1"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _in_order(
    pool: Executor, task: Work[Portion, Result], portions: Iterable[Portion], max_pending: int
) -> Iterator[Result]:
    """Yield results in order, with at most `max_pending` portions submitted."""
    waiting: deque[Future[Result]] = deque()
    for portion in portions:
        waiting.append(pool.submit(task, portion))
        if len(waiting) >= max_pending:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def packed(work: object) -> bytes:
    """Pickle an object for other processes.

    Protocol 5 keeps read-only arrays read-only, so that worker processes use the kernels that are
    already compiled for them.

    Raises
    ------
    ParameterError
        If the object cannot be pickled.
    """
    try:
        return pickle.dumps(work, protocol=5)
    except UNSENDABLE as error:
        raise ParameterError(
            f"policies or games cannot be sent to other processes ({error}); define their classes "
            "and functions at the top level of a module, or give workers=1"
        ) from error


_received: list[Work[Any, Any]] = []


def _receive(work: bytes) -> None:
    """Unpickle the work of this process; Ctrl-C is handled by the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        _received[:] = [pickle.loads(work)]
    except (ImportError, AttributeError) as error:
        _received[:] = [partial(_refuse, str(error))]


def _refuse(problem: str, _: object) -> NoReturn:
    """Raise the error for work that this process could not unpickle."""
    raise ParameterError(
        f"policies or games cannot be sent to worker processes ({problem}); define their "
        "classes and functions in a module that can be imported, or give workers=1"
    )


def _do_received(portion: Any) -> Any:
    return _received[0](portion)
