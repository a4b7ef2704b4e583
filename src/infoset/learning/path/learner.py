"""Mirror descent and follow-the-regularised-leader from bandit feedback, as rows of numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from infoset.learning.knowledge import Knowledge
from infoset.learning.path._kernels import MirrorDescentState, learn_together
from infoset.learning.path.rule import OnlineMirrorDescentUpdate
from infoset.learning.row import Presets
from infoset.learning.self_play import SelfPlay, check_play
from infoset.learning.simulation import Infostates, Simulator, uniform_slots
from infoset.learning.step_sizes import (
    StepSizeRule,
    StepSizes,
    TreeSize,
    check_step_sizes,
    planned_horizon,
    require_tree_size,
    tree_sizes,
)
from infoset.policy import TabularPolicy
from infoset.typing import FloatArray, IntArray
from infoset.utils.arguments import check_number

__all__ = ["OnlineMirrorDescent", "OnlineMirrorDescentSelfPlay", "plain_weights"]

OfInfostates: TypeAlias = Callable[[Infostates, IntArray], FloatArray]
"""Makes an array of the infostates and their depths [I]."""


def plain_weights(infostates: Infostates, depth: IntArray) -> FloatArray:
    """Return [I] ones."""
    return np.ones(len(depth))


@dataclass(frozen=True)
class OnlineMirrorDescent:
    """A learner that moves along the path of an episode only.

    Attributes
    ----------
    name : str
    description : str
        One line, with the source.
    knowledge : Knowledge
        What it is given.
    step_sizes : StepSizes or StepSizeRule
        Rate and implicit exploration, or the rule for them, from size and number of episodes.
    weights : callable
        Gives [I] w(x), by which both are multiplied.
    initial_policy : callable or None
        Gives [S] the first policy; None for uniform.
    adaptivity_exponent : float
        p of adaptive rates η / P(x)ᵖ, P the sum over visits of 1 / (reach + γ); 0 for none.
    anytime : bool
        Whether the steps of an episode are those for as many episodes as it is the last of,
        instead of for the horizon; a pair of them is for the first. Policies are drawn back to
        the one they began with as rates fall, and an infostate takes the rate of the time when
        it is met.
    center : float
        What is taken off every loss in [0, 1].
    baseline_window : float
        Over how many of the latest losses the mean runs that every action is estimated to lose
        until it is tried again; 0 to estimate 0.
    min_probability : float
        φ of the least probability φ η_x of an action, but 1 / (2 A) at most; 0 for none.
    use_last_policy : bool
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
    step_sizes: StepSizes | StepSizeRule
    weights: OfInfostates = plain_weights
    initial_policy: OfInfostates | None = None
    adaptivity_exponent: float = 0.0
    anytime: bool = False
    center: float = 0.0
    baseline_window: float = 0.0
    min_probability: float = 0.0
    use_last_policy: bool = False
    presets: Presets = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "step_sizes", check_step_sizes(self.step_sizes))
        check_number("adaptivity_exponent", self.adaptivity_exponent)
        check_number("center", self.center)
        check_number("baseline_window", self.baseline_window)
        check_number("min_probability", self.min_probability)

    def self_play(
        self, simulator: Simulator, *, horizon: int, seed: int = 0
    ) -> OnlineMirrorDescentSelfPlay:
        """Return learners of this kind in all seats; `horizon` is the number of episodes meant."""
        check_play(simulator, horizon)
        return OnlineMirrorDescentSelfPlay(self, simulator, horizon, seed)

    def update_rule(self, size: TreeSize | None, horizon: int) -> OnlineMirrorDescentUpdate:
        """Return what one player of this kind does with its episodes."""
        return OnlineMirrorDescentUpdate(self, np.array(self.numbers(size, horizon)))

    def numbers(self, size: TreeSize | None, horizon: int) -> tuple[float, ...]:
        """Return the numbers of one player, as `learn_path` has them.

        The size of its tree is asked for where the steps are a rule. Those of all rules are in
        proportion to the episodes to the power of p - 1/2.
        """
        step_sizes = self.step_sizes
        if not isinstance(step_sizes, StepSizes):
            step_sizes = step_sizes(
                require_tree_size(size, self.name), 1 if self.anytime else horizon
            )
        decay_exponent = self.adaptivity_exponent - 0.5 if self.anytime else 0.0
        return (
            *step_sizes,
            self.adaptivity_exponent,
            decay_exponent,
            self.baseline_window,
            self.min_probability,
        )

    def begin(
        self, numbers: FloatArray, infostates: Infostates, depth: IntArray, num_slots: int
    ) -> MirrorDescentState:
        """Return the arrays of players before their first episode, `numbers` [N, 6] being theirs.

        `num_slots` is the number of slots S.
        """
        initial_policy = self.initial_policy(infostates, depth) if self.initial_policy else None
        policy = uniform_slots(infostates, num_slots) if initial_policy is None else initial_policy
        weight = self.weights(infostates, depth)
        adaptive = self.adaptivity_exponent > 0.0
        kept = num_slots if self.baseline_window else 0
        return MirrorDescentState(
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


class OnlineMirrorDescentSelfPlay(SelfPlay):
    """Path learners of all seats that play each other."""

    learned = ("rate", "seen", "taken", "baseline", "visits")
    _state: MirrorDescentState

    def __init__(
        self, row: OnlineMirrorDescent, simulator: Simulator, horizon: int, seed: int
    ) -> None:
        self._numbers = np.array([row.numbers(size, horizon) for size in tree_sizes(simulator)])
        self.row = row
        infostates, depth = simulator.infostates, simulator.depth
        state = row.begin(self._numbers, infostates, depth, simulator.num_slots)
        settings = {
            "learner": row.name,
            "numbers": self._numbers.tolist(),
            "center": row.center,
            "horizon": planned_horizon(row.step_sizes, horizon, anytime=row.anytime),
        }
        super().__init__(simulator, seed, settings, state, simulator.losses() - row.center)

    def _run(self, episodes: int) -> None:
        """Play `episodes` more episodes, inside one compiled call."""
        learn_together(self._numbers, self._arena, episodes, self._state)

    def policy(self) -> TabularPolicy:
        """Return the average of the policies so far, or the last one where that is the answer."""
        return self.current_policy() if self.row.use_last_policy else super().policy()
