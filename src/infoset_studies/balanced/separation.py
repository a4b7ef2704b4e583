"""E3: trees on which balanced weights pay, the more the larger they are."""

from __future__ import annotations

from itertools import product
from types import MappingProxyType
from typing import Final, NamedTuple

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
from infoset_studies.balanced.learning_cell import LearningCell, simulator_of, spreads

__all__ = ["SEPARATION"]

HORIZONS: Final = (100_000, 1_000_000, 10_000_000)
LEARNERS: Final = ("ixomd", "balanced-omd")
PRESET: Final = "practical"
"""Steps for a total loss in [0, 1]."""

TABLE_D: Final = MappingProxyType(
    {
        "bandit_tree(branching=4)": (".115 / .112", ".044 / .043", ".0138 / .0136"),
        "bandit_tree(branching=8)": (".174 / .155", ".122 / .083", ".0496 / .0280"),
        "bandit_tree(branching=16)": (".193 / .180", ".178 / .130", ".134 / .056"),
        "bandit_tree(can_stop=True)": (".148 / .104", ".054 / .036", ".0170 / .0114"),
        "bandit_tree(branching=16,can_stop=True)": (".247 / .216", ".214 / .126", ".147 / .044"),
        "bandit_tree(branching=64,can_stop=True)": (".257 / .244", ".248 / .224", ".231 / .151"),
    }
)
"""Twice the gap of the average policy, in units of loss, by tree, horizon and learner."""

Found = dict[tuple[str, int, str], Spread]


class Setting(NamedTuple):
    """Which trees, at which horizons, with how many seeds."""

    games: tuple[str, ...]
    horizons: tuple[int, ...]
    seeds: int


def cells_of(game: str, horizon: int, learner: str, seeds: int) -> list[LearningCell]:
    """Return the cells of a learner on a tree: one for each seed."""
    return [LearningCell(game, learner, horizon, seed, PRESET) for seed in range(seeds)]


def report(run: RunCells, setting: Setting) -> Report:
    """Run both learners on the trees, and compare with table D."""
    keys = list(product(setting.games, setting.horizons, LEARNERS))
    groups = [cells_of(*key, setting.seeds) for key in keys]
    found = dict(zip(keys, spreads(run, groups), strict=True))
    charts = (_chart(found, setting),)
    return Report((_comparison(found), _ratios(found, setting)), charts)


def expected_of(game: str, horizon: int) -> list[Expected]:
    """Return what is expected of each learner."""
    return [Expected.read(text) for text in TABLE_D[game][HORIZONS.index(horizon)].split("/")]


def num_infostates(game: str) -> int:
    """Return X."""
    return len(simulator_of(game).depth)


def _comparison(found: Found) -> Table:
    rows = []
    for (game, horizon, learner), spread in found.items():
        expected = expected_of(game, horizon)[LEARNERS.index(learner)]
        about = (f"`{game}`", num_infostates(game), learner, horizon)
        rows.append((*about, *compared(spread, expected)))
    return Table(
        "e3-separation",
        "What the average policy wins less than the best one, when a win is 1 and a loss is -1.",
        ("tree", "X", "learner", "episodes", *compared_columns("table D")),
        tuple(rows),
    )


def _ratios(found: Found, setting: Setting) -> Table:
    rows = []
    for game, horizon in product(setting.games, setting.horizons):
        plain, balanced = (found[game, horizon, learner].mean for learner in LEARNERS)
        expected = expected_of(game, horizon)
        about = (f"`{game}`", num_infostates(game), horizon)
        rows.append((*about, plain / balanced, expected[0].mean / expected[1].mean))
    return Table(
        "e3-ratios",
        "The gap of IXOMD by that of Balanced OMD.",
        ("tree", "X", "episodes", "ours", "table D"),
        tuple(rows),
    )


def _chart(found: Found, setting: Setting) -> Chart:
    horizon = setting.horizons[-1]
    lines = []
    for can_stop, learner in product((False, True), LEARNERS):
        games = [game for game in setting.games if ("can_stop" in game) == can_stop]
        if games:
            sizes = tuple(float(num_infostates(game)) for game in games)
            gaps = tuple(found[game, horizon, learner].mean for game in games)
            lines.append(Line(f"{learner}{', can stop' if can_stop else ''}", sizes, gaps))
    return Chart(
        "e3-separation",
        f"Trees against nature, {horizon:,} episodes",
        "infostates X",
        "gap of the average policy (win 1, loss -1)",
        tuple(lines),
    )


SEPARATION = Experiment(
    "e3",
    "E3: IXOMD and Balanced OMD apart",
    report,
    quick=Setting(tuple(TABLE_D), HORIZONS[:2], 4),
    full=Setting(tuple(TABLE_D), HORIZONS, 4),
    quick_time="half a minute",
    full_time="four minutes",
)
