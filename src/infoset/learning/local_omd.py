"""LocalOMD: mirror descent from bandit feedback on episodes sampled with a fixed policy."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np

from infoset.errors import ParameterError
from infoset.learning._local_omd_kernels import LocalOMDState, run_self_play, update_path
from infoset.learning._simulator_kernels import Paths
from infoset.learning.balance import subtree_policy, subtree_sizes
from infoset.learning.learner_spec import Knowledge, Presets
from infoset.learning.self_play import SelfPlay, check_play
from infoset.learning.simulator import Simulator
from infoset.learning.step_sizes import (
    StepSizeRule,
    StepSizes,
    TreeSize,
    check_step_sizes,
    planned_settings,
    planned_step_sizes,
    tree_sizes,
    tuned_step_sizes,
)
from infoset.learning.update_rule import Exploration, Feedback
from infoset.tree.decision_nodes import Infostates, infostate_sequences
from infoset.typing import FloatArray, IntArray
from infoset.utils.arguments import check_count, check_number

BASELINE_WINDOW = 200


@dataclass(frozen=True)
class LocalOMD:
    """LocalOMD: mirror descent on episodes in which the learner follows a fixed sampling policy.

    The players alternate: one samples and learns while the others follow their current policies.
    Below, n(x) is the number of the player's sequences at or below infostate x.
    """

    name: str
    description: str
    """One line, with the source."""
    step_sizes: StepSizes | StepSizeRule
    """The learning rate η, or a rule that computes it from the size of the tree and the number of
    the player's own episodes."""
    anytime: bool = False
    """Whether the t-th episode in which the player learns uses the rate for a horizon of t
    episodes, instead of one rate for the whole run. A rate given as a number is the rate of episode
    1. Adaptive rates ignore this."""
    adaptive: bool = False
    """Whether the rate at an infostate is η / √(1 + Σ estimates²), instead of η / n(x)."""
    center: float = 0.0
    """Initial value of the baselines, which are subtracted from losses in [0, 1]."""
    baseline_window: int = 0
    """Number of recent costs that a baseline averages; 0 for a constant baseline."""
    baseline_per_action: bool = False
    """Whether each action has a baseline, instead of one baseline per infostate."""
    exploration: float = 1.0
    """Probability of sampling from the fixed policy instead of the current one; above 0."""
    knowledge: Knowledge = Knowledge.OWN_TREE
    """What the learner may know about the game."""
    presets: Presets = field(default_factory=dict, compare=False, repr=False)
    """Named sets of parameters."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "step_sizes", check_step_sizes(self.step_sizes))
        check_number("center", self.center)
        check_count("baseline_window", self.baseline_window)
        check_number("exploration", self.exploration)
        if not 0 < self.exploration <= 1:
            raise ParameterError(
                f"exploration={self.exploration} must be above 0 and at most 1, so that every "
                "action is sampled"
            )

    def self_play(self, simulator: Simulator, *, horizon: int, seed: int = 0) -> LocalOMDSelfPlay:
        """Return self-play of this learner in all positions, planned for `horizon` episodes."""
        check_play(simulator, horizon)
        return LocalOMDSelfPlay(self, simulator, horizon, seed)

    def update_rule(self, size: TreeSize | None, horizon: int) -> LocalOMDUpdate:
        """Return the update rule of one player, planned for `horizon` episodes of that player."""
        return LocalOMDUpdate(self, np.array([self.parameters(size, horizon)]))

    def parameters(self, size: TreeSize | None, own_episodes: int) -> tuple[float, ...]:
        """Return the parameters that the kernel needs for one player.

        Raises
        ------
        ParameterError
            If the step sizes are a rule and the size of the tree is unknown.
        """
        decays = self.anytime and not self.adaptive
        planned = 1 if decays else own_episodes
        step_sizes = planned_step_sizes(self.name, self.step_sizes, size, planned)
        return (
            step_sizes.learning_rate,
            float(self.adaptive),
            float(self.baseline_window),
            float(self.baseline_per_action),
            self.exploration,
            # All rules for fixed rates are proportional to 1 / √(number of episodes).
            -0.5 if decays else 0.0,
        )


@dataclass(frozen=True, eq=False)
class LocalOMDUpdate:
    """The `infoset.learning.UpdateRule` of `LocalOMD`."""

    spec: LocalOMD
    parameters: FloatArray
    """[N, 6] per player; see `LocalOMD.parameters`."""

    turn = 1
    """1 episode: the learner explores in every episode that it learns from."""

    def settings(self) -> dict[str, Any]:
        """Return the parameters of the players, and the initial value of the baselines."""
        return {"parameters": self.parameters.tolist(), "center": self.spec.center}

    def begin(self, infostates: Infostates, depth: IntArray, num_sequences: int) -> LocalOMDState:
        """Return the initial arrays."""
        spec = self.spec
        sampling = subtree_policy(infostates, depth)
        weight = np.ones(len(depth)) if spec.adaptive else _inverse_sizes(infostates, depth)
        return LocalOMDState(
            policy=sampling.copy(),
            sampling=sampling,
            weight=weight,
            # Before the first visit the policy is the initial one: re-centering changes nothing.
            rate=self.parameters[infostates.player, 0] * weight,
            squares=np.zeros(len(depth)),
            estimate=np.zeros(num_sequences),
            baseline=np.full(num_sequences, spec.center),
            visits=np.zeros(num_sequences),
            cumulative_plan=np.zeros(num_sequences),
            parent_counted=np.zeros(len(depth)),
        )

    def initial_policies(self, state: LocalOMDState) -> tuple[FloatArray, ...]:
        """Return an empty tuple: all infostates are known from the start."""
        return ()

    def exploration(self, state: LocalOMDState, episode: int, step: int) -> Exploration:
        """Return the fixed sampling policy and its probability, the same at every decision."""
        return Exploration(state.sampling, self.spec.exploration)

    def learn(
        self, infostates: Infostates, paths: Paths, feedback: Feedback, state: LocalOMDState
    ) -> None:
        """Add an episode to the average and learn from it, updating `state` in place."""
        episode = float(feedback.episode)
        update_path(self.parameters[0], infostates, 0, paths, feedback.loss, episode, state)


class LocalOMDSelfPlay(SelfPlay):
    """Self-play of `LocalOMD`: the players alternate in sampling and learning."""

    learned = ("rate", "squares", "baseline", "visits")
    _state: LocalOMDState

    def __init__(self, spec: LocalOMD, simulator: Simulator, horizon: int, seed: int) -> None:
        # The players alternate in learning.
        own_episodes = max(1, horizon // simulator.num_players)
        self._parameters = np.array(
            [spec.parameters(size, own_episodes) for size in tree_sizes(simulator)]
        )
        rule = LocalOMDUpdate(spec, self._parameters)
        state = rule.begin(simulator.infostates, simulator.depth, simulator.num_sequences)
        settings = planned_settings(spec, rule.settings(), horizon)
        super().__init__(simulator, seed, settings, state, simulator.losses())

    def _run(self, episodes: int) -> None:
        """Play `episodes` more episodes in one compiled call."""
        run_self_play(self._parameters, self._play_state, episodes, self._state)


def _inverse_sizes(infostates: Infostates, depth: IntArray) -> FloatArray:
    """Return [I] 1 / n(x), with n(x) the number of the player's sequences at or below it."""
    counts = infostates.num_actions
    sizes = subtree_sizes(infostates, depth)
    sequences = infostate_sequences(infostates)
    # `reduceat` adds the consecutive actions of each infostate.
    return 1.0 / np.add.reduceat(sizes[sequences], np.cumsum(counts) - counts)


def local_omd_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return η = √(2 XA log A / T) for T own episodes, and γ = 0.

    It minimizes the bound H XA log A / η + η H T / 2 for rates η / n(x) and a total loss in [0, 1].
    `TreeSize` explains the symbols.
    """
    return StepSizes(sqrt(2 * size.sequences * size.log_actions / episodes), 0.0)


def adaptive_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return η = √(log A) and γ = 0, for rates that adapt to the estimates at each infostate."""
    return StepSizes(sqrt(size.log_actions), 0.0)


LOCAL_OMD_LEARNERS: tuple[LocalOMD, ...] = (
    LocalOMD(
        "local-omd",
        "mirror descent on episodes of a fixed sampling policy (Fiegel et al. 2024)",
        step_sizes=local_omd_step_sizes,
        presets={
            "theory": {"step_sizes": local_omd_step_sizes},
            "tuned": {"step_sizes": tuned_step_sizes("local-omd")},
            "anytime": {"anytime": True},
        },
    ),
    LocalOMD(
        "local-omd-adaptive",
        "local-omd with rates adapted to the estimates at each infostate (Fiegel et al. 2024)",
        step_sizes=adaptive_step_sizes,
        adaptive=True,
        presets={
            "theory": {"step_sizes": adaptive_step_sizes},
            "tuned": {"step_sizes": tuned_step_sizes("local-omd-adaptive")},
        },
    ),
    LocalOMD(
        "local-omd-baseline",
        "local-omd-adaptive with a running mean as baseline, which reduces variance (ours)",
        step_sizes=StepSizes(5.6, 0.0),
        adaptive=True,
        center=0.5,
        baseline_window=BASELINE_WINDOW,
        presets={"tuned": {"step_sizes": tuned_step_sizes("local-omd-baseline")}},
    ),
    LocalOMD(
        "local-omd-action-baseline",
        "local-omd-adaptive with a baseline per action and 20% on-policy sampling (ours)",
        step_sizes=StepSizes(10.0, 0.0),
        adaptive=True,
        center=0.5,
        baseline_window=BASELINE_WINDOW,
        baseline_per_action=True,
        exploration=0.8,
        presets={"tuned": {"step_sizes": tuned_step_sizes("local-omd-action-baseline")}},
    ),
)
