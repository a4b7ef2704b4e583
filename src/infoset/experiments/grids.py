"""Grids of cells: an experiment runs the cells of each grid point and tabulates the results."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from infoset.experiments.cells import Cell, CellResult
from infoset.experiments.reports import Spread
from infoset.experiments.studies import RunCells

Point = TypeVar("Point", bound=Hashable)


def run_grid(
    run: RunCells, points: Iterable[Point], cells_of: Callable[[Point], Sequence[Cell]]
) -> dict[Point, list[CellResult]]:
    """Run the cells of all grid points together, and return their results by point.

    Parameters
    ----------
    run : callable
        The function that `run_study` passes to the report function of an experiment.
    points : iterable
        Distinct points in the order of the table, such as `itertools.product(games, learners)`.
        Use `run_points` for repeated points.
    cells_of : callable
        Returns the cells of a point, such as one for each random seed.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> def run(cells):
    ...     return [{"square": cell.value**2} for cell in cells]
    >>> run_grid(run, [2, 3], lambda point: [SimpleNamespace(value=point)])
    {2: [{'square': 4}], 3: [{'square': 9}]}
    """
    points = list(points)
    return dict(zip(points, run_points(run, [cells_of(point) for point in points]), strict=True))


def run_points(run: RunCells, groups: Sequence[Sequence[Cell]]) -> list[list[CellResult]]:
    """Run groups of cells together, and return the results of each group."""
    # The results come back in the order of the cells, so each group takes its number of them.
    results = iter(run([cell for group in groups for cell in group]))
    return [[next(results) for _ in group] for group in groups]


def spreads(found: Mapping[Point, Sequence[CellResult]], quantity: str) -> dict[Point, Spread]:
    """Return the mean and standard deviation of a quantity over the cells of each grid point."""
    return {
        point: Spread.of([float(result[quantity]) for result in results])
        for point, results in found.items()
    }


def log_log_slope(values: Mapping[int, float]) -> float | None:
    """Return the least-squares slope of log value against log key; None for fewer than two points.

    Examples
    --------
    >>> round(log_log_slope({100: 1.0, 10_000: 0.1}), 12)
    -0.5
    """
    if len(values) < 2:
        return None
    return float(np.polyfit(np.log(list(values)), np.log(list(values.values())), 1)[0])
