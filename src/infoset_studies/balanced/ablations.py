"""E5: what each part of the learners is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import product
from threading import Event
from typing import Any, Final, NamedTuple, cast

from infoset.evaluation import nash_conv
from infoset.experiments.cells import CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.reports import Chart, Report, Spread, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.learning import OnlineMirrorDescent, RegretTracker, get_learner, tree_size
from infoset.plotting import Line
from infoset.policy import TabularPolicy
from infoset_studies.balanced.learning_cell import (
    EXPLORATION_PER_RATE,
    LearningCell,
    last_gaps,
    play_until,
    simulator_of,
)
from infoset_studies.balanced.tuned_numbers import SHARES

__all__ = ["ABLATIONS"]

IDENTITY_GAME: Final = "kuhn_poker"
IDENTITY_LEARNERS: Final = ("ixomd", "balanced-omd", "balanced-ftrl")
IDENTITY_TOLERANCE: Final = 1e-10
SAMPLERS: Final = ("os-mccfr", "os-mccfr-balanced")
FACTORS: Final = (1.0, 10.0)
"""On the tuned rate, where implicit exploration is left out: what is bold needs it."""

Changes = tuple[tuple[str, Any], ...]


class Setting(NamedTuple):
    """On which games, for how many episodes; and how many of them for the identity."""

    games: tuple[str, ...]
    episodes: int
    seeds: int
    identity_episodes: int


class Variant(NamedTuple):
    """A learner with a part of it changed."""

    ablation: str
    learner: str
    text: str
    changes: Changes = ()


def _centered(learner: str) -> list[Variant]:
    return [
        Variant("loss centering", learner, f"loss - {center:g}", (("center", center),))
        for center in (0.0, 0.5)
    ]


def _with_baseline(learner: str, window: int) -> list[Variant]:
    kinds = {"none": (0.0, 0), "1/2": (0.5, 0), f"mean of {window} losses": (0.5, window)}
    return [
        Variant("baseline", learner, text, (("center", center), ("baseline_window", looks_back)))
        for text, (center, looks_back) in kinds.items()
    ]


VARIANTS: Final = (
    *_centered("ixomd"),
    *_centered("balanced-omd"),
    *_centered("balanced-ftrl"),
    *_centered("tweaked-ftrl"),
    *_with_baseline("balanced-cfr-rm", 1000),
    *_with_baseline("local-omd-adaptive", 200),
    *(
        Variant("share of exploration", name, f"{share:g}", (("exploration", share),))
        for name in SAMPLERS
        for share in SHARES
    ),
)

WITHOUT_IX: Final = ("ixomd", "balanced-omd", "balanced-ftrl")


def report(run: RunCells, setting: Setting) -> Report:
    """Run all variants, those without implicit exploration, and the two kinds of average."""
    ablations, chart = _ablations(run, setting)
    return Report((ablations, _exploration(run, setting), _identity(run, setting)), (chart,))


def cell_of(variant: Variant, game: str, episodes: int, seed: int) -> LearningCell:
    """Return the cell of a variant: with tuned steps, where the learner has some."""
    preset = "tuned" if "tuned" in get_learner(variant.learner).presets else None
    return LearningCell(game, variant.learner, episodes, seed, preset, changes=variant.changes)


def _ablations(run: RunCells, setting: Setting) -> tuple[Table, Chart]:
    keys = list(product(setting.games, VARIANTS))
    seeds = range(setting.seeds)
    cells = [cell_of(variant, game, setting.episodes, s) for game, variant in keys for s in seeds]
    gaps = iter(last_gaps(run, cells))
    found = {key: [next(gaps) for _ in seeds] for key in keys}
    rows = [
        (variant.ablation, game, variant.learner, variant.text, *_entries(values))
        for (game, variant), values in found.items()
    ]
    table = Table(
        "e5-ablations",
        f"NashConv after {setting.episodes:,} episodes, {setting.seeds} seeds, tuned steps.",
        ("part", "game", "learner", "as", "NashConv", "sd", "worst"),
        tuple(rows),
    )
    return table, _chart(found, setting)


def _entries(values: list[float]) -> tuple[float, float | None, float]:
    spread = Spread.of(values)
    return spread.mean, spread.sd, max(values)


def _chart(found: Mapping[tuple[str, Variant], list[float]], setting: Setting) -> Chart:
    lines = []
    for game, learner in product(setting.games, SAMPLERS):
        means = {
            float(variant.text): Spread.of(values).mean
            for (played, variant), values in found.items()
            if (played, variant.learner) == (game, learner)
        }
        lines.append(Line(f"{learner}, {game}", tuple(means), tuple(means.values())))
    return Chart(
        "e5-exploration",
        f"Outcome sampling, {setting.episodes:,} episodes",
        "share of exploration",
        "NashConv of the average policy (chips)",
        tuple(lines),
    )


def _exploration(run: RunCells, setting: Setting) -> Table:
    """Run learners with and without implicit exploration, at their tuned rate and above."""
    keys = list(product(setting.games, WITHOUT_IX, FACTORS, (True, False)))
    seeds = range(setting.seeds)
    cells = [
        _bold_cell(game, learner, factor, explores, setting.episodes, seed)
        for game, learner, factor, explores in keys
        for seed in seeds
    ]
    gaps = iter(last_gaps(run, cells))
    rows = []
    for game, learner, factor, explores in keys:
        about = (game, learner, f"{factor:g}", "yes" if explores else "none")
        rows.append((*about, *_entries([next(gaps) for _ in seeds])))
    return Table(
        "e5-implicit-exploration",
        f"Implicit exploration (a twentieth of the rate), or none; NashConv after "
        f"{setting.episodes:,} episodes, {setting.seeds} seeds.",
        ("game", "learner", "times the tuned rate", "explores", "NashConv", "sd", "worst"),
        tuple(rows),
    )


def _bold_cell(
    game: str, learner: str, factor: float, explores: bool, episodes: int, seed: int
) -> LearningCell:
    row = cast(OnlineMirrorDescent, get_learner(learner, preset="tuned"))
    rate = factor * row.parameters(tree_size(simulator_of(game), 0), episodes)[0]
    steps = (rate, EXPLORATION_PER_RATE * rate if explores else 0.0)
    return LearningCell(game, learner, episodes, seed, changes=(("step_sizes", steps),))


@dataclass(frozen=True)
class IdentityCell:
    """A run of which every policy is kept, to average them rightly and naively.

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
        return run_slug(self.game, f"identity-{self.learner}-{self.episodes}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return what decides its result."""
        return {"identity": True, **asdict(self)}

    def run(self, interrupt: Event) -> CellResult:
        """Learn; return the sum of regrets by episodes, and NashConv of both averages."""
        simulator = simulator_of(self.game)
        row = get_learner(self.learner)
        learners = row.self_play(simulator, horizon=self.episodes, seed=self.seed)
        play = RegretTracker(learners, keep=self.episodes)
        play_until(play, self.episodes, interrupt)
        return {
            "regrets": sum(play.regrets) / self.episodes,
            "nash_conv": nash_conv(play.policy()),
            "nash_conv_naive": nash_conv(naive_average(play.correlated_policy().policies)),
        }


def naive_average(policies: tuple[TabularPolicy, ...]) -> TabularPolicy:
    """Return the mean of probabilities at each infostate, whatever leads there: a mistake."""
    by_player = zip(*(policy.probabilities for policy in policies), strict=True)
    return TabularPolicy.from_weights(policies[0].sequence_form, [sum(own) for own in by_player])


def _identity(run: RunCells, setting: Setting) -> Table:
    episodes = setting.identity_episodes
    cells = [IdentityCell(IDENTITY_GAME, learner, episodes, 0) for learner in IDENTITY_LEARNERS]
    rows = []
    for learner, result in zip(IDENTITY_LEARNERS, run(cells), strict=True):
        for kind, name in (("by own reach", "nash_conv"), ("naive", "nash_conv_naive")):
            error = abs(result[name] - result["regrets"])
            rows.append(
                (learner, kind, result["regrets"], result[name], error, error < IDENTITY_TOLERANCE)
            )
    return Table(
        "e5-averages",
        f"NashConv of averages and the sum of regrets by episodes, {episodes:,} episodes of "
        "Kuhn poker. The naive average must fail.",
        ("learner", "average", "regrets / T", "NashConv", "difference", "below 1e-10"),
        tuple(rows),
    )


ABLATIONS = Experiment(
    "e5",
    "E5: ablations",
    report,
    quick=Setting(("kuhn_poker", "leduc_poker"), 300_000, 4, 2_000),
    full=Setting(("kuhn_poker", "leduc_poker"), 1_000_000, 10, 10_000),
    quick_time="two minutes",
    full_time="ten minutes",
)
