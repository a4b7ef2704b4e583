"""Balanced EFCE-OMD: learners whom no recommendation of their own play would have misled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from infoset.checks import check_count
from infoset.errors import GameTooLargeError
from infoset.evaluation import CorrelatedPolicy
from infoset.evaluation.triggers import TriggerPairs, trigger_pairs
from infoset.learning.balance import balanced_reach, layer_policies
from infoset.learning.efce._kernels import KEPT, learn_triggers
from infoset.learning.efce.deviation import TriggerState, fill_pair_weights, refresh
from infoset.learning.efce.fixed_point import solve_all
from infoset.learning.knowledge import Knowledge
from infoset.learning.row import Presets
from infoset.learning.self_play import SelfPlay
from infoset.learning.simulation import Simulator
from infoset.learning.steps import StepRule, Steps, check_steps, tree_size
from infoset.policy import TabularPolicy, mix
from infoset.regret import StateArrays
from infoset.typing import FloatArray, Player

__all__ = ["TriggerOmd", "TriggerSelfPlay"]

MOST_KEPT = 50_000_000


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
    keep : int
        How many policies are kept, of episodes evenly spaced: once there are as many, every
        second one goes.
    knowledge : Knowledge
        What it is given.
    presets : Presets
        Settings that have a name.

    Raises
    ------
    ParameterError
        If the steps are no steps, or fewer than two policies are kept.
    """

    name: str
    description: str
    steps: Steps | StepRule
    anytime: bool = False
    keep: int = 1000
    knowledge: Knowledge = Knowledge.OWN_TREE
    presets: Presets = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", check_steps(self.steps))
        check_count("keep", self.keep, least=2)

    def self_play(self, simulator: Simulator, *, horizon: int, seed: int = 0) -> TriggerSelfPlay:
        """Return learners of this kind in all seats; `horizon` is the number of episodes meant.

        Raises
        ------
        ParameterError
            If there are no episodes.
        GameTooLargeError
            If the game has more than 20,000,000 pairs of a trigger and a sequence that may follow
            it, or the policies to be kept more than 50,000,000 numbers.
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
    """Learners of deviations in all seats: together they come to a correlated equilibrium."""

    def __init__(self, row: TriggerOmd, simulator: Simulator, horizon: int, seed: int) -> None:
        super().__init__(simulator, seed)
        self.row = row
        self.horizon = horizon
        self._check_room()
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
        refresh(self._numbers, 1.0, rows, self._pairs, self._state)

    def _check_room(self) -> None:
        numbers = self.row.keep * self.simulator.num_slots
        if numbers > MOST_KEPT:
            name, fit = self.sequence_form.name, MOST_KEPT // self.simulator.num_slots
            raise GameTooLargeError(
                f"{self.row.keep:,} policies of {name} are {numbers:,} numbers, more than "
                f"{MOST_KEPT:,}: keep fewer, by dataclasses.replace(row, keep={fit})",
                {"sequences": self.simulator.num_slots, "numbers": numbers},
            )

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
            kept=np.zeros((self.row.keep, size)),
            clock=np.array([0, 1]),
        )

    @property
    def work(self) -> int:
        """Numbers read in an episode, about."""
        depth = int(self.simulator.most_decisions.sum())
        return 8 * (depth * len(self._state.jumps)) ** 2 + 8

    def settings(self) -> dict[str, Any]:
        """Return the numbers of each player, how many policies are kept, and the seed."""
        return {
            "learner": self.row.name,
            "numbers": self._numbers.tolist(),
            "anytime": self.row.anytime,
            "keep": self.row.keep,
            "horizon": self.horizon,
            "seed": self.seed,
        }

    def run(self, episodes: int) -> None:
        """Play `episodes` more episodes, inside one compiled call."""
        learn_triggers(
            self._numbers,
            self.row.anytime,
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
            "kept": state.kept,
            "clock": state.clock,
        }

    def correlated_policy(self) -> CorrelatedPolicy:
        """Return the policies of episodes evenly spaced, of which one is drawn for all players.

        Before the first episode, that of the first.
        """
        kept = self._state.kept[: int(self._state.clock[KEPT])]
        policies = [self.simulator.policy(own) for own in kept] or [self.current_policy()]
        return CorrelatedPolicy(tuple(policies), (1.0,) * len(policies))

    def policy(self) -> TabularPolicy:
        """Return what each player plays in `correlated_policy`, drawn by each alone."""
        joint = self.correlated_policy()
        return mix(joint.policies, joint.weights)

    def current_policy(self) -> TabularPolicy:
        """Return the policy that the next episode is played by."""
        state = self._state._replace(policy=np.ones(self.simulator.num_slots))
        solve_all(self.simulator.infostates, self._pairs, state)
        return self.simulator.policy(state.policy)


def pair_weights(simulator: Simulator, pairs: TriggerPairs, num_pairs: int) -> FloatArray:
    """Return [P] μ*ʰ from the infostate of a trigger to a sequence, both included.

    h is the layer of the sequence.
    """
    rows, depth = simulator.infostates, simulator.depth
    weights = np.ones(num_pairs)
    for layer, policy in enumerate(layer_policies(rows, depth)):
        fill_pair_weights(rows, pairs, layer, depth, policy, weights)
    return weights
