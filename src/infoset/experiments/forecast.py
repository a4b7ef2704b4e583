"""Speed of a solver, and an estimate of the time to its target."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

import numpy as np

from infoset.runs import TracePoint

RECENT_FACTOR = 8
"""The forecast uses the measurements after an eighth of the iterations."""

MIN_SPAN = 2
MIN_POINTS = 4
MIN_SLOPE = 0.05
MAX_SECONDS = 1e9


def iterations_per_second(trace: Sequence[TracePoint]) -> float | None:
    """Return the recent speed, including measurements; None if there are too few measurements."""
    tail = _tail(trace)
    if not tail or tail[-1].seconds <= tail[0].seconds:
        return None
    return (tail[-1].iteration - tail[0].iteration) / (tail[-1].seconds - tail[0].seconds)


def seconds_to_target(trace: Sequence[TracePoint], target: float) -> float | None:
    """Estimate the time left until the distance from equilibrium is at most `target`.

    A power law, log error = a + slope · log iterations, is fitted to the recent measurements and
    extrapolated at the recent speed.

    Parameters
    ----------
    trace
        Measurements so far.
    target
        In the game's units, as in `Budget`.

    Returns
    -------
    float or None
        Seconds; 0 if the target is met. None if no estimate is possible: there are too few
        measurements, they do not decrease, or the estimate exceeds 10⁹ seconds.

    Examples
    --------
    >>> trace = [
    ...     TracePoint(t, t / 100, (0.0, 0.0), 2 / t, 1 / t) for t in range(1, 101)
    ... ]
    >>> round(seconds_to_target(trace, 0.001), 6)
    9.0
    """
    if not trace:
        return None
    if trace[-1].error <= target:
        return 0.0
    tail = _tail(trace)
    speed = iterations_per_second(trace)
    slope = _slope(tail)
    if target <= 0 or not speed or slope is None or slope > -MIN_SLOPE:
        return None
    # error ∝ iterations^slope: the iterations grow by (target / error)^(1/slope) = e^exponent.
    exponent = log(target / trace[-1].error) / slope
    if exponent > log(MAX_SECONDS):  # exp could overflow
        return None
    seconds = trace[-1].iteration * (exp(exponent) - 1) / speed
    return seconds if seconds <= MAX_SECONDS else None


def _tail(trace: Sequence[TracePoint]) -> list[TracePoint]:
    """Return the recent measurements."""
    return [point for point in trace if point.iteration * RECENT_FACTOR >= trace[-1].iteration]


def _slope(tail: Sequence[TracePoint]) -> float | None:
    """Return the slope of log error against log iterations; None if there is too little to fit."""
    points = [(t.iteration, t.error) for t in tail if t.error > 0 and t.iteration > 0]
    if len(points) < MIN_POINTS or points[-1][0] < MIN_SPAN * points[0][0]:
        return None
    iterations, errors = np.log(np.array(points, dtype=np.float64)).T
    centered = iterations - iterations.mean()
    return float(centered @ errors / (centered @ centered))
