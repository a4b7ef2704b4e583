"""The time spent compiling kernels, and a clock that does not count it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

__all__ = ["compiling", "compiling_now", "compiling_seconds", "working_seconds"]


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
