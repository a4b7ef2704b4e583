"""Balanced CFR from bandit feedback: counterfactual regrets, each layer explored evenly."""

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
    planned_horizon,
    require_tree_size,
    tree_sizes,
    tuned_step_sizes,
)
from infoset.learning.update_rule import Exploration, Feedback
from infoset.tree.decision_nodes import Infostates, uniform_probabilities
from infoset.typing import FloatArray, IntArray
from infoset.utils.arguments import check_count, check_number

__all__ = [
    "BALANCED_CFR_LEARNERS",
    "BalancedCFR",
    "BalancedCFRSelfPlay",
    "balanced_cfr_step_sizes",
]


@dataclass(frozen=True)
class BalancedCFR:
    """Counterfactual regrets from episodes that explore one layer each, evenly.

    An iteration of the paper consists of one episode for each layer of each player. Here and
    wherever episodes are counted, each of them counts.

    Attributes
    ----------
    name : str
    description : str
        One line, with the source.
    step_sizes : StepSizes or StepSizeRule or None
        The learning rate of Hedge, or the rule for it, from the size of the tree and the number of
        *iterations*; None for regret matching, which has none.
    anytime : bool
        Whether the rate of iteration t is that for t iterations, instead of that for the horizon.
        Given as a number, it is the rate of the first iteration.
    clip_regrets : bool
        Whether negative cumulative regrets are reset to 0, as in regret matching+.
    center : float
        First value of the baselines b(x), which are subtracted from losses in [0, 1].
    baseline_window : int
        Number of recent losses at an infostate in the running mean that is its baseline; 0 for a
        constant baseline.
    knowledge : Knowledge
        What it may know of the game.
    presets : Presets
        Named sets of parameters.

    Raises
    ------
    ParameterError
        If the step sizes are invalid, or another number is negative or not finite.
    """

    name: str
    description: str
    step_sizes: StepSizes | StepSizeRule | None = None
    anytime: bool = False
    clip_regrets: bool = False
    center: float = 0.0
    baseline_window: int = 0
    knowledge: Knowledge = Knowledge.OWN_TREE
    presets: Presets = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.step_sizes is not None:
            object.__setattr__(self, "step_sizes", check_step_sizes(self.step_sizes))
        check_number("center", self.center)
        check_count("baseline_window", self.baseline_window)

    def self_play(
        self, simulator: Simulator, *, horizon: int, seed: int = 0
    ) -> BalancedCFRSelfPlay:
        """Return self-play of this learner for all players, planned for `horizon` episodes."""
        check_play(simulator, horizon)
        return BalancedCFRSelfPlay(self, simulator, horizon, seed)

    def update_rule(self, size: TreeSize | None, horizon: int) -> BalancedCFRUpdate:
        """Return the update of one player, planned for `horizon` of its own episodes."""
        num_layers = max(1, require_tree_size(size, self.name).decisions)
        parameters = np.array([self.parameters(size, max(1, horizon // num_layers))])
        return BalancedCFRUpdate(self, parameters, np.array([num_layers], np.int32))

    def parameters(self, size: TreeSize | None, iterations: int) -> tuple[float, ...]:
        """Return the parameters of one player, as the kernel takes them.

        Raises
        ------
        ParameterError
            If the step sizes follow a rule and the size of the tree is not known.
        """
        step_sizes = self.step_sizes
        if step_sizes is not None and not isinstance(step_sizes, StepSizes):
            planned = 1 if self.anytime else iterations
            step_sizes = step_sizes(require_tree_size(size, self.name), planned)
        rate = 0.0 if step_sizes is None else step_sizes.learning_rate
        min_regret = 0.0 if self.clip_regrets else -inf
        # All rules are proportional to one over the root of the number of iterations.
        return rate, min_regret, float(self.baseline_window), -0.5 if self.anytime else 0.0


class BalancedCFRUpdate:
    """The update of `BalancedCFR`, as an `infoset.learning.UpdateRule`.

    Parameters
    ----------
    spec : BalancedCFR
    parameters : FloatArray
        [N, 4] see `BalancedCFR.parameters`.
    num_layers : IntArray
        [N] number of layers of each player's tree.
    """

    def __init__(self, spec: BalancedCFR, parameters: FloatArray, num_layers: IntArray) -> None:
        self.spec = spec
        self.parameters = parameters
        self.turn = int(num_layers.sum())
        self._num_layers = num_layers
        self.schedule: Schedule

    def settings(self) -> dict[str, Any]:
        """Return the parameters of the players, and the first value of baselines."""
        return {"parameters": self.parameters.tolist(), "center": self.spec.center}

    def begin(
        self, infostates: Infostates, depth: IntArray, num_sequences: int
    ) -> BalancedCFRState:
        """Return the arrays before the first episode, and make the schedule of an iteration."""
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
        """Return nothing: the tree is known."""
        return ()

    def exploration(self, state: BalancedCFRState, episode: int, step: int) -> Exploration | None:
        """Return the balanced policy of the episode's layer, down to that layer."""
        layer = episode % self.turn
        return Exploration(self.schedule.layer_policies[layer], 1.0) if step <= layer else None

    def learn(
        self, infostates: Infostates, paths: Paths, feedback: Feedback, state: BalancedCFRState
    ) -> None:
        """Learn from an episode for one layer, updating `state` in place."""
        done = feedback.episode - 1
        learn_episode(self.parameters, infostates, self.schedule, done, paths, feedback.loss, state)


class BalancedCFRSelfPlay(SelfPlay):
    """Self-play of `BalancedCFR`: all policies move at the end of an iteration."""

    learned = ("regret", "touched", "baseline", "visits")
    _state: BalancedCFRState

    def __init__(self, spec: BalancedCFR, simulator: Simulator, horizon: int, seed: int) -> None:
        num_layers = simulator.max_decisions
        num_layers[0] += not num_layers.any()  # where nobody decides, one episode for player 0
        iterations = max(1, horizon // int(num_layers.sum()))
        parameters = np.array([spec.parameters(size, iterations) for size in tree_sizes(simulator)])
        self._update = BalancedCFRUpdate(spec, parameters, num_layers)
        state = self._update.begin(simulator.infostates, simulator.depth, simulator.num_sequences)
        settings = {
            "learner": spec.name,
            **self._update.settings(),
            "horizon": planned_horizon(spec.step_sizes, horizon, anytime=spec.anytime),
        }
        super().__init__(simulator, seed, settings, state, simulator.losses())

    def _run(self, episodes: int) -> None:
        """Play `episodes` more episodes in one compiled call."""
        update = self._update
        run_self_play(update.parameters, update.schedule, self._play_state, episodes, self._state)


def balanced_cfr_step_sizes(size: TreeSize, iterations: int) -> StepSizes:
    """Return η = √(XA ι / (H³ T)) for T iterations, and γ = 0.

    It minimizes XA ι / η + η H³ T, which bounds the regret of Algorithm 2 of Bai, Jin, Mei and Yu
    (2022).
    """
    decisions = max(size.decisions, 1)
    return StepSizes(sqrt(size.sequences * size.confidence / (decisions**3 * iterations)), 0.0)


BALANCED_CFR_LEARNERS: tuple[BalancedCFR, ...] = (
    BalancedCFR(
        "balanced-cfr-hedge",
        "counterfactual regrets, each layer explored evenly, Hedge (Bai et al. 2022, Algorithm 2)",
        step_sizes=balanced_cfr_step_sizes,
        presets={
            "theory": {"step_sizes": balanced_cfr_step_sizes},
            "tuned": {"step_sizes": tuned_step_sizes("balanced-cfr-hedge")},
            "anytime": {"anytime": True},
        },
    ),
    BalancedCFR(
        "balanced-cfr-rm",
        "counterfactual regrets, each layer explored evenly, regret matching (Bai et al. 2022)",
    ),
    BalancedCFR(
        "balanced-cfr-rm+",
        "balanced-cfr-rm with regret matching+",
        clip_regrets=True,
    ),
    BalancedCFR(
        "balanced-cfr-baseline",
        "balanced-cfr-rm with a running mean subtracted from losses: less noise (ours)",
        center=0.5,
        baseline_window=1000,
    ),
)
