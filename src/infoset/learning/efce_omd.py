"""Balanced EFCE-OMD: learning extensive-form correlated equilibria from bandit feedback."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log, sqrt
from typing import Any

import numpy as np

from infoset.evaluation.trigger_pairs import TriggerPairs, enumerate_trigger_pairs
from infoset.learning._efce_omd_kernels import (
    TriggerState,
    count_policy,
    decay_factor,
    fill_pair_weights,
    refresh,
    refresh_at_doubling,
    run_self_play,
    solve_all,
    update_path,
)
from infoset.learning._simulator_kernels import Paths
from infoset.learning.balance import balanced_reach, layer_policies
from infoset.learning.learner_spec import Knowledge, Presets
from infoset.learning.self_play import SelfPlay, check_play
from infoset.learning.simulator import Simulator
from infoset.learning.step_sizes import (
    FAILURE_PROBABILITY,
    StepSizeRule,
    StepSizes,
    TreeSize,
    check_step_sizes,
    planned_horizon,
    require_tree_size,
    tree_sizes,
)
from infoset.learning.update_rule import Feedback
from infoset.tree.decision_nodes import Infostates, uniform_probabilities
from infoset.typing import FloatArray, IntArray

__all__ = [
    "EFCE_LEARNERS",
    "BalancedEFCEOMD",
    "BalancedEFCEOMDSelfPlay",
    "efce_omd_step_sizes",
    "efce_omd_total_loss_step_sizes",
]


@dataclass(frozen=True)
class BalancedEFCEOMD:
    """Mirror descent over trigger deviations; it plays a fixed point of the mean deviation.

    Attributes
    ----------
    name : str
    description : str
        One line, with the source.
    step_sizes : StepSizes or StepSizeRule
        η and γ, or the rule for them, from the size of the tree and the number of episodes.
    anytime : bool
        Whether the step sizes are those for the episodes so far, rounded up to a power of two,
        instead of those for the horizon.
    knowledge : Knowledge
        What it may know of the game.
    presets : Presets
        Named sets of parameters.

    Raises
    ------
    ParameterError
        If the step sizes are invalid.
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
        """Return self-play of this learner for all players, planned for `horizon` episodes.

        Raises
        ------
        ParameterError
            If `horizon` is not a positive whole number.
        GameTooLargeError
            If the game has more than 20,000,000 pairs of a trigger and a sequence at or below it.
        """
        check_play(simulator, horizon)
        return BalancedEFCEOMDSelfPlay(self, simulator, horizon, seed)

    def update_rule(self, size: TreeSize | None, horizon: int) -> BalancedEFCEOMDUpdate:
        """Return the update of one player."""
        parameters = self.parameters(require_tree_size(size, self.name), horizon)
        return BalancedEFCEOMDUpdate(self, np.array([parameters]))

    def parameters(self, size: TreeSize, horizon: int) -> tuple[float, ...]:
        """Return η, γ and XA of one player."""
        step_sizes = self.step_sizes
        if not isinstance(step_sizes, StepSizes):
            step_sizes = step_sizes(size, 1 if self.anytime else horizon)
        return (*step_sizes, float(max(size.sequences, 1)))


class BalancedEFCEOMDUpdate:
    """The update of `BalancedEFCEOMD`, as an `infoset.learning.UpdateRule`.

    In a user's own loop every episode is counted in the average, and the policy is solved at every
    infostate after each, at a cost proportional to the number of pairs.

    Parameters
    ----------
    spec : BalancedEFCEOMD
    parameters : FloatArray
        [N, 3] see `BalancedEFCEOMD.parameters`.
    game : str
        Name of the game in error messages.
    """

    turn = 0
    """It plays the policy that it learns."""

    def __init__(
        self, spec: BalancedEFCEOMD, parameters: FloatArray, game: str = "the game"
    ) -> None:
        self.spec = spec
        self.parameters = parameters
        self.pairs: TriggerPairs
        self._game = game

    def settings(self) -> dict[str, Any]:
        """Return the parameters of the players, and whether step sizes decay."""
        return {"parameters": self.parameters.tolist(), "anytime": self.spec.anytime}

    def begin(self, infostates: Infostates, depth: IntArray, num_sequences: int) -> TriggerState:
        """Return the arrays before the first episode, and find the pairs.

        Raises
        ------
        GameTooLargeError
            If there are too many pairs.
        """
        self.pairs, num_pairs = enumerate_trigger_pairs(
            infostates.parent_sequence,
            infostates.first_sequence,
            infostates.num_actions,
            num_sequences,
            self._game,
        )
        max_actions = int(infostates.num_actions.max(initial=1))
        state = TriggerState(
            behavior=np.zeros(num_pairs),
            estimates=np.zeros(num_pairs),
            exponent=np.full(num_sequences, -np.inf),
            pair_weight=pair_weights(infostates, depth, self.pairs, num_pairs),
            weight=balanced_reach(infostates, depth),
            policy=uniform_probabilities(infostates, num_sequences),
            flow=np.zeros(num_pairs),
            inflow=np.ones(num_sequences),
            log_rate=np.full(num_sequences, -np.inf),
            jumps=np.zeros((max_actions, max_actions)),
            cumulative_plan=np.zeros(num_sequences),
            parent_counted=np.zeros(len(depth)),
        )
        refresh(self.parameters, 1.0, infostates, self.pairs, state)
        solve_all(infostates, self.pairs, state)
        return state

    def initial_policies(self, state: TriggerState) -> tuple[FloatArray, ...]:
        """Return nothing: the tree is known."""
        return ()

    def exploration(self, state: TriggerState, episode: int, step: int) -> None:
        """Return None: exploration is implicit."""

    def learn(
        self, infostates: Infostates, paths: Paths, feedback: Feedback, state: TriggerState
    ) -> None:
        """Add an episode to the average and learn from it, updating `state` in place."""
        parameters, pairs, anytime = self.parameters, self.pairs, self.spec.anytime
        count_policy(infostates, state)
        factor = decay_factor(feedback.episode - 1) if anytime else 1.0
        loss = feedback.loss
        update_path(parameters[0], factor, infostates, pairs, 0, paths, loss, state)
        if anytime:
            refresh_at_doubling(parameters, feedback.episode, infostates, pairs, state)
        solve_all(infostates, pairs, state)


class BalancedEFCEOMDSelfPlay(SelfPlay):
    """Self-play of `BalancedEFCEOMD`: joint play approaches a correlated equilibrium.

    The average counts one policy in so many episodes that counting takes about as long as playing.
    """

    learned = ("behavior", "estimates", "exponent")
    _state: TriggerState

    def __init__(
        self, spec: BalancedEFCEOMD, simulator: Simulator, horizon: int, seed: int
    ) -> None:
        parameters = np.array([spec.parameters(size, horizon) for size in tree_sizes(simulator)])
        self._update = BalancedEFCEOMDUpdate(spec, parameters, simulator.sequence_form.name)
        state = self._update.begin(simulator.infostates, simulator.depth, simulator.num_sequences)
        settings = {
            "learner": spec.name,
            **self._update.settings(),
            "horizon": planned_horizon(spec.step_sizes, horizon, anytime=spec.anytime),
        }
        super().__init__(simulator, seed, settings, state, simulator.losses())
        self._every = max(1, self.num_pairs // self._max_pairs_met)

    @property
    def _max_pairs_met(self) -> int:
        """Upper bound on the number of pairs that an episode meets."""
        max_actions = len(self._state.jumps)
        return int(((self.simulator.max_decisions * max_actions) ** 2).sum()) + 1

    @property
    def num_pairs(self) -> int:
        """Number of pairs of a trigger and a sequence at or below its infostate."""
        return len(self._state.flow)

    @property
    def cost_per_iteration(self) -> int:
        """Approximate number of array elements read in an episode."""
        return 16 * self._max_pairs_met

    def _run(self, episodes: int) -> None:
        """Play `episodes` more episodes in one compiled call."""
        update = self._update
        run_self_play(
            update.parameters,
            update.spec.anytime,
            self._every,
            update.pairs,
            self._play_state,
            episodes,
            self._state,
        )


def pair_weights(
    infostates: Infostates, depth: IntArray, pairs: TriggerPairs, num_pairs: int
) -> FloatArray:
    """Return [P] μ*ʰ from the infostate of a trigger to a sequence of layer h, both included."""
    weights = np.ones(num_pairs)
    for layer, policy in enumerate(layer_policies(infostates, depth)):
        fill_pair_weights(infostates, pairs, layer, depth, policy, weights)
    return weights


def efce_omd_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return η = √(XA ι / (H⁴ T)) and γ = 2 √(XA ι / (H² T)), with ι = log(10 XA / δ).

    Source: Bai et al. (2022b).
    """
    sequences, decisions = max(size.sequences, 1), max(size.decisions, 1)
    confidence = log(10.0 * sequences / FAILURE_PROBABILITY)
    scale = sqrt(sequences * confidence / episodes)
    return StepSizes(scale / decisions**2, 2.0 * scale / decisions)


def efce_omd_total_loss_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return η = √(XA ι / (H² T)) and γ = 2 √(XA ι / T), for a total loss in [0, 1]."""
    decisions = max(size.decisions, 1)
    rate, exploration = efce_omd_step_sizes(size, episodes)
    return StepSizes(rate * decisions, exploration * decisions)


EFCE_LEARNERS: tuple[BalancedEFCEOMD, ...] = (
    BalancedEFCEOMD(
        "balanced-efce-omd",
        "mirror descent over trigger deviations: correlated equilibria (Bai et al. 2022b)",
        efce_omd_step_sizes,
        presets={
            "theory": {"step_sizes": efce_omd_step_sizes},
            "practical": {"step_sizes": efce_omd_total_loss_step_sizes},
            "anytime": {"anytime": True},
        },
    ),
)
