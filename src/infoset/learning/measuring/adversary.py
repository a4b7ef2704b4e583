"""One learner against an adversary, and what it regrets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from infoset.errors import ParameterError, PolicyMismatchError
from infoset.evaluation import CCEEvaluator
from infoset.evaluation.cce import checked_weights
from infoset.learning._kernels import count_rest
from infoset.learning.measuring._kernels import fill_plans, play_for
from infoset.learning.methods import get_learner
from infoset.learning.row import LearnerSpec
from infoset.learning.simulation import Paths, Simulator, infostate_depths, number_infostates
from infoset.learning.step_sizes import tree_size
from infoset.learning.update_rule import Feedback, OnlineLearnerSpec, UpdateRule
from infoset.policy import TabularPolicy
from infoset.typing import FloatArray, Player, StateArrays
from infoset.utils.arguments import check_callable, check_count, check_player, check_type
from infoset.utils.state import IterativeState

__all__ = ["AdversarialPlay", "Adversary", "switch_between"]

Adversary: TypeAlias = Callable[[int, TabularPolicy], TabularPolicy]
"""Gives what the others do in a phase: of its number, from 0, and of the policies that all have as
it begins, the learner's among them. What it says of the learner is not looked at."""


def switch_between(policies: Sequence[TabularPolicy]) -> Adversary:
    """Return the adversary that follows one policy after another, and begins again at the end.

    With a single one, it is fixed.

    Raises
    ------
    ParameterError
        If there are none.
    PolicyMismatchError
        If they are for different games.
    """
    checked_weights(policies, None)
    kept = tuple(policies)
    return lambda phase, _: kept[phase % len(kept)]


class AdversarialPlay(IterativeState):
    """A learner in one seat, and an adversary in all others, which changes its policy at times.

    The adversary keeps its policy for `phase` episodes. External regret is what the learner could
    have earned more by the best policy that is the same in all episodes:

        Reg = max over π of Σ_t [u(π, νᵗ) - u(πᵗ, νᵗ)].

    It is exact, and costs no more than a gradient for each phase: the policies νᵗ of the others are
    the same in a phase, and utility is linear in the learner's realization plan, whose sum over
    the phase is what its average has gained there.

    Parameters
    ----------
    learner : str or LearnerSpec
        A name, or a row such as `get_learner` returns: one that plays the policy that it learns.
    simulator : Simulator
        The game.
    adversary : callable
        See `Adversary`. `switch_between` makes fixed and switching ones.
    player : Player
        The seat of the learner.
    phase : int, optional
        By default the root of the horizon.
    horizon : int
        How many episodes are meant: step sizes go by it.
    seed : int
        Of all that is drawn.

    Raises
    ------
    ParameterError
        If the learner explores, or learns in self-play only; or a number makes no sense.
    UnknownNameError
        If there is no learner of that name.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.learning import make_simulator
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> kuhn = make_simulator(build_tree(load_game("kuhn_poker")))
    >>> fixed = switch_between([uniform_policy(kuhn.sequence_form)])
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
        check_type("simulator", simulator, Simulator, "what make_simulator returns")
        check_callable("adversary", adversary, "such as switch_between(policies)")
        check_player(player, simulator.num_players, simulator.sequence_form.name)
        check_count("horizon", horizon, minimum=1)
        self.phase = max(1, round(horizon**0.5)) if phase is None else phase
        check_count("phase", self.phase, minimum=1)
        self.row = get_learner(learner)
        self.simulator, self.player, self.horizon, self.seed = simulator, player, horizon, seed
        self._adversary = adversary
        self._rule = _rule(self.row, simulator, player, horizon)
        self._infostates = number_infostates((simulator.sequence_form.treeplexes[player],))
        depth = infostate_depths(self._infostates)
        self._state = self._rule.begin(self._infostates, depth, self._num_own)
        self._arena = simulator.arena(simulator.utility, self._done, seed)
        self._own = Paths._make(np.zeros_like(part[:1]) for part in self._arena.paths)
        self._policy = simulator.uniform()
        self._policy[self._seat] = self._state.policy
        self._utility = simulator.utility[:, player].tolist()
        self._losses = simulator.losses()[:, player].tolist()
        self._first = int(np.argmax(simulator.infostates.player == player))
        self._play = CCEEvaluator(simulator.sequence_form)
        self._mass_before = np.zeros(self._num_own)

    @property
    def _num_own(self) -> int:
        """Number of the learner's sequences."""
        return self.simulator.sequence_form.treeplexes[self.player].num_sequences

    @property
    def _seat(self) -> slice:
        """The learner's slots among those of all."""
        root = int(self.simulator.infostates.root_slot[self.player])
        return slice(root, root + self._num_own)

    def run(self, episodes: int) -> None:
        """Play `episodes` more episodes.

        Raises
        ------
        ParameterError
            If they are not a whole number.
        """
        check_count("episodes", episodes)
        for episode in range(self.iteration, self.iteration + episodes):
            if episode % self.phase == 0:
                self._begin_phase(episode // self.phase)
            self._play_episode()

    def _begin_phase(self, phase: int) -> None:
        """Count what was played so far, and ask the adversary for its policy."""
        self._play = self._counted()
        self._mass_before[:] = self._mass()
        policy = _checked(self._adversary(phase, self.current_policy()), self.simulator)
        self._policy[:] = np.concatenate(policy.probabilities)
        self._policy[self._seat] = self._state.policy

    def _play_episode(self) -> None:
        end = play_for(self._arena, self.player, self._first, self._policy, self._own)
        feedback = Feedback(self._utility[end], self._losses[end], self.iteration + 1)
        self._rule.learn(self._infostates, self._own, feedback, self._state)
        self._policy[self._seat] = self._state.policy
        self._done += 1

    def _counted(self) -> CCEEvaluator:
        """Return joint play of all episodes, in which the learner has its mean plan of a phase."""
        play = self._play.copy()
        uncounted = self.iteration - play.weight
        if uncounted:
            plans = np.empty_like(self._policy)
            fill_plans(self.simulator.infostates, self._policy, plans)
            plans[self._seat] = (self._mass() - self._mass_before) / uncounted
            play.add(self.simulator.by_player(plans), weight=uncounted)
        return play

    def _mass(self) -> FloatArray:
        """Return [Q] the sum over episodes of the learner's realization plans."""
        mass: FloatArray = self._state.mass.copy()
        count_rest(self._infostates, self._state.policy, mass, self._state.counted.copy())
        return mass

    def regret(self) -> float:
        """Return the learner's external regret so far, in the game's units.

        Raises
        ------
        ParameterError
            If nothing is played yet.
        """
        play = self._counted()
        return play.evaluate().gains[self.player] * play.weight

    def current_policy(self) -> TabularPolicy:
        """Return what all do in the next episode, unless the adversary changes its policy."""
        return self.simulator.policy(self._policy)

    def settings(self) -> dict[str, Any]:
        """Return the numbers of the learner, and of the play; the adversary is not among them."""
        return {
            "learner": self.row.name,
            "player": self.player,
            "phase": self.phase,
            "horizon": self.horizon,
            "seed": self.seed,
            **self._rule.settings(),
        }

    def _state_arrays(self) -> StateArrays:
        learned = {f"learner.{name}": array for name, array in self._state._asdict().items()}
        return {
            "stream": self._arena.stream,
            "policy": self._policy,
            "mass_before": self._mass_before,
            **learned,
            **self._play.state(),
        }


def _rule(row: LearnerSpec, simulator: Simulator, player: Player, horizon: int) -> UpdateRule[Any]:
    """Return what a learner does with its episodes, if it plays the policy that it learns."""
    if not isinstance(row, OnlineLearnerSpec):
        raise ParameterError(
            f"{row.name} learns in self-play only: choose a learner from episodes, such as ixomd"
        )
    rule = row.update_rule(tree_size(simulator, player), horizon)
    if rule.turn:
        raise ParameterError(
            f"{row.name} plays otherwise than by the policy it learns, and promises nothing about "
            "what it earns meanwhile: choose a learner that plays its policy, such as ixomd"
        )
    return rule


def _checked(policy: TabularPolicy, simulator: Simulator) -> TabularPolicy:
    """Return what an adversary answers, if it is a policy for the game."""
    check_type("the adversary's policy", policy, TabularPolicy, "a TabularPolicy of the game")
    form, own = policy.sequence_form, simulator.sequence_form
    if form is not own and form.fingerprint != own.fingerprint:
        raise PolicyMismatchError(
            f"the adversary answers with a policy for {form.name}, and {own.name} is played"
        )
    return policy
