"""What commands do about Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from infoset.cli.screen import tell

__all__ = ["interrupts_ignored", "told_if_interrupted"]


@contextmanager
def told_if_interrupted() -> Iterator[None]:
    """Say so if Ctrl-C comes before there is a policy."""
    try:
        yield
    except KeyboardInterrupt:
        tell("interrupted before there was anything to save")
        raise


@contextmanager
def interrupts_ignored() -> Iterator[None]:
    """Let no Ctrl-C come between the files of a run."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
