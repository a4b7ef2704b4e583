"""Balanced EFCE-OMD: learners whom no recommendation of their own play would have misled."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from infoset.learning.efce._kernels import learn_triggers
from infoset.learning.efce.deviation import TriggerState
from infoset.learning.efce.rule import BalancedEFCEOMDUpdate
from infoset.learning.efce.start import begin_deviations
from infoset.learning.knowledge import Knowledge
from infoset.learning.row import Presets
from infoset.learning.self_play import SelfPlay, check_play
from infoset.learning.simulation import Simulator
from infoset.learning.step_sizes import (
    StepSizeRule,
    StepSizes,
    TreeSize,
    check_step_sizes,
    planned_horizon,
    require_tree_size,
    tree_sizes,
)

__all__ = ["BalancedEFCEOMD", "BalancedEFCEOMDSelfPlay"]


@dataclass(frozen=True)
class BalancedEFCEOMD:
    """A learner of deviations, that plays what its mean deviation leaves as it is.

    Attributes
    ----------
    name : str
    description : str
        One line, with the source.
    step_sizes : StepSizes or StepSizeRule
        Rate and implicit exploration, or the rule for them, from size and number of episodes.
    anytime : bool
        Whether the steps are those for the episodes so far, filled up to a power of two, instead
        of for the horizon.
    knowledge : Knowledge
        What it is given.
    presets : Presets
        Settings that have a name.

    Raises
    ------
    ParameterError
        If the steps are no steps.
    """

    name: str
    description: str
    step_sizes: StepSizes | StepSizeRule
    anytime: bool = False
    knowledge: Knowledge = Knowledge.OWN_TREE
    presets: Presets = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "step_sizes", check_step_sizes(self.step_sizes))

    def self_play(
        self, simulator: Simulator, *, horizon: int, seed: int = 0
    ) -> BalancedEFCEOMDSelfPlay:
        """Return learners of this kind in all seats; `horizon` is the number of episodes meant.

        Raises
        ------
        ParameterError
            If there are no episodes.
        GameTooLargeError
            If the game has more than 20,000,000 pairs of a trigger and a sequence that may follow
            it.
        """
        check_play(simulator, horizon)
        return BalancedEFCEOMDSelfPlay(self, simulator, horizon, seed)

    def update_rule(self, size: TreeSize | None, horizon: int) -> BalancedEFCEOMDUpdate:
        """Return what one player of this kind does with its episodes."""
        return BalancedEFCEOMDUpdate(
            self, np.array([self.numbers(require_tree_size(size, self.name), horizon)])
        )

    def numbers(self, size: TreeSize, horizon: int) -> tuple[float, ...]:
        """Return η, γ and XA of a player."""
        step_sizes = self.step_sizes
        if not isinstance(step_sizes, StepSizes):
            step_sizes = step_sizes(size, 1 if self.anytime else horizon)
        return (*step_sizes, float(max(size.sequences, 1)))


class BalancedEFCEOMDSelfPlay(SelfPlay):
    """Learners of deviations in all seats: their joint play comes to a correlated equilibrium.

    The average is of one policy out of so many episodes that counting takes about as long as
    playing; it plays what joint play does only where each player may draw alone.
    """

    learned = ("behavior", "estimates", "exponent")
    _state: TriggerState

    def __init__(self, row: BalancedEFCEOMD, simulator: Simulator, horizon: int, seed: int) -> None:
        self._numbers = np.array([row.numbers(size, horizon) for size in tree_sizes(simulator)])
        self._pairs, state = begin_deviations(
            self._numbers,
            simulator.infostates,
            simulator.depth,
            simulator.num_slots,
            simulator.sequence_form.name,
        )
        settings = {
            "learner": row.name,
            "numbers": self._numbers.tolist(),
            "anytime": row.anytime,
            "horizon": planned_horizon(row.step_sizes, horizon, anytime=row.anytime),
        }
        super().__init__(simulator, seed, settings, state, simulator.losses())
        self._anytime = row.anytime
        self._every = max(1, self.num_pairs // self._met)

    @property
    def _met(self) -> int:
        """Pairs that an episode meets, at most."""
        most = len(self._state.jumps)
        return int(((self.simulator.most_decisions * most) ** 2).sum()) + 1

    @property
    def num_pairs(self) -> int:
        """Number of pairs of a recommendation and a sequence played instead of it, or after."""
        return len(self._state.flow)

    @property
    def cost_per_iteration(self) -> int:
        """Numbers read in an episode, about."""
        return 16 * self._met

    def _run(self, episodes: int) -> None:
        """Play `episodes` more episodes, inside one compiled call."""
        learn_triggers(
            self._numbers,
            self._anytime,
            self._every,
            self._pairs,
            self._arena,
            episodes,
            self._state,
        )
