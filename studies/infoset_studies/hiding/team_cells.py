"""Cells that run progressive hiding and its baselines on team games."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from threading import Lock
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.experiments.cells import CellInterrupted, CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.grids import run_points
from infoset.experiments.studies import RunCells
from infoset.games import TradeComm, load_game
from infoset.runs import Interrupt
from infoset.teams import (
    HidingScheme,
    ProductForm,
    ProgressiveHiding,
    RelaxedForm,
    build_product_form,
    expected_payoffs,
    forget_own_actions,
    get_relaxation,
    hill_climb,
    merge_outcomes,
    relax,
)
from infoset.teams.product_form import short_market
from infoset.typing import FloatArray

__all__ = [
    "MIN_CURVE_POINTS",
    "Found",
    "HidingCell",
    "RoundsCell",
    "TeamGame",
    "found_in",
    "measured_at",
    "play",
]

MIN_CURVE_POINTS: Final = 40
"""Minimum number of evenly spaced points of a curve."""

building = Lock()


class TeamGame(NamedTuple):
    """A game of one team, and the information relaxation used during learning.

    In trade and communication no agent remembers its own word, as in the paper.

    Attributes
    ----------
    game : str
    relaxation : str
        A name in `RELAXATIONS`.
    is_short : bool
        Whether play ends at the first wrong offer (trade and communication only). Later penalties
        of the full game are then not paid.
    """

    game: str
    relaxation: str = "none"
    is_short: bool = False

    @property
    def form(self) -> ProductForm:
        """The product form, which is built once."""
        with building:
            return _form_of(self.game, self.is_short)

    def settings(self) -> dict[str, Any]:
        """Return the values that determine the game, with the names of earlier run folders."""
        return {"game": self.game, "lent": self.relaxation, "is_short": self.is_short}

    @property
    def relaxed_form(self) -> RelaxedForm:
        """The relaxed form, which is built once."""
        form = self.form
        with building:
            return _relaxed(form, self.relaxation)


@cache
def _form_of(game: str, is_short: bool) -> ProductForm:
    rules = load_game(game)
    if is_short:
        assert isinstance(rules, TradeComm)
        return short_market(rules, remembers_words=False)
    form = build_product_form(rules)
    if isinstance(rules, TradeComm):
        return form.with_original(forget_own_actions(form))
    return merge_outcomes(form)


@cache
def _relaxed(form: ProductForm, relaxation: str) -> RelaxedForm:
    team = tuple(range(form.num_agents))
    return relax(form, get_relaxation(relaxation).relax(form.information, team))


@dataclass(frozen=True)
class HidingCell:
    """A hiding scheme in a game, for consecutive seeds.

    Attributes
    ----------
    team_game : TeamGame
    scheme : HidingScheme
    iterations : int
    seeds : int
        Number of seeds.
    first_seed : int
    """

    team_game: TeamGame
    scheme: HidingScheme
    iterations: int
    seeds: int
    first_seed: int = 0

    @property
    def name(self) -> str:
        """File name prefix."""
        learner = self.scheme.learner.name
        return run_slug(
            self.team_game.game, f"{self.team_game.relaxation}-{learner}-{self.first_seed}"
        )

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        team_game = self.team_game.settings()
        return {**asdict(self), "team_game": team_game, "scheme": self.scheme.settings()}

    def run(self, interrupt: Interrupt) -> CellResult:
        """Return the curve of each seed, its peak, and the final relaxed payoff and penalty."""
        relaxed_form = self.team_game.relaxed_form
        seeds = range(self.first_seed, self.first_seed + self.seeds)
        return {"runs": [_run(relaxed_form, self, seed, interrupt) for seed in seeds]}


def _run(
    relaxed_form: RelaxedForm, cell: HidingCell, seed: int, interrupt: Interrupt
) -> CellResult:
    if interrupt.is_set():
        raise CellInterrupted
    hiding = ProgressiveHiding(relaxed_form, cell.scheme, seed=seed)
    trace = hiding.run(cell.iterations)
    points = measured_at(cell.iterations)
    return {
        "curve": trace.implementable[points - 1, 0],
        "peak": trace.implementable[:, 0].max(),
        "relaxed": trace.relaxed[-1, 0],
        "penalty": trace.squared_distance[-1, 0],
    }


def measured_at(iterations: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the iterations at which a curve is measured, including the last one.

    Examples
    --------
    >>> measured_at(400)[:3].tolist(), measured_at(75)[:3].tolist()
    ([10, 20, 30], [1, 2, 3])
    """
    step = max(1, iterations // MIN_CURVE_POINTS)
    return np.arange(iterations, 0, -step)[::-1]


class Found(NamedTuple):
    """Results of the seeds of a scheme.

    Attributes
    ----------
    curve : FloatArray
        [R, points] payoff of the projected policy of each run at the iterations `measured_at`.
    peak : FloatArray
        [R] largest payoff of the projected policy in any iteration.
    relaxed, penalty : FloatArray
        [R] payoff of the relaxed policy and its squared distance from its projection, both in the
        last iteration.
    """

    curve: FloatArray
    peak: FloatArray
    relaxed: FloatArray
    penalty: FloatArray

    @property
    def last(self) -> FloatArray:
        """[R] payoff of the last projected policy."""
        return self.curve[:, -1]

    def solved(self, payoff: float) -> float:
        """Return the fraction of runs whose last projected policy earns more than `payoff`."""
        return float(np.mean(self.last > payoff))

    def quantile(self, level: float) -> FloatArray:
        """Return [points] the quantile of the payoff over runs."""
        return np.quantile(self.curve, level, axis=0)


def found_in(results: Sequence[CellResult]) -> Found:
    """Return the runs of several cells of the same scheme."""
    runs = [run for result in results for run in result["runs"]]
    return Found(*(np.array([run[name] for run in runs]) for name in Found._fields))


def play(run: RunCells, cells: Sequence[HidingCell], seeds_at_a_time: int = 20) -> list[Found]:
    """Return the results of each cell, which is split so that an interrupt loses little work."""
    parts = [list(_split(cell, seeds_at_a_time)) for cell in cells]
    return [found_in(results) for results in run_points(run, parts)]


def _split(cell: HidingCell, seeds: int) -> Iterator[HidingCell]:
    for first in range(0, cell.seeds, seeds):
        size = min(seeds, cell.seeds - first)
        yield HidingCell(cell.team_game, cell.scheme, cell.iterations, size, first)


@dataclass(frozen=True)
class RoundsCell:
    """A scheme with regret restarts in a game, for one seed.

    Attributes
    ----------
    team_game : TeamGame
    scheme : HidingScheme
    rounds : int
        Maximum number of rounds.
    seed : int
    goal : float
        No further round is started once a policy earns more than this.
    """

    team_game: TeamGame
    scheme: HidingScheme
    rounds: int
    seed: int
    goal: float

    @property
    def name(self) -> str:
        """File name prefix."""
        learner = self.scheme.learner.name
        return run_slug(self.team_game.game, f"{self.team_game.relaxation}-{learner}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result, except for its seconds."""
        team_game, scheme = self.team_game.settings(), self.scheme.settings()
        return {**asdict(self), "team_game": team_game, "scheme": scheme}

    def run(self, interrupt: Interrupt) -> CellResult:
        """Return the best payoff after each round, the CPU seconds, and the hill-climbed payoff."""
        assert self.scheme.regret_restarts is not None
        hiding = ProgressiveHiding(self.team_game.relaxed_form, self.scheme, seed=self.seed)
        hiding.run(0)  # compile outside the measured time
        best: list[float] = []
        began = time.thread_time()
        while len(best) < self.rounds and hiding.best_payoff <= self.goal:
            if interrupt.is_set():
                raise CellInterrupted
            hiding.run(self.scheme.regret_restarts.iterations)
            best.append(hiding.best_payoff)
        seconds = time.thread_time() - began
        information = self.team_game.form.information
        improved = hill_climb(information, hiding.best_policy())
        earned = float(expected_payoffs(information, improved)[0])
        return {"best": best, "seconds": seconds, "by_turns": earned}
