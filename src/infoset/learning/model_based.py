"""Learners that estimate the game from their episodes, and run CFR on the estimate.

They know more than learners from bandit feedback: at the end of an episode they see its history,
with the chance outcomes and the actions of all players.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log

import numpy as np

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.learning._model_based_kernels import (
    Model,
    ModelBasedState,
    bound_gains,
    run_posterior_sampling,
    run_with_bounds,
)
from infoset.learning.learner_spec import Knowledge, Presets
from infoset.learning.self_play import SelfPlay, check_play
from infoset.learning.simulator import Simulator
from infoset.tree.decision_nodes import CHANCE_NODE, TERMINAL_NODE
from infoset.utils.arguments import check_number


@dataclass(frozen=True)
class PosteriorSampling:
    """CFR-PSRL: CFR on games that are drawn from the posterior distribution.

    A round has one episode for each player. It begins with two draws from the posterior
    distribution of chance probabilities and rewards. In the first drawn game, all players improve
    their policies by one iteration of CFR. For the second one, each player finds the policy that
    earns most there in excess of the first games of all rounds so far; it explores with this policy
    in its episode, while the others follow their policies.

    Source: Zhou, Li and Zhu (2020), Algorithm 2 and eq. (5) and (6); the uniform prior of chance is
    that of their experiments.
    Differs from the paper: payoffs at a terminal are constants here, so the prior of a reward is
    uniform, and the reward is known after the first visit; theirs are 0 or 1 with an unknown
    probability. More than two players, and payoffs that are not constant-sum, are allowed, without
    a guarantee.
    """

    name: str
    description: str
    """One line, with the source."""
    knowledge: Knowledge = Knowledge.TREE
    """What the learner may know about the game."""
    presets: Presets = field(default_factory=dict, compare=False, repr=False)
    """Named sets of parameters."""

    def self_play(
        self, simulator: Simulator, *, horizon: int, seed: int = 0
    ) -> PosteriorSamplingSelfPlay:
        """Return self-play of this learner in all positions; it does not depend on `horizon`."""
        check_play(simulator, horizon)
        return PosteriorSamplingSelfPlay(self, simulator, seed)


class PosteriorSamplingSelfPlay(SelfPlay):
    """Self-play of `PosteriorSampling`: the players alternate in exploring, and all learn."""

    learned = ("response", "regret", "visits", "gradient", "opponent_reach")
    _state: ModelBasedState

    def __init__(self, spec: PosteriorSampling, simulator: Simulator, seed: int) -> None:
        self._model = _empty_model(simulator)
        self._is_constant_sum = simulator.form.is_two_player_constant_sum
        state = _initial_state(simulator, explores=True)
        settings = {"learner": spec.name}
        super().__init__(simulator, seed, settings, state, -simulator.losses())

    @property
    def cost_per_iteration(self) -> int:
        """Approximate number of array elements read in an episode."""
        return 16 * len(self._model.parent)

    def _run(self, episodes: int) -> None:
        """Play `episodes` more episodes in one compiled call."""
        run_posterior_sampling(
            self._is_constant_sum, self._play_state, episodes, self._model, self._state
        )


@dataclass(frozen=True)
class CertifiedCFR:
    """CFR on estimates of the game in which every player is optimistic, with a certificate.

    The estimate has the observed frequencies of chance outcomes. Every player adds a bonus to its
    reward at each chance node, which bounds the error of the frequencies, and assumes the highest
    reward at terminals that were not reached. After each episode, which follows the current
    policies, all players improve their policies by one iteration of CFR in the estimate. Besides
    the histories of episodes, the learner uses the range of payoffs, and the numbers of chance
    nodes and of their outcomes.

    Source: Zhang and Sandholm (2021): regret minimizers on a confidence sequence of pseudogames,
    which are the visited part of the game with bounds, and certificates from them.
    Differs from the paper, of which only the abstract and a summary were read: the bonus is derived
    here, from the bound of Weissman et al. (2003) for all outcomes of a chance node and a union
    over chance nodes and numbers of visits; CFR is the regret minimizer.
    """

    name: str
    description: str
    """One line, with the source."""
    failure_probability: float = 0.1
    """Probability that some bound is wrong; above 0 and below 1."""
    bonus: float = 1.0
    """Factor on the bonus; the bounds hold with a factor of at least 1."""
    knowledge: Knowledge = Knowledge.HISTORIES
    """What the learner may know about the game."""
    presets: Presets = field(default_factory=dict, compare=False, repr=False)
    """Named sets of parameters."""

    def __post_init__(self) -> None:
        check_number("bonus", self.bonus)
        check_number("failure_probability", self.failure_probability)
        if not 0.0 < self.failure_probability < 1.0:
            raise ParameterError(
                f"failure_probability={self.failure_probability} must be above 0 and below 1; it "
                "is the probability that some bound is wrong"
            )

    def self_play(
        self, simulator: Simulator, *, horizon: int, seed: int = 0
    ) -> CertifiedCFRSelfPlay:
        """Return self-play of this learner in all positions; it does not depend on `horizon`."""
        check_play(simulator, horizon)
        return CertifiedCFRSelfPlay(self, simulator, seed)


class CertifiedCFRSelfPlay(SelfPlay):
    """Self-play of `CertifiedCFR`: all players learn from every episode."""

    learned = ("regret", "visits")
    _state: ModelBasedState

    def __init__(self, spec: CertifiedCFR, simulator: Simulator, seed: int) -> None:
        self._model = _empty_model(simulator)
        num_chance = int(np.count_nonzero(simulator.nodes.kind == CHANCE_NODE))
        self._bounds = float(spec.bonus), log(max(1, num_chance) / spec.failure_probability)
        state = _initial_state(simulator, explores=False)
        settings = {
            "learner": spec.name,
            "bonus": spec.bonus,
            "failure_probability": spec.failure_probability,
        }
        super().__init__(simulator, seed, settings, state, -simulator.losses())

    @property
    def cost_per_iteration(self) -> int:
        """Approximate number of array elements read in an episode."""
        return 16 * len(self._model.parent)

    def _run(self, episodes: int) -> None:
        """Play `episodes` more episodes in one compiled call."""
        run_with_bounds(*self._bounds, self._play_state, episodes, self._model, self._state)

    def certified_nash_conv(self) -> float:
        """Return an upper bound on NashConv of the average policy, in the game's units.

        With a `bonus` of at least 1, the bounds of all episodes hold simultaneously, with
        probability 1 - `failure_probability`. They do not use the true chance probabilities, or
        payoffs that were not observed. The largest possible NashConv, the range of payoffs, is
        returned if they do not improve on it.

        Raises
        ------
        UnsupportedGameError
            If the game is not two-player constant-sum.

        Examples
        --------
        >>> from infoset.evaluation import nash_conv
        >>> from infoset.games import load_game
        >>> from infoset.learning import LEARNERS, make_simulator
        >>> from infoset.tree import build_tree
        >>> kuhn = make_simulator(build_tree(load_game("kuhn_poker")))
        >>> learning = LEARNERS["cert-cfr"].self_play(kuhn, horizon=20_000)
        >>> learning.run(20_000)
        >>> nash_conv(learning.policy()) < learning.certified_nash_conv() < 1.0
        True
        """
        form = self.form
        if not form.is_two_player_constant_sum:
            raise UnsupportedGameError(
                f"{form.name} is not two-player constant-sum, so its values do not cancel in "
                "NashConv: evaluate the policy with infoset.nash_conv"
            )
        policy = np.concatenate(self.policy().probabilities)
        response, bounds = np.zeros_like(policy), np.zeros(2)
        bound_gains(
            *self._bounds, self._play_state, policy, self._model, self._state, response, bounds
        )
        # The rewards of both players, minus their losses, add up to -1 in every play.
        return float(bounds.sum() + 1.0) * form.payoff_width


def _empty_model(simulator: Simulator) -> Model:
    """Return a model with the structure of the tree."""
    nodes, num_nodes = simulator.nodes, len(simulator.nodes.kind)
    parent = np.full(num_nodes, -1, np.int32)
    parent[1:] = np.repeat(np.arange(num_nodes, dtype=np.int32), nodes.num_children)
    return Model(
        parent=parent,
        terminal=np.flatnonzero(nodes.kind == TERMINAL_NODE).astype(np.int32),
        probability=np.ones(num_nodes),
        bonus=np.zeros(num_nodes),
        reward=np.zeros(simulator.utility.shape),
        chance=np.ones(num_nodes),
        others=np.ones(num_nodes),
        last=np.zeros(num_nodes, np.int32),
        value=np.zeros(simulator.num_sequences),
    )


def _initial_state(simulator: Simulator, *, explores: bool) -> ModelBasedState:
    """Return the arrays before the first episode."""
    policy, num_infostates = simulator.uniform(), len(simulator.depth)
    num_terminals = len(simulator.utility) if explores else 0
    return ModelBasedState(
        policy=policy,
        response=policy.copy() if explores else policy[:0].copy(),
        regret=np.zeros_like(policy),
        visits=np.zeros(len(simulator.nodes.kind)),
        gradient=np.zeros(len(policy) if explores else 0),
        opponent_reach=np.zeros((num_terminals, simulator.num_players)),
        cumulative_plan=np.zeros_like(policy),
        parent_counted=np.zeros(num_infostates),
    )


MODEL_BASED_LEARNERS: tuple[PosteriorSampling | CertifiedCFR, ...] = (
    PosteriorSampling(
        "cfr-psrl",
        "CFR on games drawn from the posterior distribution (Zhou et al. 2020)",
    ),
    CertifiedCFR(
        "cert-cfr",
        "CFR on optimistic estimates of the game, with a certificate (after Zhang, Sandholm 2021)",
    ),
)
