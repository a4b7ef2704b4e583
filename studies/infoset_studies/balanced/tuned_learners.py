"""Learners with tuned constants on three games, and the recommended learners without tuning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import inf
from typing import Any, Final, NamedTuple

from infoset.experiments.cells import CellResult
from infoset.experiments.grids import run_points
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
from infoset_studies.balanced.learning_cells import LearningCell
from infoset_studies.published_numbers import read_rows

__all__ = ["COLUMNS", "ENTRIES", "EXPLORATIONS", "RECOMMENDED", "TUNED"]

TUNING_SEED: Final = 0
EXPLORATIONS: Final = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8)
"""Candidate exploration probabilities ε for outcome sampling."""

GRID: Final = tuple(10.0 ** (-4 + 7 * step / 19) for step in range(20))
"""Learning rates of the published protocol: 20 constants from 10⁻⁴ to 10³."""

FACTORS: Final = (0.316, 1.0, 3.16, 10.0)
"""Candidate factors on the plain learner's constant for its low-variance variants."""


class Column(NamedTuple):
    """A game and a number of episodes.

    Attributes
    ----------
    name : str
        The last part of the file name.
    title, game : str
    episodes : int
    width : float
        The payoff range, in chips.
    num_roots : int
        Number of first infostates of the first player.
    """

    name: str
    title: str
    game: str
    episodes: int
    width: float
    num_roots: int


COLUMNS: Final = (
    Column("kuhn-1e6", "Kuhn poker", "kuhn_poker", 1_000_000, 4.0, 3),
    Column("leduc-1e6", "Leduc poker", "leduc_poker", 1_000_000, 26.0, 6),
    Column("leduc-1e7", "Leduc poker", "leduc_poker", 10_000_000, 26.0, 6),
    Column("dice-1e6", "Liar's dice", "liars_dice", 1_000_000, 2.0, 6),
    Column("kuhn-1e7", "Kuhn poker", "kuhn_poker", 10_000_000, 4.0, 3),
    Column("dice-1e7", "Liar's dice", "liars_dice", 10_000_000, 2.0, 6),
)

REFERENCE: Final = {
    (row["label"], row["column"]): (row["nash_conv"], row["constant"])
    for row in read_rows("tuned_learners")
}
"""NashConv and the tuned constant, as printed, by label and column."""


@dataclass(frozen=True)
class Entry:
    """A learner of the tables.

    Attributes
    ----------
    label, learner : str
    tuned : str
        Meaning of the tuned constant: `rate` for the learning rate (implicit exploration is a
        twentieth of it), `exploration`, or empty where nothing is tuned.
    changes : tuple[tuple[str, float], ...]
        Fields of the learner specification that are replaced.
    preset : str or None
    plain : str
        Label of the same learner without variance reduction.
    is_drawn : bool
        Whether the figures show it.
    weighs_roots : bool
        Whether the reference constants assume a balanced transition whose weight is 1 at each
        first infostate. In this library the weights of all first infostates sum to 1.
    """

    label: str
    learner: str
    tuned: str = ""
    changes: tuple[tuple[str, float], ...] = ()
    preset: str | None = None
    plain: str = ""
    is_drawn: bool = False
    weighs_roots: bool = False

    def rate(self, constant: float, column: Column) -> float:
        """Return the learning rate of a constant."""
        return constant / column.num_roots if self.weighs_roots else constant


PLAIN_ENTRIES: Final = (
    Entry("IXOMD", "ixomd", "rate", is_drawn=True),
    Entry("Balanced OMD", "balanced-omd", "rate", is_drawn=True),
    Entry("Balanced FTRL", "balanced-ftrl", "rate", is_drawn=True, weighs_roots=True),
    Entry("Adaptive FTRL", "adaptive-ftrl", "rate"),
    Entry("Tweaked Adaptive FTRL", "tweaked-ftrl", "rate", is_drawn=True),
    Entry("Balanced CFR Hedge", "balanced-cfr-hedge", "rate"),
    Entry("Balanced CFR RM", "balanced-cfr-rm"),
    Entry("LocalOMD fixed", "local-omd", "rate"),
    Entry("LocalOMD adaptive", "local-omd-adaptive", "rate", is_drawn=True),
    Entry("OS-MCCFR uniform", "os-mccfr", "exploration", is_drawn=True),
    Entry("OS-MCCFR balanced", "os-mccfr-balanced", "exploration", is_drawn=True),
    Entry("ES-MCCFR (not bandit)", "es-mccfr", is_drawn=True),
)

CENTERED: Final = (("center", 0.5),)


def _centered(label: str, learner: str, *, weighs_roots: bool = False) -> Entry:
    """Return a learner whose losses are reduced by 1/2."""
    name = f"{label}, loss - 1/2"
    return Entry(name, learner, "rate", CENTERED, plain=label, weighs_roots=weighs_roots)


VARIANCE_REDUCED_ENTRIES: Final = (
    _centered("IXOMD", "ixomd"),
    _centered("Balanced OMD", "balanced-omd"),
    _centered("Balanced FTRL", "balanced-ftrl", weighs_roots=True),
    _centered("Tweaked Adaptive FTRL", "tweaked-ftrl"),
    _centered("Balanced CFR Hedge", "balanced-cfr-hedge"),
    Entry("Balanced CFR RM, loss - 1/2", "balanced-cfr-rm", changes=CENTERED),
    Entry("Balanced CFR RM, running baseline", "balanced-cfr-baseline", is_drawn=True),
    Entry(
        "Balanced CFR Hedge, running baseline",
        "balanced-cfr-hedge",
        "rate",
        (*CENTERED, ("baseline_window", 1000)),
        plain="Balanced CFR Hedge",
    ),
    _centered("LocalOMD adaptive", "local-omd-adaptive"),
    Entry(
        "LocalOMD adaptive, running baseline",
        "local-omd-adaptive",
        "rate",
        (*CENTERED, ("baseline_window", 200)),
        plain="LocalOMD adaptive",
        is_drawn=True,
    ),
)


def _untuned(label: str, learner: str, preset: str | None = None) -> Entry:
    return Entry(label, learner, preset=preset, is_drawn=True)


UNTUNED_ENTRIES: Final = (
    _untuned("IXOMD, recommended (ours)", "ixomd", "recommended"),
    _untuned("Balanced FTRL, recommended (ours)", "balanced-ftrl", "recommended"),
    _untuned("Adaptive FTRL, recommended (ours)", "adaptive-ftrl", "recommended"),
    _untuned("Tweaked Adaptive FTRL, recommended (ours)", "tweaked-ftrl", "recommended"),
    _untuned("Perturbed FTRL (ours)", "perturbed-ftrl"),
    _untuned("LocalOMD, baseline by action (ours)", "local-omd-action-baseline"),
    _untuned("VR-MCCFR", "vr-mccfr"),
    _untuned("VR-MCCFR balanced (ours)", "vr-mccfr-balanced"),
)
"""Learners with recommended presets, which have no constant to tune."""

ENTRIES: Final = (*PLAIN_ENTRIES, *VARIANCE_REDUCED_ENTRIES, *UNTUNED_ENTRIES)


def expected_of(entry: Entry, column: Column) -> Expected | None:
    """Return the reference NashConv; None if it is unknown.

    Examples
    --------
    >>> expected_of(ENTRIES[0], COLUMNS[0])
    Expected(mean=0.0156, sd=None, rounding=5e-05)
    """
    text, _ = REFERENCE.get((entry.label, column.name), ("", ""))
    return Expected.read(text) if text else None


def constant_of(entry: Entry, column: Column) -> tuple[float | None, bool]:
    """Return the reference constant of a learner or its plain variant; true if it is the learner's.

    Examples
    --------
    >>> constant_of(ENTRIES[0], COLUMNS[0])
    (0.003, True)
    """
    _, constant = REFERENCE.get((entry.label, column.name), ("", ""))
    if constant or not entry.plain:
        return (float(constant) if constant else None), True
    plain = next(known for known in ENTRIES if known.label == entry.plain)
    return constant_of(plain, column)[0], False


class Setting(NamedTuple):
    """The games, the learners, the fresh seeds, the measurements, and how constants are chosen.

    With `searches`, constants are searched on the published grid. Otherwise they are the reference
    constants or, for a learner without one, the best of four near the plain learner's constant.
    """

    columns: tuple[Column, ...]
    entries: tuple[Entry, ...]
    seeds: int
    points: int
    searches: bool
    prefix: str = "tuned"


@dataclass
class Found:
    """The results of one learner on one game."""

    entry: Entry
    column: Column
    constant: float | None
    results: list[CellResult] = field(default_factory=list)

    @property
    def spread(self) -> Spread:
        """NashConv of the average policies at the end."""
        return Spread.of([result["nash_conv"] for result in self.results])

    @property
    def last(self) -> float:
        """Mean NashConv of the last policies."""
        return Spread.of([result["last_nash_conv"] for result in self.results]).mean


def report(run: RunCells, setting: Setting) -> Report:
    """Choose the constants, run fresh seeds, and compare with the reference numbers."""
    found = _tuned(run, setting)
    seeds = range(TUNING_SEED + 1, TUNING_SEED + 1 + setting.seeds)
    groups = [[cell_of(f, f.constant, seed, setting.points) for seed in seeds] for f in found]
    for one, results in zip(found, run_points(run, groups), strict=True):
        one.results = results
    shown = [(column, found, setting.prefix) for column in setting.columns]
    return Report(tuple(_table(*one) for one in shown), tuple(_chart(*one) for one in shown))


def cell_of(found: Found, constant: float | None, seed: int, points: int = 1) -> LearningCell:
    """Return the cell of a learner with the given tuning constant."""
    entry, changes = found.entry, dict[str, Any](found.entry.changes)
    if entry.tuned == "exploration":
        changes["exploration"] = constant
    return LearningCell(
        found.column.game,
        entry.learner,
        found.column.episodes,
        seed,
        preset=entry.preset,
        rate=entry.rate(constant, found.column) if constant and entry.tuned == "rate" else None,
        changes=tuple(changes.items()),
        points=points,
    )


def _tuned(run: RunCells, setting: Setting) -> list[Found]:
    """Return each learner with the constant whose final gap under the tuning seed is smallest."""
    pairs = [
        (Found(entry, column, None), candidates(entry, column, setting.searches))
        for column, entry in product(setting.columns, setting.entries)
    ]
    tried = [(f, c) for f, constants in pairs if len(constants) > 1 for c in constants]
    results = run([cell_of(f, constant, TUNING_SEED) for f, constant in tried])
    best = dict[int, float]()
    for (one, constant), result in zip(tried, results, strict=True):
        if result["nash_conv"] < best.get(id(one), inf):
            best[id(one)], one.constant = result["nash_conv"], constant
    for one, constants in pairs:
        if len(constants) == 1:
            one.constant = constants[0]
    return [one for one, constants in pairs if constants or not one.entry.tuned]


def candidates(entry: Entry, column: Column, searches: bool) -> Sequence[float]:
    """Return the constants to try; empty if the learner is not tuned or no constant is known."""
    if not entry.tuned:
        return ()
    if searches:
        return EXPLORATIONS if entry.tuned == "exploration" else GRID
    constant, is_own = constant_of(entry, column)
    if constant is None or is_own:
        return () if constant is None else (constant,)
    return [factor * constant for factor in FACTORS]


def _table(column: Column, found: Sequence[Found], prefix: str) -> Table:
    rows = []
    for one in found:
        if one.column == column:
            numbers = compared(one.spread, expected_of(one.entry, column))
            rows.append((one.entry.label, one.constant, *numbers, one.last))
    return Table(
        f"{prefix}-{column.name}",
        f"NashConv of the average policies in {column.title} after {column.episodes:,} episodes, "
        "in chips. For external sampling, which is not a bandit learner, an episode is a visit to "
        "a terminal history.",
        ("learner", "constant", *compared_columns("prototype"), "last policy"),
        tuple(rows),
    )


def _chart(column: Column, found: Sequence[Found], prefix: str) -> Chart:
    lines = []
    for one in found:
        if one.column == column and one.entry.is_drawn:
            traces = [result["trace"] for result in one.results]
            episodes = tuple(float(point[0]) for point in traces[0])
            gaps = zip(*([gap for _, gap in trace] for trace in traces), strict=True)
            means = tuple(sum(gap) / len(gap) / column.width for gap in gaps)
            lines.append(Line(one.entry.label, episodes, means))
    return Chart(
        f"{prefix}-{column.name}",
        column.title,
        "episodes",
        "NashConv / payoff range",
        tuple(lines),
    )


TUNED = Experiment(
    "tuned-learners",
    "Learners with tuned constants",
    report,
    quick=Setting(tuple(c for c in COLUMNS if c.episodes == 1_000_000), ENTRIES, 4, 8, False),
    full=Setting(COLUMNS, ENTRIES, 4, 50, True),
    quick_time="seven minutes",
    full_time="five hours",
)

LONG: Final = tuple(column for column in COLUMNS if column.name in ("kuhn-1e7", "leduc-1e7"))

RECOMMENDED = Experiment(
    "recommended",
    "Recommended learners after ten million episodes",
    report,
    quick=Setting(LONG, UNTUNED_ENTRIES, 2, 8, False, "recommended"),
    full=Setting(LONG, UNTUNED_ENTRIES, 4, 50, False, "recommended"),
    quick_time="three minutes",
    full_time="six minutes",
)
