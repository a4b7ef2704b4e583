"""Information leakage against exploitability: the pairs of public weights on the Pareto front."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from infoset.experiments.reports import Chart, Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.plotting import Line
from infoset_studies.beliefs.exact_cells import ExactCell
from infoset_studies.beliefs.published import GAMES, PUBLIC_WEIGHTS
from infoset_studies.beliefs.sheets import SEATS

__all__ = ["TRADE_OFFS", "undominated"]


class Setting(NamedTuple):
    """In which games, and which public weights are paired.

    Attributes
    ----------
    games : tuple[str, ...]
        By their names in the tables.
    public_weights : tuple[float, ...]
    """

    games: tuple[str, ...]
    public_weights: tuple[float, ...]


class Point(NamedTuple):
    """What comes of a pair of public weights: less of either number is better."""

    ratio: float
    response: float
    first: float
    later: float


def undominated(points: Sequence[Point]) -> list[Point]:
    """Return the points that none beats in one number without losing in the other, by ratio.

    Examples
    --------
    >>> points = [Point(1, 3, 0, 0), Point(2, 2, 0, 1), Point(2.5, 2.5, 1, 0), Point(3, 1, 1, 1)]
    >>> [point.ratio for point in undominated(points)]
    [1, 2, 3]
    """
    kept: list[Point] = []
    for point in sorted(points):
        if not kept or point.response < kept[-1].response:
            kept.append(point)
    return kept


def report(run: RunCells, setting: Setting) -> Report:
    """Measure all pairs, and keep those that are best in some way."""
    pairs = list(product(setting.public_weights, repeat=2))
    keys = [(game, pair) for game in setting.games for pair in pairs]
    results = iter(run([ExactCell(GAMES[game].game, pair) for game, pair in keys]))
    tables, charts = [], []
    for game in setting.games:
        found = [(next(results), first, later) for first, later in pairs]
        for seat, where in enumerate(SEATS):
            points = [
                Point(result["ratios"][seat], result["responses"][seat], first, later)
                for result, first, later in found
            ]
            name = f"pareto-{game.lower().replace(' ', '-')}-{where}"
            title = f"{GAMES[game].title}, PIMC in the {where} seat"
            best = undominated(points)
            columns = (
                "public weight at the first action",
                "public weight at later ones",
                "true state sampling ratio",
                "best response",
            )
            rows = tuple((p.first, p.later, p.ratio, p.response) for p in best)
            tables.append(
                Table(name, f"{title}: pairs of public weights that none beats.", columns, rows)
            )
            charts.append(_chart(name, title, points, best))
    return Report(tuple(tables), tuple(charts))


def _chart(name: str, title: str, points: Sequence[Point], best: Sequence[Point]) -> Chart:
    alike = [point for point in points if point.first == point.later]
    lines = tuple(
        Line(label, tuple(p.ratio for p in some), tuple(p.response for p in some))
        for label, some in (("one public weight", alike), ("best pairs of public weights", best))
    )
    x_label = "true state sampling ratio (given away)"
    return Chart(name, title, x_label, "best response (lost)", lines, False)


TRADE_OFFS = Experiment(
    "pareto",
    "What is given away against what is lost",
    report,
    quick=Setting(("LD 2D", "LP"), PUBLIC_WEIGHTS[::2]),
    full=Setting(("LD 2D", "LP"), PUBLIC_WEIGHTS),
    quick_time="two minutes",
    full_time="five minutes",
)
