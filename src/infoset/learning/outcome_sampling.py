"""Outcome-sampling Monte Carlo CFR, with baselines, and balanced or vanishing exploration."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from infoset.errors import ParameterError
from infoset.learning._outcome_sampling_kernels import (
    OutcomeParameters,
    OutcomeState,
    run_online_self_play,
    run_self_play,
    update_path,
)
from infoset.learning._simulator_kernels import Paths
from infoset.learning.balance import subtree_policy
from infoset.learning.learner_spec import Knowledge, Presets, TreeFunction
from infoset.learning.self_play import SelfPlay, check_play
from infoset.learning.simulator import Simulator
from infoset.learning.step_sizes import TreeSize
from infoset.learning.update_rule import Exploration, Feedback
from infoset.tree.decision_nodes import Infostates, uniform_probabilities
from infoset.typing import FloatArray, IntArray
from infoset.utils.arguments import check_callable, check_number


@dataclass(frozen=True)
class OutcomeSampling:
    """Outcome-sampling Monte Carlo CFR: one player explores and learns in each episode.

    The players alternate. The learning player draws actions from
    `exploration · exploration_policy + (1 - exploration) · policy`; the others follow their
    policies. Each player's midrange, the mean of its minimum and maximum utility, is subtracted
    from its utilities, since a constant in them would multiply the variance of the estimates.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.learning import make_simulator
    >>> from infoset.tree import build_tree
    >>> spec = OutcomeSampling("mine", "explores less", exploration=0.3)
    >>> learning = spec.self_play(
    ...     make_simulator(build_tree(load_game("kuhn_poker"))), horizon=1000
    ... )
    >>> learning.run(1000)
    >>> learning.iteration
    1000
    """

    name: str
    description: str
    """One line, with the source."""
    knowledge: Knowledge = Knowledge.NOTHING
    """What the learner may know about the game."""
    exploration: float = 0.6
    """Probability ε of following the exploration policy; above 0."""
    exploration_policy: TreeFunction | None = None
    """Computes [S] the exploration policy; None for uniform."""
    baseline_window: float = 0.0
    """Number of recent visits over which the baseline of an action averages utilities. The average
    begins with one visit, whose utility is the midrange of the player's utilities. If the window is
    0, there are no baselines."""
    clip_regrets: bool = False
    """Whether negative cumulative regrets are reset to 0, as in regret matching+."""
    presets: Presets = field(default_factory=dict, compare=False, repr=False)
    """Named sets of parameters."""

    def __post_init__(self) -> None:
        check_number("exploration", self.exploration)
        if not 0.0 < self.exploration <= 1.0:
            raise ParameterError(
                f"exploration={self.exploration} must be above 0 and at most 1, so that every "
                "action is sampled"
            )
        if self.exploration_policy is not None:
            expected = "a function of infostates and depths"
            check_callable("exploration_policy", self.exploration_policy, expected)
        check_number("baseline_window", self.baseline_window)
        if 0.0 < self.baseline_window < 1.0:
            raise ParameterError(
                f"baseline_window={self.baseline_window} must be at least 1, the number of visits "
                "that a baseline averages, or 0 for no baselines"
            )

    def self_play(
        self, simulator: Simulator, *, horizon: int, seed: int = 0
    ) -> OutcomeSamplingSelfPlay:
        """Return self-play of this learner in all positions; it does not depend on `horizon`."""
        check_play(simulator, horizon)
        return OutcomeSamplingSelfPlay(self, simulator, seed)

    def update_rule(self, size: TreeSize | None, horizon: int) -> OutcomeSamplingUpdate:
        """Return the update rule of one player; it does not depend on `size` or `horizon`."""
        return OutcomeSamplingUpdate(self)

    @property
    def parameters(self) -> OutcomeParameters:
        """The parameters that the kernel needs."""
        return OutcomeParameters(
            float(self.exploration),
            float(self.baseline_window),
            0.0 if self.clip_regrets else -inf,
        )

    @property
    def exploration_policy_name(self) -> str:
        """Name of the exploration policy for settings and messages."""
        policy = self.exploration_policy
        return "uniform" if policy is None else getattr(policy, "__name__", type(policy).__name__)


@dataclass(frozen=True, eq=False)
class OutcomeSamplingUpdate:
    """The `infoset.learning.UpdateRule` of `OutcomeSampling`."""

    spec: OutcomeSampling

    turn = 1
    """1 episode: the learner explores in every episode that it learns from."""

    def settings(self) -> dict[str, Any]:
        """Return the parameters, and the name of the exploration policy."""
        spec = self.spec
        return {"exploration_policy": spec.exploration_policy_name, **spec.parameters._asdict()}

    def begin(self, infostates: Infostates, depth: IntArray, num_sequences: int) -> OutcomeState:
        """Return the initial arrays.

        Raises
        ------
        ParameterError
            If the exploration policy gives an action probability 0.
        """
        spec = self.spec
        uniform = uniform_probabilities(infostates, num_sequences)
        explored = uniform
        if spec.exploration_policy is not None:
            explored = spec.exploration_policy(infostates, depth)
        if explored.shape != uniform.shape or not (explored > 0.0).all():
            raise ParameterError(
                f"exploration_policy={spec.exploration_policy_name} must give each of the "
                f"{num_sequences} sequences a probability above 0; otherwise the regrets of some "
                "actions are never sampled"
            )
        return OutcomeState(
            policy=uniform,
            exploration_policy=explored.copy(),
            regret=np.zeros(num_sequences),
            baseline=np.zeros(num_sequences),
            visits=np.ones(num_sequences),
            cumulative_plan=np.zeros(num_sequences),
            parent_counted=np.zeros(len(depth)),
        )

    def initial_policies(self, state: OutcomeState) -> tuple[FloatArray, ...]:
        """Return the current policy and the exploration policy."""
        return state.policy, state.exploration_policy

    def exploration(self, state: OutcomeState, episode: int, step: int) -> Exploration:
        """Return the exploration policy and its probability, the same at every decision."""
        return Exploration(state.exploration_policy, self.spec.parameters.exploration)

    def learn(
        self, infostates: Infostates, paths: Paths, feedback: Feedback, state: OutcomeState
    ) -> None:
        """Add an episode to the average and learn from it, updating `state` in place."""
        update_path(self.spec.parameters, infostates, 0, paths, feedback.centered_utility, state)


class OutcomeSamplingSelfPlay(SelfPlay):
    """Self-play of `OutcomeSampling`: the players alternate in exploring and learning."""

    learned = ("regret", "baseline", "visits")
    _state: OutcomeState

    def __init__(self, spec: OutcomeSampling, simulator: Simulator, seed: int) -> None:
        self._parameters = spec.parameters
        rule = OutcomeSamplingUpdate(spec)
        state = rule.begin(simulator.infostates, simulator.depth, simulator.num_sequences)
        settings = {"learner": spec.name, **rule.settings()}
        super().__init__(simulator, seed, settings, state, simulator.centered_utility())

    def _run(self, episodes: int) -> None:
        """Play `episodes` more episodes in one compiled call."""
        run_self_play(self._parameters, self._play_state, episodes, self._state)


@dataclass(frozen=True)
class OnlineOutcomeSampling:
    """Outcome-sampling Monte Carlo CFR whose exploration vanishes, for play in unknown games.

    The players alternate in learning. In its t-th episode, the learning player follows the uniform
    policy throughout with probability βᵗ = t^-exponent, and its own policy otherwise. The estimates
    refer to the mixture of both realization plans, so they are at most of order 1 / βᵗ. Exploration
    adds Σ βᵗ to regret, and the estimates add √T / βᵀ: with exponent 1/4 both are of order T^(3/4).

    Source: Farina and Sandholm (2021): the setting, in which infostates are discovered in play, and
    the rate T^(3/4) of regret, which includes the cost of exploration.
    Differs from the paper, of which only the abstract was read: the mixture and its exponent are
    derived from the rate; regret matching is the local minimizer; the other players follow their
    own policies.

    Examples
    --------
    >>> OnlineOutcomeSampling("mine", "explores for longer", exponent=0.1).exponent
    0.1
    """

    name: str
    description: str
    """One line, with the source."""
    exponent: float = 0.25
    """Exponent by which exploration decays with the player's episodes; above 0 and below 1."""
    knowledge: Knowledge = Knowledge.NOTHING
    """What the learner may know about the game."""
    presets: Presets = field(default_factory=dict, compare=False, repr=False)
    """Named sets of parameters."""

    def __post_init__(self) -> None:
        check_number("exponent", self.exponent)
        if not 0.0 < self.exponent < 1.0:
            raise ParameterError(
                f"exponent={self.exponent} must be above 0 and below 1, so that exploration "
                "vanishes but never ends"
            )

    def self_play(
        self, simulator: Simulator, *, horizon: int, seed: int = 0
    ) -> OnlineOutcomeSamplingSelfPlay:
        """Return self-play of this learner in all positions; it does not depend on `horizon`."""
        check_play(simulator, horizon)
        return OnlineOutcomeSamplingSelfPlay(self, simulator, seed)


class OnlineOutcomeSamplingSelfPlay(SelfPlay):
    """Self-play of `OnlineOutcomeSampling`: the players alternate in exploring and learning."""

    learned = ("regret",)
    _state: OutcomeState

    def __init__(self, spec: OnlineOutcomeSampling, simulator: Simulator, seed: int) -> None:
        self._exponent = float(spec.exponent)
        rule = OutcomeSamplingUpdate(OutcomeSampling(spec.name, spec.description))
        self._parameters = rule.spec.parameters
        state = rule.begin(simulator.infostates, simulator.depth, simulator.num_sequences)
        settings = {"learner": spec.name, "exponent": self._exponent}
        super().__init__(simulator, seed, settings, state, simulator.centered_utility())

    def _run(self, episodes: int) -> None:
        """Play `episodes` more episodes in one compiled call."""
        run_online_self_play(
            self._parameters, self._exponent, self._play_state, episodes, self._state
        )


OUTCOME_SAMPLING_LEARNERS: tuple[OutcomeSampling | OnlineOutcomeSampling, ...] = (
    OutcomeSampling(
        "os-mccfr",
        "Monte Carlo CFR, outcome sampling (Lanctot et al. 2009)",
    ),
    OutcomeSampling(
        "os-mccfr-balanced",
        "outcome sampling that explores in proportion to subtree sizes (ours)",
        Knowledge.OWN_TREE,
        exploration=0.8,
        exploration_policy=subtree_policy,
    ),
    OutcomeSampling(
        "vr-mccfr",
        "outcome sampling with learned baselines (Schmid et al. 2019)",
        baseline_window=2.0,
    ),
    OutcomeSampling(
        "vr-mccfr-balanced",
        "outcome sampling with balanced exploration and baselines over 100 visits (ours)",
        Knowledge.OWN_TREE,
        exploration=0.8,
        exploration_policy=subtree_policy,
        baseline_window=100.0,
    ),
    OnlineOutcomeSampling(
        "online-os-mccfr",
        "outcome sampling with vanishing exploration (after Farina and Sandholm 2021)",
    ),
)
