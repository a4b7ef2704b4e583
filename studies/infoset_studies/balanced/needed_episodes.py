"""Episodes until NashConv of the average policy is small enough: 15 learners on four games."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Final, NamedTuple

import numpy as np

from infoset.experiments.grids import run_grid, spreads
from infoset.experiments.reports import Chart, Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.learning import Knowledge, get_learner
from infoset.plotting import Line
from infoset_studies.balanced.bandit_trees import GROWTH, episodes_to, needs_more
from infoset_studies.balanced.learning_cells import LearningCell

__all__ = ["NEEDED_EPISODES"]

FIRST_HORIZON: Final = 250
PRESET: Final = "recommended"
"""Used if the learner has it; the other learners have their published parameters."""

LEARNERS: Final = (
    "ixomd",
    "balanced-omd",
    "balanced-ftrl",
    "adaptive-ftrl",
    "tweaked-ftrl",
    "balanced-cfr-hedge",
    "balanced-cfr-rm",
    "balanced-cfr-baseline",
    "local-omd",
    "local-omd-action-baseline",
    "os-mccfr",
    "online-os-mccfr",
    "vr-mccfr-balanced",
    "cert-cfr",
    "cfr-psrl",
)

CURVE_POINTS: Final = 7

Gaps = Mapping[int, float]


class Task(NamedTuple):
    """A game, its name in the tables, and two accuracies to reach, in the game's units."""

    game: str
    title: str
    coarse: float
    fine: float


TASKS: Final = (
    Task("kuhn_poker", "Kuhn", 0.1, 0.03),
    Task(
        "bandit_tree(depth=1,deals=32,best_chance=0.6,other_chance=0.4,players=2)",
        "bandits",
        0.1,
        0.05,
    ),
    Task("liars_dice(dice_sides=3)", "dice", 0.2, 0.05),
    Task("leduc_poker", "Leduc", 2.0, 1.0),
)


class Setting(NamedTuple):
    """The games, the longest horizons without and with a model of the game, and the seeds."""

    tasks: tuple[Task, ...]
    last_horizon: int
    last_with_model: int
    seeds: int

    def last(self, learner: str) -> int:
        """Return the longest horizon of a learner; episodes take longer with a model."""
        knows = get_learner(learner).knowledge
        has_model = knows in (Knowledge.HISTORIES, Knowledge.TREE)
        return self.last_with_model if has_model else self.last_horizon


def report(run: RunCells, setting: Setting) -> Report:
    """Double the horizon until the gap is small enough, for every game and every learner."""
    gaps: dict[tuple[Task, str], dict[int, float]] = {
        pair: {} for pair in product(setting.tasks, LEARNERS)
    }
    horizon = FIRST_HORIZON

    def cells_of(pair: tuple[Task, str]) -> list[LearningCell]:
        task, learner = pair
        preset = PRESET if PRESET in get_learner(learner).presets else None
        seeds = range(setting.seeds)
        return [LearningCell(task.game, learner, horizon, seed, preset) for seed in seeds]

    while horizon <= setting.last_horizon:
        waiting = [
            (task, learner)
            for (task, learner), found in gaps.items()
            if horizon <= setting.last(learner) and needs_more(found, task.fine)
        ]
        for pair, spread in spreads(run_grid(run, waiting, cells_of), "nash_conv").items():
            gaps[pair][horizon] = spread.mean
        horizon *= GROWTH
    return Report((_table(gaps, setting),), (_chart(gaps, setting.tasks[-1]),))


def first_episodes(gaps: Gaps, accuracy: float) -> float | None:
    """Return the number of episodes at which the gap first reaches an accuracy, or None.

    Examples
    --------
    >>> round(first_episodes({100: 0.4, 10_000: 0.04, 20_000: 0.01}, 0.4 / 10**0.5))
    1000
    """
    reached = [horizon for horizon, gap in gaps.items() if gap <= accuracy]
    until = {horizon: gap for horizon, gap in gaps.items() if horizon <= min(reached, default=0)}
    return episodes_to(until, accuracy)


def _table(gaps: Mapping[tuple[Task, str], Gaps], setting: Setting) -> Table:
    rows = []
    for learner in LEARNERS:
        needed = [
            first_episodes(gaps[task, learner], accuracy)
            for task in setting.tasks
            for accuracy in (task.coarse, task.fine)
        ]
        rows.append((learner, *(None if one is None else round(one) for one in needed)))
    columns = [f"{t.title} {accuracy:g}" for t in setting.tasks for accuracy in (t.coarse, t.fine)]
    return Table(
        "needed-episodes",
        "Episodes until NashConv of the average policy is at most the number in the heading; `-` "
        f"means more than {setting.last_horizon:,}, or {setting.last_with_model:,} with a model of "
        "the game.",
        ("learner", *columns),
        tuple(rows),
    )


def _chart(gaps: Mapping[tuple[Task, str], Gaps], task: Task) -> Chart:
    """Return the chart of one game: episodes by accuracy."""
    lines = []
    for learner in LEARNERS:
        curve = [
            (float(accuracy), needed)
            for accuracy in np.geomspace(2 * task.coarse, task.fine, CURVE_POINTS)
            if (needed := first_episodes(gaps[task, learner], accuracy)) is not None
        ]
        if curve:
            accuracies, episodes = zip(*curve, strict=True)
            lines.append(Line(learner, accuracies, episodes))
    return Chart(
        "needed-episodes",
        f"{task.title}: episodes to an accuracy",
        "NashConv of the average policy",
        "episodes",
        tuple(lines),
    )


NEEDED_EPISODES = Experiment(
    "needed-episodes",
    "Episodes that each learner needs",
    report,
    quick=Setting(TASKS, 128_000, 8_000, 2),
    full=Setting(TASKS, 1_024_000, 64_000, 4),
    quick_time="half a minute",
    full_time="five minutes",
)
