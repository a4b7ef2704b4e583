"""Delay of Ctrl-C during work that must not be interrupted."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interrupts_held() -> Iterator[list[Any]]:
    """Delay Ctrl-C until the block ends; it gets a list that is not empty from Ctrl-C on.

    Threads other than the main thread never receive it.
    """
    before = signal.getsignal(signal.SIGINT)
    received: list[Any] = []
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield received
        return
    signal.signal(signal.SIGINT, lambda *arguments: received.append(arguments))
    try:
        yield received
    finally:
        signal.signal(signal.SIGINT, before)
    if received:  # not if the block raised: its exception ends the work as well
        before(*received[0])
