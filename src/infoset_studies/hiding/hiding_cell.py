"""Runs of progressive hiding and its baselines, many seeds at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from threading import Event, Lock
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.experiments.cells import BrokenOff, Cell, CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.studies import RunCells
from infoset.games import TradeComm, load_game
from infoset.teams import (
    HidingScheme,
    ProductForm,
    ProgressiveHiding,
    RelaxedForm,
    build_product_form,
    forget_own_actions,
    get_relaxation,
    merge_outcomes,
    relax,
)
from infoset.typing import FloatArray
from infoset_studies.hiding.short_market import short_market

__all__ = [
    "CURVE_POINTS",
    "Found",
    "HidingCell",
    "TeamGame",
    "found_in",
    "grouped",
    "measured_at",
    "play",
]

CURVE_POINTS: Final = 40
"""In how many iterations, evenly spread, a curve is measured at least."""

building = Lock()


class TeamGame(NamedTuple):
    """A game of one team, and what its agents are lent to learn with.

    In trade and communication nobody remembers what it said, as in the paper.

    Attributes
    ----------
    game : str
    lent : str
        A row of `RELAXATIONS`.
    is_short : bool
        Whether play ends at the first wrong offer; in trade and communication only. Penalties that
        come later in the whole game are not paid then.
    """

    game: str
    lent: str = "none"
    is_short: bool = False

    @property
    def form(self) -> ProductForm:
        """The product form, made once."""
        with building:
            return _form_of(self.game, self.is_short)

    @property
    def relaxed_form(self) -> RelaxedForm:
        """The form with what is lent, made once."""
        form = self.form
        with building:
            return _relaxed(form, self.lent)


@cache
def _form_of(game: str, is_short: bool) -> ProductForm:
    rules = load_game(game)
    if is_short:
        assert isinstance(rules, TradeComm)
        return short_market(rules.num_items)
    form = build_product_form(rules)
    if isinstance(rules, TradeComm):
        return form.with_original(forget_own_actions(form))
    return merge_outcomes(form)


@cache
def _relaxed(form: ProductForm, lent: str) -> RelaxedForm:
    team = tuple(range(form.num_agents))
    return relax(form, get_relaxation(lent).relax(form.information, team))


@dataclass(frozen=True)
class HidingCell:
    """A scheme in a game, for some seeds in a row.

    Attributes
    ----------
    team_game : TeamGame
    scheme : HidingScheme
    iterations : int
    seeds : int
        How many.
    first_seed : int
    """

    team_game: TeamGame
    scheme: HidingScheme
    iterations: int
    seeds: int
    first_seed: int = 0

    @property
    def name(self) -> str:
        """What its file begins with."""
        learner = self.scheme.learner.name
        return run_slug(self.team_game.game, f"{self.team_game.lent}-{learner}-{self.first_seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return what decides its result."""
        team_game = self.team_game._asdict()
        return {**asdict(self), "team_game": team_game, "scheme": self.scheme.settings()}

    def run(self, interrupt: Event) -> CellResult:
        """Return the curve of each seed, its peak, and where the relaxed policy ended."""
        lent = self.team_game.relaxed_form
        seeds = range(self.first_seed, self.first_seed + self.seeds)
        return {"runs": [_run(lent, self, seed, interrupt) for seed in seeds]}


def _run(lent: RelaxedForm, cell: HidingCell, seed: int, interrupt: Event) -> CellResult:
    if interrupt.is_set():
        raise BrokenOff
    hiding = ProgressiveHiding(lent, cell.scheme, seed=seed)
    trace = hiding.run(cell.iterations)
    points = measured_at(cell.iterations)
    return {
        "curve": trace.implementable[points - 1, 0],
        "peak": trace.implementable[:, 0].max(),
        "relaxed": trace.relaxed[-1, 0],
        "penalty": trace.squared_distance[-1, 0],
    }


def measured_at(iterations: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the iterations in which a curve is measured, the last among them.

    Examples
    --------
    >>> measured_at(400)[:3].tolist(), measured_at(75)[:3].tolist()
    ([10, 20, 30], [1, 2, 3])
    """
    step = max(1, iterations // CURVE_POINTS)
    return np.arange(iterations, 0, -step)[::-1]


class Found(NamedTuple):
    """What the seeds of a scheme came to.

    Attributes
    ----------
    curve : FloatArray
        [R, points] what the shadow of each run earns in the iterations of `measured_at`.
    peak : FloatArray
        [R] the most it earns in any iteration.
    relaxed, penalty : FloatArray
        [R] of the last iteration: what the relaxed policy earns, and how far off its shadow it is.
    """

    curve: FloatArray
    peak: FloatArray
    relaxed: FloatArray
    penalty: FloatArray

    @property
    def last(self) -> FloatArray:
        """[R] what the last shadow earns."""
        return self.curve[:, -1]

    def solved(self, payoff: float) -> float:
        """Return the share of runs whose last shadow earns more."""
        return float(np.mean(self.last > payoff))

    def quantile(self, share: float) -> FloatArray:
        """Return [points] what that share of the runs earns at most."""
        return np.quantile(self.curve, share, axis=0)


def found_in(results: Sequence[CellResult]) -> Found:
    """Return the runs of several cells of the same scheme."""
    runs = [run for result in results for run in result["runs"]]
    return Found(*(np.array([run[name] for run in runs]) for name in Found._fields))


def play(run: RunCells, cells: Sequence[HidingCell], seeds_at_a_time: int = 20) -> list[Found]:
    """Return what each of some cells comes to, split so that little is lost when one breaks off."""
    parts = [list(_split(cell, seeds_at_a_time)) for cell in cells]
    results = iter(run([part for cell_parts in parts for part in cell_parts]))
    return [found_in([next(results) for _ in cell_parts]) for cell_parts in parts]


def grouped(run: RunCells, groups: Sequence[Sequence[Cell]]) -> list[list[CellResult]]:
    """Return the results of groups of cells."""
    results = iter(run([cell for group in groups for cell in group]))
    return [[next(results) for _ in group] for group in groups]


def _split(cell: HidingCell, seeds: int) -> Iterator[HidingCell]:
    for first in range(0, cell.seeds, seeds):
        size = min(seeds, cell.seeds - first)
        yield HidingCell(cell.team_game, cell.scheme, cell.iterations, size, first)
