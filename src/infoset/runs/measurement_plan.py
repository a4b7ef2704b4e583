"""When a run is measured: planned by counted costs, so that it does not depend on the machine."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, inf

from infoset.forms import Form

__all__ = ["gradient_cost", "measurement_cost", "planned_measurements"]

GROWTH = 0.1
"""Smallest growth of the number of iterations between measurements."""

TARGET_GROWTH = 0.05
"""The same in runs with a target, which stop at the first measurement that reaches it."""

WORK_PER_MEASURING = 20
"""Work between two measurements, in costs of a measurement: measuring is a twentieth of it."""

START_COST = 200_000_000
"""Cost of the early measurements that are closer together: less than a tenth of a second."""

MEASUREMENT_OVERHEAD = 100_000
"""Cost of a measurement of the smallest game: 35 to 40 µs, at 0.3 to 0.4 ns for each number."""

COST_BETWEEN_MEASUREMENTS = 3_000_000_000


def gradient_cost(form: Form) -> int:
    """Return the count of numbers read to compute and use one gradient per player."""
    sequences = sum(plex.num_sequences for plex in form.treeplexes)
    return form.gradient_cost + 4 * sequences


def measurement_cost(form: Form) -> int:
    """Return the cost of measuring an answer, in the unit of `gradient_cost`."""
    return MEASUREMENT_OVERHEAD + form.evaluation_cost


def planned_measurements(
    cost: int,
    measurement_cost: int = 0,
    max_cost_between: int = COST_BETWEEN_MEASUREMENTS,
    min_growth: float = GROWTH,
) -> Iterator[int]:
    """Yield the iterations after which to measure; they do not depend on the machine.

    A measurement follows when the iterations since the last one cost 20 measurements and the number
    of iterations has grown by `min_growth`, but for the latter no later than after iterations that
    cost `max_cost_between`.

    Early measurements are closer together: after iteration 1, and then each time the number of
    iterations has grown by `min_growth`. If these measurements, and one at the end of the run,
    would cost more than 2·10⁸, this growth is doubled until they do not. If even two measurements
    cost more than 2·10⁸, no measurement is early, and the first one follows when the iterations
    cost 40 measurements.

    Apart from the early ones, measurements therefore cost at most a twentieth of the iterations,
    including one at the end of the run, wherever it ends. With `TARGET_GROWTH`, a target is passed
    by at most 5% of the iterations or the cost of 20 measurements, whichever is more.

    Parameters
    ----------
    cost : int
        Cost of an iteration.
    measurement_cost : int
        Cost of a measurement, in the same unit.
    max_cost_between : int
        Cost of iterations after which to measure even if their number has grown by less.
    min_growth : float
        Smallest growth of the number of iterations between measurements.
    """
    pause = ceil(WORK_PER_MEASURING * measurement_cost / cost)
    longest = max(1, max_cost_between // cost)
    growth = _early_growth(min_growth, pause, START_COST // max(1, measurement_cost))
    iteration = 1 if growth < inf else 2 * pause
    while True:
        yield iteration
        early = int(min(growth * iteration, pause))
        iteration += max(1, early, min(int(min_growth * iteration), longest))


def _early_growth(growth: float, pause: int, max_measurements: int) -> float:
    """Return the growth between early measurements, at least `growth`; infinite if there are none.

    Early measurements are followed by less than `pause` iterations. At most `max_measurements` come
    after so few iterations, where the one at the end of the run is counted, too.
    """
    if max_measurements < 2:
        return inf
    while 2 + _num_early(pause, growth) > max_measurements:
        growth *= 2
    return growth


def _num_early(pause: int, growth: float) -> int:
    """Return how many measurements come before growth leads to an interval of `pause`."""
    iteration, count = 1, 0
    while growth * iteration < pause:
        iteration += max(1, int(growth * iteration))
        count += 1
    return count
