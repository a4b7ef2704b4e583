"""Trade and communication: three relaxations, and ablations of the method."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from infoset.experiments.reports import Chart, Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.plotting import Line
from infoset.teams import HidingScheme, iterated_best_response, team_optimum
from infoset_studies.hiding.team_cells import Found, HidingCell, TeamGame, measured_at, play
from infoset_studies.published_numbers import number, read_rows

__all__ = ["SOLVED", "TRADE", "market"]

SOLVED: Final = 0.99
"""A run is successful if its policy earns more than this."""

ITERATIONS: Final = 400
MOMENTS: Final = (50, 100, 200, 400)
RELAXATIONS: Final = ("none", "private_revealed", "recall")
PENALTY: Final = 0.3
DECIMALS: Final = 4
"""Decimals of the table, so that penalties near 0 are shown as 0."""

Numbers = tuple[float, ...]

EXPECTED: Final[Mapping[tuple[int, str], Numbers]] = MappingProxyType(
    {
        (int(row.pop("items")), row.pop("relaxation")): tuple(map(number, row.values()))
        for row in read_rows("trade")
    }
)
"""Numbers of the prototype by items and relaxation, in the order of `numbers_of`."""

ABLATIONS: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = MappingProxyType(
    {
        "baseline": ("recall", {}),
        "no future penalties": ("recall", {"future_penalties": False}),
        "γ 0": ("recall", {"penalty": 0.0}),
        "projector uniform": ("recall", {"projector": "uniform"}),
        "no relaxation, CFR of one player": ("none", {"weighting": "chance"}),
    }
)
"""Relaxation and changed fields of the scheme, by the name of the ablation."""

EXPECTED_ABLATIONS: Final[Mapping[tuple[str, int], Numbers]] = MappingProxyType(
    {
        (row["change"], int(row["items"])): (number(row["success"]), number(row["mean"]))
        for row in read_rows("trade_ablations")
    }
)
"""Success rates and mean payoffs of the prototype."""


class Setting(NamedTuple):
    """The numbers of seeds and restarts.

    Attributes
    ----------
    seeds : Mapping[int, int]
        Number of seeds by the number of items, which equals the number of words.
    ablation_seeds : int
    restarts : int
        Random starts of iterated best response.
    """

    seeds: Mapping[int, int]
    ablation_seeds: int
    restarts: int


def market(num_items: int, relaxation: str, is_short: bool = False) -> TeamGame:
    """Return the game with as many words as items."""
    return TeamGame(f"trade_comm(num_items={num_items})", relaxation, is_short)


def trade_cell(num_items: int, relaxation: str, seeds: int, **changes: Any) -> HidingCell:
    """Return the cell of the baseline scheme (entropic FTRL, η 1, σ 0.5, γ 0.3) with changes."""
    scheme = HidingScheme(**{"penalty": PENALTY, **changes})
    return HidingCell(market(num_items, relaxation), scheme, ITERATIONS, seeds)


def report(run: RunCells, setting: Setting) -> Report:
    """Run the three relaxations on all sizes, the ablations, and iterated best response."""
    keys = list(product(setting.seeds, RELAXATIONS))
    cells = [trade_cell(size, relaxation, setting.seeds[size]) for size, relaxation in keys]
    found = dict(zip(keys, play(run, cells), strict=True))
    charts = tuple(_chart(size, found) for size in setting.seeds)
    return Report((_comparison(found), _ablations(run, setting), _iterated(setting)), charts)


def numbers_of(found: Found) -> Numbers:
    """Return success rate, mean payoffs, final 10 % quantile, relaxed payoff and penalty."""
    at = measured_at(ITERATIONS).tolist()
    means = found.curve.mean(axis=0)[[at.index(moment) for moment in MOMENTS]]
    ends = found.quantile(0.1)[-1], found.relaxed.mean(), found.penalty.mean()
    rounded = (round(float(number), DECIMALS) for number in (*means, *ends))
    return (found.solved(SOLVED), *rounded)


def _comparison(found: Mapping[tuple[int, str], Found]) -> Table:
    rows: list[tuple[str | float | None, ...]] = []
    for (size, relaxation), runs in found.items():
        rows.append((size, relaxation, "measured", len(runs.last), *numbers_of(runs)))
        rows.append(
            (size, relaxation, "prototype", 30 if size == 5 else 100, *EXPECTED[size, relaxation])
        )
    columns = ("success", *(f"at {moment}" for moment in MOMENTS), "10 % at 400")
    return Table(
        "trade-relaxations",
        f"Fraction of runs whose final policy earns more than {SOLVED}, mean payoff by iteration, "
        "final 10 % quantile, payoff of the relaxed policy, and penalty E ‖π - π̂‖².",
        ("items", "relaxation", "source", "seeds", *columns, "relaxed", "penalty"),
        tuple(rows),
    )


def _chart(size: int, found: Mapping[tuple[int, str], Found]) -> Chart:
    across = tuple(map(float, measured_at(ITERATIONS)))
    lines = []
    for relaxation in RELAXATIONS:
        runs = found[size, relaxation]
        lines.append(Line(f"{relaxation}, mean", across, tuple(runs.curve.mean(axis=0).tolist())))
        lines.append(
            Line(f"{relaxation}, 10% quantile", across, tuple(runs.quantile(0.1).tolist()))
        )
    return Chart(
        f"trade-{size}",
        f"Trade and communication, {size} items and {size} words",
        "iteration",
        "payoff of the implementable policy",
        tuple(lines),
        is_logarithmic=False,
    )


def _ablations(run: RunCells, setting: Setting) -> Table:
    keys = list(EXPECTED_ABLATIONS)
    cells = []
    for name, size in keys:
        relaxation, changes = ABLATIONS[name]
        cells.append(trade_cell(size, relaxation, setting.ablation_seeds, **changes))
    rows: list[tuple[str | float, ...]] = [
        (*key, runs.solved(SOLVED), float(runs.last.mean()), *EXPECTED_ABLATIONS[key])
        for key, runs in zip(keys, play(run, cells), strict=True)
    ]
    return Table(
        "trade-ablations",
        f"Ablations of the method, {setting.ablation_seeds} seeds.",
        ("change", "items", "success", "mean", "success, prototype", "mean, prototype"),
        tuple(rows),
    )


def _iterated(setting: Setting) -> Table:
    rows = []
    for size in setting.seeds:
        information = market(size, "none").form.information
        iterated = iterated_best_response(information, restarts=setting.restarts).values
        solved = float((iterated > SOLVED).mean())
        optimum = team_optimum(information).value
        rows.append((size, optimum, solved, float(iterated.mean()), float(iterated.max())))
    return Table(
        "trade-best-response",
        f"The optimum, and the payoffs of iterated best response from {setting.restarts} random "
        "policies.",
        ("items", "optimum", "success", "mean", "best"),
        tuple(rows),
    )


TRADE = Experiment(
    "trade",
    "Trade and communication",
    report,
    quick=Setting({2: 20, 3: 20, 4: 10, 5: 4}, ablation_seeds=10, restarts=20),
    full=Setting({2: 100, 3: 100, 4: 100, 5: 100}, ablation_seeds=100, restarts=100),
    quick_time="a minute",
    full_time="eight minutes",
)
