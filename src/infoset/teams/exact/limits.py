"""When to stop by the clock."""

from __future__ import annotations

import time
from math import inf

from infoset.utils.arguments import check_number

__all__ = ["end_of"]


def end_of(seconds: float | None) -> float:
    """Return what `time.monotonic` is when some seconds, from now, are over; inf for None.

    Raises
    ------
    ParameterError
        If that is no finite number, or a negative one.
    """
    if seconds is None:
        return inf
    check_number("seconds", seconds)
    return time.monotonic() + seconds
