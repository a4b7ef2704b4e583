"""IXOMD and Balanced OMD on trees against chance: gap by tree, and episodes to an accuracy."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import exp, log
from types import MappingProxyType
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
from infoset_studies.balanced.learning_cells import LearningCell, simulator_of
from infoset_studies.published_numbers import read_rows

__all__ = ["SAMPLE_COMPLEXITY", "SEPARATION"]

HORIZONS: Final = (100_000, 1_000_000, 10_000_000)
LEARNERS: Final = ("ixomd", "balanced-omd")
PRESET: Final = "practical"
"""Step sizes for a total loss in [0, 1]."""

EXPECTED: Final = {
    (row["game"], int(row["episodes"]), row["learner"]): Expected.read(row["gap"])
    for row in read_rows("bandit_trees")
}
"""Twice the gap of the average policy, in units of loss, by tree, horizon and learner."""

GAMES: Final = tuple(dict.fromkeys(game for game, _, _ in EXPECTED))

Found = Mapping[tuple[str, int, str], Spread]


class Setting(NamedTuple):
    """The trees, the horizons, and the number of seeds."""

    games: tuple[str, ...]
    horizons: tuple[int, ...]
    seeds: int


def report(run: RunCells, setting: Setting) -> Report:
    """Run both learners on the trees, and compare with the reference numbers."""

    def cells_of(point: tuple[str, int, str]) -> list[LearningCell]:
        game, horizon, learner = point
        return [LearningCell(game, learner, horizon, s, PRESET) for s in range(setting.seeds)]

    grid = product(setting.games, setting.horizons, LEARNERS)
    found = spreads(run_grid(run, grid, cells_of), "nash_conv")
    tables = (_comparison(found), _ratios(found, setting))
    return Report(tables, (_separation_chart(found, setting),))


def num_infostates(game: str) -> int:
    """Return X, the number of the learner's infostates."""
    return len(simulator_of(game).depth)


def _comparison(found: Found) -> Table:
    rows = []
    for point, spread in found.items():
        game, horizon, learner = point
        tree = (f"`{game}`", num_infostates(game))
        rows.append((*tree, learner, horizon, *compared(spread, EXPECTED[point])))
    return Table(
        "separation",
        "How much less the average policy wins than the best policy, where a win is 1 and a loss "
        "is -1.",
        ("tree", "X", "learner", "episodes", *compared_columns("prototype")),
        tuple(rows),
    )


def _ratios(found: Found, setting: Setting) -> Table:
    rows = []
    for game, horizon in product(setting.games, setting.horizons):
        plain, balanced = (found[game, horizon, learner].mean for learner in LEARNERS)
        expected = [EXPECTED[game, horizon, learner].mean for learner in LEARNERS]
        tree = (f"`{game}`", num_infostates(game))
        rows.append((*tree, horizon, plain / balanced, expected[0] / expected[1]))
    return Table(
        "separation-ratios",
        "The gap of IXOMD divided by the gap of Balanced OMD.",
        ("tree", "X", "episodes", "measured", "prototype"),
        tuple(rows),
    )


def _separation_chart(found: Found, setting: Setting) -> Chart:
    horizon = setting.horizons[-1]
    lines = []
    for can_stop, learner in product((False, True), LEARNERS):
        games = [game for game in setting.games if ("can_stop" in game) == can_stop]
        if games:
            sizes = tuple(float(num_infostates(game)) for game in games)
            gaps = tuple(found[game, horizon, learner].mean for game in games)
            lines.append(Line(f"{learner}{', can stop' if can_stop else ''}", sizes, gaps))
    return Chart(
        "separation",
        f"Trees against chance, {horizon:,} episodes",
        "infostates X",
        "gap of the average policy (win 1, loss -1)",
        tuple(lines),
    )


SEPARATION = Experiment(
    "separation",
    "Separation of IXOMD and Balanced OMD",
    report,
    quick=Setting(GAMES, HORIZONS[:2], 4),
    full=Setting(GAMES, HORIZONS, 4),
    quick_time="half a minute",
    full_time="four minutes",
)

# Episodes to a fixed accuracy

FIRST_HORIZON: Final = 1_000
GROWTH: Final = 2
BOUND_EXPONENTS: Final = MappingProxyType({"ixomd": 2, "balanced-omd": 1})
"""Exponent of X in the number of episodes that suffices according to the theory, by learner."""


class SampleSetting(NamedTuple):
    """The trees, the accuracy to reach, the longest horizon, and the number of seeds."""

    branchings: tuple[int, ...]
    accuracy: float
    last_horizon: int
    seeds: int


class Pair(NamedTuple):
    """A tree and a learner."""

    branching: int
    learner: str

    @property
    def game(self) -> str:
        """The tree."""
        return f"bandit_tree(branching={self.branching},can_stop=True)"


def sample_report(run: RunCells, setting: SampleSetting) -> Report:
    """Double the horizon until the gap is small enough, for every tree and every learner."""
    pairs = [Pair(*pair) for pair in product(setting.branchings, LEARNERS)]
    gaps: dict[Pair, dict[int, float]] = {pair: {} for pair in pairs}
    horizon = FIRST_HORIZON

    def cells_of(pair: Pair) -> list[LearningCell]:
        seeds = range(setting.seeds)
        return [LearningCell(pair.game, pair.learner, horizon, seed, PRESET) for seed in seeds]

    while horizon <= setting.last_horizon:
        unsolved = [pair for pair in pairs if needs_more(gaps[pair], setting.accuracy)]
        for pair, spread in spreads(run_grid(run, unsolved, cells_of), "nash_conv").items():
            gaps[pair][horizon] = spread.mean
        horizon *= GROWTH
    needed = {pair: episodes_to(gaps[pair], setting.accuracy) for pair in pairs}
    tables = (_samples_table(needed, setting), _samples_slopes(needed))
    return Report(tables, (_samples_chart(needed, setting),))


def needs_more(gaps: Mapping[int, float], accuracy: float) -> bool:
    """Return whether the gap is above `accuracy` at every horizon so far."""
    return all(gap > accuracy for gap in gaps.values())


def episodes_to(gaps: Mapping[int, float], accuracy: float) -> float | None:
    """Return the horizon at which the gap is `accuracy`, by log-log interpolation.

    The result is None if even the longest horizon is too short.

    Examples
    --------
    >>> round(episodes_to({100: 0.4, 10_000: 0.04}, 0.4 / 10**0.5))
    1000
    """
    if needs_more(gaps, accuracy):
        return None
    (*before, after) = sorted(gaps)
    if not before:
        return float(after)
    low, high = log(gaps[before[-1]]), log(gaps[after])
    fraction = (low - log(accuracy)) / (low - high)
    return exp(log(before[-1]) + fraction * (log(after) - log(before[-1])))


def _samples_table(needed: Mapping[Pair, float | None], setting: SampleSetting) -> Table:
    rows = []
    for branching in setting.branchings:
        pairs = [Pair(branching, learner) for learner in LEARNERS]
        plain, balanced = (needed[pair] for pair in pairs)
        ratio = plain / balanced if plain and balanced else None
        tree = (f"`{pairs[0].game}`", num_infostates(pairs[0].game))
        rows.append((*tree, _rounded(plain), _rounded(balanced), ratio))
    return Table(
        "sample-complexity",
        f"Episodes until the average policy wins {setting.accuracy} less than the best policy, "
        f"where a win is 1 and a loss is -1; `-` means more than {setting.last_horizon:,}.",
        ("tree", "X", *LEARNERS, "ratio"),
        tuple(rows),
    )


def _rounded(episodes: float | None) -> int | None:
    return None if episodes is None else round(episodes)


def _samples_slopes(needed: Mapping[Pair, float | None]) -> Table:
    rows = []
    for learner in LEARNERS:
        found = {
            num_infostates(pair.game): episodes
            for pair, episodes in needed.items()
            if pair.learner == learner and episodes
        }
        rows.append((learner, log_log_slope(found), BOUND_EXPONENTS[learner]))
    return Table(
        "sample-complexity-slopes",
        "Slope of log episodes against log X, and the slope of the upper bound.",
        ("learner", "slope", "bound"),
        tuple(rows),
    )


def _samples_chart(needed: Mapping[Pair, float | None], setting: SampleSetting) -> Chart:
    lines = []
    for learner, power in BOUND_EXPONENTS.items():
        points = [
            (float(num_infostates(pair.game)), episodes)
            for pair, episodes in needed.items()
            if pair.learner == learner and episodes
        ]
        if points:
            sizes, episodes = zip(*points, strict=True)
            lines.append(Line(learner, sizes, episodes))
            first = episodes[0] / sizes[0] ** power
            guide = tuple(first * size**power for size in sizes)
            lines.append(Line("X²" if power == 2 else "X", sizes, guide, is_guide=True))
    return Chart(
        "sample-complexity",
        f"Trees with an exit action, gap {setting.accuracy}",
        "infostates X",
        "episodes",
        tuple(lines),
    )


SAMPLE_COMPLEXITY = Experiment(
    "sample-complexity",
    "Episodes to a fixed accuracy, by the size of the tree",
    sample_report,
    quick=SampleSetting((2, 3, 4, 6, 8), 0.1, 2_048_000, 2),
    full=SampleSetting((2, 3, 4, 6, 8, 12, 16, 24, 32), 0.1, 32_768_000, 4),
    quick_time="a minute",
    full_time="five minutes",
)
