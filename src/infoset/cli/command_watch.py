"""Limits on the time and memory of a command, which end it as Ctrl-C does."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from math import inf
from types import FrameType
from typing import Any, Final, TypeVar

from infoset.cli.interrupts import is_interrupt, send_to_main_thread
from infoset.errors import LimitError
from infoset.utils.text import format_bytes
from infoset.utils.watchdog import Watchdog, ignore_limits

Result = TypeVar("Result")

PATIENCE_SECONDS: Final = 5.0
"""Seconds after an interrupt, in which results are saved, before the next one."""


class CommandWatch(Watchdog):
    """Limits on a part of a command, which is interrupted at a limit as it is by Ctrl-C.

    In contrast to the exception of other watchdogs, an interrupt also ends waiting and sleeping,
    stops HiGHS, and never comes while results are added up or saved.

    Parameters
    ----------
    what
        The part of the command, for the error message.
    seconds
        Limit on the time, excluding compilation; None for no limit.
    memory
        Limit on the growth of this process's resident memory, in bytes; None for no limit.
    options
        Names of the options that raise the limits, for the error message.
    grace
        Seconds by which the time limit is exceeded, so that more specific limits come first.
    """

    repeat_seconds = 0.05

    def __init__(
        self,
        what: str,
        seconds: float | None,
        memory: int | None = None,
        *,
        options: str,
        grace: float = 0.0,
    ) -> None:
        super().__init__(None if seconds is None else seconds + grace, memory)
        self.what = what
        self.limit_text = f"time limit of {seconds} s"
        self.options = options
        self._next_interrupt = -inf

    def end(self, work: Callable[[], Result]) -> Result:
        """Return the result of a function.

        Raises
        ------
        LimitError
            If a limit is reached first.
        """
        if threading.current_thread() is not threading.main_thread():
            return work()  # only the main thread can be interrupted
        results: list[Result] = []
        before = signal.getsignal(signal.SIGINT)
        hook = sys.unraisablehook
        sys.unraisablehook = partial(self._interrupt_again, hook)
        try:
            signal.signal(signal.SIGINT, partial(self._handle, before))
            self.run(lambda: results.append(work()))
        except (KeyboardInterrupt, SystemError) as error:
            if self.reached is None or not is_interrupt(error):
                raise
        finally:
            sys.unraisablehook = hook
            if before is not None:
                signal.signal(signal.SIGINT, before)
        if not results:
            raise self.error()
        return results[0]

    def raise_limit(self) -> None:
        """Interrupt the main thread, unless it may still be handling the last interrupt."""
        if time.monotonic() < self._next_interrupt:
            return
        self._next_interrupt = time.monotonic() + PATIENCE_SECONDS
        send_to_main_thread(signal.SIGINT)

    def error(self) -> LimitError:
        """Return the error for work that has no result at the limit."""
        limit = self.limit_text
        if self.reached == "memory":
            limit = f"memory limit of {format_bytes(self.memory or 0)}"
        return LimitError(
            f"{self.what} stopped at the {limit}; use smaller parameters, or raise {self.options}"
        )

    def _interrupt_again(self, hook: Callable[[Any], object], unraisable: Any) -> None:
        """Repeat an interrupt that came in a callback of the garbage collector and was lost."""
        if self.reached is not None and unraisable.exc_type is KeyboardInterrupt:
            self._next_interrupt = -inf
        else:
            hook(unraisable)

    def _handle(self, before: Any, number: int, frame: FrameType | None) -> None:
        """Handle Ctrl-C as `before` did, and raise the interrupts of this watch."""
        if self.reached is not None and _is_in_hook(frame):
            self._next_interrupt = -inf  # an interrupt in a hook would be reported and lost
        elif self.reached is not None:  # also where Ctrl-C is ignored, as in a shell's background
            raise KeyboardInterrupt
        elif callable(before):
            before(number, frame)


def _is_in_hook(frame: FrameType | None) -> bool:
    """Return whether a frame is one of a hook, or of a function that a hook has called."""
    while frame is not None and frame.f_code not in HOOKS:
        frame = frame.f_back
    return frame is not None


HOOKS: Final = (ignore_limits.__code__, CommandWatch._interrupt_again.__code__)
"""Functions that Python calls with exceptions that cannot be raised."""
