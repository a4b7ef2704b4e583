"""Training runs whose exploitability is measured exactly, and equilibria to compare them with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from math import ceil
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from infoset.evaluation import evaluate_policy
from infoset.experiments.cells import CellInterrupted, CellResult
from infoset.experiments.folders import run_slug
from infoset.forms import WorldForm
from infoset.front import solve
from infoset.games import load_game
from infoset.policy import uniform_policy
from infoset.runs import Interrupt
from infoset.tree import build_world_form
from infoset_studies.networks.published import published_spec
from infoset_studies.sepot.blueprints import alone

if TYPE_CHECKING:
    from infoset.deep import NetworkSpec
    from infoset.deep.learners import DeviceLearner

__all__ = ["EquilibriumCell", "TrainingCell", "form_of"]

MAX_WORLDS: Final = 3_000_000
CHUNKS: Final = 10
"""Number of times between two measurements that decisions are counted."""

building = Lock()


def form_of(game: str) -> WorldForm:
    """Return the world form of a game; the last one is kept."""
    with building:
        return _form_of(game)


@lru_cache(maxsize=1)
def _form_of(game: str) -> WorldForm:
    return build_world_form(load_game(game), max_worlds=MAX_WORLDS)


@dataclass(frozen=True)
class TrainingCell:
    """A network that is trained by the rules of a game, and measured at points of the run.

    Attributes
    ----------
    game, learner : str
        The learner is the name of a preset.
    is_published : bool
        Whether the preset has the published numbers.
    batch_size : int
        Episodes in a batch; 0 for that of the preset.
    seed : int
    decisions, points : int
        Decisions of both players in training, and measurements.
    """

    game: str
    learner: str
    is_published: bool
    batch_size: int
    seed: int
    decisions: int
    points: int

    @property
    def name(self) -> str:
        """File name prefix."""
        kind = "published" if self.is_published else "preset"
        return run_slug(self.game, f"{self.learner}-{kind}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result, with the numbers of the learner."""
        numbers = asdict(self._spec())
        return {**asdict(self), "numbers": {**numbers, "description": ""}}

    def run(self, interrupt: Interrupt) -> CellResult:
        """Return NashConv, the first player's value, and learner steps at each point."""
        form = form_of(self.game)
        found: dict[str, list[Any]] = {"nash_conv": [], "value": [], "learner_steps": []}
        seconds, played = 0.0, 0.0
        with alone(interrupt):
            learner = self._learner()
        for point in range(1, self.points + 1):
            with alone(interrupt):
                begin = perf_counter()
                played = self._train(learner, played, point, interrupt)
                seconds += perf_counter() - begin
                policy = learner.network_policy().tabulate(form)
            measured = evaluate_policy(policy)
            found["nash_conv"].append(measured.nash_conv)
            found["value"].append(measured.values[0])
            found["learner_steps"].append(learner.iteration)
        return {**found, "seconds": seconds}

    def _spec(self) -> NetworkSpec:
        from dataclasses import replace

        from infoset.deep import get_preset

        if self.is_published:
            return published_spec(self.game, self.learner)
        preset = get_preset(self.learner)
        return replace(preset, batch_size=self.batch_size or preset.batch_size)

    def _learner(self) -> DeviceLearner:
        from infoset.deep import device_game
        from infoset.deep.learners import DeviceLearner

        return DeviceLearner(device_game(self.game), self._spec(), self.seed, self.game)

    def _train(
        self, learner: DeviceLearner, played: float, point: int, interrupt: Interrupt
    ) -> float:
        """Train up to a point; return the decisions so far, by the mean length of episodes."""
        end = self.decisions * point / self.points
        chunk = self.decisions / (self.points * CHUNKS)
        while played < end:
            if interrupt.is_set():
                raise CellInterrupted
            per_step = learner.mean_decisions() * learner.spec.batch_size
            steps = max(1, ceil(min(chunk, end - played) / per_step))
            learner.run(steps)
            played += steps * per_step
        return played


@dataclass(frozen=True)
class EquilibriumCell:
    """Uniform play, and the average policy of a method that computes an equilibrium.

    Attributes
    ----------
    game, method : str
    iterations : int
    """

    game: str
    method: str
    iterations: int

    @property
    def name(self) -> str:
        """File name prefix."""
        return run_slug(self.game, f"{self.method}-{self.iterations}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        return asdict(self)

    def run(self, interrupt: Interrupt) -> CellResult:
        """Return NashConv of both, and the first player's value."""
        form = form_of(self.game)
        begin = perf_counter()
        uniform = evaluate_policy(uniform_policy(form))
        solved = solve(
            form, self.method, iterations=self.iterations, callback=lambda _: interrupt.is_set()
        )
        if interrupt.is_set():
            raise CellInterrupted
        found = evaluate_policy(solved.policy)
        return {
            "uniform": uniform.nash_conv,
            "nash_conv": found.nash_conv,
            "value": found.values[0],
            "seconds": perf_counter() - begin,
        }
