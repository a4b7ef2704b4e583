"""Handling of Ctrl-C, and of the other signals that ask a command to end."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Final

from infoset.cli.exit_codes import ended_by
from infoset.cli.screen import tell

STOP_SIGNALS: Final = ("SIGTERM", "SIGHUP")
"""Signals by which batch systems, containers and closed terminals end programs."""

SAME_SECONDS: Final = 0.5
"""Seconds after a signal in which others count as the same one. The command `timeout` and shells
signal a program twice: by its number, and with its group."""

REPEAT_SECONDS: Final = 0.05
"""Seconds after which a lost interrupt is repeated, when the code that lost it has ended."""

SHOW_CURSOR: Final = "\x1b[?25h"


@contextmanager
def pipe_signal(action: signal.Handlers) -> Iterator[None]:
    """Set what a write to a pipe without readers does: end the program, or raise an error."""
    if not hasattr(signal, "SIGPIPE"):
        yield
        return
    before = signal.signal(signal.SIGPIPE, action)
    try:
        yield
    finally:
        signal.signal(signal.SIGPIPE, before)


class StopSignals:
    """Context in which SIGTERM and SIGHUP interrupt the program as Ctrl-C does.

    The first signal raises `KeyboardInterrupt`, so that results and checkpoints are saved. A
    second one ends the process immediately, except while files are written. Signals that the
    process was started to ignore, as SIGHUP by `nohup`, remain ignored. An interrupt is repeated if
    it is raised where Python reports and drops exceptions, as in callbacks of the garbage
    collector.

    Parameters
    ----------
    ends_process
        Whether a second signal ends the process. Otherwise, it raises `KeyboardInterrupt` again.
    clock : callable
        Returns seconds.

    Attributes
    ----------
    last : signal.Signals or None
        The last signal; None if there was none.
    """

    def __init__(self, *, ends_process: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self.last: signal.Signals | None = None
        self._ends_process = ends_process
        self._clock = clock
        self._interrupted: float | None = None
        self._before: dict[signal.Signals, Any] = {}
        self._ignores_ctrl_c = False
        self._terminals: list[int] = []
        self._hook = sys.unraisablehook
        self._repetition: threading.Timer | None = None

    def __enter__(self) -> StopSignals:
        if threading.current_thread() is not threading.main_thread():
            return self  # only the main thread can handle signals
        self._terminals = [number for number in (0, 1, 2) if os.isatty(number)]
        self._ignores_ctrl_c = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        self._hook, sys.unraisablehook = sys.unraisablehook, self._repeat_if_lost
        self._handle(signal.SIGINT, self._interrupt)
        for name in STOP_SIGNALS:
            # A signal that is ignored, as by nohup, or that the caller handles, stays as it is.
            number: signal.Signals | None = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                self._handle(number, self._pass_on)
        return self

    def __exit__(self, *_: object) -> None:
        if self._repetition is not None:
            self._repetition.cancel()
        if self._before:
            sys.unraisablehook = self._hook
        for number, before in self._before.items():
            signal.signal(number, before)

    def _repeat_if_lost(self, unraisable: Any) -> None:
        """Repeat the last signal if its interrupt was dropped; report other exceptions."""
        if self.last is None or unraisable.exc_type is not KeyboardInterrupt:
            self._hook(unraisable)
            return
        self._interrupted = None
        self._repetition = threading.Timer(REPEAT_SECONDS, send_to_main_thread, [self.last])
        self._repetition.daemon = True
        self._repetition.start()

    def _handle(self, number: signal.Signals, handler: Callable[[int, Any], None]) -> None:
        before = signal.signal(number, handler)
        self._before[number] = signal.SIG_DFL if before is None else before

    def _pass_on(self, number: int, frame: FrameType | None) -> None:
        """Call the current handler of Ctrl-C, which may delay or ignore the signal."""
        self._leave_closed_terminals()
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):
            handler(number, frame)

    def _interrupt(self, number: int, _: FrameType | None) -> None:
        """Raise `KeyboardInterrupt` at the first signal; end the process at the second."""
        if number == signal.SIGINT and self._ignores_ctrl_c:
            return
        now = self._clock()
        if self._interrupted is not None and now - self._interrupted < SAME_SECONDS:
            return
        is_second = self._interrupted is not None
        self._interrupted = now
        self.last = signal.Signals(number)
        if is_second and self._ends_process:
            _end_process(ended_by(number))
        raise KeyboardInterrupt

    def _leave_closed_terminals(self) -> None:
        """Let output to a terminal that was closed vanish; writing to it would be an error."""
        for number in self._terminals:
            if not os.isatty(number):
                nowhere = os.open(os.devnull, os.O_RDWR)
                os.dup2(nowhere, number)
                os.close(nowhere)


def send_to_main_thread(number: signal.Signals) -> None:
    """Send a signal to the main thread."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:
        interrupt_main(number)


def _end_process(code: int) -> None:
    """End this process and those that it has started, without cleaning up."""
    import psutil

    with suppress(psutil.Error):
        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                child.kill()
    with suppress(OSError):
        if os.isatty(2):
            os.write(2, SHOW_CURSOR.encode())
    os._exit(code)


def is_interrupt(error: BaseException) -> bool:
    """Return whether an exception is that of Ctrl-C.

    If Ctrl-C comes while the arguments of a kernel are examined, Python raises a `SystemError` that
    is caused by it.
    """
    return isinstance(error, KeyboardInterrupt) or (
        isinstance(error, SystemError) and isinstance(error.__cause__, KeyboardInterrupt)
    )


@contextmanager
def interrupts_reported() -> Iterator[None]:
    """Report that Ctrl-C came before there was a result to save."""
    try:
        yield
    except (KeyboardInterrupt, SystemError) as error:
        if is_interrupt(error):
            tell("interrupted before there were results to save")
        raise


@contextmanager
def interrupts_ignored() -> Iterator[None]:
    """Ignore Ctrl-C while the files of a run are written."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
