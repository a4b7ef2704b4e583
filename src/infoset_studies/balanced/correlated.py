"""E4: joint play of three learners, and how far it is from a coarse correlated equilibrium."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import product
from threading import Event
from types import MappingProxyType
from typing import Any, Final, NamedTuple, cast

from infoset.evaluation import nash_conv
from infoset.experiments.cells import CellResult
from infoset.experiments.folders import run_slug
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
from infoset.learning import OnlineMirrorDescent, RegretTracker, StepSizeRule, get_learner
from infoset.plotting import Line
from infoset_studies.balanced.learning_cell import play_until, simulator_of

__all__ = ["CORRELATED"]

GAME: Final = "kuhn_poker(players=3)"
HORIZONS: Final = (1_000, 10_000, 100_000)
COUNTED: Final = 10_000
"""Of more episodes than this, evenly spaced ones are measured."""

TABLE_E: Final = MappingProxyType(
    {"ixomd": ("0.123", "0.092", "0.051"), "balanced-omd": ("0.115", "0.073", "0.036")}
)
"""The gap in units of loss, a sixth of a chip, by learner and horizon."""


class Setting(NamedTuple):
    """At which horizons the learners are run, and with how many seeds."""

    horizons: tuple[int, ...]
    seeds: int


@dataclass(frozen=True)
class JointCell:
    """Learners of one kind in all seats, whose joint play is measured.

    Attributes
    ----------
    game, learner : str
    episodes, seed : int
    shares_depth : bool
        Whether the steps of all players are by the most decisions that one of them has, as those of
        table E, and not by each one's own.
    """

    game: str
    learner: str
    episodes: int
    seed: int
    shares_depth: bool

    @property
    def name(self) -> str:
        """What its file begins with."""
        return run_slug(self.game, f"joint-{self.learner}-{self.episodes}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return what decides its result."""
        return {"joint": True, "counted": COUNTED, **asdict(self)}

    def run(self, interrupt: Event) -> CellResult:
        """Learn; return the gap and gains of joint play, and what the product of averages has."""
        simulator = simulator_of(self.game)
        most = int(simulator.max_decisions.max()) if self.shares_depth else None
        row = get_learner(self.learner, step_sizes=_steps(self.learner, most))
        learners = row.self_play(simulator, horizon=self.episodes, seed=self.seed)
        play = RegretTracker(learners, every=max(1, self.episodes // COUNTED))
        play_until(play, self.episodes, interrupt)
        found = play.evaluate()
        least, greatest = simulator.sequence_form.payoff_range
        return {
            "cce_gap": found.cce_gap / (greatest - least),
            "gains": [gain / (greatest - least) for gain in found.gains],
            "nash_conv_of_product": nash_conv(play.policy()) / (greatest - least),
        }


def _steps(learner: str, decisions: int | None) -> StepSizeRule:
    """Return the steps of the theory, for players of so many decisions each, or of their own."""
    rule = cast(StepSizeRule, cast(OnlineMirrorDescent, get_learner(learner)).step_sizes)
    if decisions is None:
        return rule
    return lambda size, episodes: rule(size._replace(decisions=decisions), episodes)


def report(run: RunCells, setting: Setting) -> Report:
    """Run both learners at all horizons, and compare with table E."""
    keys = list(product(TABLE_E, setting.horizons, (True, False)))
    seeds = range(setting.seeds)
    cells = [JointCell(GAME, name, horizon, s, both) for name, horizon, both in keys for s in seeds]
    results = iter(run(cells))
    found = {key: [next(results) for _ in seeds] for key in keys}
    return Report((_comparison(found),), (_chart(found, setting.horizons),))


Found = dict[tuple[str, int, bool], list[CellResult]]


def _spread(results: list[CellResult], name: str) -> Spread:
    return Spread.of([result[name] for result in results])


def _comparison(found: Found) -> Table:
    rows = []
    for (learner, horizon, shares_depth), results in found.items():
        expected = Expected.read(TABLE_E[learner][HORIZONS.index(horizon)])
        steps = "of all players" if shares_depth else "its own"
        gap = compared(_spread(results, "cce_gap"), expected if shares_depth else None)
        product_gap = _spread(results, "nash_conv_of_product").mean
        rows.append((learner, horizon, steps, *gap, product_gap))
    return Table(
        "e4-joint-play",
        "Gap of joint play from a coarse correlated equilibrium in three-player Kuhn poker, in "
        "units of loss (chips / 6); last, NashConv of the product of the averages in the same, "
        "which no theorem speaks of. A player has one or two decisions.",
        ("learner", "episodes", "H of the steps", *compared_columns("table E"), "product"),
        tuple(rows),
    )


def _chart(found: Found, horizons: tuple[int, ...]) -> Chart:
    lines = []
    for learner in TABLE_E:
        gaps = tuple(_spread(found[learner, h, False], "cce_gap").mean for h in horizons)
        lines.append(Line(learner, tuple(map(float, horizons)), gaps))
    return Chart(
        "e4-joint-play",
        "Three-player Kuhn poker, steps of the theory",
        "episodes (horizon)",
        "CCE gap of joint play (chips / 6)",
        tuple(lines),
    )


CORRELATED = Experiment(
    "e4",
    "E4: joint play of three players",
    report,
    quick=Setting(HORIZONS, 3),
    full=Setting(HORIZONS, 10),
    quick_time="half a minute",
    full_time="two minutes",
)
