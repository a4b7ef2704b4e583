"""LocalOMD from bandit feedback, as rows of numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from infoset.errors import ParameterError
from infoset.learning.balance import subtree_policy, subtree_sizes
from infoset.learning.knowledge import Knowledge
from infoset.learning.local_omd._kernels import LocalState, learn_in_turn
from infoset.learning.local_omd.rule import LocalOMDUpdate
from infoset.learning.row import Presets
from infoset.learning.self_play import SelfPlay, check_play
from infoset.learning.simulation import Infostates, Simulator, infostate_slots
from infoset.learning.step_sizes import (
    StepSizeRule,
    StepSizes,
    TreeSize,
    check_step_sizes,
    planned_horizon,
    require_tree_size,
    tree_sizes,
)
from infoset.typing import FloatArray, IntArray
from infoset.utils.arguments import check_count, check_number

__all__ = ["LocalOMD", "LocalOMDSelfPlay"]


@dataclass(frozen=True)
class LocalOMD:
    """A learner that samples with a fixed policy, while others play, and learns along its path.

    Attributes
    ----------
    name : str
    description : str
        One line, with the source.
    step_sizes : StepSizes or StepSizeRule
        The learning rate η, or the rule for it, from size and number of the player's own episodes.
    anytime : bool
        Whether the fixed rates of an episode are those for as many own episodes as it is the last
        of, instead of for the horizon; as a number, η is that of the first. Policies are drawn
        back to the one they began with as rates fall. Adaptive rates need no horizon.
    adaptive : bool
        Whether rates are η / √(1 + Σ estimates²) at each infostate, instead of η / n(x).
    center : float
        What the baselines, which are taken off losses in [0, 1], begin with.
    baseline_window : int
        How many costs at an infostate its baseline looks back on, about: their running mean;
        0 where it stays what it is.
    baseline_per_action : bool
        Whether each action has a baseline of its own, of what it has cost, or they share one.
    exploration : float
        How much of what is sampled is the fixed policy, above 0; the rest is the current one.
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
    step_sizes: StepSizes | StepSizeRule
    anytime: bool = False
    adaptive: bool = False
    center: float = 0.0
    baseline_window: int = 0
    baseline_per_action: bool = False
    exploration: float = 1.0
    knowledge: Knowledge = Knowledge.OWN_TREE
    presets: Presets = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "step_sizes", check_step_sizes(self.step_sizes))
        check_number("center", self.center)
        check_count("baseline_window", self.baseline_window)
        check_number("exploration", self.exploration)
        if not 0 < self.exploration <= 1:
            raise ParameterError(
                f"exploration={self.exploration} must be above 0 and at most 1, so that "
                "every action is sampled"
            )

    def self_play(self, simulator: Simulator, *, horizon: int, seed: int = 0) -> LocalOMDSelfPlay:
        """Return learners of this kind in all seats; `horizon` is the number of episodes meant."""
        check_play(simulator, horizon)
        return LocalOMDSelfPlay(self, simulator, horizon, seed)

    def update_rule(self, size: TreeSize | None, horizon: int) -> LocalOMDUpdate:
        """Return what one player of this kind does with its own episodes, `horizon` of them."""
        return LocalOMDUpdate(self, np.array(self.numbers(size, horizon)))

    def numbers(self, size: TreeSize | None, own_episodes: int) -> tuple[float, ...]:
        """Return the numbers of one player, as `learn_infostate` has them.

        The size of its tree is asked for where the steps are a rule. Those of all rules for fixed
        rates are in proportion to one over the root of the episodes.
        """
        step_sizes = self.step_sizes
        falls = self.anytime and not self.adaptive
        if not isinstance(step_sizes, StepSizes):
            step_sizes = step_sizes(
                require_tree_size(size, self.name), 1 if falls else own_episodes
            )
        switches = (
            float(self.adaptive),
            float(self.baseline_window),
            float(self.baseline_per_action),
        )
        return step_sizes.learning_rate, *switches, self.exploration, -0.5 if falls else 0.0

    def begin(
        self, numbers: FloatArray, infostates: Infostates, depth: IntArray, num_slots: int
    ) -> LocalState:
        """Return the arrays of players before their first episode, `numbers` [N, 5] being theirs.

        `num_slots` is the number of slots S.
        """
        sampling = subtree_policy(infostates, depth)
        weight = np.ones(len(depth)) if self.adaptive else _inverse_sizes(infostates, depth)
        return LocalState(
            policy=sampling.copy(),
            sampling=sampling,
            weight=weight,
            rate=numbers[infostates.player, 0] * weight,
            squares=np.zeros(len(depth)),
            estimate=np.zeros(num_slots),
            baseline=np.full(num_slots, self.center),
            visits=np.zeros(num_slots),
            mass=np.zeros(num_slots),
            counted=np.zeros(len(depth)),
        )


class LocalOMDSelfPlay(SelfPlay):
    """LocalOMD in all seats: players sample and learn in turn."""

    learned = ("rate", "squares", "baseline", "visits")
    _state: LocalState

    def __init__(self, row: LocalOMD, simulator: Simulator, horizon: int, seed: int) -> None:
        own_episodes = max(1, horizon // simulator.num_players)
        self._numbers = np.array(
            [row.numbers(size, own_episodes) for size in tree_sizes(simulator)]
        )
        infostates, depth = simulator.infostates, simulator.depth
        state = row.begin(self._numbers, infostates, depth, simulator.num_slots)
        settings = {
            "learner": row.name,
            "numbers": self._numbers.tolist(),
            "center": row.center,
            "horizon": planned_horizon(row.step_sizes, horizon, anytime=row.anytime),
        }
        super().__init__(simulator, seed, settings, state, simulator.losses())

    def _run(self, episodes: int) -> None:
        """Play `episodes` more episodes, inside one compiled call."""
        learn_in_turn(self._numbers, self._arena, episodes, self._state)


def _inverse_sizes(infostates: Infostates, depth: IntArray) -> FloatArray:
    """Return [I] 1 / n(x), n(x) the number of own sequences at or below an infostate."""
    counts = infostates.num_actions
    sizes = subtree_sizes(infostates, depth)
    slots = infostate_slots(infostates)
    return 1.0 / np.add.reduceat(sizes[slots], np.cumsum(counts) - counts)
