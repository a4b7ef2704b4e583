"""Balanced CFR: counterfactual regrets from bandit feedback, exploring each layer evenly."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, sqrt
from typing import Any

import numpy as np

from infoset.learning._balanced_cfr_kernels import (
    BalancedCFRState,
    Schedule,
    learn_episode,
    run_self_play,
)
from infoset.learning._simulator_kernels import Paths
from infoset.learning.balance import layer_policies
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
    require_tree_size,
    tree_sizes,
    tuned_step_sizes,
)
from infoset.learning.update_rule import Exploration, Feedback
from infoset.tree.decision_nodes import Infostates, uniform_probabilities
from infoset.typing import FloatArray, IntArray
from infoset.utils.arguments import check_count, check_number


@dataclass(frozen=True)
class BalancedCFR:
    """Balanced CFR, in which each episode explores one layer of a player's tree evenly.

    An iteration of the paper consists of one episode for each layer of each player. This library
    counts the episodes.
    """

    name: str
    description: str
    """One line, with the source."""
    step_sizes: StepSizes | StepSizeRule | None = None
    """The learning rate of Hedge, or a rule that computes it from the size of the tree and the
    number of *iterations*. None selects regret matching, which has no learning rate."""
    anytime: bool = False
    """Whether iteration t uses the rate for a horizon of t iterations, instead of one rate for the
    whole run. A rate given as a number is the rate of iteration 1."""
    clip_regrets: bool = False
    """Whether negative cumulative regrets are reset to 0, as in regret matching+."""
    center: float = 0.0
    """Initial value of the baselines b(x), which are subtracted from losses in [0, 1]."""
    baseline_window: int = 0
    """Number of recent losses that the baseline of an infostate averages; 0 for a constant
    baseline."""
    knowledge: Knowledge = Knowledge.OWN_TREE
    """What the learner may know about the game."""
    presets: Presets = field(default_factory=dict, compare=False, repr=False)
    """Named sets of parameters."""

    def __post_init__(self) -> None:
        if self.step_sizes is not None:
            object.__setattr__(self, "step_sizes", check_step_sizes(self.step_sizes))
        check_number("center", self.center)
        check_count("baseline_window", self.baseline_window)

    def self_play(
        self, simulator: Simulator, *, horizon: int, seed: int = 0
    ) -> BalancedCFRSelfPlay:
        """Return self-play of this learner in all positions, planned for `horizon` episodes."""
        check_play(simulator, horizon)
        return BalancedCFRSelfPlay(self, simulator, horizon, seed)

    def update_rule(self, size: TreeSize | None, horizon: int) -> BalancedCFRUpdate:
        """Return the update rule of one player, planned for `horizon` episodes of that player."""
        num_layers = max(1, require_tree_size(size, self.name).decisions)
        parameters = np.array([self.parameters(size, max(1, horizon // num_layers))])
        return BalancedCFRUpdate(self, parameters, np.array([num_layers], np.int32))

    def parameters(self, size: TreeSize | None, iterations: int) -> tuple[float, ...]:
        """Return the parameters that the kernel needs for one player.

        Raises
        ------
        ParameterError
            If the step sizes are a rule and the size of the tree is unknown.
        """
        rate = 0.0
        if self.step_sizes is not None:
            planned = 1 if self.anytime else iterations
            rate = planned_step_sizes(self.name, self.step_sizes, size, planned).learning_rate
        min_regret = 0.0 if self.clip_regrets else -inf
        # All rules are proportional to one over the root of the number of iterations.
        return rate, min_regret, float(self.baseline_window), -0.5 if self.anytime else 0.0


class BalancedCFRUpdate:
    """The `infoset.learning.UpdateRule` of `BalancedCFR`.

    Parameters
    ----------
    parameters
        [N, 4] per player; see `BalancedCFR.parameters`.
    num_layers
        [N] number of layers of each player's tree.
    """

    def __init__(self, spec: BalancedCFR, parameters: FloatArray, num_layers: IntArray) -> None:
        self.spec = spec
        self.parameters = parameters
        self.turn = int(num_layers.sum())
        self._num_layers = num_layers
        self.schedule: Schedule

    def settings(self) -> dict[str, Any]:
        """Return the parameters of the players, and the initial value of the baselines."""
        return {"parameters": self.parameters.tolist(), "center": self.spec.center}

    def begin(
        self, infostates: Infostates, depth: IntArray, num_sequences: int
    ) -> BalancedCFRState:
        """Return the initial arrays, and set the schedule of an iteration."""
        counts = self._num_layers
        self.schedule = Schedule(
            player=np.repeat(np.arange(len(counts), dtype=np.int32), counts),
            layer=np.concatenate([np.arange(count, dtype=np.int32) for count in counts]),
            layer_policies=layer_policies(infostates, depth),
        )
        return BalancedCFRState(
            policy=uniform_probabilities(infostates, num_sequences),
            regret=np.zeros(num_sequences),
            touched=np.full(self.turn, -1, np.int32),
            baseline=np.full(len(depth), self.spec.center),
            visits=np.zeros(len(depth)),
            cumulative_plan=np.zeros(num_sequences),
            parent_counted=np.zeros(len(depth)),
        )

    def initial_policies(self, state: BalancedCFRState) -> tuple[FloatArray, ...]:
        """Return an empty tuple: all infostates are known from the start."""
        return ()

    def exploration(self, state: BalancedCFRState, episode: int, step: int) -> Exploration | None:
        """Return the balanced policy of the episode's layer, or None below that layer."""
        # As in the kernel: the episodes of an iteration explore the layers in order.
        layer = episode % self.turn
        return Exploration(self.schedule.layer_policies[layer], 1.0) if step <= layer else None

    def learn(
        self, infostates: Infostates, paths: Paths, feedback: Feedback, state: BalancedCFRState
    ) -> None:
        """Learn from an episode for one layer, updating `state` in place."""
        done = feedback.episode - 1
        learn_episode(self.parameters, infostates, self.schedule, done, paths, feedback.loss, state)


class BalancedCFRSelfPlay(SelfPlay):
    """Self-play of `BalancedCFR`: all policies change at the end of an iteration."""

    learned = ("regret", "touched", "baseline", "visits")
    _state: BalancedCFRState

    def __init__(self, spec: BalancedCFR, simulator: Simulator, horizon: int, seed: int) -> None:
        num_layers = simulator.max_decisions
        num_layers[0] += not num_layers.any()  # a game without decisions: one episode per iteration
        # An iteration has one episode for each layer of each player.
        iterations = max(1, horizon // int(num_layers.sum()))
        parameters = np.array([spec.parameters(size, iterations) for size in tree_sizes(simulator)])
        self._update = BalancedCFRUpdate(spec, parameters, num_layers)
        state = self._update.begin(simulator.infostates, simulator.depth, simulator.num_sequences)
        settings = planned_settings(spec, self._update.settings(), horizon)
        super().__init__(simulator, seed, settings, state, simulator.losses())

    def _run(self, episodes: int) -> None:
        """Play `episodes` more episodes in one compiled call."""
        update = self._update
        run_self_play(update.parameters, update.schedule, self._play_state, episodes, self._state)


def balanced_cfr_step_sizes(size: TreeSize, iterations: int) -> StepSizes:
    """Return η = √(XA ι / (H³ T)) for T iterations, and γ = 0.

    It minimizes XA ι / η + η H³ T, which bounds the regret of Algorithm 2 of Bai, Jin, Mei and Yu
    (2022). `TreeSize` explains the symbols.
    """
    decisions = max(size.decisions, 1)
    return StepSizes(sqrt(size.sequences * size.confidence / (decisions**3 * iterations)), 0.0)


BALANCED_CFR_LEARNERS: tuple[BalancedCFR, ...] = (
    BalancedCFR(
        "balanced-cfr-hedge",
        "CFR that explores each layer evenly, with Hedge (Bai et al. 2022, Algorithm 2)",
        step_sizes=balanced_cfr_step_sizes,
        presets={
            "theory": {"step_sizes": balanced_cfr_step_sizes},
            "tuned": {"step_sizes": tuned_step_sizes("balanced-cfr-hedge")},
            "anytime": {"anytime": True},
        },
    ),
    BalancedCFR(
        "balanced-cfr-rm",
        "CFR that explores each layer evenly, with regret matching (Bai et al. 2022)",
    ),
    BalancedCFR(
        "balanced-cfr-rm+",
        "balanced-cfr-rm with regret matching+",
        clip_regrets=True,
    ),
    BalancedCFR(
        "balanced-cfr-baseline",
        "balanced-cfr-rm with a running mean as baseline, which reduces variance (ours)",
        center=0.5,
        baseline_window=1000,
    ),
)
