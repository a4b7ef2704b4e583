"""The time spent compiling kernels, and a clock that does not count it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from threading import Lock
from typing import Final

from infoset.errors import LimitReached


class OutOfTimeError(LimitReached):
    """A deadline has passed. Internal: whoever sets a deadline catches it."""


_DEADLINE: Final[ContextVar[float]] = ContextVar("deadline", default=inf)


class _Compilations:
    """The total time during which at least one thread compiles or loads a kernel."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.num_running = 0
        self.began = 0.0
        self.total = 0.0


_compilations = _Compilations()


@contextmanager
def compiling() -> Iterator[None]:
    """Count the time of a block as compilation; blocks may be nested, or run in several threads."""
    with _compilations.lock:
        if not _compilations.num_running:
            _compilations.began = time.monotonic()
        _compilations.num_running += 1
    try:
        yield
    finally:
        with _compilations.lock:
            _compilations.num_running -= 1
            if not _compilations.num_running:
                _compilations.total += time.monotonic() - _compilations.began


def compiling_seconds() -> float:
    """Return the seconds that this process has spent compiling kernels, or loading them from disk.

    Times in which several threads compile simultaneously count once.
    """
    with _compilations.lock:
        running = time.monotonic() - _compilations.began if _compilations.num_running else 0.0
        return _compilations.total + running


def compiling_now() -> float | None:
    """Return the seconds since the compilation that is running began; None if none is running."""
    with _compilations.lock:
        running = _compilations.num_running > 0
        return time.monotonic() - _compilations.began if running else None


def working_seconds() -> float:
    """Return `time.monotonic()` without the time of compilation: the clock of all time limits.

    `seconds` limits iterating or searching. Kernels are compiled at their first call, which may be
    in the middle of a run; this clock stands still meanwhile.
    """
    return time.monotonic() - compiling_seconds()


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """End a block by `OutOfTimeError`, at the first check after `working_seconds()` has passed it.

    It reaches loops far below, such as those over the rules, whose results are cached and therefore
    must not depend on a limit.
    """
    token = _DEADLINE.set(seconds)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def check_deadline() -> None:
    """Raise `OutOfTimeError` if the deadline of the block has passed; without one, do nothing."""
    latest = _DEADLINE.get()
    if latest < inf and working_seconds() > latest:
        raise OutOfTimeError
