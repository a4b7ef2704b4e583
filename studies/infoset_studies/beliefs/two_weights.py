"""Two weights of the public belief, one for the first own action and one for later actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from infoset.experiments.cells import CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.reports import Chart, HeatMap, Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.forms import Treeplex
from infoset.plotting import Line
from infoset.policy import TabularPolicy
from infoset.runs import Interrupt
from infoset.typing import IntArray
from infoset_studies.beliefs.average_policies import (
    Effort,
    PolicyCell,
    Searched,
    policy_numbers,
    responses,
    searched,
)
from infoset_studies.beliefs.pimc_all_worlds import ExactCell
from infoset_studies.beliefs.published import (
    GAMES,
    LABELS,
    POSITIONS,
    PUBLIC_WEIGHTS,
    weight_columns,
)
from infoset_studies.liars_dice_policies import BidTable

__all__ = ["HEAT_MAPS", "TRADE_OFFS", "joined", "undominated"]


class Setting(NamedTuple):
    """Pairs of an algorithm and a game, and the search effort.

    Attributes
    ----------
    maps : tuple[tuple[str, str], ...]
        Algorithms and names of games in the tables.
    effort : Effort
    """

    maps: tuple[tuple[str, str], ...]
    effort: Effort


@dataclass(frozen=True)
class PairCell:
    """Best responses to a searcher with two public weights.

    Attributes
    ----------
    first, later : PolicyCell
        The searcher at the first own action and at later actions.
    policies : tuple[Searched, Searched]
        Average policies of these searchers.
    """

    first: PolicyCell
    later: PolicyCell
    policies: tuple[Searched, Searched] = field(compare=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the probabilities only: trees are built where the cell runs."""
        return _pair_cell, (self.first, self.later, *map(policy_numbers, self.policies))

    @property
    def name(self) -> str:
        """File name prefix."""
        cell = self.first
        public_weights = f"{cell.public_weight:g}-{self.later.public_weight:g}"
        return run_slug(cell.game, f"pair-{cell.algorithm}-{public_weights}-{cell.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        return {**self.first.settings(), "later_public_weight": self.later.public_weight}

    def run(self, interrupt: Interrupt) -> CellResult:
        """Return best-response values for both positions."""
        return {"responses": responses(joined(*self.policies))}


def _pair_cell(first: PolicyCell, later: PolicyCell, *numbers: list[Any]) -> PairCell:
    one, other = numbers
    policies = searched(first, {"policy": one}), searched(later, {"policy": other})
    return PairCell(first, later, policies)


def joined(first: Searched, later: Searched) -> Searched:
    """Return the policy that is `first` at the first own action and `later` afterwards."""
    if isinstance(first, BidTable):
        assert isinstance(later, BidTable)
        return BidTable(first.game, np.stack([first.probability[0], later.probability[-1]]))
    assert isinstance(later, TabularPolicy)
    form = first.form
    parts = [
        np.where(_is_first(plex), early, late)
        for plex, early, late in zip(
            form.treeplexes, first.probabilities, later.probabilities, strict=True
        )
    ]
    return TabularPolicy(form, tuple(parts))


def _is_first(plex: Treeplex) -> IntArray:
    """Return [Q] whether each sequence ends with the player's first action."""
    owner = plex.infostate_of_sequence
    is_first = np.ones(plex.num_sequences, bool)
    is_first[1:] = plex.parent_sequence[owner[1:]] == 0
    return is_first


def report(run: RunCells, setting: Setting) -> Report:
    """Find the policy for each public weight, and combine them in pairs."""
    cells = [
        PolicyCell(algorithm, GAMES[game].game, public_weight, setting.effort, 0)
        for (algorithm, game), public_weight in product(setting.maps, PUBLIC_WEIGHTS)
    ]
    found = [(cell, searched(cell, result)) for cell, result in zip(cells, run(cells), strict=True)]
    size = len(PUBLIC_WEIGHTS)
    tables, maps = [], []
    for number, (algorithm, game) in enumerate(setting.maps):
        own = found[number * size : (number + 1) * size]
        pairs = [
            PairCell(first, later, (one, other))
            for (first, one), (later, other) in product(own, own)
        ]
        values = np.array([result["responses"] for result in run(pairs)])
        for position, where in enumerate(POSITIONS):
            grid = values[:, position].reshape(size, size)
            slug = f"heat-{algorithm}-{game.lower().replace(' ', '-')}-{where}"
            title = f"{LABELS[algorithm]}, {GAMES[game].title}, {where} position"
            rows = tuple(
                (f"{a:g}", *row) for a, row in zip(PUBLIC_WEIGHTS, grid.tolist(), strict=True)
            )
            about = (
                f"{title}: best-response value by public weight at the first action (rows) and "
                "later."
            )
            tables.append(Table(slug, about, ("first", *weight_columns(PUBLIC_WEIGHTS)), rows))
            maps.append(
                HeatMap(
                    slug,
                    f"Best-response value: {title}",
                    "public weight at later actions",
                    "public weight at the first action",
                    PUBLIC_WEIGHTS,
                    PUBLIC_WEIGHTS,
                    tuple(map(tuple, grid.tolist())),
                )
            )
    return Report(tuple(tables), tuple(maps))


HEAT_MAPS = Experiment(
    "two-weights",
    "Two public weights, at the first action and later",
    report,
    quick=Setting((("pimc", "LD 2D"), ("pimc", "LP")), Effort(0.05, 20)),
    full=Setting(tuple(product(("pimc", "ismcts"), ("LD 2D", "LP"))), Effort(0.01, 200)),
    quick_time="three minutes",
    full_time="ten minutes, after Table 1",
)


class TradeOffSetting(NamedTuple):
    """Games, and the public weights that are combined in pairs.

    Attributes
    ----------
    games : tuple[str, ...]
        Names of games in the tables.
    public_weights : tuple[float, ...]
    """

    games: tuple[str, ...]
    public_weights: tuple[float, ...]


class Point(NamedTuple):
    """Leakage and best-response value of a pair of public weights; smaller is better for both."""

    ratio: float
    response: float
    first: float
    later: float


def undominated(points: Sequence[Point]) -> list[Point]:
    """Return the Pareto-optimal points, sorted by ratio.

    Examples
    --------
    >>> points = [
    ...     Point(1, 3, 0, 0),
    ...     Point(2, 2, 0, 1),
    ...     Point(2.5, 2.5, 1, 0),
    ...     Point(3, 1, 1, 1),
    ... ]
    >>> [point.ratio for point in undominated(points)]
    [1, 2, 3]
    """
    kept: list[Point] = []
    for point in sorted(points):
        if not kept or point.response < kept[-1].response:
            kept.append(point)
    return kept


def trade_off_report(run: RunCells, setting: TradeOffSetting) -> Report:
    """Measure all pairs, and report the Pareto front."""
    pairs = list(product(setting.public_weights, repeat=2))
    keys = [(game, pair) for game in setting.games for pair in pairs]
    results = iter(run([ExactCell(GAMES[game].game, pair) for game, pair in keys]))
    tables, charts = [], []
    for game in setting.games:
        found = [(next(results), first, later) for first, later in pairs]
        for position, where in enumerate(POSITIONS):
            points = [
                Point(result["ratios"][position], result["responses"][position], first, later)
                for result, first, later in found
            ]
            name = f"pareto-{game.lower().replace(' ', '-')}-{where}"
            title = f"{GAMES[game].title}, PIMC in the {where} position"
            best = undominated(points)
            columns = (
                "public weight at the first action",
                "public weight at later actions",
                "true state sampling ratio",
                "best response",
            )
            rows = tuple((p.first, p.later, p.ratio, p.response) for p in best)
            tables.append(
                Table(name, f"{title}: Pareto-optimal pairs of public weights.", columns, rows)
            )
            charts.append(_trade_off_chart(name, title, points, best))
    return Report(tuple(tables), tuple(charts))


def _trade_off_chart(
    name: str, title: str, points: Sequence[Point], best: Sequence[Point]
) -> Chart:
    alike = [point for point in points if point.first == point.later]
    lines = tuple(
        Line(label, tuple(p.ratio for p in some), tuple(p.response for p in some))
        for label, some in (("one public weight", alike), ("best pairs of public weights", best))
    )
    x_label = "true state sampling ratio (leakage)"
    return Chart(name, title, x_label, "best-response value", lines, False)


TRADE_OFFS = Experiment(
    "leakage-trade-off",
    "Trade-off between information leakage and best-response value",
    trade_off_report,
    quick=TradeOffSetting(("LD 2D", "LP"), PUBLIC_WEIGHTS[::2]),
    full=TradeOffSetting(("LD 2D", "LP"), PUBLIC_WEIGHTS),
    quick_time="two minutes",
    full_time="five minutes",
)
