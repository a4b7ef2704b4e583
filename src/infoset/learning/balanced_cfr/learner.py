"""Balanced CFR from bandit feedback, as rows of numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np

from infoset.learning.balance import layer_policies
from infoset.learning.balanced_cfr._kernels import LayerState, Schedule, learn_by_layers
from infoset.learning.balanced_cfr.rule import BalancedCFRUpdate
from infoset.learning.knowledge import Knowledge
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
from infoset.typing import IntArray
from infoset.utils.arguments import check_count, check_number

__all__ = ["BalancedCFR", "BalancedCFRSelfPlay"]


@dataclass(frozen=True)
class BalancedCFR:
    """A learner of counterfactual regrets that explores each of its layers evenly.

    Attributes
    ----------
    name : str
    description : str
        One line, with the source.
    step_sizes : StepSizes or StepSizeRule or None
        The rate of Hedge, or the rule for it, from size and number of *iterations*; None for
        regret matching, which has no numbers.
    anytime : bool
        Whether the rate of an iteration is that for as many iterations as it is the last of,
        instead of for the horizon; as a number, it is that of the first.
    clip_regrets : bool
        Whether regrets below zero are forgotten, as by regret matching+.
    center : float
        What the baselines b(x), which are taken off losses in [0, 1], begin with.
    baseline_window : int
        How many losses at an infostate its baseline looks back on, about: their running mean;
        0 where it stays what it is.
    knowledge : Knowledge
        What it is given.
    presets : Presets
        Settings that have a name.

    Raises
    ------
    ParameterError
        If the steps are no steps, or another number is not one, or negative.
    """

    name: str
    description: str
    step_sizes: StepSizes | StepSizeRule | None = None
    anytime: bool = False
    clip_regrets: bool = False
    center: float = 0.0
    baseline_window: int = 0
    knowledge: Knowledge = Knowledge.OWN_TREE
    presets: Presets = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.step_sizes is not None:
            object.__setattr__(self, "step_sizes", check_step_sizes(self.step_sizes))
        check_number("center", self.center)
        check_count("baseline_window", self.baseline_window)

    def self_play(
        self, simulator: Simulator, *, horizon: int, seed: int = 0
    ) -> BalancedCFRSelfPlay:
        """Return learners of this kind in all seats; `horizon` is the number of episodes meant."""
        check_play(simulator, horizon)
        return BalancedCFRSelfPlay(self, simulator, horizon, seed)

    def update_rule(self, size: TreeSize | None, horizon: int) -> BalancedCFRUpdate:
        """Return what one player of this kind does with its own episodes, `horizon` of them."""
        num_layers = max(1, require_tree_size(size, self.name).decisions)
        return BalancedCFRUpdate(
            self, self.numbers(size, max(1, horizon // num_layers)), num_layers
        )

    def numbers(self, size: TreeSize | None, iterations: int) -> tuple[float, ...]:
        """Return the rate of Hedge or 0, the least regret, the window, and the decay exponent.

        Of one player; all rules give rates in proportion to one over the root of the iterations.
        """
        step_sizes = self.step_sizes
        if step_sizes is not None and not isinstance(step_sizes, StepSizes):
            step_sizes = step_sizes(
                require_tree_size(size, self.name), 1 if self.anytime else iterations
            )
        rate = 0.0 if step_sizes is None else step_sizes.learning_rate
        least = 0.0 if self.clip_regrets else -inf
        return rate, least, float(self.baseline_window), -0.5 if self.anytime else 0.0

    def begin(
        self, infostates: Infostates, depth: IntArray, num_slots: int, num_parts: int
    ) -> LayerState:
        """Return the arrays before the first episode.

        There are `num_slots` slots S, and `num_parts` episodes E in an iteration.
        """
        return LayerState(
            policy=uniform_slots(infostates, num_slots),
            regret=np.zeros(num_slots),
            touched=np.full(num_parts, -1, np.int32),
            baseline=np.full(len(depth), self.center),
            visits=np.zeros(len(depth)),
            mass=np.zeros(num_slots),
            counted=np.zeros(len(depth)),
        )


class BalancedCFRSelfPlay(SelfPlay):
    """Balanced CFR in all seats.

    An iteration of the paper is an episode for each layer of each player: E of them, here and in
    all that counts episodes.
    """

    learned = ("regret", "touched", "baseline", "visits")
    _state: LayerState

    def __init__(self, row: BalancedCFR, simulator: Simulator, horizon: int, seed: int) -> None:
        self._schedule = make_schedule(simulator)
        num_parts = len(self._schedule.player)
        iterations = max(1, horizon // num_parts)
        self._numbers = np.array([row.numbers(size, iterations) for size in tree_sizes(simulator)])
        infostates, depth = simulator.infostates, simulator.depth
        state = row.begin(infostates, depth, simulator.num_slots, num_parts)
        settings = {
            "learner": row.name,
            "numbers": self._numbers.tolist(),
            "center": row.center,
            "horizon": planned_horizon(row.step_sizes, horizon, anytime=row.anytime),
        }
        super().__init__(simulator, seed, settings, state, simulator.losses())

    def _run(self, episodes: int) -> None:
        """Play `episodes` more episodes, inside one compiled call."""
        learn_by_layers(self._numbers, self._schedule, self._arena, episodes, self._state)


def make_schedule(simulator: Simulator) -> Schedule:
    """Return the episodes of an iteration: player by player, for each of its layers.

    Where nobody decides, one for the first player.
    """
    most = simulator.most_decisions
    most[0] += not most.any()
    return Schedule(
        player=np.repeat(np.arange(len(most), dtype=np.int32), most),
        layer=np.concatenate([np.arange(count, dtype=np.int32) for count in most]),
        exploration=layer_policies(simulator.infostates, simulator.depth),
    )
