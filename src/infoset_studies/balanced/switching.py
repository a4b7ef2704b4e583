"""E6: one learner against an opponent that switches between pure policies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import product
from math import sqrt
from threading import Event
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.experiments.cells import CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.reports import Chart, Report, Spread, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.learning import AdversarialPlay, get_learner, switch_between, tree_size
from infoset.plotting import Line
from infoset.policy import TabularPolicy
from infoset.tree import SequenceForm
from infoset_studies.balanced.kuhn_theory import slope_of
from infoset_studies.balanced.learning_cell import play_until, simulator_of

__all__ = ["SWITCHING"]

GAME: Final = "kuhn_poker"
LEARNERS: Final = ("ixomd", "balanced-omd", "balanced-ftrl")
"""Whose regret is bounded whatever the others do."""

PRESET: Final = "theory"
NUM_POLICIES: Final = 8


class Setting(NamedTuple):
    """For how many episodes, with how many seeds."""

    horizons: tuple[int, ...]
    seeds: int


@dataclass(frozen=True)
class SwitchingCell:
    """A learner in seat 0 against pure policies, drawn by the seed, that change every √T episodes.

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
        """What its file begins with."""
        return run_slug(self.game, f"switching-{self.learner}-{self.episodes}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return what decides its result."""
        return {"preset": PRESET, "policies": NUM_POLICIES, **asdict(self)}

    def run(self, interrupt: Event) -> CellResult:
        """Learn; return external regret in units of loss, and the bound on it."""
        simulator = simulator_of(self.game)
        form, rng = simulator.sequence_form, np.random.default_rng(self.seed)
        adversary = switch_between([pure_policy(form, rng) for _ in range(NUM_POLICIES)])
        row = get_learner(self.learner, preset=PRESET)
        play = AdversarialPlay(row, simulator, adversary, horizon=self.episodes, seed=self.seed)
        play_until(play, self.episodes, interrupt)
        least, greatest = form.payoff_range
        size = tree_size(simulator, 0)
        constant = size.decisions**3 * size.sequences * size.confidence
        return {
            "regret": play.regret() / (greatest - least),
            "bound": sqrt(constant * self.episodes),
        }


def pure_policy(form: SequenceForm, rng: np.random.Generator) -> TabularPolicy:
    """Return a policy that draws one action at each infostate, for good."""
    weights = []
    for plex in form.treeplexes:
        chosen = np.zeros(plex.num_sequences)
        chosen[plex.first_sequence + rng.integers(0, plex.num_actions)] = 1.0
        weights.append(chosen)
    return TabularPolicy.from_weights(form, weights)


def report(run: RunCells, setting: Setting) -> Report:
    """Run all learners, and put regret beside √T and the bound of Balanced OMD."""
    keys = list(product(LEARNERS, setting.horizons))
    seeds = range(setting.seeds)
    results = iter(run([SwitchingCell(GAME, *key, seed) for key in keys for seed in seeds]))
    found = {key: [next(results) for _ in seeds] for key in keys}
    regrets = {key: Spread.of([r["regret"] for r in rs]) for key, rs in found.items()}
    rows = []
    for (learner, horizon), regret in regrets.items():
        bound, root = found[learner, horizon][0]["bound"], sqrt(horizon)
        shares = (regret.mean / root, bound / root, regret.mean < bound)
        rows.append((learner, horizon, regret.mean, regret.sd, *shares))
    table = Table(
        "e6-switching",
        "External regret in units of loss (chips / 4) of the first player of Kuhn poker, against "
        "pure policies that switch every √T episodes; the bound is √(H³ XA T ι), of Balanced OMD.",
        ("learner", "episodes", "regret", "sd", "regret / √T", "bound / √T", "below"),
        tuple(rows),
    )
    return Report((table, _slopes(regrets, setting)), (_chart(regrets, setting),))


def _slopes(regrets: dict[tuple[str, int], Spread], setting: Setting) -> Table:
    last = setting.horizons[-2:]
    rows = [(name, slope_of({h: regrets[name, h].mean for h in last})) for name in LEARNERS]
    return Table(
        "e6-slopes",
        f"Slope of log regret against log episodes, from {last[0]:,} to {last[-1]:,}; 1/2 in the "
        "limit at most, 1 while nothing is learned.",
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
        "e6-switching",
        "Kuhn poker against an opponent that switches every √T episodes",
        "episodes (horizon)",
        "external regret (chips / 4)",
        tuple(lines),
    )


SWITCHING = Experiment(
    "e6",
    "E6: opponents that switch",
    report,
    quick=Setting((1_000, 10_000, 100_000), 4),
    full=Setting((1_000, 10_000, 100_000, 1_000_000), 10),
    quick_time="a minute",
    full_time="half an hour",
)
