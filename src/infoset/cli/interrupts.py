"""Handling of Ctrl-C in commands."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from infoset.cli.screen import tell

__all__ = ["interrupts_ignored", "interrupts_reported", "is_interrupt"]


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
