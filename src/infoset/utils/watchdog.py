"""Limits on the time and memory of calls to code that does not check limits itself."""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Literal, TypeAlias, TypeVar

import psutil

from infoset.errors import LimitReached
from infoset.utils.clocks import working_seconds

Result = TypeVar("Result")

WatchedLimit: TypeAlias = Literal["seconds", "memory"]
"""The limits that a watchdog enforces."""

LOOK_SECONDS: Final = 0.05
"""Seconds between two looks of the watching thread at the clock and the memory."""

THREAD_NAME: Final = "infoset-watchdog"

REPEAT_SECONDS: Final = 0.5
"""Seconds after which the exception is raised again, in case the code has swallowed it."""


class Watchdog:
    """Runs a function, and stops it at a limit by raising `LimitReached` in it.

    A second thread checks the clock and the memory, and raises the exception in the thread that
    runs the function. It therefore also stops loops in user code, such as one that lists a billion
    outcomes, but not a single call of a function written in C. Where threads cannot be started, as
    in a browser, only `check` stops the function.

    Parameters
    ----------
    seconds
        Limit on the time since construction, excluding compilation; None for no limit.
    memory
        Limit on the growth of this process's resident memory, in bytes; None for no limit.
    """

    repeat_seconds = REPEAT_SECONDS
    """Seconds after which a limit is raised again."""
    num_ignored = 0
    """Limits raised in this process that Python has ignored; see `ignore_limits`."""

    def __init__(self, seconds: float | None = None, memory: int | None = None) -> None:
        self.seconds = seconds
        self.memory = memory
        self.started = working_seconds()
        self.reached: WatchedLimit | None = None
        self._process = psutil.Process()
        self._memory_before = self._process.memory_info().rss
        self._thread_id = threading.get_ident()
        # The exception may arrive between any two instructions of Python. Locks are released by
        # code in C, so that the thread always learns that the function has ended.
        self._is_running = threading.Lock()
        self._pause = threading.Lock()

    @property
    def elapsed(self) -> float:
        """Seconds since construction, excluding compilation."""
        return working_seconds() - self.started

    @property
    def memory_growth(self) -> int:
        """Growth of this process's resident memory since construction, in bytes."""
        return int(self._process.memory_info().rss) - self._memory_before

    def check(self) -> None:
        """Raise `LimitReached` if a limit is reached."""
        if self._is_exceeded():
            raise LimitReached

    def run(self, function: Callable[[], Result]) -> Result:
        """Return the result of a function.

        Raises
        ------
        LimitReached
            If a limit is reached first.
        """
        self._pause.acquire()
        hook = sys.unraisablehook
        sys.unraisablehook = partial(ignore_limits, hook)
        try:
            return self._run(function)
        finally:
            sys.unraisablehook = hook

    def _run(self, function: Callable[[], Result]) -> Result:
        """Run the function while a thread watches the limits."""
        thread = threading.Thread(target=self._watch, name=THREAD_NAME, daemon=True)
        try:
            thread.start()
        except RuntimeError:  # a browser has no threads, and a process may have too many
            self._pause.release()
            return function()
        try:
            with self._is_running:
                return function()
        finally:
            self._pause.release()
            self._join(thread)

    def _join(self, thread: threading.Thread) -> None:
        """Wait for the watching thread, which may still raise one exception."""
        try:
            thread.join()
            # Python raises a pending exception at the end of a pass through a loop. Taking it back
            # instead would make Python 3.11 loop forever under a profiler or a debugger.
            for _ in range(2):
                pass
        except LimitReached:
            thread.join()

    def _is_exceeded(self) -> bool:
        if self.seconds is not None and self.elapsed > self.seconds:
            self.reached = "seconds"
        elif self.memory is not None:
            self.reached = "memory" if self.memory_growth > self.memory else self.reached
        return self.reached is not None

    def _watch(self) -> None:
        repeat, num_ignored = 0.0, 0
        while not self._pause.acquire(timeout=LOOK_SECONDS):
            if not (self._is_exceeded() and self._is_running.locked()):
                continue
            # Handling the last exception may take a while, and is not disturbed.
            if time.monotonic() >= repeat or num_ignored != Watchdog.num_ignored:
                num_ignored = Watchdog.num_ignored
                repeat = time.monotonic() + self.repeat_seconds
                self.raise_limit()

    def raise_limit(self) -> None:
        """Raise `LimitReached` in the thread that runs the function, before a next instruction."""
        if sys.implementation.name == "cpython":
            kind = ctypes.py_object(LimitReached)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread_id), kind)


def ignore_limits(hook: Callable[[Any], object], unraisable: Any) -> None:
    """Count an exception that cannot be raised if it is `LimitReached`, else call a hook.

    A limit may be reached inside a callback of the garbage collector, where Python ignores
    exceptions and reports them. The watching thread then raises the exception again at its next
    look, because code that allocates much memory is usually interrupted inside such a callback.
    """
    if unraisable.exc_type is LimitReached:
        Watchdog.num_ignored += 1
    else:
        hook(unraisable)
