"""Abstracted tiny bridge: bidding against the exact optimum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from infoset.experiments.reports import Chart, Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.plotting import Line
from infoset.teams import (
    HidingScheme,
    adaptive_penalty,
    geometric_penalty,
    iterated_best_response,
    recall_bound,
    regret_matching,
    regret_matching_plus,
    team_optimum,
)
from infoset_studies.hiding.hiding_cell import Found, HidingCell, TeamGame, measured_at, play

__all__ = ["BRIDGE", "GAME", "OPTIMUM"]

GAME: Final = "tiny_bridge_2p(abstracted=true)"
ITERATIONS: Final = 75
OPTIMUM: Final = Fraction(2647, 126)
CAPI: Final = 21.0
PAPER: Final = 20.76
"""The paper's words: CAPI comes close to 21, progressive hiding has a peak of 20.76."""

FIRST_DRAWN: Final = 5
"""First iteration in the figure: earlier payoffs, down to -12, would hide the differences."""

ZOOM: Final = 20
"""From which iteration on the second figure shows the curves."""


class Entry(NamedTuple):
    """A method of the tables.

    Attributes
    ----------
    label : str
    lent : str
    scheme : HidingScheme
    noted : tuple[float, ...] or None
        The prototype's numbers in the order of `numbers_of`, where there are some.
    """

    label: str
    lent: str
    scheme: HidingScheme
    noted: tuple[float, ...] | None = None


def _plain(label: str, weighting: str, *noted: float) -> Entry:
    scheme = HidingScheme(learner=regret_matching(), weighting=weighting)
    return Entry(label, "none", scheme, noted)


def _hidden(label: str, scheme: HidingScheme, *noted: float) -> Entry:
    return Entry(label, "recall", scheme, noted or None)


GROWING: Final = geometric_penalty(5, 50, ITERATIONS)
STEERED: Final = adaptive_penalty(20.8)
RISING: Final = adaptive_penalty(20.7, 10.0, change=0.045, low=10.0)
"""Chosen by other seeds than those of the tables: smaller steps, and never below the first."""

LEARNER: Final = regret_matching()
CONTROLLED: Final = "previous, steered to 20.7 from 10 up"

ENTRIES: Final = (
    _plain("nothing lent, CFR of one player", "chance", 16.33, 16.39, 16.33, 16.39),
    _plain("nothing lent, full reach", "full", 19.60, 20.33, 19.60, 20.33),
    _plain("nothing lent, beliefs", "posterior", 20.62, 20.83, 20.62, 20.83),
    _hidden(
        "previous, γ 20",
        HidingScheme(learner=LEARNER, projector="previous", penalty=20.0),
        *(20.66, 20.75, 20.66, 20.75),
    ),
    _hidden(
        "previous, γ 5 to 50",
        HidingScheme(learner=LEARNER, projector="previous", penalty=GROWING),
        *(20.71, 20.82, 20.73, 20.82),
    ),
    _hidden(
        "previous, γ 5 to 200",
        HidingScheme(
            learner=LEARNER, projector="previous", penalty=geometric_penalty(5, 200, ITERATIONS)
        ),
        *(20.67, 20.80, 20.77, 20.84),
    ),
    _hidden(
        "previous, steered to 20.8 from 10",
        HidingScheme(learner=LEARNER, projector="previous", penalty=STEERED),
        *(20.70, 20.76, 20.77, 20.79),
    ),
    _hidden(
        CONTROLLED,
        HidingScheme(learner=LEARNER, projector="previous", penalty=RISING, mixing=0.003),
    ),
    _hidden(
        "previous, steered to 20.8 from 1",
        HidingScheme(learner=LEARNER, projector="previous", penalty=adaptive_penalty(20.8, 1.0)),
        *(20.51, 20.75, 20.70, 20.80),
    ),
    _hidden(
        "current, γ 5 to 50",
        HidingScheme(learner=LEARNER, penalty=GROWING),
        *(20.48, 20.73, 20.51, 20.75),
    ),
    _hidden(
        "current, steered to 20.8 from 10",
        HidingScheme(learner=LEARNER, penalty=STEERED),
        *(20.32, 20.76, 20.38, 20.76),
    ),
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
        *(15.98, 18.11, 16.33, 18.47),
    ),
    _hidden(
        "projector uniform, γ 20",
        HidingScheme(learner=LEARNER, projector="uniform", penalty=20.0),
        *(8.28, 8.31, 8.29, 8.34),
    ),
    _hidden("γ 0", HidingScheme(learner=LEARNER, penalty=0.0), *(-0.21, 0.53, 1.03, 1.79)),
)

DRAWN: Final = (
    "nothing lent, CFR of one player",
    "nothing lent, beliefs",
    "previous, γ 5 to 200",
    CONTROLLED,
)
"""Whose curves are in the figures; the first is too low for the second figure."""


class Setting(NamedTuple):
    """Which methods, how many seeds, and how many restarts of agents who respond by turns."""

    entries: tuple[Entry, ...]
    seeds: int
    restarts: int


def bridge_cell(entry: Entry, seeds: int, iterations: int = ITERATIONS) -> HidingCell:
    """Return a method on the game."""
    return HidingCell(TeamGame(GAME, entry.lent), entry.scheme, iterations, seeds)


def numbers_of(found: Found) -> tuple[float, ...]:
    """Return the mean and the greatest of what is earned in the end, and at the peak."""
    ends = found.last, found.peak
    return tuple(float(number) for end in ends for number in (end.mean(), end.max()))


def report(run: RunCells, setting: Setting) -> Report:
    """Run all methods, and put the optimum and its bounds beside them."""
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
        noted = (None,) * 4 if entry.noted is None else entry.noted
        rows.append((entry.label, *numbers_of(runs), *noted))
    ends = "last mean", "last best", "peak mean", "peak best"
    return Table(
        "bridge-methods",
        f"What the policy earns after {ITERATIONS} iterations and at its peak, {setting.seeds} "
        f"seeds; the paper's peak is {PAPER}.",
        ("method", *ends, *(f"{end}, notes" for end in ends)),
        tuple(rows),
    )


def _known(setting: Setting) -> Table:
    information = TeamGame(GAME).form.information
    turns = iterated_best_response(information, restarts=setting.restarts)
    optimum = team_optimum(information)
    rows = (
        ("optimum, by branch and bound", optimum.value, float(OPTIMUM)),
        ("bound: both hands shown", recall_bound(information), 21.3174603),
        (f"by turns, best of {setting.restarts:,}", turns.value, 20.3095),
        (f"by turns, mean of {setting.restarts:,}", float(turns.values.mean()), 17.92),
    )
    return Table(
        "bridge-known", "What else is known of the game.", ("number", "ours", "notes"), rows
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
        "what the implementable policy earns",
        (*lines, *_guides(across)),
        is_logarithmic=False,
    )


def _guides(across: Sequence[float]) -> tuple[Line, Line]:
    """Return the lines of CAPI and of the optimum."""
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
