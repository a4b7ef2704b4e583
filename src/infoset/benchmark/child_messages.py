"""Messages of the process that runs subjects: one JSON object on each line."""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any, Final

STANDARD_INPUT: Final = 0
STANDARD_OUTPUT: Final = 1
STANDARD_ERROR: Final = 2

ASKS: Final = "asks"
"""Key of messages whose sender waits for a line until it continues."""


class Messenger:
    """Writes messages to a file descriptor; several threads may use it.

    Parameters
    ----------
    messages, replies
        File descriptors to write to and to read from.
    """

    def __init__(self, messages: int, replies: int) -> None:
        self._messages = os.fdopen(messages, "w", encoding="utf-8")
        self._replies = os.fdopen(replies, "r", encoding="utf-8")
        self._lock = threading.Lock()

    def send(self, kind: str, **content: Any) -> None:
        """Write one message."""
        with self._lock:
            self._write({"kind": kind, **content})

    def ask(self, kind: str, **content: Any) -> None:
        """Write one message, and wait until the parent has read its clock and dealt with it."""
        with self._lock:
            self._write({"kind": kind, **content, ASKS: True})
            if not self._replies.readline():
                os._exit(1)  # the parent has ended

    def _write(self, message: dict[str, Any]) -> None:
        self._messages.write(json.dumps(message) + "\n")
        self._messages.flush()

    def read(self) -> Any:
        """Return the next line of the parent, which is JSON."""
        return json.loads(self._replies.readline())


def claim_standard_streams() -> Messenger:
    """Return a messenger on standard input and output.

    The output of subjects goes to standard error, and their input is empty.
    """
    sys.stdout.flush()
    messages, replies = os.dup(STANDARD_OUTPUT), os.dup(STANDARD_INPUT)
    os.dup2(STANDARD_ERROR, STANDARD_OUTPUT)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, STANDARD_INPUT)
    os.close(nothing)
    return Messenger(messages, replies)
