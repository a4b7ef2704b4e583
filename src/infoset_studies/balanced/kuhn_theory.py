"""E1: Kuhn poker with the steps of the theory."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from infoset.experiments.reports import (
    Chart,
    Expected,
    Report,
    Spread,
    Table,
    compared,
    compared_columns,
)
from infoset.experiments.studies import Experiment, RunCells
from infoset.plotting import Line
from infoset_studies.balanced.learning_cell import LearningCell, spreads

__all__ = ["KUHN_THEORY"]

GAME = "kuhn_poker"
HORIZONS: Final = (10_000, 100_000, 1_000_000, 10_000_000)

TABLE_A: Final = MappingProxyType(
    {
        "ixomd": ("0.354 +- 0.020", "0.153 +- 0.010", "0.0560 +- 0.0038", "0.0165 +- 0.0010"),
        "balanced-omd": (
            "0.300 +- 0.025",
            "0.109 +- 0.006",
            "0.0369 +- 0.0026",
            "0.0130 +- 0.0008",
        ),
        "balanced-cfr-hedge": (
            "0.202 +- 0.035",
            "0.072 +- 0.010",
            "0.0251 +- 0.0047",
            "0.0071 +- 0.0015",
        ),
        "balanced-cfr-rm": (
            "0.184 +- 0.043",
            "0.049 +- 0.011",
            "0.0110 +- 0.0026",
            "0.0050 +- 0.0011",
        ),
        "balanced-cfr-rm+": ("0.210", "0.093", "0.0337", "0.0109"),
        "os-mccfr": ("0.065", "0.025", "0.0054", "0.0018"),
        "es-mccfr": ("0.040", "0.012", "0.0030", "0.0011"),
    }
)
"""NashConv in chips, mean and standard deviation over 10 seeds, by learner and horizon."""

SLOPES_FROM = 100_000
SLOPES: Final = (-0.60, -0.40)
HAVE_SLOPES: Final = ("ixomd", "balanced-omd", "balanced-cfr-hedge")
"""Whose steps depend on the horizon, so that the gap falls like its root."""


class Setting(NamedTuple):
    """At which horizons the learners are run, and with how many seeds."""

    horizons: tuple[int, ...]
    seeds: int


def cells_of(learner: str, horizon: int, seeds: int) -> list[LearningCell]:
    """Return the cells of a learner at a horizon: one for each seed."""
    return [LearningCell(GAME, learner, horizon, seed) for seed in range(seeds)]


def report(run: RunCells, setting: Setting) -> Report:
    """Run all learners at all horizons, and compare with table A."""
    horizons, seeds = setting
    keys = [(learner, horizon) for learner in TABLE_A for horizon in horizons]
    groups = [cells_of(*key, seeds) for key in keys]
    found = dict(zip(keys, spreads(run, groups), strict=True))
    return Report((_comparison(found), _slopes(found, horizons)), (_chart(found, horizons),))


def _comparison(found: dict[tuple[str, int], Spread]) -> Table:
    rows = []
    for (learner, horizon), spread in found.items():
        expected = Expected.read(TABLE_A[learner][HORIZONS.index(horizon)])
        rows.append((learner, horizon, *compared(spread, expected)))
    return Table(
        "e1-kuhn-theory",
        "NashConv of the average policies in Kuhn poker, in chips, steps of the theory. External "
        "sampling counts terminal histories visited.",
        ("learner", "episodes", *compared_columns("table A")),
        tuple(rows),
    )


def _slopes(found: dict[tuple[str, int], Spread], horizons: tuple[int, ...]) -> Table:
    rows = []
    for learner in HAVE_SLOPES:
        gaps = {horizon: found[learner, horizon].mean for horizon in horizons}
        slope = slope_of({h: gap for h, gap in gaps.items() if h >= SLOPES_FROM})
        rows.append((learner, slope, None if slope is None else SLOPES[0] <= slope <= SLOPES[1]))
    return Table(
        "e1-slopes",
        f"Slope of log NashConv against log horizon, from {SLOPES_FROM:,} episodes on; the theory "
        "says -1/2.",
        ("learner", "slope", "between -0.60 and -0.40"),
        tuple(rows),
    )


def slope_of(gaps: Mapping[int, float]) -> float | None:
    """Return the slope of log gap against log horizon; None of less than two.

    Examples
    --------
    >>> round(slope_of({100: 1.0, 10_000: 0.1}), 12)
    -0.5
    """
    if len(gaps) < 2:
        return None
    return float(np.polyfit(np.log(list(gaps)), np.log(list(gaps.values())), 1)[0])


def _chart(found: dict[tuple[str, int], Spread], horizons: tuple[int, ...]) -> Chart:
    lines = [
        Line(
            learner,
            tuple(map(float, horizons)),
            tuple(found[learner, horizon].mean for horizon in horizons),
        )
        for learner in TABLE_A
    ]
    return Chart(
        "e1-kuhn-theory",
        "Kuhn poker, steps of the theory",
        "episodes (horizon)",
        "NashConv of the average policy (chips)",
        tuple(lines),
    )


KUHN_THEORY = Experiment(
    "e1",
    "E1: Kuhn poker, steps of the theory",
    report,
    quick=Setting(HORIZONS[:3], 10),
    full=Setting(HORIZONS, 10),
    quick_time="half a minute",
    full_time="four minutes",
)
