"""Balanced EFCE-OMD: learners whom no recommendation of their own play would have misled."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from infoset.learning.efce._kernels import learn_triggers
from infoset.learning.efce.deviation import TriggerState
from infoset.learning.efce.rule import TriggerRule
from infoset.learning.efce.start import begin_deviations
from infoset.learning.knowledge import Knowledge
from infoset.learning.row import Presets
from infoset.learning.self_play import SelfPlay, check_play
from infoset.learning.simulation import Simulator
from infoset.learning.steps import (
    StepRule,
    Steps,
    TreeSize,
    check_steps,
    known_size,
    planned_for,
    tree_sizes,
)

__all__ = ["TriggerOmd", "TriggerSelfPlay"]


@dataclass(frozen=True)
class TriggerOmd:
    """A learner of deviations, that plays what its mean deviation leaves as it is.

    Attributes
    ----------
    name : str
    description : str
        One line, with the source.
    steps : Steps or StepRule
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
    steps: Steps | StepRule
    anytime: bool = False
    knowledge: Knowledge = Knowledge.OWN_TREE
    presets: Presets = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", check_steps(self.steps))

    def self_play(self, simulator: Simulator, *, horizon: int, seed: int = 0) -> TriggerSelfPlay:
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
        return TriggerSelfPlay(self, simulator, horizon, seed)

    def update_rule(self, size: TreeSize | None, horizon: int) -> TriggerRule:
        """Return what one player of this kind does with its episodes."""
        return TriggerRule(self, np.array([self.numbers(known_size(size, self.name), horizon)]))

    def numbers(self, size: TreeSize, horizon: int) -> tuple[float, ...]:
        """Return η, γ and XA of a player."""
        steps = self.steps
        if not isinstance(steps, Steps):
            steps = steps(size, 1 if self.anytime else horizon)
        return (*steps, float(max(size.sequences, 1)))


class TriggerSelfPlay(SelfPlay):
    """Learners of deviations in all seats: their joint play comes to a correlated equilibrium.

    The average is of one policy out of so many episodes that counting takes about as long as
    playing; it plays what joint play does only where each player may draw alone.
    """

    learned = ("behavior", "estimates", "exponent")
    _state: TriggerState

    def __init__(self, row: TriggerOmd, simulator: Simulator, horizon: int, seed: int) -> None:
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
            "horizon": planned_for(row.steps, horizon, anytime=row.anytime),
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
    def work(self) -> int:
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
