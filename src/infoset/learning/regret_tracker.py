"""Exact regrets of self-play, and the distance of its joint play from equilibria."""

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
from infoset.forms import Form, SequenceForm
from infoset.learning.self_play import SelfPlay
from infoset.policy import TabularPolicy
from infoset.runs import JointGaps, gradient_cost
from infoset.typing import FloatArray, LongArray, StateArrays
from infoset.utils.arguments import check_count, check_type
from infoset.utils.array_kernels import copy
from infoset.utils.compilation import kernel
from infoset.utils.interrupts import interrupts_held
from infoset.utils.splitmix import Stream, make_stream, next_uniform
from infoset.utils.state import copy_arrays

COST_PER_PAIR = 30
"""Cost of a pair of a trigger and a sequence, in units of array elements read."""


def learns_joint_play(form: Form) -> bool:
    """Return whether joint play, instead of the average policies, approaches an equilibrium.

    This is true unless the game is two-player constant-sum or has one player.
    """
    return not (form.is_two_player_constant_sum or form.num_players == 1)


def counting_cost(form: Form, num_pairs: int) -> int:
    """Return the cost of counting a policy in joint play, in array elements read."""
    return gradient_cost(form) + COST_PER_PAIR * num_pairs


@kernel
def offer_policy(
    policy: FloatArray, offered: LongArray, stream: Stream, sample: FloatArray
) -> None:
    """Offer a policy [S] to a uniform sample [K, S] of all policies offered, in place.

    offered : [1] number of policies offered before; increased by one.
    Source: Vitter, "Random sampling with a reservoir" (1985), Algorithm R.
    """
    place = offered[0]
    offered[0] += 1
    # The first K policies fill the sample. The k-th one replaces a uniformly drawn entry with
    # probability K / k.
    if place >= len(sample):
        place = int(next_uniform(stream) * offered[0])
    if place < len(sample):
        copy(policy, sample[place])


class RegretTracker:
    """Self-play with exact regrets and the gaps of its empirical joint distribution of play.

    That distribution draws one of the T episodes uniformly; in episode t, all players follow πᵗ.
    The external regret of player i is

        Reg_i = max over π_i of Σ_t [u_i(π_i, πᵗ_-i) - u_i(πᵗ)]

    and Reg_i / T is its gain from committing to its best policy before the draw. The gap from a
    coarse correlated equilibrium (CCE) is therefore the largest Reg_i / T, or 0 if all are
    negative. In two-player constant-sum games, the sum of both regrets divided by T is NashConv of
    the average policies.

    The gradients of utility are computed exactly before every recorded episode. A tracker can
    replace the learners in `infoset.runs.run_measured`.

    Parameters
    ----------
    learners
        Self-play before its first episode.
    every
        Record the policies of episodes 1, 1 + every, 1 + 2 every, …; 1 records all. Policies change
        slowly, so a few thousand recorded policies give nearly the same gap as all policies.
    keep
        Number of recorded policies to sample uniformly and store for `correlated_policy`.
    triggers
        Whether to also measure the gap from an extensive-form correlated equilibrium (EFCE). The
        cost per recorded policy is proportional to the number of pairs of a trigger and a sequence.

    Raises
    ------
    ParameterError
        If the learners have played before, or a number is out of range.
    GameTooLargeError
        If `triggers` is true and there are more than 20,000,000 pairs.

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
    >>> abs(
    ...     play.correlated_policy().evaluate().cce_gap - play.evaluate().cce_gap
    ... ) < 1e-12
    True
    """

    def __init__(
        self, learners: SelfPlay, *, every: int = 1, keep: int = 0, triggers: bool = False
    ) -> None:
        check_type(
            "learners",
            learners,
            SelfPlay,
            "the result of get_learner(name).self_play(simulator, horizon=...)",
        )
        check_count("every", every, minimum=1)
        check_count("keep", keep)
        if learners.iteration:
            raise ParameterError(
                f"the learners have already played {learners.iteration} episodes, which were not "
                "recorded: make the RegretTracker before the first episode"
            )
        self.learners = learners
        self.every = every
        self._play = CCEEvaluator(learners.form)
        self._triggers = EFCEEvaluator(learners.form) if triggers else None
        self._sample = np.zeros((keep, learners.simulator.num_sequences))
        self._offered = np.zeros(1, np.int64)
        self._stream = make_stream(learners.seed, 1)

    @property
    def form(self) -> SequenceForm:
        """The game's sequence form."""
        return self.learners.form

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
        """Approximate number of array elements read in an episode."""
        pairs = 0 if self._triggers is None else self._triggers.num_pairs
        return self.learners.cost_per_iteration + counting_cost(self.form, pairs) // self.every

    def run(self, episodes: int) -> None:
        """Play `episodes` more episodes, and count their policies."""
        check_count("episodes", episodes)
        end = self.iteration + episodes
        while self.iteration < end:
            # Before the episode that plays these policies; a resumed run does not count twice.
            if self.iteration >= self.num_counted * self.every:
                with interrupts_held():
                    self._count()
            until_next = self.every - self.iteration % self.every
            self.learners.run(min(until_next, end - self.iteration))

    def _count(self) -> None:
        """Count the policies of the next episode; the reservoir sample may select them."""
        simulator, policy = self.learners.simulator, self.learners.current_probabilities
        offer_policy(policy, self._offered, self._stream, self._sample)
        plans = simulator.by_player(simulator.plans(policy))
        self._play.add(plans)
        if self._triggers is not None:
            self._triggers.add(plans)

    def evaluate(self) -> CCEEvaluation:
        """Measure the joint play of the recorded episodes: values, gains, and the CCE gap.

        Raises
        ------
        ParameterError
            If no episode has been counted.
        """
        return self._play.evaluate()

    def evaluate_efce(self) -> EFCEEvaluation:
        """Measure the gains of trigger deviations from the joint play of the recorded episodes.

        Raises
        ------
        ParameterError
            If no episode has been counted, or the tracker does not measure triggers.
        """
        if self._triggers is None:
            raise ParameterError(
                "this tracker does not measure trigger deviations: create it before the first "
                "episode with RegretTracker(learners, triggers=True)"
            )
        return self._triggers.evaluate()

    def gaps(self) -> JointGaps:
        """Return the CCE gap, and the EFCE gap if it is measured, of the recorded episodes."""
        if not self.num_counted:
            return JointGaps()
        efce_gap = None if self._triggers is None else self._triggers.evaluate().efce_gap
        return JointGaps(self.evaluate().cce_gap, efce_gap)

    @property
    def regrets(self) -> tuple[float, ...]:
        """Each player's external regret over the recorded episodes, in the game's units.

        For learners that explore off-policy, these are the regrets of the learned policies.
        """
        return tuple(gain * self.num_counted for gain in self.evaluate().gains)

    def correlated_policy(self) -> CorrelatedPolicy:
        """Return the sampled policies as a correlated policy, which draws one per play.

        Raises
        ------
        ParameterError
            If no policies have been sampled.
        """
        sampled = self._sample[: int(self._offered[0])]
        if not len(sampled):
            raise ParameterError(
                f"no policies have been sampled (keep={len(self._sample)}): create the tracker "
                "with RegretTracker(learners, keep=1000), and run it before this call"
            )
        policies = tuple(self.learners.simulator.policy(policy) for policy in sampled)
        return CorrelatedPolicy(policies, (1.0,) * len(policies))

    def policy(self) -> TabularPolicy:
        """Return the average policies of the learners; see `SelfPlay.policy`."""
        return self.learners.policy()

    def current_policy(self) -> TabularPolicy:
        """Return the policies of the next episode."""
        return self.learners.current_policy()

    def settings(self) -> dict[str, Any]:
        """Return the settings of the learners and of the tracker."""
        measured = {"every": self.every, "keep": len(self._sample)}
        return {**self.learners.settings(), **measured, "triggers": self._triggers is not None}

    def state(self) -> StateArrays:
        """Return all arrays that change, by name: the arrays themselves, not copies."""
        return {
            **self.learners.state(),
            **self._play.state(),
            **({} if self._triggers is None else self._triggers.state()),
            "sample": self._sample,
            "offered": self._offered,
            "sampling": self._stream,
        }

    def set_state(self, state: StateArrays) -> None:
        """Copy values from arrays with the same names and shapes as those of `state`."""
        self.learners.set_state(state)
        copy_arrays(self.state(), state)
