"""Ablations: learners without centering, baselines, or implicit exploration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, Final, NamedTuple, TypeVar, cast

from infoset.evaluation import nash_conv
from infoset.experiments.cells import CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.grids import run_grid
from infoset.experiments.reports import Chart, Report, Spread, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.learning import OnlineMirrorDescent, RegretTracker, get_learner, tree_size
from infoset.plotting import Line
from infoset.policy import TabularPolicy
from infoset.runs import Interrupt
from infoset_studies.balanced.learning_cells import (
    EXPLORATION_PER_RATE,
    LearningCell,
    play_until,
    simulator_of,
)
from infoset_studies.balanced.tuned_learners import EXPLORATIONS

__all__ = ["ABLATIONS"]

IDENTITY_GAME: Final = "kuhn_poker"
IDENTITY_LEARNERS: Final = ("ixomd", "balanced-omd", "balanced-ftrl")
IDENTITY_TOLERANCE: Final = 1e-10
SAMPLERS: Final = ("os-mccfr", "os-mccfr-balanced")
FACTORS: Final = (1.0, 10.0)
"""Factors on the tuned learning rate; large rates should need implicit exploration."""

Changes = tuple[tuple[str, Any], ...]
Point = TypeVar("Point")


class Setting(NamedTuple):
    """The games, the episodes, the seeds, and the episodes of the comparison of averages."""

    games: tuple[str, ...]
    episodes: int
    seeds: int
    identity_episodes: int


class Variant(NamedTuple):
    """A learner with one component changed."""

    ablation: str
    learner: str
    text: str
    changes: Changes = ()


def _centered(learner: str) -> list[Variant]:
    return [
        Variant("loss centering", learner, f"loss - {center:g}", (("center", center),))
        for center in (0.0, 0.5)
    ]


def _with_baseline(learner: str, longest: int) -> list[Variant]:
    kinds = {"none": (0.0, 0), "1/2": (0.5, 0), f"mean of {longest} losses": (0.5, longest)}
    return [
        Variant("baseline", learner, text, (("center", center), ("baseline_window", window)))
        for text, (center, window) in kinds.items()
    ]


VARIANTS: Final = (
    *_centered("ixomd"),
    *_centered("balanced-omd"),
    *_centered("balanced-ftrl"),
    *_centered("tweaked-ftrl"),
    *_with_baseline("balanced-cfr-rm", 1000),
    *_with_baseline("local-omd-adaptive", 200),
    *(
        Variant("exploration (ε)", name, f"{exploration:g}", (("exploration", exploration),))
        for name in SAMPLERS
        for exploration in EXPLORATIONS
    ),
)

IMPLICIT_EXPLORATION_LEARNERS: Final = ("ixomd", "balanced-omd", "balanced-ftrl")


def report(run: RunCells, setting: Setting) -> Report:
    """Run all variants, learners without implicit exploration, and two kinds of average."""
    ablations, chart = _ablations(run, setting)
    return Report((ablations, _exploration(run, setting), _identity(run, setting)), (chart,))


def cell_of(variant: Variant, game: str, episodes: int, seed: int) -> LearningCell:
    """Return the cell of a variant, with the tuned preset if the learner has one."""
    preset = "tuned" if "tuned" in get_learner(variant.learner).presets else None
    return LearningCell(game, variant.learner, episodes, seed, preset, changes=variant.changes)


def _ablations(run: RunCells, setting: Setting) -> tuple[Table, Chart]:
    def cells_of(point: tuple[str, Variant]) -> list[LearningCell]:
        game, variant = point
        return [cell_of(variant, game, setting.episodes, seed) for seed in range(setting.seeds)]

    found = _gaps(run_grid(run, product(setting.games, VARIANTS), cells_of))
    rows = [
        (variant.ablation, game, variant.learner, variant.text, *_entries(values))
        for (game, variant), values in found.items()
    ]
    table = Table(
        "ablations",
        f"NashConv after {setting.episodes:,} episodes, {setting.seeds} seeds, tuned step sizes.",
        ("component", "game", "learner", "variant", "NashConv", "sd", "worst"),
        tuple(rows),
    )
    return table, _chart(found, setting)


def _gaps(
    found: Mapping[Point, Sequence[CellResult]],
) -> dict[Point, list[float]]:
    """Return the final NashConv of the cells of each grid point."""
    return {
        point: [float(result["nash_conv"]) for result in results]
        for point, results in found.items()
    }


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
        "exploration",
        f"Outcome sampling, {setting.episodes:,} episodes",
        "exploration (ε)",
        "NashConv of the average policy (chips)",
        tuple(lines),
    )


def _exploration(run: RunCells, setting: Setting) -> Table:
    """Run learners with and without implicit exploration, at one and ten times the tuned rate."""
    grid = product(setting.games, IMPLICIT_EXPLORATION_LEARNERS, FACTORS, (True, False))

    def cells_of(point: tuple[str, str, float, bool]) -> list[LearningCell]:
        return [_rate_cell(*point, setting.episodes, seed) for seed in range(setting.seeds)]

    found = _gaps(run_grid(run, grid, cells_of))
    rows = [
        (game, learner, f"{factor:g}", "yes" if explores else "none", *_entries(gaps))
        for (game, learner, factor, explores), gaps in found.items()
    ]
    return Table(
        "implicit-exploration",
        f"With implicit exploration (a twentieth of the rate) and without; NashConv after "
        f"{setting.episodes:,} episodes, {setting.seeds} seeds.",
        (
            "game",
            "learner",
            "factor on the tuned rate",
            "implicit exploration",
            "NashConv",
            "sd",
            "worst",
        ),
        tuple(rows),
    )


def _rate_cell(
    game: str, learner: str, factor: float, explores: bool, episodes: int, seed: int
) -> LearningCell:
    spec = cast(OnlineMirrorDescent, get_learner(learner, preset="tuned"))
    rate = factor * spec.parameters(tree_size(simulator_of(game), 0), episodes)[0]
    steps = (rate, EXPLORATION_PER_RATE * rate if explores else 0.0)
    return LearningCell(game, learner, episodes, seed, changes=(("step_sizes", steps),))


@dataclass(frozen=True)
class IdentityCell:
    """A run that stores every policy, to compare the reach-weighted average with a naive one.

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
        return run_slug(self.game, f"identity-{self.learner}-{self.episodes}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        return {"identity": True, **asdict(self)}

    def run(self, interrupt: Interrupt) -> CellResult:
        """Learn; return the sum of regrets per episode, and NashConv of both averages."""
        simulator = simulator_of(self.game)
        learners = get_learner(self.learner).self_play(
            simulator, horizon=self.episodes, seed=self.seed
        )
        play = RegretTracker(learners, keep=self.episodes)
        play_until(play, self.episodes, interrupt)
        return {
            "regrets": sum(play.regrets) / self.episodes,
            "nash_conv": nash_conv(play.policy()),
            "nash_conv_naive": nash_conv(naive_average(play.correlated_policy().policies)),
        }


def naive_average(policies: tuple[TabularPolicy, ...]) -> TabularPolicy:
    """Return the unweighted mean of the probabilities at each infostate, a common mistake."""
    by_player = zip(*(policy.probabilities for policy in policies), strict=True)
    return TabularPolicy.from_weights(policies[0].form, [sum(own) for own in by_player])


def _identity(run: RunCells, setting: Setting) -> Table:
    episodes = setting.identity_episodes
    cells = [IdentityCell(IDENTITY_GAME, learner, episodes, 0) for learner in IDENTITY_LEARNERS]
    rows = []
    for learner, result in zip(IDENTITY_LEARNERS, run(cells), strict=True):
        for kind, name in (("weighted by own reach", "nash_conv"), ("naive", "nash_conv_naive")):
            error = abs(result[name] - result["regrets"])
            rows.append(
                (learner, kind, result["regrets"], result[name], error, error < IDENTITY_TOLERANCE)
            )
    return Table(
        "policy-averages",
        f"NashConv of the average policy and the sum of regrets per episode, {episodes:,} episodes "
        "of Kuhn poker. The two are equal for the average weighted by own reach only.",
        ("learner", "average", "regrets / T", "NashConv", "difference", "below 1e-10"),
        tuple(rows),
    )


ABLATIONS = Experiment(
    "ablations",
    "Ablations of the learners",
    report,
    quick=Setting(("kuhn_poker", "leduc_poker"), 300_000, 4, 2_000),
    full=Setting(("kuhn_poker", "leduc_poker"), 1_000_000, 10, 10_000),
    quick_time="two minutes",
    full_time="ten minutes",
)
