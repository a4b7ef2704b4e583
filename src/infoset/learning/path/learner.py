"""Mirror descent and follow-the-regularised-leader from bandit feedback, as rows of numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from infoset.checks import check_count, check_number
from infoset.learning.knowledge import Knowledge
from infoset.learning.path._kernels import PathState, learn_together
from infoset.learning.row import Presets
from infoset.learning.self_play import SelfPlay
from infoset.learning.simulation import Infostates, Simulator
from infoset.learning.steps import StepRule, Steps, check_steps, tree_size
from infoset.regret import StateArrays
from infoset.typing import FloatArray, IntArray

__all__ = ["PathLearner", "PathSelfPlay", "plain_weights"]

OfInfostates: TypeAlias = Callable[[Infostates, IntArray], FloatArray]
"""Makes an array of the infostates and their depths [I]."""


def plain_weights(infostates: Infostates, depth: IntArray) -> FloatArray:
    """Return [I] ones."""
    return np.ones(len(depth))


@dataclass(frozen=True)
class PathLearner:
    """A learner that moves along the path of an episode only.

    Attributes
    ----------
    name : str
    description : str
        One line, with the source.
    knowledge : Knowledge
        What it is given.
    steps : Steps or StepRule
        Rate and implicit exploration, or the rule for them, from size and number of episodes.
    weights : callable
        Gives [I] w(x), by which both are multiplied.
    start : callable or None
        Gives [S] the first policy; None for uniform.
    power : float
        p of adaptive rates η / P(x)ᵖ, P the sum over visits of 1 / (reach + γ); 0 for none.
    decreasing : bool
        Whether rates fall with the square root of the episodes, instead of being set for a number
        of them.
    centre : float
        What is taken off every loss in [0, 1].
    presets : Presets
        Settings that have a name.

    Raises
    ------
    ParameterError
        If the steps are no steps, or a number is not one, or negative.
    """

    name: str
    description: str
    knowledge: Knowledge
    steps: Steps | StepRule
    weights: OfInfostates = plain_weights
    start: OfInfostates | None = None
    power: float = 0.0
    decreasing: bool = False
    centre: float = 0.0
    presets: Presets = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", check_steps(self.steps))
        check_number("power", self.power)
        check_number("centre", self.centre)

    def self_play(self, simulator: Simulator, *, horizon: int, seed: int = 0) -> PathSelfPlay:
        """Return learners of this kind in all seats; `horizon` is the number of episodes meant."""
        check_count("horizon", horizon, least=1)
        return PathSelfPlay(self, simulator, horizon, seed)


class PathSelfPlay(SelfPlay):
    """Path learners of all seats that play each other."""

    def __init__(self, row: PathLearner, simulator: Simulator, horizon: int, seed: int) -> None:
        super().__init__(simulator, seed)
        self.row = row
        self.horizon = horizon
        infostates, depth = simulator.infostates, simulator.depth
        if row.start is not None:
            self._policy = row.start(infostates, depth)
        self._numbers = np.array([self._row_of(p) for p in range(simulator.num_players)])
        self._losses = simulator.losses() - row.centre
        weight = row.weights(infostates, depth)
        adaptive = row.power > 0.0
        self._state = PathState(
            policy=self._policy,
            initial=self._policy.copy(),
            weight=weight,
            rate=self._numbers[infostates.player, 0] * weight,
            seen=np.ones(len(depth) if adaptive else 0),
            taken=np.ones(simulator.num_slots if adaptive else 0),
            mass=self._mass,
            counted=self._counted,
        )
        self._reach = np.zeros(self._paths.slot.shape[1])

    def _row_of(self, player: int) -> tuple[float, ...]:
        steps = self.row.steps
        if not isinstance(steps, Steps):
            steps = steps(tree_size(self.simulator, player), self.horizon)
        return (*steps, self.row.power, float(self.row.decreasing))

    def settings(self) -> dict[str, Any]:
        """Return the numbers of each player, what the losses are centred at, and the seed."""
        return {
            "learner": self.row.name,
            "numbers": self._numbers.tolist(),
            "centre": self.row.centre,
            "horizon": self.horizon,
            "seed": self.seed,
        }

    def run(self, episodes: int) -> None:
        """Play `episodes` more episodes, inside one compiled call."""
        learn_together(
            self._numbers,
            self.simulator.nodes,
            self.simulator.infostates,
            self._losses,
            episodes,
            self._done,
            self._stream,
            self._paths,
            self._reach,
            self._state,
        )

    def _learned(self) -> StateArrays:
        state = self._state
        return {"rate": state.rate, "seen": state.seen, "taken": state.taken}
