"""Work in portions on several cores, with results that come in order."""

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

__all__ = ["in_portions", "packed"]

Portion = TypeVar("Portion")
Result = TypeVar("Result")
Work: TypeAlias = Callable[[Portion], Result]

AHEAD = 4
"""Portions handed out for each worker, so that none is idle."""

UNSENDABLE = (pickle.PicklingError, AttributeError, TypeError)


@contextmanager
def in_portions(
    work: Work[Portion, Result], workers: int, *, compiled: bool = False
) -> Iterator[Callable[[Iterable[Portion]], Iterator[Result]]]:
    """Provide a function that yields the results of portions of a work, in order.

    Parameters
    ----------
    work : callable
        Returns the result of one portion, which depends on no other.
    workers : int
        With 1 everything is done in this thread. Otherwise in as many processes, as Python runs on
        one core of each: they are started afresh, import what takes part, and are sent the
        work once.
    compiled : bool
        Whether kernels do nearly all of it, so that threads will do.

    Raises
    ------
    ParameterError
        If the work cannot be sent, or, where results are asked for, processes cannot be started.
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
        yield lambda portions: _in_order(pool, task, portions, AHEAD * workers)
    except BrokenExecutor as error:
        raise ParameterError(
            f"workers={workers}: a process ended before its work was done; in a script, start the "
            'work under `if __name__ == "__main__":`, and define what takes part in a module that '
            "can be imported; or give workers=1"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _in_order(
    pool: Executor, task: Work[Portion, Result], portions: Iterable[Portion], most: int
) -> Iterator[Result]:
    """Yield results in order, with at most so many portions handed out."""
    waiting: deque[Future[Result]] = deque()
    for portion in portions:
        waiting.append(pool.submit(task, portion))
        if len(waiting) >= most:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def packed(work: object) -> bytes:
    """Return a work as it is sent to processes.

    In the fifth protocol arrays that are read-only stay so: kernels compiled for these, and kept on
    disk, need not be compiled again for others.

    Raises
    ------
    ParameterError
        If it cannot be sent.
    """
    try:
        return pickle.dumps(work, protocol=5)
    except UNSENDABLE as error:
        raise ParameterError(
            f"what takes part cannot be sent to other processes ({error}); define its classes and "
            "functions at the top of a module, or give workers=1"
        ) from error


_received: list[Work[Any, Any]] = []


def _receive(work: bytes) -> None:
    """Keep the work of this process; Ctrl-C is for the one that handed it out."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        _received[:] = [pickle.loads(work)]
    except (ImportError, AttributeError) as error:
        _received[:] = [partial(_refuse, str(error))]


def _refuse(problem: str, _: object) -> NoReturn:
    """Say where it is asked to work that a process does not know who takes part."""
    raise ParameterError(
        f"what takes part is not known to other processes ({problem}); define its classes and "
        "functions in a module that can be imported, or give workers=1"
    )


def _do_received(portion: Any) -> Any:
    return _received[0](portion)
