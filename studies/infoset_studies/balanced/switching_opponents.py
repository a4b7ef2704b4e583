"""One learner against an opponent that switches between pure policies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import product
from math import sqrt
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.experiments.cells import CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.grids import log_log_slope, run_grid, spreads
from infoset.experiments.reports import Chart, Report, Spread, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.forms import SequenceForm
from infoset.learning import AdversarialPlay, get_learner, switch_between, tree_size
from infoset.plotting import Line
from infoset.policy import TabularPolicy
from infoset.runs import Interrupt
from infoset_studies.balanced.learning_cells import play_until, simulator_of

__all__ = ["SWITCHING"]

GAME: Final = "kuhn_poker"
LEARNERS: Final = ("ixomd", "balanced-omd", "balanced-ftrl")
"""Learners whose regret is bounded against every opponent."""

PRESET: Final = "theory"
NUM_POLICIES: Final = 8


class Setting(NamedTuple):
    """The horizons, and the number of seeds."""

    horizons: tuple[int, ...]
    seeds: int


@dataclass(frozen=True)
class SwitchingCell:
    """Player 0 learns against random pure policies that switch every √T episodes.

    Attributes
    ----------
    game, learner : str
    episodes, seed : int
    """

    game: str
    learner: str
    episodes: int
    seed: int

    @property
    def name(self) -> str:
        """File name prefix."""
        return run_slug(self.game, f"switching-{self.learner}-{self.episodes}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        return {"preset": PRESET, "policies": NUM_POLICIES, **asdict(self)}

    def run(self, interrupt: Interrupt) -> CellResult:
        """Learn; return the external regret in units of loss, and the bound on it."""
        simulator = simulator_of(self.game)
        form, rng = simulator.form, np.random.default_rng(self.seed)
        adversary = switch_between([pure_policy(form, rng) for _ in range(NUM_POLICIES)])
        spec = get_learner(self.learner, preset=PRESET)
        play = AdversarialPlay(spec, simulator, adversary, horizon=self.episodes, seed=self.seed)
        play_until(play, self.episodes, interrupt)
        lowest, highest = form.payoff_range
        size = tree_size(simulator, 0)
        constant = size.decisions**3 * size.sequences * size.confidence
        return {
            "regret": play.regret() / (highest - lowest),
            "bound": sqrt(constant * self.episodes),
        }


def pure_policy(form: SequenceForm, rng: np.random.Generator) -> TabularPolicy:
    """Return a random pure policy, with a uniform action at each infostate."""
    weights = []
    for plex in form.treeplexes:
        chosen = np.zeros(plex.num_sequences)
        chosen[plex.first_sequence + rng.integers(0, plex.num_actions)] = 1.0
        weights.append(chosen)
    return TabularPolicy.from_weights(form, weights)


def report(run: RunCells, setting: Setting) -> Report:
    """Run all learners, and compare the regret with √T and with the bound of Balanced OMD."""
    found = run_grid(
        run,
        product(LEARNERS, setting.horizons),
        lambda point: [SwitchingCell(GAME, *point, seed) for seed in range(setting.seeds)],
    )
    regrets = spreads(found, "regret")
    rows = []
    for (learner, horizon), regret in regrets.items():
        bound, root = found[learner, horizon][0]["bound"], sqrt(horizon)
        ratios = (regret.mean / root, bound / root, regret.mean < bound)
        rows.append((learner, horizon, regret.mean, regret.sd, *ratios))
    table = Table(
        "switching",
        "External regret of the first player of Kuhn poker, in units of loss (chips / 4), against "
        "pure policies that switch every √T episodes. The bound of Balanced OMD is √(H³ XA T ι).",
        ("learner", "episodes", "regret", "sd", "regret / √T", "bound / √T", "below the bound"),
        tuple(rows),
    )
    return Report((table, _slopes(regrets, setting)), (_chart(regrets, setting),))


def _slopes(regrets: dict[tuple[str, int], Spread], setting: Setting) -> Table:
    last = setting.horizons[-2:]
    rows = [(name, log_log_slope({h: regrets[name, h].mean for h in last})) for name in LEARNERS]
    return Table(
        "switching-slopes",
        f"Slope of log regret against log episodes, from {last[0]:,} to {last[-1]:,}. The theory "
        "bounds it by 1/2 in the limit; it is 1 while nothing is learned.",
        ("learner", "slope"),
        tuple(rows),
    )


def _chart(regrets: dict[tuple[str, int], Spread], setting: Setting) -> Chart:
    horizons = tuple(map(float, setting.horizons))
    lines = [
        Line(name, horizons, tuple(regrets[name, h].mean for h in setting.horizons))
        for name in LEARNERS
    ]
    lines.append(Line("√T", horizons, tuple(map(sqrt, horizons)), is_guide=True))
    return Chart(
        "switching",
        "Kuhn poker against an opponent that switches every √T episodes",
        "episodes (horizon)",
        "external regret (chips / 4)",
        tuple(lines),
    )


SWITCHING = Experiment(
    "switching",
    "Opponents that switch between pure policies",
    report,
    quick=Setting((1_000, 10_000, 100_000), 4),
    full=Setting((1_000, 10_000, 100_000, 1_000_000), 10),
    quick_time="a minute",
    full_time="half an hour",
)
