"""Handling of Ctrl-C in commands."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from infoset.cli.screen import tell

__all__ = ["interrupts_ignored", "interrupts_reported"]


@contextmanager
def interrupts_reported() -> Iterator[None]:
    """Report that Ctrl-C came before there was a result to save."""
    try:
        yield
    except KeyboardInterrupt:
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
