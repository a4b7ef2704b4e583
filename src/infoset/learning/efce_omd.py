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
    planned_settings,
    planned_step_sizes,
    require_tree_size,
    tree_sizes,
)
from infoset.learning.update_rule import Feedback
from infoset.tree.decision_nodes import Infostates, uniform_probabilities
from infoset.typing import FloatArray, IntArray


@dataclass(frozen=True)
class BalancedEFCEOMD:
    """Mirror descent over trigger deviations, playing a fixed point of their mixture."""

    name: str
    description: str
    """One line, with the source."""
    step_sizes: StepSizes | StepSizeRule
    """Learning rate η and implicit exploration γ, or a rule that computes them from the size of the
    tree and the number of episodes."""
    anytime: bool = False
    """Whether step sizes are computed for the number of episodes so far, rounded up to a power of
    two, instead of for the horizon."""
    knowledge: Knowledge = Knowledge.OWN_TREE
    """What the learner may know about the game."""
    presets: Presets = field(default_factory=dict, compare=False, repr=False)
    """Named sets of parameters."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "step_sizes", check_step_sizes(self.step_sizes))

    def self_play(
        self, simulator: Simulator, *, horizon: int, seed: int = 0
    ) -> BalancedEFCEOMDSelfPlay:
        """Return self-play of this learner in all positions, planned for `horizon` episodes.

        Raises
        ------
        GameTooLargeError
            If the game has more than 20,000,000 pairs of a trigger and a sequence.
        """
        check_play(simulator, horizon)
        return BalancedEFCEOMDSelfPlay(self, simulator, horizon, seed)

    def update_rule(self, size: TreeSize | None, horizon: int) -> BalancedEFCEOMDUpdate:
        """Return the update rule of one player, planned for `horizon` episodes of that player."""
        parameters = self.parameters(require_tree_size(size, self.name), horizon)
        return BalancedEFCEOMDUpdate(self, np.array([parameters]))

    def parameters(self, size: TreeSize, horizon: int) -> tuple[float, ...]:
        """Return one player's η, γ and number XA of sequences, as the kernel needs them."""
        episodes = 1 if self.anytime else horizon
        step_sizes = planned_step_sizes(self.name, self.step_sizes, size, episodes)
        return (*step_sizes, float(max(size.sequences, 1)))


class BalancedEFCEOMDUpdate:
    """The `infoset.learning.UpdateRule` of `BalancedEFCEOMD`.

    In a user's own loop, the average counts every episode. The policy is solved at every infostate
    after each episode, at a cost proportional to the number of pairs.

    Parameters
    ----------
    parameters
        [N, 3] per player; see `BalancedEFCEOMD.parameters`.
    game
        Name of the game in error messages.
    """

    turn = 0
    """0 episodes: the learner plays the policy that it learns."""

    def __init__(
        self, spec: BalancedEFCEOMD, parameters: FloatArray, game: str = "the game"
    ) -> None:
        self.spec = spec
        self.parameters = parameters
        self.pairs: TriggerPairs
        self._game = game

    def settings(self) -> dict[str, Any]:
        """Return the parameters of the players, and whether step sizes decrease."""
        return {"parameters": self.parameters.tolist(), "anytime": self.spec.anytime}

    def begin(self, infostates: Infostates, depth: IntArray, num_sequences: int) -> TriggerState:
        """Return the initial arrays, and enumerate the pairs of a trigger and a sequence.

        Raises
        ------
        GameTooLargeError
            If the game has too many pairs.
        """
        self.pairs, num_pairs = enumerate_trigger_pairs(
            infostates.parent_sequence,
            infostates.first_sequence,
            infostates.num_actions,
            num_sequences,
            self._game,
        )
        max_actions = int(infostates.num_actions.max(initial=1))
        # `refresh` and `solve_all` fill in the weights and the fixed point of the first episode.
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
        """Return an empty tuple: all infostates are known from the start."""
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
    """Self-play of `BalancedEFCEOMD`, whose joint play approaches a correlated equilibrium.

    The average counts the policy of every k-th episode. k is chosen such that counting takes about
    as long as playing.
    """

    learned = ("behavior", "estimates", "exponent")
    _state: TriggerState

    def __init__(
        self, spec: BalancedEFCEOMD, simulator: Simulator, horizon: int, seed: int
    ) -> None:
        parameters = np.array([spec.parameters(size, horizon) for size in tree_sizes(simulator)])
        self._update = BalancedEFCEOMDUpdate(spec, parameters, simulator.form.name)
        state = self._update.begin(simulator.infostates, simulator.depth, simulator.num_sequences)
        settings = planned_settings(spec, self._update.settings(), horizon)
        super().__init__(simulator, seed, settings, state, simulator.losses())
        # Counting visits all pairs, an episode only some: equal work after so many episodes.
        self._every = max(1, self.num_pairs // self._max_pairs_visited)

    @property
    def _max_pairs_visited(self) -> int:
        """Upper bound on the number of pairs that an episode visits."""
        max_actions = len(self._state.jumps)
        return int(((self.simulator.max_decisions * max_actions) ** 2).sum()) + 1

    @property
    def num_pairs(self) -> int:
        """Number of pairs of a trigger and a sequence at or below its infostate."""
        return len(self._state.flow)

    @property
    def cost_per_iteration(self) -> int:
        """Approximate number of array elements read in an episode."""
        return 16 * self._max_pairs_visited

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
    """Return [P] the reach of each pair under μ*ʰ, from the trigger's infostate to the sequence."""
    weights = np.ones(num_pairs)
    for layer, policy in enumerate(layer_policies(infostates, depth)):
        fill_pair_weights(infostates, pairs, layer, depth, policy, weights)
    return weights


def efce_omd_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return η = √(XA ι / (H⁴ T)) and γ = 2 √(XA ι / (H² T)), with ι = log(10 XA / δ).

    `TreeSize` explains the other symbols. Source: Bai et al. (2022b).
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
