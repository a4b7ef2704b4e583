"""Cells that learn a game from play and measure what is learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from infoset.evaluation import nash_conv
from infoset.experiments.cells import BrokenOff, CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.reports import Spread
from infoset.experiments.studies import RunCells
from infoset.games import load_game
from infoset.learning import LearnerSpec, Simulator, get_learner, make_simulator
from infoset.tree import build_tree

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = [
    "EXPLORATION_PER_RATE",
    "LearningCell",
    "last_gaps",
    "play_until",
    "simulator_of",
    "spreads",
]

EXPLORATION_PER_RATE = 0.05
"""Implicit exploration by rate, in the published protocol."""

FIRST_POINT = 1_000
EPISODES_BETWEEN_LOOKS = 20_000

building = Lock()


@cache
def _built(game: str) -> Simulator:
    return make_simulator(build_tree(load_game(game)))


def simulator_of(game: str) -> Simulator:
    """Return a game as a source of episodes; built once."""
    with building:
        return _built(game)


@dataclass(frozen=True)
class LearningCell:
    """Learners of one kind in all seats of a game, for a number of episodes.

    Attributes
    ----------
    game : str
    learner : str
    episodes : int
        Of learners that go through the tree instead of playing, terminal histories visited.
    seed : int
    preset : str or None
    rate : float or None
        The learning rate instead of that of the row; implicit exploration is a twentieth of it.
    changes : tuple[tuple[str, Any], ...]
        Other fields of the row that are set otherwise.
    points : int
        How many times the policies are measured, at episodes that grow by a factor from 1000 on.
    """

    game: str
    learner: str
    episodes: int
    seed: int
    preset: str | None = None
    rate: float | None = None
    changes: tuple[tuple[str, Any], ...] = ()
    points: int = 1

    @property
    def name(self) -> str:
        """What its file begins with."""
        return run_slug(self.game, f"{self.learner}-{self.episodes}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return what decides its result."""
        return asdict(self)

    def row(self) -> LearnerSpec:
        """Return the learner."""
        steps = None if self.rate is None else (self.rate, EXPLORATION_PER_RATE * self.rate)
        row = get_learner(self.learner, preset=self.preset, step_sizes=steps)
        return cast(LearnerSpec, replace(cast("DataclassInstance", row), **dict(self.changes)))

    def run(self, interrupt: Event) -> CellResult:
        """Learn; return NashConv of average and last policies, and of the averages on the way."""
        simulator = simulator_of(self.game)
        learners = self.row().self_play(simulator, horizon=self.episodes, seed=self.seed)
        trace = []
        for episodes in measured_at(self.episodes, self.points):
            play_until(learners, episodes, interrupt)
            trace.append((episodes, nash_conv(learners.policy())))
        return {
            "nash_conv": trace[-1][1],
            "last_nash_conv": nash_conv(learners.current_policy()),
            "trace": trace,
        }


def measured_at(episodes: int, points: int) -> list[int]:
    """Return the episodes after which to measure, the last of them among them.

    Examples
    --------
    >>> measured_at(100_000, 3), measured_at(500, 1)
    ([1000, 10000, 100000], [500])
    """
    if points == 1 or episodes <= FIRST_POINT:
        return [episodes]
    grown = np.geomspace(FIRST_POINT, episodes, points)
    return sorted({round(float(point)) for point in grown[:-1]} | {episodes})


class Play(Protocol):
    """Episodes, one after another."""

    @property
    def iteration(self) -> int:
        """Number of episodes played."""

    def run(self, episodes: int) -> None:
        """Play `episodes` more episodes."""


def play_until(play: Play, episodes: int, interrupt: Event) -> None:
    """Play on until there were so many episodes or, for traversals, terminal visits.

    Raises
    ------
    BrokenOff
        Soon after the event is set.
    """
    while (left := episodes - _cost(play)) > 0:
        if interrupt.is_set():
            raise BrokenOff
        play.run(min(EPISODES_BETWEEN_LOOKS, _next_episodes(play, left)))


def _cost(play: Play) -> int:
    """Return the episodes played so far or, of learners that reset the game, terminal visits."""
    return int(getattr(play, "terminal_visits", play.iteration))


def _next_episodes(play: Play, left: int) -> int:
    """Return how many episodes to play next, of which traversals visit an unknown number of ends.

    Half of what they seem to need, so that they stop soon after they are there.
    """
    if not hasattr(play, "terminal_visits"):
        return left
    return max(1, left * play.iteration // (2 * max(1, _cost(play))))


def last_gaps(run: RunCells, cells: Sequence[LearningCell]) -> list[float]:
    """Return NashConv of the average policy at the end of each cell."""
    return [float(result["nash_conv"]) for result in run(cells)]


def spreads(run: RunCells, groups: Sequence[Sequence[LearningCell]]) -> list[Spread]:
    """Return the spread of NashConv at the end, over the cells of each group; run together."""
    gaps = iter(last_gaps(run, [cell for group in groups for cell in group]))
    return [Spread.of([next(gaps) for _ in group]) for group in groups]
