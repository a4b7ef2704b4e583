"""LocalOMD from bandit feedback, as rows of numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from infoset.checks import check_count, check_number
from infoset.learning.balance import subtree_policy, subtree_sizes
from infoset.learning.knowledge import Knowledge
from infoset.learning.local_omd._kernels import LocalState, learn_in_turn
from infoset.learning.row import Presets
from infoset.learning.self_play import SelfPlay
from infoset.learning.simulation import Simulator, infostate_slots
from infoset.learning.steps import StepRule, Steps, check_steps, tree_size
from infoset.regret import StateArrays
from infoset.typing import FloatArray

__all__ = ["LocalOmd", "LocalOmdSelfPlay"]


@dataclass(frozen=True)
class LocalOmd:
    """A learner that samples with a fixed policy, while others play, and learns along its path.

    Attributes
    ----------
    name : str
    description : str
        One line, with the source.
    steps : Steps or StepRule
        The learning rate η, or the rule for it, from size and number of the player's own episodes.
    adaptive : bool
        Whether rates are η / √(1 + Σ estimates²) at each infostate, instead of η / n(x).
    centre : float
        What the baselines, which are taken off losses in [0, 1], begin with.
    window : int
        How many costs at an infostate its baseline looks back on, about: their running mean;
        0 where it stays what it is.
    by_action : bool
        Whether each action has a baseline of its own, of what it has cost, or they share one.
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
    steps: Steps | StepRule
    adaptive: bool = False
    centre: float = 0.0
    window: int = 0
    by_action: bool = False
    knowledge: Knowledge = Knowledge.OWN_TREE
    presets: Presets = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", check_steps(self.steps))
        check_number("centre", self.centre)
        check_count("window", self.window)

    def self_play(self, simulator: Simulator, *, horizon: int, seed: int = 0) -> LocalOmdSelfPlay:
        """Return learners of this kind in all seats; `horizon` is the number of episodes meant."""
        check_count("horizon", horizon, least=1)
        return LocalOmdSelfPlay(self, simulator, horizon, seed)


class LocalOmdSelfPlay(SelfPlay):
    """LocalOMD in all seats: players sample and learn in turn."""

    def __init__(self, row: LocalOmd, simulator: Simulator, horizon: int, seed: int) -> None:
        super().__init__(simulator, seed)
        self.row = row
        self.horizon = horizon
        infostates, depth = simulator.infostates, simulator.depth
        self._numbers = np.array([self._row_of(p) for p in range(simulator.num_players)])
        self._losses = simulator.losses()
        sampling = subtree_policy(infostates, depth)
        self._policy[:] = sampling
        weight = np.ones(len(depth)) if row.adaptive else _inverse_sizes(simulator)
        self._state = LocalState(
            policy=self._policy,
            sampling=sampling,
            weight=weight,
            rate=self._numbers[infostates.player, 0] * weight,
            squares=np.zeros(len(depth)),
            estimate=np.zeros(simulator.num_slots),
            baseline=np.full(simulator.num_slots, row.centre),
            visits=np.zeros(simulator.num_slots),
            mass=self._mass,
            counted=self._counted,
        )

    def _row_of(self, player: int) -> tuple[float, float, float, float]:
        row, steps = self.row, self.row.steps
        if not isinstance(steps, Steps):
            own_episodes = max(1, self.horizon // self.simulator.num_players)
            steps = steps(tree_size(self.simulator, player), own_episodes)
        return steps.rate, float(row.adaptive), float(row.window), float(row.by_action)

    def settings(self) -> dict[str, Any]:
        """Return the numbers of each player, what baselines begin with, and the seed."""
        return {
            "learner": self.row.name,
            "numbers": self._numbers.tolist(),
            "centre": self.row.centre,
            "horizon": self.horizon,
            "seed": self.seed,
        }

    def run(self, episodes: int) -> None:
        """Play `episodes` more episodes, inside one compiled call."""
        learn_in_turn(
            self._numbers,
            self.simulator.nodes,
            self.simulator.infostates,
            self._losses,
            episodes,
            self._done,
            self._stream,
            self._paths,
            self._state,
        )

    def _learned(self) -> StateArrays:
        state = self._state
        return {
            "rate": state.rate,
            "squares": state.squares,
            "baseline": state.baseline,
            "visits": state.visits,
        }


def _inverse_sizes(simulator: Simulator) -> FloatArray:
    """Return [I] 1 / n(x), n(x) the number of own sequences at or below an infostate."""
    counts = simulator.infostates.num_actions
    sizes = subtree_sizes(simulator.infostates, simulator.depth)
    slots = infostate_slots(simulator.infostates)
    return 1.0 / np.add.reduceat(sizes[slots], np.cumsum(counts) - counts)
