"""The external regret of one learner against an adversary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from infoset.errors import ParameterError, PolicyMismatchError
from infoset.evaluation import CCEEvaluator
from infoset.evaluation.cce import checked_weights
from infoset.learning._simulator_kernels import Paths, play_for
from infoset.learning._update_kernels import count_rest
from infoset.learning.learner_spec import LearnerSpec, OnlineLearnerSpec
from infoset.learning.learners import get_learner
from infoset.learning.simulator import Simulator
from infoset.learning.step_sizes import tree_size
from infoset.learning.update_rule import Feedback, UpdateRule
from infoset.policy import TabularPolicy
from infoset.tree.decision_nodes import infostate_depths, number_infostates
from infoset.typing import FloatArray, Player, StateArrays
from infoset.utils.arguments import check_callable, check_count, check_player, check_type
from infoset.utils.state import IterativeState

Adversary: TypeAlias = Callable[[int, TabularPolicy], TabularPolicy]
"""A function of the phase number, counted from 0, and the current policies of all players. It
returns the policies that the other players follow in the phase; its policy for the learner is
ignored."""


def switch_between(policies: Sequence[TabularPolicy]) -> Adversary:
    """Return an adversary that follows the policies one after another, in a cycle.

    A single policy makes a fixed adversary.

    Raises
    ------
    ParameterError
        If `policies` is empty.
    PolicyMismatchError
        If the policies are for different games.
    """
    checked_weights(policies, None)
    cycle = tuple(policies)
    return lambda phase, _: cycle[phase % len(cycle)]


class AdversarialPlay(IterativeState):
    """A learner in one position, against an adversary that controls all other positions.

    The adversary changes its policies νᵗ once per phase. The learner's external regret is

        Reg = max over π of Σ_t [u(π, νᵗ) - u(πᵗ, νᵗ)]

    It is computed exactly, at the cost of one gradient per phase: νᵗ is constant within a phase,
    and utility is linear in the learner's realization plan. The sum of the learner's plans over a
    phase is the growth of its cumulative plan.

    Parameters
    ----------
    learner
        Name or spec of a learner that plays the policy it learns.
    simulator
        The game.
    adversary : callable
        An `Adversary`, such as the result of `switch_between`.
    player
        The player that learns.
    phase
        Number of episodes in a phase; by default the square root of the horizon.
    horizon
        Planned number of episodes, which determines the step sizes.
    seed
        Random seed.

    Raises
    ------
    ParameterError
        If the learner explores off-policy or learns in self-play only, or a number is out of range.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.learning import make_simulator
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> kuhn = make_simulator(build_tree(load_game("kuhn_poker")))
    >>> fixed = switch_between([uniform_policy(kuhn.form)])
    >>> play = AdversarialPlay("ixomd", kuhn, fixed, horizon=2000)
    >>> play.run(2000)
    >>> 0 < play.regret() / 2000 < 0.3
    True
    """

    def __init__(
        self,
        learner: str | LearnerSpec,
        simulator: Simulator,
        adversary: Adversary,
        *,
        player: Player = 0,
        phase: int | None = None,
        horizon: int,
        seed: int = 0,
    ) -> None:
        super().__init__()
        check_type("simulator", simulator, Simulator, "the result of make_simulator(tree)")
        check_callable("adversary", adversary, "such as switch_between(policies)")
        check_player(player, simulator.num_players, simulator.form.name)
        check_count("horizon", horizon, minimum=1)
        self.phase = max(1, round(horizon**0.5)) if phase is None else phase
        check_count("phase", self.phase, minimum=1)
        self.spec = get_learner(learner)
        self.simulator, self.player, self.horizon, self.seed = simulator, player, horizon, seed
        self._adversary = adversary
        self._rule = _update_rule(self.spec, simulator, player, horizon)
        self._infostates = number_infostates((simulator.form.treeplexes[player],))
        depth = infostate_depths(self._infostates)
        self._state = self._rule.begin(self._infostates, depth, self._num_own)
        self._play_state = simulator.play_state(simulator.utility, self._done, seed)
        # Paths of one player, numbered as player 0: the rule sees nothing of the others.
        self._own = Paths._make(np.zeros_like(part[:1]) for part in self._play_state.paths)
        self._policy = simulator.uniform()
        self._policy[self._own_sequences] = self._state.policy
        self._utility = simulator.utility[:, player].tolist()
        self._losses = simulator.losses()[:, player].tolist()
        self._centered = simulator.centered_utility()[:, player].tolist()
        # Number of the learner's first infostate among those of all players.
        self._first = int(np.argmax(simulator.infostates.player == player))
        self._play = CCEEvaluator(simulator.form)
        self._mass_before = np.zeros(self._num_own)

    @property
    def _num_own(self) -> int:
        """Number of the learner's sequences."""
        return self.simulator.form.treeplexes[self.player].num_sequences

    @property
    def _own_sequences(self) -> slice:
        """The learner's sequences among those of all players."""
        root = int(self.simulator.infostates.root_sequence[self.player])
        return slice(root, root + self._num_own)

    def run(self, episodes: int) -> None:
        """Play `episodes` more episodes."""
        check_count("episodes", episodes)
        for episode in range(self.iteration, self.iteration + episodes):
            if episode % self.phase == 0:
                self._begin_phase(episode // self.phase)
            self._play_episode()

    def _begin_phase(self, phase: int) -> None:
        """Add the last phase to the regret, and get the adversary's policies for the next one."""
        self._play = self._counted()
        # From here on, the growth of the cumulative plan belongs to the new phase.
        self._mass_before[:] = self._mass()
        policy = _checked(self._adversary(phase, self.current_policy()), self.simulator)
        self._policy[:] = np.concatenate(policy.probabilities)
        self._policy[self._own_sequences] = self._state.policy

    def _play_episode(self) -> None:
        end = play_for(self._play_state, self.player, self._first, self._policy, self._own)
        feedback = Feedback(
            self._utility[end], self._losses[end], self.iteration + 1, self._centered[end]
        )
        self._rule.learn(self._infostates, self._own, feedback, self._state)
        self._policy[self._own_sequences] = self._state.policy
        self._done += 1

    def _counted(self) -> CCEEvaluator:
        """Return the joint distribution of play, with the learner's mean plan in each phase."""
        play = self._play.copy()
        uncounted = self.iteration - play.weight
        if uncounted:
            plans = self.simulator.plans(self._policy)
            # The mean of the learner's plans since the last count; the others' are constant.
            plans[self._own_sequences] = (self._mass() - self._mass_before) / uncounted
            play.add(self.simulator.by_player(plans), weight=uncounted)
        return play

    def _mass(self) -> FloatArray:
        """Return [Q] the sum over episodes of the learner's realization plans."""
        cumulative_plan: FloatArray = self._state.cumulative_plan.copy()
        count_rest(
            self._infostates, self._state.policy, cumulative_plan, self._state.parent_counted.copy()
        )
        return cumulative_plan

    def regret(self) -> float:
        """Return the learner's external regret so far, in the game's units.

        Raises
        ------
        ParameterError
            If no episode has been played.
        """
        play = self._counted()
        return play.evaluate().gains[self.player] * play.weight

    def current_policy(self) -> TabularPolicy:
        """Return the current policies; the adversary may replace its own at the next phase."""
        return self.simulator.policy(self._policy)

    def settings(self) -> dict[str, Any]:
        """Return the settings of the learner and of the run; the adversary is not included."""
        return {
            "learner": self.spec.name,
            "player": self.player,
            "phase": self.phase,
            "horizon": self.horizon,
            "seed": self.seed,
            **self._rule.settings(),
        }

    def _state_arrays(self) -> StateArrays:
        learned = {f"learner.{name}": array for name, array in self._state._asdict().items()}
        return {
            "stream": self._play_state.stream,
            "policy": self._policy,
            "mass_before": self._mass_before,
            **learned,
            **self._play.state(),
        }


def _update_rule(
    spec: LearnerSpec, simulator: Simulator, player: Player, horizon: int
) -> UpdateRule[Any]:
    """Return the update rule of a learner; raise if it does not play the policy it learns."""
    if not isinstance(spec, OnlineLearnerSpec):
        raise ParameterError(
            f"{spec.name} learns in self-play only, not against an adversary: choose a learner "
            "that plays the policy it learns, such as ixomd"
        )
    rule = spec.update_rule(tree_size(simulator, player), horizon)
    if rule.turn:
        raise ParameterError(
            f"{spec.name} explores off-policy, so it has no regret guarantee while learning: "
            "choose a learner that plays the policy it learns, such as ixomd"
        )
    return rule


def _checked(policy: TabularPolicy, simulator: Simulator) -> TabularPolicy:
    """Return the adversary's policy; raise if it is for another game."""
    check_type("the adversary's policy", policy, TabularPolicy, "a TabularPolicy of the game")
    form, own = policy.form, simulator.form
    if form is not own and form.fingerprint != own.fingerprint:
        raise PolicyMismatchError(
            f"the adversary returned a policy for {form.name}, but the game is {own.name}: "
            "return a policy for the simulator's form"
        )
    return policy
