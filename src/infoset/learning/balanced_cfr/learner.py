"""Balanced CFR from bandit feedback, as rows of numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np

from infoset.learning.balance import layer_policies
from infoset.learning.balanced_cfr._kernels import LayerState, Schedule, learn_by_layers
from infoset.learning.balanced_cfr.rule import LayerRule
from infoset.learning.knowledge import Knowledge
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
from infoset.typing import IntArray
from infoset.utils.arguments import check_count, check_number

__all__ = ["BalancedCfr", "BalancedCfrSelfPlay"]


@dataclass(frozen=True)
class BalancedCfr:
    """A learner of counterfactual regrets that explores each of its layers evenly.

    Attributes
    ----------
    name : str
    description : str
        One line, with the source.
    steps : Steps or StepRule or None
        The rate of Hedge, or the rule for it, from size and number of *iterations*; None for
        regret matching, which has no numbers.
    anytime : bool
        Whether the rate of an iteration is that for as many iterations as it is the last of,
        instead of for the horizon; as a number, it is that of the first.
    forgetful : bool
        Whether regrets below zero are forgotten, as by regret matching+.
    centre : float
        What the baselines b(x), which are taken off losses in [0, 1], begin with.
    window : int
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
    steps: Steps | StepRule | None = None
    anytime: bool = False
    forgetful: bool = False
    centre: float = 0.0
    window: int = 0
    knowledge: Knowledge = Knowledge.OWN_TREE
    presets: Presets = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.steps is not None:
            object.__setattr__(self, "steps", check_steps(self.steps))
        check_number("centre", self.centre)
        check_count("window", self.window)

    def self_play(
        self, simulator: Simulator, *, horizon: int, seed: int = 0
    ) -> BalancedCfrSelfPlay:
        """Return learners of this kind in all seats; `horizon` is the number of episodes meant."""
        check_play(simulator, horizon)
        return BalancedCfrSelfPlay(self, simulator, horizon, seed)

    def update_rule(self, size: TreeSize | None, horizon: int) -> LayerRule:
        """Return what one player of this kind does with its own episodes, `horizon` of them."""
        num_layers = max(1, known_size(size, self.name).decisions)
        return LayerRule(self, self.numbers(size, max(1, horizon // num_layers)), num_layers)

    def numbers(self, size: TreeSize | None, iterations: int) -> tuple[float, ...]:
        """Return the rate of Hedge or 0, the least regret, the window, and how the rate falls.

        Of one player; all rules give rates in proportion to one over the root of the iterations.
        """
        steps = self.steps
        if steps is not None and not isinstance(steps, Steps):
            steps = steps(known_size(size, self.name), 1 if self.anytime else iterations)
        rate = 0.0 if steps is None else steps.rate
        least = 0.0 if self.forgetful else -inf
        return rate, least, float(self.window), -0.5 if self.anytime else 0.0

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
            baseline=np.full(len(depth), self.centre),
            visits=np.zeros(len(depth)),
            mass=np.zeros(num_slots),
            counted=np.zeros(len(depth)),
        )


class BalancedCfrSelfPlay(SelfPlay):
    """Balanced CFR in all seats.

    An iteration of the paper is an episode for each layer of each player: E of them, here and in
    all that counts episodes.
    """

    learned = ("regret", "touched", "baseline", "visits")
    _state: LayerState

    def __init__(self, row: BalancedCfr, simulator: Simulator, horizon: int, seed: int) -> None:
        self._schedule = make_schedule(simulator)
        num_parts = len(self._schedule.player)
        iterations = max(1, horizon // num_parts)
        self._numbers = np.array([row.numbers(size, iterations) for size in tree_sizes(simulator)])
        infostates, depth = simulator.infostates, simulator.depth
        state = row.begin(infostates, depth, simulator.num_slots, num_parts)
        settings = {
            "learner": row.name,
            "numbers": self._numbers.tolist(),
            "centre": row.centre,
            "horizon": planned_for(row.steps, horizon, anytime=row.anytime),
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
