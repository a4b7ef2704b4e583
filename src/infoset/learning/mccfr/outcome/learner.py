"""Monte Carlo CFR by outcome sampling, as rows of numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import TypeAlias

import numpy as np

from infoset.errors import ParameterError
from infoset.learning.knowledge import Knowledge
from infoset.learning.mccfr.outcome._kernels import (
    OutcomeParameters,
    OutcomeState,
    learn_by_outcomes,
)
from infoset.learning.mccfr.outcome.rule import OutcomeSamplingUpdate
from infoset.learning.row import Presets
from infoset.learning.self_play import SelfPlay, check_play
from infoset.learning.simulation import Infostates, Simulator, uniform_slots
from infoset.learning.step_sizes import TreeSize
from infoset.typing import FloatArray, IntArray
from infoset.utils.arguments import check_callable, check_number

__all__ = ["OutcomeSampling", "OutcomeSamplingSelfPlay"]

OfInfostates: TypeAlias = Callable[[Infostates, IntArray], FloatArray]
"""Makes an array [S] of the infostates and their depths [I]."""


@dataclass(frozen=True)
class OutcomeSampling:
    """Monte Carlo CFR from single episodes, in each of which one player explores and learns.

    The players alternate. The one that learns acts by
    `exploration · exploration_policy + (1 - exploration) · policy`; the others by their policies.

    Attributes
    ----------
    name : str
    description : str
        One line, with the source.
    knowledge : Knowledge
        What it is given.
    exploration : float
        ε, the probability of following `exploration_policy`, above 0.
    exploration_policy : callable or None
        Gives [S] the policy to explore by; None for uniform.
    baseline_window : float
        How many visits of an action its baseline, the mean of what followed, goes back to, one of
        nothing before the first; 0 for no baselines.
    clip_regrets : bool
        Whether negative cumulative regrets are reset to 0, as in regret matching+.
    presets : Presets
        Settings that have a name.

    Raises
    ------
    ParameterError
        If a number is out of range.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.learning.simulation import make_simulator
    >>> from infoset.tree import build_tree
    >>> row = OutcomeSampling("mine", "explores less", exploration=0.3)
    >>> learning = row.self_play(make_simulator(build_tree(load_game("kuhn_poker"))), horizon=1000)
    >>> learning.run(1000)
    >>> learning.iteration
    1000
    """

    name: str
    description: str
    knowledge: Knowledge = Knowledge.NOTHING
    exploration: float = 0.6
    exploration_policy: OfInfostates | None = None
    baseline_window: float = 0.0
    clip_regrets: bool = False
    presets: Presets = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_number("exploration", self.exploration)
        if not 0.0 < self.exploration <= 1.0:
            raise ParameterError(
                f"exploration={self.exploration} must be above 0 and at most 1, so that "
                "every action is sampled"
            )
        if self.exploration_policy is not None:
            check_callable(
                "exploration_policy", self.exploration_policy, "a function of infostates and depths"
            )
        check_number("baseline_window", self.baseline_window)
        if 0.0 < self.baseline_window < 1.0:
            raise ParameterError(
                f"baseline_window={self.baseline_window} is less than one visit: give at least 1, "
                "or 0 for no baselines"
            )

    def self_play(
        self, simulator: Simulator, *, horizon: int, seed: int = 0
    ) -> OutcomeSamplingSelfPlay:
        """Return learners of this kind in all seats.

        `horizon` is the number of episodes meant; nothing depends on it.
        """
        check_play(simulator, horizon)
        return OutcomeSamplingSelfPlay(self, simulator, seed)

    def update_rule(self, size: TreeSize | None, horizon: int) -> OutcomeSamplingUpdate:
        """Return what one player of this kind does with its episodes, in all of which it explores.

        Nothing depends on the size of its tree or the number of episodes.
        """
        return OutcomeSamplingUpdate(self, self.numbers)

    @property
    def numbers(self) -> OutcomeParameters:
        """The numbers that kernels take."""
        return OutcomeParameters(
            float(self.exploration), float(self.baseline_window), 0.0 if self.clip_regrets else -inf
        )

    @property
    def exploration_policy_name(self) -> str:
        """What the policy to explore by is called."""
        if self.exploration_policy is None:
            return "uniform"
        return str(
            getattr(self.exploration_policy, "__name__", type(self.exploration_policy).__name__)
        )

    def begin(self, infostates: Infostates, depth: IntArray, num_slots: int) -> OutcomeState:
        """Return the arrays of players before their first episode; `num_slots` is S.

        Raises
        ------
        ParameterError
            If the policy to explore by leaves actions out.
        """
        uniform = uniform_slots(infostates, num_slots)
        explored = (
            self.exploration_policy(infostates, depth) if self.exploration_policy else uniform
        )
        if explored.shape != uniform.shape or not (explored > 0.0).all():
            raise ParameterError(
                f"exploration_policy={self.exploration_policy_name} must give every action "
                f"of the {num_slots} slots a probability above 0, or regrets of some are never seen"
            )
        return OutcomeState(
            policy=uniform,
            exploration_policy=explored.copy(),
            regret=np.zeros(num_slots),
            baseline=np.zeros(num_slots),
            visits=np.ones(num_slots),
            mass=np.zeros(num_slots),
            counted=np.zeros(len(depth)),
        )


class OutcomeSamplingSelfPlay(SelfPlay):
    """Players of all seats that explore and learn in turns."""

    learned = ("regret", "baseline", "visits")
    _state: OutcomeState

    def __init__(self, row: OutcomeSampling, simulator: Simulator, seed: int) -> None:
        self._numbers = row.numbers
        state = row.begin(simulator.infostates, simulator.depth, simulator.num_slots)
        settings = {
            "learner": row.name,
            "exploration_policy": row.exploration_policy_name,
            **self._numbers._asdict(),
        }
        super().__init__(simulator, seed, settings, state, simulator.utility)

    def _run(self, episodes: int) -> None:
        """Play `episodes` more episodes, inside one compiled call."""
        learn_by_outcomes(self._numbers, self._arena, episodes, self._state)
