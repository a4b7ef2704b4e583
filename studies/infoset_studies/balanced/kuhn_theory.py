"""Kuhn poker with theoretical step sizes: the gap by horizon, and its slope."""

from __future__ import annotations

from itertools import product
from typing import Final, NamedTuple

from infoset.experiments.grids import log_log_slope, run_grid, spreads
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
from infoset_studies.balanced.learning_cells import LearningCell
from infoset_studies.published_numbers import read_rows

__all__ = ["EXPECTED", "KUHN_THEORY"]

GAME = "kuhn_poker"
HORIZONS: Final = (10_000, 100_000, 1_000_000, 10_000_000)

EXPECTED: Final = {
    (row["learner"], int(row["episodes"])): Expected.read(row["nash_conv"], row["sd"])
    for row in read_rows("kuhn_theory")
}
"""NashConv in chips, mean and standard deviation over 10 seeds, by learner and horizon."""

LEARNERS: Final = tuple(dict.fromkeys(learner for learner, _ in EXPECTED))

FIRST_FITTED_HORIZON: Final = 100_000
SLOPE_RANGE: Final = (-0.60, -0.40)
HORIZON_LEARNERS: Final = ("ixomd", "balanced-omd", "balanced-cfr-hedge")
"""Learners whose step sizes depend on the horizon T, so that the gap falls as 1 / √T."""


class Setting(NamedTuple):
    """The horizons, and the number of seeds."""

    horizons: tuple[int, ...]
    seeds: int


def report(run: RunCells, setting: Setting) -> Report:
    """Run all learners at all horizons, and compare with the reference numbers."""
    found = spreads(
        run_grid(
            run,
            product(LEARNERS, setting.horizons),
            lambda point: [LearningCell(GAME, *point, seed) for seed in range(setting.seeds)],
        ),
        "nash_conv",
    )
    tables = (_comparison(found), _slopes(found, setting.horizons))
    return Report(tables, (_chart(found, setting.horizons),))


def _comparison(found: dict[tuple[str, int], Spread]) -> Table:
    rows = [(*point, *compared(spread, EXPECTED[point])) for point, spread in found.items()]
    return Table(
        "kuhn-theory",
        "NashConv of the average policies in Kuhn poker, in chips, with the step sizes of the "
        "theory. For external sampling, an episode is a visit to a terminal history.",
        ("learner", "episodes", *compared_columns("prototype")),
        tuple(rows),
    )


def _slopes(found: dict[tuple[str, int], Spread], horizons: tuple[int, ...]) -> Table:
    fitted = [horizon for horizon in horizons if horizon >= FIRST_FITTED_HORIZON]
    lowest, highest = SLOPE_RANGE
    rows = []
    for learner in HORIZON_LEARNERS:
        slope = log_log_slope({horizon: found[learner, horizon].mean for horizon in fitted})
        rows.append((learner, slope, None if slope is None else lowest <= slope <= highest))
    return Table(
        "kuhn-theory-slopes",
        f"Slope of log NashConv against log horizon, from {FIRST_FITTED_HORIZON:,} episodes on. "
        "The theory predicts -1/2.",
        ("learner", "slope", "between -0.60 and -0.40"),
        tuple(rows),
    )


def _chart(found: dict[tuple[str, int], Spread], horizons: tuple[int, ...]) -> Chart:
    lines = [
        Line(
            learner,
            tuple(map(float, horizons)),
            tuple(found[learner, horizon].mean for horizon in horizons),
        )
        for learner in LEARNERS
    ]
    return Chart(
        "kuhn-theory",
        "Kuhn poker, step sizes of the theory",
        "episodes (horizon)",
        "NashConv of the average policy (chips)",
        tuple(lines),
    )


KUHN_THEORY = Experiment(
    "kuhn-theory",
    "Kuhn poker with the step sizes of the theory",
    report,
    quick=Setting(HORIZONS[:3], 10),
    full=Setting(HORIZONS, 10),
    quick_time="half a minute",
    full_time="four minutes",
)
