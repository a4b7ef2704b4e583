"""Three learners: how far their empirical joint play is from a coarse correlated equilibrium."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, Final, NamedTuple, cast

from infoset.evaluation import nash_conv
from infoset.experiments.cells import CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.grids import run_grid, spreads
from infoset.experiments.reports import (
    Chart,
    Expected,
    Report,
    Table,
    compared,
    compared_columns,
)
from infoset.experiments.studies import Experiment, RunCells
from infoset.learning import OnlineMirrorDescent, RegretTracker, StepSizeRule, get_learner
from infoset.plotting import Line
from infoset.runs import Interrupt
from infoset_studies.balanced.learning_cells import play_until, simulator_of
from infoset_studies.published_numbers import read_rows

__all__ = ["CORRELATED_PLAY"]

GAME: Final = "kuhn_poker(players=3)"
HORIZONS: Final = (1_000, 10_000, 100_000)
MAX_MEASURED: Final = 10_000
"""Maximum number of episodes whose policies are measured; they are evenly spaced."""

EXPECTED: Final = {
    (row["learner"], int(row["episodes"])): Expected.read(row["cce_gap"])
    for row in read_rows("correlated_play")
}
"""The gap in chips divided by 6, the payoff range, by learner and horizon."""

LEARNERS: Final = tuple(dict.fromkeys(learner for learner, _ in EXPECTED))


class Setting(NamedTuple):
    """The horizons, and the number of seeds."""

    horizons: tuple[int, ...]
    seeds: int


@dataclass(frozen=True)
class JointCell:
    """Self-play of one learner in all positions, whose joint play is measured.

    Attributes
    ----------
    game, learner : str
    episodes, seed : int
    shares_depth : bool
        Whether the step sizes of all players use the maximum number of decisions H over the
        players, as in the reference prototype, instead of each player's own number.
    """

    game: str
    learner: str
    episodes: int
    seed: int
    shares_depth: bool

    @property
    def name(self) -> str:
        """File name prefix."""
        return run_slug(self.game, f"joint-{self.learner}-{self.episodes}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        return {"joint": True, "counted": MAX_MEASURED, **asdict(self)}

    def run(self, interrupt: Interrupt) -> CellResult:
        """Learn; return the gap and gains of joint play, and NashConv of the average policies."""
        simulator = simulator_of(self.game)
        decisions = int(simulator.max_decisions.max()) if self.shares_depth else None
        spec = get_learner(self.learner, step_sizes=_steps(self.learner, decisions))
        learners = spec.self_play(simulator, horizon=self.episodes, seed=self.seed)
        play = RegretTracker(learners, every=max(1, self.episodes // MAX_MEASURED))
        play_until(play, self.episodes, interrupt)
        found = play.evaluate()
        lowest, highest = simulator.form.payoff_range
        return {
            "cce_gap": found.cce_gap / (highest - lowest),
            "gains": [gain / (highest - lowest) for gain in found.gains],
            "nash_conv_of_product": nash_conv(play.policy()) / (highest - lowest),
        }


def _steps(learner: str, decisions: int | None) -> StepSizeRule:
    """Return the theoretical step sizes for `decisions` decisions per player.

    If `decisions` is None, each player's own number is used.
    """
    rule = cast(StepSizeRule, cast(OnlineMirrorDescent, get_learner(learner)).step_sizes)
    if decisions is None:
        return rule
    return lambda size, episodes: rule(size._replace(decisions=decisions), episodes)


def report(run: RunCells, setting: Setting) -> Report:
    """Run both learners at all horizons, and compare with the reference numbers."""

    def cells_of(point: tuple[str, int, bool]) -> list[JointCell]:
        learner, horizon, shares_depth = point
        seeds = range(setting.seeds)
        return [JointCell(GAME, learner, horizon, seed, shares_depth) for seed in seeds]

    found = run_grid(run, product(LEARNERS, setting.horizons, (True, False)), cells_of)
    return Report((_comparison(found),), (_chart(found, setting.horizons),))


Found = dict[tuple[str, int, bool], list[CellResult]]


def _comparison(found: Found) -> Table:
    gaps, products = spreads(found, "cce_gap"), spreads(found, "nash_conv_of_product")
    rows = []
    for point, gap in gaps.items():
        learner, horizon, shares_depth = point
        expected = EXPECTED[learner, horizon] if shares_depth else None
        depth = "largest" if shares_depth else "own"
        rows.append((learner, horizon, depth, *compared(gap, expected), products[point].mean))
    return Table(
        "correlated-play",
        "Gap of the empirical joint play from a coarse correlated equilibrium in three-player Kuhn "
        "poker, in units of loss (chips / 6). The last column is NashConv of the average policies, "
        "which no theorem bounds. H is the number of decisions, one or two.",
        ("learner", "episodes", "H", *compared_columns("prototype"), "average policies"),
        tuple(rows),
    )


def _chart(found: Found, horizons: tuple[int, ...]) -> Chart:
    gaps, lines = spreads(found, "cce_gap"), []
    for learner in LEARNERS:
        means = tuple(gaps[learner, horizon, False].mean for horizon in horizons)
        lines.append(Line(learner, tuple(map(float, horizons)), means))
    return Chart(
        "correlated-play",
        "Three-player Kuhn poker, step sizes of the theory",
        "episodes (horizon)",
        "CCE gap of joint play (chips / 6)",
        tuple(lines),
    )


CORRELATED_PLAY = Experiment(
    "correlated-play",
    "Empirical joint play of three players",
    report,
    quick=Setting(HORIZONS, 3),
    full=Setting(HORIZONS, 10),
    quick_time="half a minute",
    full_time="two minutes",
)
