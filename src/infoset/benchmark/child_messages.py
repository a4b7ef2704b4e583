"""Messages of the process that runs subjects: one JSON object on each line."""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any, Final

__all__ = ["Messenger", "claim_standard_output"]

STANDARD_OUTPUT: Final = 1
STANDARD_ERROR: Final = 2


class Messenger:
    """Writes messages to a file descriptor; several threads may use it.

    Parameters
    ----------
    descriptor : int
    """

    def __init__(self, descriptor: int) -> None:
        self._file = os.fdopen(descriptor, "w", encoding="utf-8")
        self._lock = threading.Lock()

    def send(self, kind: str, **content: Any) -> None:
        """Write one message."""
        line = json.dumps({"kind": kind, **content})
        with self._lock:
            self._file.write(line + "\n")
            self._file.flush()


def claim_standard_output() -> Messenger:
    """Return a messenger on standard output; what subjects print goes to standard error."""
    sys.stdout.flush()
    kept = os.dup(STANDARD_OUTPUT)
    os.dup2(STANDARD_ERROR, STANDARD_OUTPUT)
    return Messenger(kept)
