"""E2: learners with tuned numbers, on three games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import inf
from typing import Any, NamedTuple

from infoset.experiments.cells import CellResult
from infoset.experiments.reports import Chart, Report, Spread, Table, compared, compared_columns
from infoset.experiments.studies import Experiment, RunCells
from infoset.plotting import Line
from infoset_studies.balanced.learning_cell import LearningCell
from infoset_studies.balanced.tuned_numbers import (
    COLUMNS,
    ENTRIES,
    OURS,
    SHARES,
    Column,
    Entry,
    constant_of,
    expected_of,
)

__all__ = ["GOALS", "TUNED"]

TUNING_SEED = 0
GRID = tuple(10.0 ** (-4 + 7 * step / 19) for step in range(20))
"""Of the published protocol: 20 constants from 10⁻⁴ to 10³."""

NEAR = (0.316, 1.0, 3.16, 10.0)
"""Factors on the constant of the plain learner, at which those with less noise are tried."""


class Setting(NamedTuple):
    """On which games, with how many fresh seeds and measurements, and how constants are found.

    With `searches`, by the published grid; otherwise they are those of table B or, where it has
    none, the best of four near those of the plain learner.
    """

    columns: tuple[Column, ...]
    entries: tuple[Entry, ...]
    seeds: int
    points: int
    searches: bool
    prefix: str = "e2"


@dataclass
class Found:
    """What came out for one learner on one game."""

    entry: Entry
    column: Column
    constant: float | None
    results: list[CellResult] = field(default_factory=list)

    @property
    def spread(self) -> Spread:
        """NashConv at the end."""
        return Spread.of([result["nash_conv"] for result in self.results])

    @property
    def last(self) -> float:
        """NashConv of the last policies, on average."""
        return Spread.of([result["last_nash_conv"] for result in self.results]).mean


def report(run: RunCells, setting: Setting) -> Report:
    """Find the constants, run fresh seeds, and compare with tables B and C."""
    found = _tuned(run, setting)
    seeds = range(TUNING_SEED + 1, TUNING_SEED + 1 + setting.seeds)
    cells = [cell_of(f, f.constant, seed, setting.points) for f, seed in product(found, seeds)]
    results = iter(run(cells))
    for one in found:
        one.results = [next(results) for _ in seeds]
    shown = [(column, found, setting.prefix) for column in setting.columns]
    return Report(tuple(_table(*one) for one in shown), tuple(_chart(*one) for one in shown))


def cell_of(found: Found, constant: float | None, seed: int, points: int = 1) -> LearningCell:
    """Return the cell of a learner with a constant."""
    entry, changes = found.entry, dict[str, Any](found.entry.changes)
    if entry.tuned == "exploration":
        changes["exploration"] = constant
    return LearningCell(
        found.column.game,
        entry.learner,
        found.column.episodes,
        seed,
        preset=entry.preset,
        rate=entry.rate(constant, found.column) if constant and entry.tuned == "rate" else None,
        changes=tuple(changes.items()),
        points=points,
    )


def _tuned(run: RunCells, setting: Setting) -> list[Found]:
    """Return the learners with the best constant each, by the gap at the end of the tuning seed."""
    pairs = [
        (Found(entry, column, None), candidates(entry, column, setting.searches))
        for column, entry in product(setting.columns, setting.entries)
    ]
    tried = [(f, c) for f, constants in pairs if len(constants) > 1 for c in constants]
    results = run([cell_of(f, constant, TUNING_SEED) for f, constant in tried])
    best = dict[int, float]()
    for (one, constant), result in zip(tried, results, strict=True):
        if result["nash_conv"] < best.get(id(one), inf):
            best[id(one)], one.constant = result["nash_conv"], constant
    for one, constants in pairs:
        if len(constants) == 1:
            one.constant = constants[0]
    return [one for one, constants in pairs if constants or not one.entry.tuned]


def candidates(entry: Entry, column: Column, searches: bool) -> Sequence[float]:
    """Return the constants to choose from; none where there is no constant, or none is known."""
    if not entry.tuned:
        return ()
    if searches:
        return SHARES if entry.tuned == "exploration" else GRID
    constant, is_own = constant_of(entry, column)
    if constant is None or is_own:
        return () if constant is None else (constant,)
    return [factor * constant for factor in NEAR]


def _table(column: Column, found: Sequence[Found], prefix: str) -> Table:
    rows = []
    for one in found:
        if one.column == column:
            numbers = compared(one.spread, expected_of(one.entry, column))
            rows.append((one.entry.label, one.constant, *numbers, one.last))
    return Table(
        f"{prefix}-{column.name}",
        f"NashConv of the average policies in {column.title} after {column.episodes:,} episodes, "
        "in chips. External sampling counts terminal histories visited, and is not of the kind "
        "that sees its own episodes only.",
        ("learner", "constant", *compared_columns("tables B, C"), "last policy"),
        tuple(rows),
    )


def _chart(column: Column, found: Sequence[Found], prefix: str) -> Chart:
    lines = []
    for one in found:
        if one.column == column and one.entry.is_drawn:
            traces = [result["trace"] for result in one.results]
            episodes = tuple(float(point[0]) for point in traces[0])
            gaps = zip(*([gap for _, gap in trace] for trace in traces), strict=True)
            means = tuple(sum(gap) / len(gap) / column.width for gap in gaps)
            lines.append(Line(one.entry.label, episodes, means))
    return Chart(
        f"{prefix}-{column.name}",
        column.title,
        "episodes",
        "NashConv / payoff range",
        tuple(lines),
    )


TUNED = Experiment(
    "e2",
    "E2: tuned learners",
    report,
    quick=Setting(tuple(c for c in COLUMNS if c.episodes == 1_000_000), ENTRIES, 4, 8, False),
    full=Setting(COLUMNS, ENTRIES, 4, 50, True),
    quick_time="seven minutes",
    full_time="five hours",
)

LONG = tuple(column for column in COLUMNS if column.name in ("kuhn-1e7", "leduc-1e7"))

GOALS = Experiment(
    "goals",
    "Goals: ten million episodes, as the library recommends",
    report,
    quick=Setting(LONG, OURS, 2, 8, False, "goals"),
    full=Setting(LONG, OURS, 4, 50, False, "goals"),
    quick_time="three minutes",
    full_time="six minutes",
)
