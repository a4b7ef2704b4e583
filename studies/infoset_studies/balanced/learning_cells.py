"""Cells that learn a game from play and measure the learned policies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from infoset.evaluation import nash_conv
from infoset.experiments.cells import CellInterrupted, CellResult
from infoset.experiments.folders import run_slug
from infoset.games import load_game
from infoset.learning import LearnerSpec, Simulator, get_learner, make_simulator
from infoset.runs import Interrupt
from infoset.tree import build_tree

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = [
    "EXPLORATION_PER_RATE",
    "LearningCell",
    "play_until",
    "simulator_of",
]

EXPLORATION_PER_RATE = 0.05
"""Implicit exploration divided by the learning rate, in the published protocol."""

FIRST_POINT = 1_000
EPISODES_PER_CHUNK = 20_000

building = Lock()


@cache
def _built(game: str) -> Simulator:
    return make_simulator(build_tree(load_game(game)))


def simulator_of(game: str) -> Simulator:
    """Return the simulator of a game, which is built once."""
    with building:
        return _built(game)


@dataclass(frozen=True)
class LearningCell:
    """Self-play of one learner in all positions of a game, for a number of episodes.

    Attributes
    ----------
    game : str
    learner : str
    episodes : int
        For learners that traverse the tree (external sampling): terminal histories visited.
    seed : int
    preset : str or None
    rate : float or None
        Learning rate that replaces the preset one; implicit exploration is a twentieth of it.
    changes : tuple[tuple[str, Any], ...]
        Fields of the learner specification that are replaced.
    points : int
        Number of measurements, at geometrically spaced episodes from 1000 on.
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
        """File name prefix."""
        return run_slug(self.game, f"{self.learner}-{self.episodes}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        return asdict(self)

    def spec(self) -> LearnerSpec:
        """Return the specification of the learner."""
        steps = None if self.rate is None else (self.rate, EXPLORATION_PER_RATE * self.rate)
        spec = get_learner(self.learner, preset=self.preset, step_sizes=steps)
        return cast(LearnerSpec, replace(cast("DataclassInstance", spec), **dict(self.changes)))

    def run(self, interrupt: Interrupt) -> CellResult:
        """Learn; return NashConv of the average and last policies, and a trace of the average."""
        simulator = simulator_of(self.game)
        learners = self.spec().self_play(simulator, horizon=self.episodes, seed=self.seed)
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
    """Return the episodes after which to measure, including the last one.

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
    """A process that plays episodes."""

    @property
    def iteration(self) -> int:
        """Number of episodes played."""

    def run(self, episodes: int) -> None:
        """Play `episodes` more episodes."""


def play_until(play: Play, episodes: int, interrupt: Interrupt) -> None:
    """Play until `episodes` episodes or, for traversals, terminal visits have been made.

    Raises
    ------
    CellInterrupted
        Soon after `interrupt` is set.
    """
    while (left := episodes - _cost(play)) > 0:
        if interrupt.is_set():
            raise CellInterrupted
        play.run(min(EPISODES_PER_CHUNK, _next_episodes(play, left)))


def _cost(play: Play) -> int:
    """Return the episodes played so far or, for traversals, the terminal visits."""
    return int(getattr(play, "terminal_visits", play.iteration))


def _next_episodes(play: Play, left: int) -> int:
    """Return how many episodes to play next.

    A traversal visits a random number of terminal histories. Half of the predicted number of
    traversals is run at a time, so that the total ends just above the target.
    """
    if not hasattr(play, "terminal_visits"):
        return left
    return max(1, left * play.iteration // (2 * max(1, _cost(play))))
