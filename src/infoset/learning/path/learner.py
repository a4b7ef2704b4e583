"""Mirror descent and follow-the-regularised-leader from bandit feedback, as rows of numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from infoset.learning.knowledge import Knowledge
from infoset.learning.path._kernels import PathState, learn_together
from infoset.learning.path.rule import PathRule
from infoset.learning.row import Presets
from infoset.learning.self_play import SelfPlay, check_play
from infoset.learning.simulation import Infostates, Simulator, uniform_slots
from infoset.learning.steps import (
    StepRule,
    Steps,
    TreeSize,
    check_steps,
    known_size,
    planned_for,
    tree_sizes,
)
from infoset.policy import TabularPolicy
from infoset.typing import FloatArray, IntArray
from infoset.utils.arguments import check_number

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
    anytime : bool
        Whether the steps of an episode are those for as many episodes as it is the last of,
        instead of for the horizon; a pair of them is for the first. Policies are drawn back to
        the one they began with as rates fall, and an infostate takes the rate of the time when
        it is met.
    centre : float
        What is taken off every loss in [0, 1].
    window : float
        Over how many of the latest losses the mean runs that every action is estimated to lose
        until it is tried again; 0 to estimate 0.
    floor : float
        φ of the least probability φ η_x of an action, but 1 / (2 A) at most; 0 for none.
    answers_last : bool
        Whether the answer is the last policy, instead of the average.
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
    anytime: bool = False
    centre: float = 0.0
    window: float = 0.0
    floor: float = 0.0
    answers_last: bool = False
    presets: Presets = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", check_steps(self.steps))
        check_number("power", self.power)
        check_number("centre", self.centre)
        check_number("window", self.window)
        check_number("floor", self.floor)

    def self_play(self, simulator: Simulator, *, horizon: int, seed: int = 0) -> PathSelfPlay:
        """Return learners of this kind in all seats; `horizon` is the number of episodes meant."""
        check_play(simulator, horizon)
        return PathSelfPlay(self, simulator, horizon, seed)

    def update_rule(self, size: TreeSize | None, horizon: int) -> PathRule:
        """Return what one player of this kind does with its episodes."""
        return PathRule(self, np.array(self.numbers(size, horizon)))

    def numbers(self, size: TreeSize | None, horizon: int) -> tuple[float, ...]:
        """Return the numbers of one player, as `learn_path` has them.

        The size of its tree is asked for where the steps are a rule. Those of all rules are in
        proportion to the episodes to the power of p - 1/2.
        """
        steps = self.steps
        if not isinstance(steps, Steps):
            steps = steps(known_size(size, self.name), 1 if self.anytime else horizon)
        drift = self.power - 0.5 if self.anytime else 0.0
        return (*steps, self.power, drift, self.window, self.floor)

    def begin(
        self, numbers: FloatArray, infostates: Infostates, depth: IntArray, num_slots: int
    ) -> PathState:
        """Return the arrays of players before their first episode, `numbers` [N, 6] being theirs.

        `num_slots` is the number of slots S.
        """
        start = self.start(infostates, depth) if self.start else None
        policy = uniform_slots(infostates, num_slots) if start is None else start
        weight = self.weights(infostates, depth)
        adaptive = self.power > 0.0
        kept = num_slots if self.window else 0
        return PathState(
            policy=policy,
            initial=policy.copy(),
            weight=weight,
            rate=numbers[infostates.player, 0] * weight,
            seen=np.ones(len(depth) if adaptive else 0),
            taken=np.ones(num_slots if adaptive else 0),
            baseline=np.zeros(kept),
            visits=np.zeros(kept),
            mass=np.zeros(num_slots),
            counted=np.zeros(len(depth)),
        )


class PathSelfPlay(SelfPlay):
    """Path learners of all seats that play each other."""

    learned = ("rate", "seen", "taken", "baseline", "visits")
    _state: PathState

    def __init__(self, row: PathLearner, simulator: Simulator, horizon: int, seed: int) -> None:
        self._numbers = np.array([row.numbers(size, horizon) for size in tree_sizes(simulator)])
        self.row = row
        infostates, depth = simulator.infostates, simulator.depth
        state = row.begin(self._numbers, infostates, depth, simulator.num_slots)
        settings = {
            "learner": row.name,
            "numbers": self._numbers.tolist(),
            "centre": row.centre,
            "horizon": planned_for(row.steps, horizon, anytime=row.anytime),
        }
        super().__init__(simulator, seed, settings, state, simulator.losses() - row.centre)

    def _run(self, episodes: int) -> None:
        """Play `episodes` more episodes, inside one compiled call."""
        learn_together(self._numbers, self._arena, episodes, self._state)

    def policy(self) -> TabularPolicy:
        """Return the average of the policies so far, or the last one where that is the answer."""
        return self.current_policy() if self.row.answers_last else super().policy()
