"""Answer requests of the benchmarks, as one JSON object per line on standard input and output.

A request contains the name of a method in `do`, the time limit in seconds in `limit`, and the
arguments of the method. The answer is the result of the method, or `{"error": ...}`. Output of the
libraries is redirected to standard error.
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
"""Seconds after the limit at which a worker that is still running ends itself."""


def timed(work: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """Return the result of `work` and its seconds."""
    started = time.perf_counter()
    value = work(*arguments)
    return value, time.perf_counter() - started


def serve(worker: object) -> None:
    """Call a worker's methods as requested, until the input ends."""
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
