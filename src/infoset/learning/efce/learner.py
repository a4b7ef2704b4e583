"""Balanced EFCE-OMD: learners whom no recommendation of their own play would have misled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from infoset.checks import check_count
from infoset.evaluation.triggers import TriggerPairs, trigger_pairs
from infoset.learning.balance import balanced_reach, layer_policies
from infoset.learning.efce._kernels import learn_triggers
from infoset.learning.efce.deviation import TriggerState, fill_pair_weights, refresh
from infoset.learning.efce.fixed_point import solve_all
from infoset.learning.knowledge import Knowledge
from infoset.learning.row import Presets
from infoset.learning.self_play import SelfPlay
from infoset.learning.simulation import Simulator
from infoset.learning.steps import StepRule, Steps, check_steps, tree_size
from infoset.regret import StateArrays
from infoset.typing import FloatArray, Player

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
        check_count("horizon", horizon, least=1)
        return TriggerSelfPlay(self, simulator, horizon, seed)

    def numbers(self, simulator: Simulator, player: Player, horizon: int) -> tuple[float, ...]:
        """Return η, γ and XA of a player."""
        size, steps = tree_size(simulator, player), self.steps
        if not isinstance(steps, Steps):
            steps = steps(size, 1 if self.anytime else horizon)
        return (*steps, float(max(size.sequences, 1)))


class TriggerSelfPlay(SelfPlay):
    """Learners of deviations in all seats: their joint play comes to a correlated equilibrium.

    The average is of one policy out of so many episodes that counting takes about as long as
    playing; it plays what joint play does only where each player may draw alone.
    """

    def __init__(self, row: TriggerOmd, simulator: Simulator, horizon: int, seed: int) -> None:
        super().__init__(simulator, seed)
        self.row = row
        self.horizon = horizon
        rows, players = simulator.infostates, range(simulator.num_players)
        self._pairs, num_pairs = trigger_pairs(
            rows.parent_slot,
            rows.first_slot,
            rows.num_actions,
            simulator.num_slots,
            simulator.sequence_form.name,
        )
        self._numbers = np.array([row.numbers(simulator, player, horizon) for player in players])
        self._losses = simulator.losses()
        self._state = self._begin(num_pairs)
        self._every = max(1, num_pairs // self._met)
        refresh(self._numbers, 1.0, rows, self._pairs, self._state)
        solve_all(rows, self._pairs, self._state)

    def _begin(self, num_pairs: int) -> TriggerState:
        """Return the arrays before the first episode, `behavior` and `exponent` to be set."""
        simulator, size = self.simulator, self.simulator.num_slots
        most = int(simulator.infostates.num_actions.max(initial=1))
        return TriggerState(
            behavior=np.zeros(num_pairs),
            estimates=np.zeros(num_pairs),
            exponent=np.full(size, -np.inf),
            pair_weight=pair_weights(simulator, self._pairs, num_pairs),
            weight=balanced_reach(simulator.infostates, simulator.depth),
            policy=self._policy,
            flow=np.zeros(num_pairs),
            inflow=np.ones(size),
            log_rate=np.full(size, -np.inf),
            jumps=np.zeros((most, most)),
            mass=self._mass,
            counted=self._counted,
        )

    @property
    def _met(self) -> int:
        """Pairs that an episode meets, at most."""
        most = int(self.simulator.infostates.num_actions.max(initial=1))
        return int(((self.simulator.most_decisions * most) ** 2).sum()) + 1

    @property
    def work(self) -> int:
        """Numbers read in an episode, about."""
        return 16 * self._met

    def settings(self) -> dict[str, Any]:
        """Return the numbers of each player, how many policies are kept, and the seed."""
        return {
            "learner": self.row.name,
            "numbers": self._numbers.tolist(),
            "anytime": self.row.anytime,
            "horizon": self.horizon,
            "seed": self.seed,
        }

    def run(self, episodes: int) -> None:
        """Play `episodes` more episodes, inside one compiled call."""
        learn_triggers(
            self._numbers,
            self.row.anytime,
            self._every,
            self.simulator.nodes,
            self.simulator.infostates,
            self._pairs,
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
            "behavior": state.behavior,
            "estimates": state.estimates,
            "exponent": state.exponent,
        }


def pair_weights(simulator: Simulator, pairs: TriggerPairs, num_pairs: int) -> FloatArray:
    """Return [P] μ*ʰ from the infostate of a trigger to a sequence, both included.

    h is the layer of the sequence.
    """
    rows, depth = simulator.infostates, simulator.depth
    weights = np.ones(num_pairs)
    for layer, policy in enumerate(layer_policies(rows, depth)):
        fill_pair_weights(rows, pairs, layer, depth, policy, weights)
    return weights
