"""Episodes to a fixed accuracy, against the size of the tree."""

from __future__ import annotations

from itertools import product
from math import exp, log
from types import MappingProxyType
from typing import Final, NamedTuple

from infoset.experiments.reports import Chart, Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.plotting import Line
from infoset_studies.balanced.kuhn_theory import slope_of
from infoset_studies.balanced.learning_cell import LearningCell, simulator_of, spreads
from infoset_studies.balanced.separation import LEARNERS, PRESET

__all__ = ["SAMPLES"]

FIRST_HORIZON: Final = 1_000
GROWTH: Final = 2
BOUNDS: Final = MappingProxyType({"ixomd": 2, "balanced-omd": 1})
"""The power of X in what theory says is enough, by learner."""


class Setting(NamedTuple):
    """Which trees, how accurate the average policy is to be, up to which horizon."""

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

    @property
    def num_infostates(self) -> int:
        """X."""
        return len(simulator_of(self.game).depth)


def report(run: RunCells, setting: Setting) -> Report:
    """Double the horizon until the gap is small enough, on every tree and for every learner."""
    pairs = [Pair(*pair) for pair in product(setting.branchings, LEARNERS)]
    gaps: dict[Pair, dict[int, float]] = {pair: {} for pair in pairs}
    horizon = FIRST_HORIZON
    while horizon <= setting.last_horizon:
        left = [pair for pair in pairs if needs_more(gaps[pair], setting.accuracy)]
        groups = [_cells(pair, horizon, setting.seeds) for pair in left]
        for pair, spread in zip(left, spreads(run, groups), strict=True):
            gaps[pair][horizon] = spread.mean
        horizon *= GROWTH
    needed = {pair: episodes_to(gaps[pair], setting.accuracy) for pair in pairs}
    return Report((_table(needed, setting), _slopes(needed)), (_chart(needed, setting),))


def _cells(pair: Pair, horizon: int, seeds: int) -> list[LearningCell]:
    return [LearningCell(pair.game, pair.learner, horizon, s, PRESET) for s in range(seeds)]


def needs_more(gaps: dict[int, float], accuracy: float) -> bool:
    """Return whether none of the horizons so far was long enough."""
    return all(gap > accuracy for gap in gaps.values())


def episodes_to(gaps: dict[int, float], accuracy: float) -> float | None:
    """Return the horizon at which the gap is `accuracy`, by a straight line between logarithms.

    None where the longest horizon is too short.

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
    share = (low - log(accuracy)) / (low - high)
    return exp(log(before[-1]) + share * (log(after) - log(before[-1])))


def _table(needed: dict[Pair, float | None], setting: Setting) -> Table:
    rows = []
    for branching in setting.branchings:
        pairs = [Pair(branching, learner) for learner in LEARNERS]
        plain, balanced = (needed[pair] for pair in pairs)
        ratio = plain / balanced if plain and balanced else None
        tree = (f"`{pairs[0].game}`", pairs[0].num_infostates)
        rows.append((*tree, _whole(plain), _whole(balanced), ratio))
    return Table(
        "samples",
        f"Episodes until the average policy wins {setting.accuracy} less than the best one, when a "
        f"win is 1 and a loss is -1; `-` for more than {setting.last_horizon:,}.",
        ("tree", "X", *LEARNERS, "ratio"),
        tuple(rows),
    )


def _slopes(needed: dict[Pair, float | None]) -> Table:
    rows = []
    for learner in LEARNERS:
        found = {
            pair.num_infostates: episodes
            for pair, episodes in needed.items()
            if pair.learner == learner and episodes
        }
        rows.append((learner, slope_of(found), BOUNDS[learner]))
    return Table(
        "samples-slopes",
        "Slope of log episodes against log X, beside that of the bounds.",
        ("learner", "slope", "bound"),
        tuple(rows),
    )


def _whole(episodes: float | None) -> int | None:
    return None if episodes is None else round(episodes)


def _chart(needed: dict[Pair, float | None], setting: Setting) -> Chart:
    lines = []
    for learner, power in BOUNDS.items():
        points = [
            (float(pair.num_infostates), episodes)
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
        "samples",
        f"Trees that can be stopped, gap {setting.accuracy}",
        "infostates X",
        "episodes",
        tuple(lines),
    )


SAMPLES = Experiment(
    "samples",
    "Samples: episodes to a fixed accuracy",
    report,
    quick=Setting((2, 3, 4, 6, 8), 0.1, 2_048_000, 2),
    full=Setting((2, 3, 4, 6, 8, 12, 16, 24, 32), 0.1, 32_768_000, 4),
    quick_time="a minute",
    full_time="five minutes",
)
