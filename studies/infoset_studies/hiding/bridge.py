"""Abstracted tiny bridge: bidding compared with the exact optimum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from infoset.experiments.grids import run_points
from infoset.experiments.reports import Chart, Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.plotting import Line
from infoset.teams import (
    HidingScheme,
    LocalLearner,
    PenaltySchedule,
    RegretRestarts,
    adaptive_penalty,
    entropic_ftrl,
    geometric_penalty,
    iterated_best_response,
    recall_bound,
    regret_matching,
    regret_matching_plus,
    team_optimum,
)
from infoset_studies.hiding.team_cells import (
    Found,
    HidingCell,
    RoundsCell,
    TeamGame,
    measured_at,
    play,
)
from infoset_studies.published_numbers import read_rows

__all__ = ["BIDDERS", "BRIDGE", "GAME", "OPTIMUM", "bidding_cell", "bidding_table"]

GAME: Final = "tiny_bridge_2p(abstracted=true)"
ITERATIONS: Final = 75
OPTIMUM: Final = Fraction(2647, 126)
CAPI: Final = 21.0
PAPER: Final = 20.76
"""According to the paper, CAPI comes close to 21, and progressive hiding peaks at 20.76."""

FIRST_DRAWN: Final = 5
"""First iteration in the figure: earlier payoffs, down to -12, would hide the differences."""

ZOOM: Final = 20
"""First iteration of the second figure."""


class Entry(NamedTuple):
    """A method of the tables.

    Attributes
    ----------
    label : str
    relaxation : str
    scheme : HidingScheme
    """

    label: str
    relaxation: str
    scheme: HidingScheme


def _plain(label: str, weighting: str) -> Entry:
    scheme = HidingScheme(learner=regret_matching(), weighting=weighting)
    return Entry(label, "none", scheme)


def _hidden(label: str, scheme: HidingScheme) -> Entry:
    return Entry(label, "recall", scheme)


GROWING: Final = geometric_penalty(5, 50, ITERATIONS)
ADAPTIVE: Final = adaptive_penalty(20.8)
RISING: Final = adaptive_penalty(20.7, 10.0, change=0.045, low=10.0)
"""An adaptive penalty with small changes that never falls below its first value.

It was chosen with seeds that the tables do not use.
"""

LEARNER: Final = regret_matching()
CONTROLLED: Final = "previous, adaptive to 20.7 from 10 up"

ENTRIES: Final = (
    _plain("no relaxation, CFR of one player", "chance"),
    _plain("no relaxation, full reach", "full"),
    _plain("no relaxation, beliefs", "posterior"),
    _hidden("previous, γ 20", HidingScheme(learner=LEARNER, projector="previous", penalty=20.0)),
    _hidden(
        "previous, γ 5 to 50", HidingScheme(learner=LEARNER, projector="previous", penalty=GROWING)
    ),
    _hidden(
        "previous, γ 5 to 200",
        HidingScheme(
            learner=LEARNER, projector="previous", penalty=geometric_penalty(5, 200, ITERATIONS)
        ),
    ),
    _hidden(
        "previous, adaptive to 20.8 from 10",
        HidingScheme(learner=LEARNER, projector="previous", penalty=ADAPTIVE),
    ),
    _hidden(
        CONTROLLED,
        HidingScheme(learner=LEARNER, projector="previous", penalty=RISING, mixing=0.003),
    ),
    _hidden(
        "previous, adaptive to 20.8 from 1",
        HidingScheme(learner=LEARNER, projector="previous", penalty=adaptive_penalty(20.8, 1.0)),
    ),
    _hidden("current, γ 5 to 50", HidingScheme(learner=LEARNER, penalty=GROWING)),
    _hidden("current, adaptive to 20.8 from 10", HidingScheme(learner=LEARNER, penalty=ADAPTIVE)),
    _hidden(
        "previous, regret matching+, γ 5 to 50",
        HidingScheme(learner=regret_matching_plus(), projector="previous", penalty=GROWING),
    ),
    _hidden(
        "previous, γ 5",
        HidingScheme(learner=LEARNER, projector="previous", penalty=5.0),
    ),
    _hidden(
        "previous, no future penalties, γ 20",
        HidingScheme(learner=LEARNER, projector="previous", penalty=20.0, future_penalties=False),
    ),
    _hidden(
        "projector uniform, γ 20", HidingScheme(learner=LEARNER, projector="uniform", penalty=20.0)
    ),
    _hidden("γ 0", HidingScheme(learner=LEARNER, penalty=0.0)),
)

EXPECTED: Final = {
    row.pop("method"): tuple(map(float, row.values())) for row in read_rows("bridge")
}
"""Payoffs of the reference prototype in the order of `numbers_of`, by method."""

DRAWN: Final = (
    "no relaxation, CFR of one player",
    "no relaxation, beliefs",
    "previous, γ 5 to 200",
    CONTROLLED,
)
"""Methods in the figures; the first is too low for the second figure."""


class Setting(NamedTuple):
    """The methods, the number of seeds, and the restarts of iterated best response."""

    entries: tuple[Entry, ...]
    seeds: int
    restarts: int


def bridge_cell(entry: Entry, seeds: int, iterations: int = ITERATIONS) -> HidingCell:
    """Return the cell of a method."""
    return HidingCell(TeamGame(GAME, entry.relaxation), entry.scheme, iterations, seeds)


def numbers_of(found: Found) -> tuple[float, ...]:
    """Return the mean and maximum payoff over seeds, at the end and at the peak."""
    ends = found.last, found.peak
    return tuple(float(number) for end in ends for number in (end.mean(), end.max()))


def report(run: RunCells, setting: Setting) -> Report:
    """Run all methods, and compare them with the optimum and its bounds."""
    cells = [bridge_cell(entry, setting.seeds) for entry in setting.entries]
    found = dict(zip(setting.entries, play(run, cells, 10), strict=True))
    charts = (
        _chart("bridge", found, DRAWN, FIRST_DRAWN),
        _chart("bridge-near", found, DRAWN[1:], ZOOM),
    )
    return Report((_comparison(found, setting), _known(setting)), charts)


def _comparison(found: Mapping[Entry, Found], setting: Setting) -> Table:
    rows: list[tuple[str | float | None, ...]] = []
    for entry, runs in found.items():
        expected = EXPECTED.get(entry.label, (None,) * 4)
        rows.append((entry.label, *numbers_of(runs), *expected))
    ends = "last mean", "last best", "peak mean", "peak best"
    return Table(
        "bridge-methods",
        f"Payoff of the policy after {ITERATIONS} iterations and at its peak, {setting.seeds} "
        f"seeds; the paper's peak is {PAPER}.",
        ("method", *ends, *(f"{end}, prototype" for end in ends)),
        tuple(rows),
    )


def _known(setting: Setting) -> Table:
    information = TeamGame(GAME).form.information
    iterated = iterated_best_response(information, restarts=setting.restarts)
    optimum = team_optimum(information)
    rows = (
        ("optimum, by branch and bound", optimum.value, float(OPTIMUM)),
        ("upper bound: both hands shown", recall_bound(information), 21.3174603),
        (f"iterated best response, best of {setting.restarts:,}", iterated.value, 20.3095),
        (
            f"iterated best response, mean of {setting.restarts:,}",
            float(iterated.values.mean()),
            17.92,
        ),
    )
    return Table(
        "bridge-known", "Known numbers of the game.", ("number", "measured", "prototype"), rows
    )


def _chart(name: str, found: Mapping[Entry, Found], drawn: Sequence[str], first: int) -> Chart:
    at = measured_at(ITERATIONS)
    shown = at >= first
    across = tuple(map(float, at[shown]))
    lines = [
        Line(entry.label, across, tuple(runs.curve.mean(axis=0)[shown].tolist()))
        for entry, runs in found.items()
        if entry.label in drawn
    ]
    return Chart(
        name,
        "Abstracted tiny bridge: the mean over seeds",
        "iteration",
        "payoff of the implementable policy",
        (*lines, *_guides(across)),
        is_logarithmic=False,
    )


def _guides(across: Sequence[float]) -> tuple[Line, Line]:
    """Return the horizontal lines of CAPI and of the optimum."""
    ends = across[0], across[-1]
    optimum = (float(OPTIMUM),) * 2
    return (
        Line("CAPI, close to 21", ends, (CAPI, CAPI), is_guide=True),
        Line("optimum, 21.008", ends, optimum, is_guide=True),
    )


BRIDGE = Experiment(
    "bridge",
    "Abstracted tiny bridge",
    report,
    quick=Setting(ENTRIES, seeds=5, restarts=100),
    full=Setting(ENTRIES, seeds=20, restarts=1_500),
    quick_time="half a minute",
    full_time="two minutes",
)


TARGET: Final = 20.9
"""Payoff that a policy should exceed."""

CERTAIN: Final = float(OPTIMUM) - 1e-6
NOT_RETAINED: Final = 0.0


class Bidder(NamedTuple):
    """A learner, its penalty during a round, and the regrets it retains between rounds.

    Attributes
    ----------
    learner : LocalLearner
    iterations : int
        Iterations of a round.
    penalty : PenaltySchedule
    retain : float
        Fraction of the regrets that is retained.
    noise : float
        Standard deviation σ of the noise that is added to retained regrets.
    """

    learner: LocalLearner
    iterations: int
    penalty: PenaltySchedule
    retain: float
    noise: float


def _matching(iterations: int, penalty: PenaltySchedule) -> Bidder:
    return Bidder(regret_matching(), iterations, penalty, 0.001, 0.0)


BIDDERS: Final[Mapping[str, Bidder]] = MappingProxyType(
    {
        "regret matching, γ 5 to 200, 75 iterations": _matching(75, geometric_penalty(5, 200, 75)),
        "regret matching, adaptive to 20.8, 75 iterations": _matching(75, adaptive_penalty(20.8)),
        "regret matching, γ 5 to 200, 300 iterations": _matching(
            300, geometric_penalty(5, 200, 300)
        ),
        "FTRL, η 16/75, γ 5 to 200, 100 iterations": Bidder(
            entropic_ftrl(16 / 75), 100, geometric_penalty(5, 200, 100), 0.001, 0.5
        ),
    }
)


def bidding_cell(name: str, retain: float, rounds: int, seed: int) -> RoundsCell:
    """Return the cell of a bidder that retains a fraction of its regrets between rounds."""
    bidder = BIDDERS[name]
    noise = bidder.noise if retain else bidder.learner.noise
    scheme = HidingScheme(
        learner=bidder.learner,
        penalty=bidder.penalty,
        projector="previous",
        regret_restarts=RegretRestarts(bidder.iterations, retain, noise),
    )
    return RoundsCell(TeamGame(GAME, "recall"), scheme, rounds, seed, CERTAIN)


def bidding_table(run: RunCells, seeds: int, rounds: int) -> Table:
    """Return the payoffs after one round and several, before and after hill climbing."""
    points = [(name, NOT_RETAINED, 1) for name in BIDDERS]
    points += [
        (name, retain, rounds)
        for name, own in BIDDERS.items()
        for retain in (NOT_RETAINED, own.retain)
    ]
    groups = [[bidding_cell(*point, seed) for seed in range(seeds)] for point in points]
    rows: list[tuple[str | float | None, ...]] = []
    for (name, retain, count), results in zip(points, run_points(run, groups), strict=True):
        between = None if count == 1 else "retained regret" if retain else "no retained regret"
        numbers = [
            number
            for ends in ([r["best"][-1] for r in results], [r["by_turns"] for r in results])
            for number in (float(np.mean(ends)), max(ends), float(np.mean(np.array(ends) > TARGET)))
        ]
        rows.append((name, count, between, *numbers))
    columns = "mean", "best", f"above {TARGET}"
    return Table(
        "extensions-bridge",
        f"Bridge: payoff of the best policy of all rounds, {seeds} seeds, and its payoff after "
        "hill climbing by alternating best responses.",
        (
            *("method", "rounds", "restarts"),
            *columns,
            *(f"{column}, hill climbing" for column in columns),
        ),
        tuple(rows),
    )
