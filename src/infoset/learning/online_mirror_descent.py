"""Online mirror descent and follow the regularized leader from bandit feedback.

IXOMD, Balanced OMD, Balanced FTRL, Adaptive FTRL, its tweaked variant and Perturbed FTRL share one
update and differ in its parameters. An episode changes the policy only at the infostates on its
path.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np

from infoset.learning._online_mirror_descent_kernels import (
    MirrorDescentState,
    run_self_play,
    update_path,
)
from infoset.learning._simulator_kernels import Paths
from infoset.learning.balance import balanced_reach, balanced_transitions, subtree_policy
from infoset.learning.learner_spec import Knowledge, Presets, TreeFunction
from infoset.learning.self_play import SelfPlay, check_play
from infoset.learning.simulator import Simulator
from infoset.learning.step_sizes import (
    ScaledStepSizes,
    StepSizeRule,
    StepSizes,
    TreeSize,
    check_step_sizes,
    planned_settings,
    planned_step_sizes,
    tree_sizes,
    tuned_step_sizes,
)
from infoset.learning.update_rule import Feedback
from infoset.policy import TabularPolicy
from infoset.tree.decision_nodes import Infostates, uniform_probabilities
from infoset.typing import FloatArray, IntArray
from infoset.utils.arguments import check_number


def unit_weights(infostates: Infostates, depth: IntArray) -> FloatArray:
    """Return [I] weights of 1."""
    return np.ones(len(depth))


def inverse_transitions(infostates: Infostates, depth: IntArray) -> FloatArray:
    """Return [I] 1 / p*(x), the weights of Balanced FTRL."""
    inverse: FloatArray = 1.0 / balanced_transitions(infostates, depth)
    return inverse


@dataclass(frozen=True)
class OnlineMirrorDescent:
    """Mirror descent with implicit exploration along the path of each episode."""

    name: str
    description: str
    """One line, with the source."""
    knowledge: Knowledge
    """What the learner may know about the game."""
    step_sizes: StepSizes | StepSizeRule
    """Learning rate η and implicit exploration γ, or a rule that computes them from the size of the
    tree and the number of episodes."""
    weights: TreeFunction = unit_weights
    """Computes [I] the weights w(x), by which η and γ are multiplied at infostate x."""
    initial_policy: TreeFunction | None = None
    """Computes [S] the initial policy; None for uniform."""
    adaptivity_exponent: float = 0.0
    """Exponent p of adaptive rates η / P(x)ᵖ, where P(x) grows with the visits of infostate x; 0
    for fixed rates."""
    anytime: bool = False
    """Whether episode t uses the step sizes for a horizon of t episodes, instead of one pair for
    the whole run. Step sizes given as numbers are those of episode 1."""
    center: float = 0.0
    """Constant that is subtracted from every loss in [0, 1]."""
    baseline_window: float = 0.0
    """Number of recent losses that the baseline of an action averages; the baseline is the
    estimated loss of actions that are not taken. 0 for no baselines."""
    min_probability: float = 0.0
    """Factor φ of the minimum probability φ η_x of every action, with η_x the rate at the
    infostate. The minimum is at most 1 / (2 A) for A actions. 0 for no minimum."""
    use_last_policy: bool = False
    """Whether the result is the last policy instead of the average."""
    presets: Presets = field(default_factory=dict, compare=False, repr=False)
    """Named sets of parameters."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "step_sizes", check_step_sizes(self.step_sizes))
        for name in ("adaptivity_exponent", "center", "baseline_window", "min_probability"):
            check_number(name, getattr(self, name))

    def self_play(
        self, simulator: Simulator, *, horizon: int, seed: int = 0
    ) -> OnlineMirrorDescentSelfPlay:
        """Return self-play of this learner in all positions, planned for `horizon` episodes."""
        check_play(simulator, horizon)
        return OnlineMirrorDescentSelfPlay(self, simulator, horizon, seed)

    def update_rule(self, size: TreeSize | None, horizon: int) -> OnlineMirrorDescentUpdate:
        """Return the update rule of one player, planned for `horizon` episodes of that player."""
        return OnlineMirrorDescentUpdate(self, np.array([self.parameters(size, horizon)]))

    def parameters(self, size: TreeSize | None, horizon: int) -> tuple[float, ...]:
        """Return the parameters that the kernel needs for one player.

        Raises
        ------
        ParameterError
            If the step sizes are a rule and the size of the tree is unknown.
        """
        episodes = 1 if self.anytime else horizon
        step_sizes = planned_step_sizes(self.name, self.step_sizes, size, episodes)
        # All rules are proportional to the number of episodes to the power p - 1/2.
        decay_exponent = self.adaptivity_exponent - 0.5 if self.anytime else 0.0
        return (
            *step_sizes,
            self.adaptivity_exponent,
            decay_exponent,
            self.baseline_window,
            self.min_probability,
        )


@dataclass(frozen=True, eq=False)
class OnlineMirrorDescentUpdate:
    """The `infoset.learning.UpdateRule` of `OnlineMirrorDescent`."""

    spec: OnlineMirrorDescent
    parameters: FloatArray
    """[N, 6] per player; see `OnlineMirrorDescent.parameters`."""

    turn = 0
    """0 episodes: the learner plays the policy that it learns."""

    def settings(self) -> dict[str, Any]:
        """Return the parameters of the players, and the constant subtracted from losses."""
        return {"parameters": self.parameters.tolist(), "center": self.spec.center}

    def begin(
        self, infostates: Infostates, depth: IntArray, num_sequences: int
    ) -> MirrorDescentState:
        """Return the initial arrays."""
        spec = self.spec
        if spec.initial_policy is None:
            policy = uniform_probabilities(infostates, num_sequences)
        else:
            policy = spec.initial_policy(infostates, depth)
        weight = spec.weights(infostates, depth)
        is_adaptive = spec.adaptivity_exponent > 0.0
        num_baselines = num_sequences if spec.baseline_window else 0
        return MirrorDescentState(
            policy=policy,
            initial=policy.copy(),
            weight=weight,
            # Before the first visit the policy is the initial one: re-centering changes nothing.
            rate=self.parameters[infostates.player, 0] * weight,
            infostate_visits=np.ones(len(depth) if is_adaptive else 0),
            action_visits=np.ones(num_sequences if is_adaptive else 0),
            baseline=np.zeros(num_baselines),
            visits=np.zeros(num_baselines),
            cumulative_plan=np.zeros(num_sequences),
            parent_counted=np.zeros(len(depth)),
        )

    def initial_policies(self, state: MirrorDescentState) -> tuple[FloatArray, ...]:
        """Return the current and the initial policy."""
        return state.policy, state.initial

    def exploration(self, state: MirrorDescentState, episode: int, step: int) -> None:
        """Return None: exploration is implicit."""

    def learn(
        self, infostates: Infostates, paths: Paths, feedback: Feedback, state: MirrorDescentState
    ) -> None:
        """Add an episode to the average and learn from it, updating `state` in place."""
        loss, episode = feedback.loss - self.spec.center, float(feedback.episode)
        update_path(self.parameters[0], infostates, 0, paths, loss, episode, state)


class OnlineMirrorDescentSelfPlay(SelfPlay):
    """Self-play of `OnlineMirrorDescent`: all players learn from every episode."""

    learned = ("rate", "infostate_visits", "action_visits", "baseline", "visits")
    _state: MirrorDescentState

    def __init__(
        self, spec: OnlineMirrorDescent, simulator: Simulator, horizon: int, seed: int
    ) -> None:
        self.spec = spec
        self._parameters = np.array(
            [spec.parameters(size, horizon) for size in tree_sizes(simulator)]
        )
        rule = OnlineMirrorDescentUpdate(spec, self._parameters)
        state = rule.begin(simulator.infostates, simulator.depth, simulator.num_sequences)
        settings = planned_settings(spec, rule.settings(), horizon)
        super().__init__(simulator, seed, settings, state, simulator.losses() - spec.center)

    def _run(self, episodes: int) -> None:
        """Play `episodes` more episodes in one compiled call."""
        run_self_play(self._parameters, self._play_state, episodes, self._state)

    def policy(self) -> TabularPolicy:
        """Return the average policy, or the last one if the spec has `use_last_policy`."""
        return self.current_policy() if self.spec.use_last_policy else super().policy()


def ixomd_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return η = √(X log A / (H XA T)) and γ = √(X ι / (XA T)).

    `TreeSize` explains the symbols. Source: Kozuno, Ménard, Munos and Valko (2021).
    """
    scale = max(size.sequences, 1) * episodes
    rate = sqrt(size.infostates * size.log_actions / (max(size.decisions, 1) * scale))
    return StepSizes(rate, sqrt(size.infostates * size.confidence / scale))


def ixomd_total_loss_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return η = √(X log A / (XA T)) and γ = √(X ι / (XA T)), for a total loss in [0, 1]."""
    scale = max(size.sequences, 1) * episodes
    return StepSizes(
        sqrt(size.infostates * size.log_actions / scale),
        sqrt(size.infostates * size.confidence / scale),
    )


def balanced_omd_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return η = √(XA log A / (H³ T)) and γ = √(XA ι / (H T)).

    `TreeSize` explains the symbols. Source: Bai, Jin, Mei and Yu (2022), Theorem 6.
    """
    decisions = max(size.decisions, 1)
    rate = sqrt(size.sequences * size.log_actions / (decisions**3 * episodes))
    return StepSizes(rate, sqrt(size.sequences * size.confidence / (decisions * episodes)))


def balanced_omd_total_loss_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return η = √(XA log A / (H T)) and γ = √(XA ι / T), for a total loss in [0, 1]."""
    rate = sqrt(size.sequences * size.log_actions / (max(size.decisions, 1) * episodes))
    return StepSizes(rate, sqrt(size.sequences * size.confidence / episodes))


def balanced_ftrl_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return η = √(2 H log A / (XA T)) and γ = √(H ι / (XA T)).

    `TreeSize` explains the symbols. Source: Fiegel et al. (2023), Theorem 4.1.
    """
    scale = max(size.sequences, 1) * episodes
    decisions = max(size.decisions, 1)
    return StepSizes(
        sqrt(2 * decisions * size.log_actions / scale), sqrt(decisions * size.confidence / scale)
    )


def adaptive_ftrl_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return `balanced_ftrl_step_sizes` times T, because P(x) grows like T times a probability."""
    rate, exploration = balanced_ftrl_step_sizes(size, episodes)
    return StepSizes(rate * episodes, exploration * episodes)


def tweaked_ftrl_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return `balanced_ftrl_step_sizes` times √T, because rates are divided by √P(x)."""
    rate, exploration = balanced_ftrl_step_sizes(size, episodes)
    return StepSizes(rate * sqrt(episodes), exploration * sqrt(episodes))


MIRROR_DESCENT_LEARNERS: tuple[OnlineMirrorDescent, ...] = (
    OnlineMirrorDescent(
        "ixomd",
        "mirror descent with implicit exploration (Kozuno et al. 2021)",
        Knowledge.NOTHING,
        ixomd_step_sizes,
        presets={
            "theory": {"step_sizes": ixomd_step_sizes},
            "practical": {"step_sizes": ixomd_total_loss_step_sizes},
            "tuned": {"step_sizes": tuned_step_sizes("ixomd")},
            "recommended": {
                "step_sizes": ScaledStepSizes(ixomd_total_loss_step_sizes, 20.0),
                "center": 0.5,
                "min_probability": 0.1,
            },
            "anytime": {"anytime": True},
        },
    ),
    OnlineMirrorDescent(
        "balanced-omd",
        "mirror descent with balanced weights (Bai et al. 2022, Algorithm 1)",
        Knowledge.OWN_TREE,
        balanced_omd_step_sizes,
        weights=balanced_reach,
        presets={
            "theory": {"step_sizes": balanced_omd_step_sizes},
            "practical": {"step_sizes": balanced_omd_total_loss_step_sizes},
            "tuned": {"step_sizes": tuned_step_sizes("balanced-omd")},
            "recommended": {"step_sizes": ScaledStepSizes(balanced_omd_total_loss_step_sizes, 5.0)},
            "anytime": {"anytime": True},
        },
    ),
    OnlineMirrorDescent(
        "balanced-ftrl",
        "follow the regularized leader with a balanced transition (Fiegel et al. 2023)",
        Knowledge.OWN_TREE,
        balanced_ftrl_step_sizes,
        weights=inverse_transitions,
        initial_policy=subtree_policy,
        presets={
            "theory": {"step_sizes": balanced_ftrl_step_sizes},
            "practical": {"step_sizes": balanced_ftrl_step_sizes},
            "tuned": {"step_sizes": tuned_step_sizes("balanced-ftrl")},
            "recommended": {
                "step_sizes": ScaledStepSizes(balanced_ftrl_step_sizes, 5.0),
                "center": 0.5,
                "min_probability": 0.1,
            },
            "anytime": {"anytime": True},
        },
    ),
    OnlineMirrorDescent(
        "adaptive-ftrl",
        "follow the regularized leader with rates adapted to visits (Fiegel et al. 2023)",
        Knowledge.NOTHING,
        adaptive_ftrl_step_sizes,
        adaptivity_exponent=1.0,
        presets={
            "theory": {"step_sizes": adaptive_ftrl_step_sizes},
            "practical": {"step_sizes": adaptive_ftrl_step_sizes},
            "tuned": {"step_sizes": tuned_step_sizes("adaptive-ftrl")},
            "recommended": {"step_sizes": ScaledStepSizes(adaptive_ftrl_step_sizes, 0.5)},
            "anytime": {"anytime": True},
        },
    ),
    OnlineMirrorDescent(
        "tweaked-ftrl",
        "adaptive-ftrl with the square root of visits (public code of Fiegel et al. 2023)",
        Knowledge.NOTHING,
        tweaked_ftrl_step_sizes,
        adaptivity_exponent=0.5,
        presets={
            "practical": {"step_sizes": tweaked_ftrl_step_sizes},
            "tuned": {"step_sizes": tuned_step_sizes("tweaked-ftrl")},
            "recommended": {
                "step_sizes": StepSizes(0.5, 0.025),
                "center": 0.5,
                "min_probability": 0.1,
            },
        },
    ),
    OnlineMirrorDescent(
        "perturbed-ftrl",
        "adaptive-ftrl with slowly vanishing regularization: its last policy converges (ours)",
        Knowledge.NOTHING,
        StepSizes(5.0, 0.25),
        adaptivity_exponent=0.75,
        center=0.5,
        baseline_window=100.0,
        min_probability=1.0,
        use_last_policy=True,
    ),
)
