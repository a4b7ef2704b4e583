"""Answer requests of the benchmarks: one JSON object a line, on standard input and output.

A request names one of the methods in `do`, the seconds after which nobody waits for its answer in
`limit`, and gives the method's arguments; the answer is what it returns, or `{"error": ...}`. What
a library prints goes to standard error, away from the answers.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

__all__ = ["serve", "timed"]

GRACE = 5.0
"""Seconds after the limit at which a worker ends itself, should nobody have ended it."""


def timed(work: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """Return what `work` returns, and the seconds that it takes."""
    started = time.perf_counter()
    value = work(*arguments)
    return value, time.perf_counter() - started


def serve(worker: object) -> None:
    """Call a worker's methods as the requests say, until they end."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        method = getattr(worker, request.pop("do"))
        faulthandler.dump_traceback_later(request.pop("limit") + GRACE, exit=True)
        try:
            answer = method(**request)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        faulthandler.cancel_dump_traceback_later()
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
