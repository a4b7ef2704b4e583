"""The processor time of another process, read from outside."""

from __future__ import annotations

import time
from contextlib import suppress

import psutil

SCHEDULER_CLOCK = 2
"""Kind of clock of Linux that counts the time of all threads in nanoseconds."""


class ProcessorClock:
    """Reads the processor time of a process, which it cannot change.

    On Linux it is accurate to a microsecond; elsewhere, and for processes that the process has
    started, to a hundredth of a second. A process that detaches itself is not counted.

    Parameters
    ----------
    with_children
        Whether a call of the clock adds the time of the processes that the process has started.
    """

    def __init__(self, process: psutil.Process, *, with_children: bool) -> None:
        self._process = process
        self._with_children = with_children
        self._last = self._total = 0.0

    def own(self) -> float:
        """Return the seconds of all threads of the process; the last known ones if it ended."""
        found = self._last
        try:
            # How Linux numbers the clock of a process: its inverted id above three bits of kind.
            found = time.clock_gettime((~self._process.pid << 3) | SCHEDULER_CLOCK)
        except (AttributeError, OSError):
            with suppress(psutil.Error):
                times = self._process.cpu_times()
                found = float(times.user + times.system)
        self._last = max(self._last, found)
        return self._last

    def __call__(self) -> float:
        """Return the seconds of the process, and of processes that it has started."""
        others = 0.0
        if self._with_children:
            with suppress(psutil.Error):
                times = self._process.cpu_times()  # with those that have ended, where it is known
                others += getattr(times, "children_user", 0.0)
                others += getattr(times, "children_system", 0.0)
                for child in self._process.children(recursive=True):
                    with suppress(psutil.Error):
                        times = child.cpu_times()
                        others += times.user + times.system
        self._total = max(self._total, self.own() + others)
        return self._total
