"""Self-play that is measured as it goes: the joint play it makes, and what players regret of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from infoset.errors import ParameterError
from infoset.evaluation import (
    CCEEvaluation,
    CCEEvaluator,
    CorrelatedPolicy,
    EFCEEvaluation,
    EFCEEvaluator,
)
from infoset.learning.measuring._kernels import fill_plans, offer_policy
from infoset.learning.self_play import SelfPlay
from infoset.policy import TabularPolicy
from infoset.runs import JointGaps, gradient_cost
from infoset.tree import SequenceForm
from infoset.typing import StateArrays
from infoset.utils.arguments import check_count, check_type
from infoset.utils.interrupts import interrupts_held
from infoset.utils.splitmix import make_stream

__all__ = ["RegretTracker", "learns_joint_play", "work_of_counting"]

WORK_OF_PAIR = 30
"""Numbers read to make and use one gradient, in the time that a pair of sequences takes."""


def learns_joint_play(sequence_form: SequenceForm) -> bool:
    """Tell if what players learn of each other in a game is joint play, and not their averages.

    It is, unless there are two players and constant sums, or nobody to play together with.
    """
    return not (sequence_form.is_two_player_constant_sum or sequence_form.num_players == 1)


def work_of_counting(sequence_form: SequenceForm, num_pairs: int) -> int:
    """Return the numbers read to count a policy in joint play, and in so many pairs of triggers."""
    return gradient_cost(sequence_form) + WORK_OF_PAIR * num_pairs


class RegretTracker:
    """Self-play, and the joint play it makes: an episode is drawn, and its policies are played.

    What player i regrets of T episodes, whose policies are π¹, …, πᵀ, is

        Reg_i = max over π_i of Σ_t [u_i(π_i, πᵗ_-i) - u_i(πᵗ)],

    and Reg_i / T is what it would gain in joint play by settling on its best policy before the
    draw; so that the gap of joint play from a coarse correlated equilibrium is the largest of
    them. With two players and constant sums, their sum is NashConv of the average policies.

    Before each episode that counts, gradients of all players are computed of the policies that it
    begins with: exact, whatever is drawn. It can be given to `infoset.runs.run_measured` in
    place of the learners.

    Parameters
    ----------
    learners : SelfPlay
        Before their first episode.
    every : int
        Count the policies of episodes 1, 1 + every, 1 + 2 every, …; 1 for all. Policies drift
        slowly, so that joint play of some thousand of them is much like that of all.
    keep : int
        How many policies to keep, out of those counted, all of which are as likely to be among
        them; all, while there are no more. 0 for none.
    triggers : bool
        Whether to measure recommended play too, where an episode is drawn and players are told
        step by step what they did in it: at the cost of all pairs of a sequence and one that
        may be played instead or after it, for each policy that counts.

    Raises
    ------
    ParameterError
        If the learners have played before, or a number makes no sense.
    GameTooLargeError
        If triggers are asked for, and there are more than 20,000,000 pairs.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.learning import get_learner, make_simulator
    >>> from infoset.tree import build_tree
    >>> kuhn = make_simulator(build_tree(load_game("kuhn_poker(players=3)")))
    >>> learners = get_learner("balanced-omd").self_play(kuhn, horizon=500)
    >>> play = RegretTracker(learners, keep=500)
    >>> play.run(500)
    >>> play.evaluate().cce_gap == max(play.regrets) / 500
    True
    >>> abs(play.correlated_policy().evaluate().cce_gap - play.evaluate().cce_gap) < 1e-12
    True
    """

    def __init__(
        self, learners: SelfPlay, *, every: int = 1, keep: int = 0, triggers: bool = False
    ) -> None:
        check_type("learners", learners, SelfPlay, "what the self_play of a learner returns")
        check_count("every", every, minimum=1)
        check_count("keep", keep)
        if learners.iteration:
            raise ParameterError(
                f"the learners have played {learners.iteration} episodes already, which are not "
                "counted: measure them from the beginning"
            )
        self.learners = learners
        self.every = every
        self._play = CCEEvaluator(learners.sequence_form)
        self._triggers = EFCEEvaluator(learners.sequence_form) if triggers else None
        self._plans = learners.simulator.uniform()
        learners.run(0)  # compiles, outside of anybody's seconds
        self._sample = np.zeros((keep, learners.simulator.num_slots))
        self._offered = np.zeros(1, np.int64)
        self._stream = make_stream(learners.seed, 1)

    @property
    def sequence_form(self) -> SequenceForm:
        """The game."""
        return self.learners.sequence_form

    @property
    def iteration(self) -> int:
        """Number of episodes played."""
        return self.learners.iteration

    @property
    def num_counted(self) -> int:
        """Number of episodes whose policies are counted."""
        return round(self._play.weight)

    @property
    def cost_per_iteration(self) -> int:
        """Numbers read in an episode, about."""
        pairs = 0 if self._triggers is None else self._triggers.num_pairs
        return (
            self.learners.cost_per_iteration
            + work_of_counting(self.sequence_form, pairs) // self.every
        )

    def run(self, episodes: int) -> None:
        """Play `episodes` more episodes, counting on the way.

        Raises
        ------
        ParameterError
            If they are not a whole number.
        """
        check_count("episodes", episodes)
        end = self.iteration + episodes
        while self.iteration < end:
            if self.iteration >= self.num_counted * self.every:
                with interrupts_held():
                    self._count()
            until_next = self.every - self.iteration % self.every
            self.learners.run(min(until_next, end - self.iteration))

    def _count(self) -> None:
        """Count the policies of the episode that comes, in joint play and sample."""
        simulator, policy = self.learners.simulator, self.learners.current_probabilities
        fill_plans(simulator.infostates, policy, self._plans)
        offer_policy(policy, self._offered, self._stream, self._sample)
        plans = simulator.by_player(self._plans)
        self._play.add(plans)
        if self._triggers is not None:
            self._triggers.add(plans)

    def evaluate(self) -> CCEEvaluation:
        """Measure joint play of the episodes counted: values, gains, and the gap.

        Raises
        ------
        ParameterError
            If nothing is played yet.
        """
        return self._play.evaluate()

    def evaluate_efce(self) -> EFCEEvaluation:
        """Measure recommended play of the episodes counted: what not following would gain.

        Raises
        ------
        ParameterError
            If nothing is played yet, or triggers are not measured.
        """
        if self._triggers is None:
            raise ParameterError(
                "recommended play is not measured: ask for it before the first episode, by "
                "RegretTracker(learners, triggers=True)"
            )
        return self._triggers.evaluate()

    def gaps(self) -> JointGaps:
        """Return how far joint play so far is from equilibria, as far as that is measured."""
        if not self.num_counted:
            return JointGaps()
        told = None if self._triggers is None else self._triggers.evaluate().efce_gap
        return JointGaps(self.evaluate().cce_gap, told)

    @property
    def regrets(self) -> tuple[float, ...]:
        """What each player regrets of the episodes counted, in the game's units.

        Of learners that explore, it is that of the policies they would follow otherwise.
        """
        return tuple(gain * self.num_counted for gain in self.evaluate().gains)

    def correlated_policy(self) -> CorrelatedPolicy:
        """Return the policies that were kept, as joint play of which one is drawn.

        Raises
        ------
        ParameterError
            If none were kept.
        """
        kept = self._sample[: int(self._offered[0])]
        if not len(kept):
            raise ParameterError(
                "no policies were kept: play first, and measure with keep=1000 or more"
            )
        policies = tuple(self.learners.simulator.policy(policy) for policy in kept)
        return CorrelatedPolicy(policies, (1.0,) * len(policies))

    def policy(self) -> TabularPolicy:
        """Return the product of the averages, as the learners do; see `SelfPlay.policy`."""
        return self.learners.policy()

    def current_policy(self) -> TabularPolicy:
        """Return the policy that the next episode begins with."""
        return self.learners.current_policy()

    def settings(self) -> dict[str, Any]:
        """Return the numbers of the learners, and of what is counted and kept."""
        counted = {"every": self.every, "keep": len(self._sample)}
        return {**self.learners.settings(), **counted, "triggers": self._triggers is not None}

    def state(self) -> StateArrays:
        """Return all that moves, by name: the arrays themselves, not copies."""
        return {
            **self.learners.state(),
            **self._play.state(),
            **({} if self._triggers is None else self._triggers.state()),
            "sample": self._sample,
            "offered": self._offered,
            "sampling": self._stream,
        }

    def set_state(self, state: StateArrays) -> None:
        """Take the values of arrays named and shaped as those of `state`."""
        self.learners.set_state(state)
        for name, array in self.state().items():
            array[...] = state[name]
