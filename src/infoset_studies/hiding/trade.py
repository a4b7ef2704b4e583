"""Trade and communication: three information maps, and what must not be left out."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from infoset.experiments.reports import Chart, Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.plotting import Line
from infoset.teams import HidingScheme, iterated_best_response, team_optimum
from infoset_studies.hiding.hiding_cell import Found, HidingCell, TeamGame, measured_at, play

__all__ = ["SOLVED", "TRADE", "market"]

SOLVED: Final = 0.99
"""The notes': a run is a success if its policy earns more."""

ITERATIONS: Final = 400
MOMENTS: Final = (50, 100, 200, 400)
MAPS: Final = ("none", "private_revealed", "recall")
GAMMA: Final = 0.3
DECIMALS: Final = 4
"""What is shown of numbers, so that penalties that are almost 0 are."""

Numbers = tuple[float, ...]

NOTED: Final[Mapping[tuple[int, str], Numbers]] = MappingProxyType(
    {
        (2, "none"): (0.70, 0.872, 0.880, 0.880, 0.882, 0.50, 0.882, 0),
        (2, "private_revealed"): (1.00, 1, 1, 1, 1, 1.00, 1.000, 0),
        (2, "recall"): (1.00, 1, 1, 1, 1, 1.00, 1.000, 0),
        (3, "none"): (0.23, 0.668, 0.816, 0.829, 0.832, 0.667, 0.832, 0),
        (3, "private_revealed"): (0.93, 0.988, 0.990, 0.990, 0.990, 1.00, 1.000, 0.010),
        (3, "recall"): (0.95, 0.992, 0.992, 0.992, 0.992, 1.00, 1.000, 0.008),
        (4, "none"): (0.06, 0.078, 0.710, 0.804, 0.815, 0.687, 0.815, 0),
        (4, "private_revealed"): (0.81, 0.796, 0.972, 0.972, 0.972, 0.938, 1.000, 0.028),
        (4, "recall"): (0.75, 0.953, 0.967, 0.969, 0.969, 0.931, 1.000, 0.031),
        (5, "none"): (0.00, 0.004, 0.117, 0.734, 0.773, 0.64, 0.773, 0),
        (5, "private_revealed"): (0.47, 0.083, 0.935, 0.937, 0.942, 0.79, 1.000, 0.060),
        (5, "recall"): (0.40, 0.916, 0.945, 0.945, 0.945, 0.80, 1.000, 0.056),
    }
)
"""The prototype's numbers by items and map, in the order of `numbers_of`."""

ABLATIONS: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = MappingProxyType(
    {
        "as it is": ("recall", {}),
        "no future penalties": ("recall", {"future_penalties": False}),
        "γ 0": ("recall", {"penalty": 0.0}),
        "projector uniform": ("recall", {"projector": "uniform"}),
        "nothing lent, CFR of one player": ("none", {"weighting": "chance"}),
    }
)
"""What is changed, by its name in the tables: what is lent, and parts of the scheme."""

NOTED_ABLATIONS: Final[Mapping[tuple[str, int], tuple[float, float]]] = MappingProxyType(
    {
        ("as it is", 2): (1.00, 1.000),
        ("as it is", 3): (0.95, 0.992),
        ("no future penalties", 2): (0, 0.305),
        ("no future penalties", 3): (0, 0.126),
        ("γ 0", 2): (0, 0.272),
        ("γ 0", 3): (0, 0.123),
        ("projector uniform", 2): (0, 0.247),
        ("projector uniform", 3): (0, 0.103),
        ("nothing lent, CFR of one player", 2): (0, 0.329),
        ("nothing lent, CFR of one player", 3): (0, 0.176),
    }
)
"""The prototype's successes and mean payoffs."""


class Setting(NamedTuple):
    """How many seeds.

    Attributes
    ----------
    seeds : Mapping[int, int]
        By the number of items, which is that of words.
    ablation_seeds : int
    restarts : int
        Of agents who respond by turns.
    """

    seeds: Mapping[int, int]
    ablation_seeds: int
    restarts: int


def market(num_items: int, lent: str, is_short: bool = False) -> TeamGame:
    """Return the game with as many words as items."""
    return TeamGame(f"trade_comm(num_items={num_items})", lent, is_short)


def trade_cell(num_items: int, lent: str, seeds: int, **changes: Any) -> HidingCell:
    """Return the scheme of the notes, with changes: entropic FTRL, η 1, σ 0.5, γ 0.3."""
    scheme = HidingScheme(**{"penalty": GAMMA, **changes})
    return HidingCell(market(num_items, lent), scheme, ITERATIONS, seeds)


def report(run: RunCells, setting: Setting) -> Report:
    """Run the three maps on all sizes, leave parts of the method out, and climb by turns."""
    keys = list(product(setting.seeds, MAPS))
    cells = [trade_cell(size, lent, setting.seeds[size]) for size, lent in keys]
    found = dict(zip(keys, play(run, cells), strict=True))
    charts = tuple(_chart(size, found) for size in setting.seeds)
    return Report((_comparison(found), _ablations(run, setting), _turns(setting)), charts)


def numbers_of(found: Found) -> Numbers:
    """Return success, means at the moments, the last 10 % quantile, relaxed payoff, penalty."""
    at = measured_at(ITERATIONS).tolist()
    means = found.curve.mean(axis=0)[[at.index(moment) for moment in MOMENTS]]
    ends = found.quantile(0.1)[-1], found.relaxed.mean(), found.penalty.mean()
    rounded = (round(float(number), DECIMALS) for number in (*means, *ends))
    return (found.solved(SOLVED), *rounded)


def _comparison(found: Mapping[tuple[int, str], Found]) -> Table:
    rows: list[tuple[str | float | None, ...]] = []
    for (size, lent), runs in found.items():
        rows.append((size, lent, "ours", len(runs.last), *numbers_of(runs)))
        rows.append((size, lent, "notes", 30 if size == 5 else 100, *NOTED[size, lent]))
    columns = ("success", *(f"at {moment}" for moment in MOMENTS), "10 % at 400")
    return Table(
        "trade-maps",
        f"Share of runs that earn more than {SOLVED} in the end, what they earn on average after "
        "some iterations, the 10 % quantile, what the relaxed policy earns, and E ‖π - π̂‖².",
        ("items", "lent", "whose", "seeds", *columns, "relaxed", "penalty"),
        tuple(rows),
    )


def _chart(size: int, found: Mapping[tuple[int, str], Found]) -> Chart:
    across = tuple(map(float, measured_at(ITERATIONS)))
    lines = []
    for lent in MAPS:
        runs = found[size, lent]
        lines.append(Line(f"{lent}, mean", across, tuple(runs.curve.mean(axis=0).tolist())))
        lines.append(Line(f"{lent}, 10 %", across, tuple(runs.quantile(0.1).tolist())))
    return Chart(
        f"trade-{size}",
        f"Trade and communication, {size} items and {size} words",
        "iteration",
        "what the implementable policy earns",
        tuple(lines),
        is_logarithmic=False,
    )


def _ablations(run: RunCells, setting: Setting) -> Table:
    keys = list(NOTED_ABLATIONS)
    cells = []
    for name, size in keys:
        lent, changes = ABLATIONS[name]
        cells.append(trade_cell(size, lent, setting.ablation_seeds, **changes))
    rows = [
        (*key, runs.solved(SOLVED), float(runs.last.mean()), *NOTED_ABLATIONS[key])
        for key, runs in zip(keys, play(run, cells), strict=True)
    ]
    return Table(
        "trade-ablations",
        f"What the method comes to without its parts, {setting.ablation_seeds} seeds.",
        ("changed", "items", "success", "mean", "success, notes", "mean, notes"),
        tuple(rows),
    )


def _turns(setting: Setting) -> Table:
    rows = []
    for size in setting.seeds:
        information = market(size, "none").form.information
        turns = iterated_best_response(information, restarts=setting.restarts).values
        solved = float((turns > SOLVED).mean())
        optimum = team_optimum(information).value
        rows.append((size, optimum, solved, float(turns.mean()), float(turns.max())))
    return Table(
        "trade-turns",
        f"The optimum, and where agents get who respond to each other by turns, from "
        f"{setting.restarts} random policies.",
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
