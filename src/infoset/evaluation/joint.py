"""Joint play: policies of all players drawn together, and what deviating from it would gain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from infoset.errors import ParameterError, PolicyMismatchError
from infoset.evaluation._kernels import best_response_sweep
from infoset.evaluation.exploitability import plan_value, utility_gradient
from infoset.policy import TabularPolicy, check_policy
from infoset.tree import SequenceForm, check_sequence_form
from infoset.typing import FloatArray, StateArrays
from infoset.utils.arguments import check_number, check_type

__all__ = ["CCEEvaluation", "CCEEvaluator", "evaluate_cce"]


@dataclass(frozen=True)
class CCEEvaluation:
    """What joint play earns, and how far it is from a coarse correlated equilibrium.

    Attributes
    ----------
    values : tuple[float, ...]
        Expected utility of each player, in the game's units.
    gains : tuple[float, ...]
        What each player would gain by settling on its best policy before anything is drawn, the
        others keeping to the joint draw. Below zero where the draw serves the player better than
        any policy of its own.
    cce_gap : float
        The largest gain, at least 0: joint play is a `cce_gap`-coarse correlated equilibrium.
    """

    values: tuple[float, ...]
    gains: tuple[float, ...]
    cce_gap: float


class CCEEvaluator:
    """A mixture of policies, of which one is drawn for all players together.

    Only gradients are kept, not the policies: a player who deviates does not see the draw, so
    that it answers the mean of the gradients.

    Parameters
    ----------
    sequence_form : SequenceForm
        Any number of players, any payoffs.

    Examples
    --------
    Two cars, each may go or stop; a light that lets one of them go is an equilibrium.

    >>> import numpy as np
    >>> from infoset.games import matrix_game
    >>> from infoset.tree import build_tree
    >>> chicken = matrix_game([[-9, 1], [0, 0]], [[-9, 0], [1, 0]])
    >>> play = CCEEvaluator(build_tree(chicken).sequence_form)
    >>> go, stop = np.array([1.0, 1, 0]), np.array([1.0, 0, 1])
    >>> gradients = play.add((go, stop)), play.add((stop, go))
    >>> play.evaluate()
    CCEEvaluation(values=(0.5, 0.5), gains=(-0.5, -0.5), cce_gap=0.0)
    """

    def __init__(self, sequence_form: SequenceForm) -> None:
        check_sequence_form(sequence_form)
        self.sequence_form = sequence_form
        sizes = [plex.num_sequences for plex in sequence_form.treeplexes]
        self._ends = np.cumsum([1, len(sizes), *sizes, *sizes])[:-1]
        self._sums = np.zeros(1 + len(sizes) + 2 * sum(sizes))

    @property
    def weight(self) -> float:
        """Weight of all policies together."""
        return float(self._sums[0])

    def state(self) -> StateArrays:
        """Return the array that `add` moves, by name."""
        return {"joint": self._sums}

    def copy(self) -> CCEEvaluator:
        """Return joint play of the same policies, to which others can be added."""
        play = CCEEvaluator(self.sequence_form)
        play._sums[:] = self._sums
        return play

    def add(
        self, plans: Sequence[FloatArray], weight: float = 1.0, kept: float = 1.0
    ) -> tuple[FloatArray, ...]:
        """Add a policy to the mixture.

        Parameters
        ----------
        plans : Sequence[FloatArray]
            Per player [Q], its realization plan.
        weight, kept : float
            Weight of the policy, and factor on the weights of those before.

        Returns
        -------
        tuple[FloatArray, ...]
            Per player [Q], the derivative of its expected utility by its own plan.
        """
        form, plans = self.sequence_form, tuple(plans)
        players = range(form.num_players)
        gradients = tuple(utility_gradient(form, plans, player) for player in players)
        values = [
            plan_value(gradient, plan) for gradient, plan in zip(gradients, plans, strict=True)
        ]
        added = np.concatenate([(1.0,), values, *gradients, *plans])
        # All at once, so that an interrupt leaves whole policies behind.
        self._sums[:] = kept * self._sums + weight * added
        return gradients

    def evaluate(self) -> CCEEvaluation:
        """Measure the mixture, exactly.

        Raises
        ------
        ParameterError
            If nothing of positive weight was added.
        """
        self._check_weight()
        _, values, *means = np.split(self._sums / self.weight, self._ends)
        return evaluate_gradients(self.sequence_form, means[: len(values)], values)

    def marginal_policy(self) -> TabularPolicy:
        """Return the policy in which each player draws alone, with its marginal of the mixture.

        With more than two players, or payoffs that are not constant-sum, it need not be an
        equilibrium of any kind where joint play is one.

        Raises
        ------
        ParameterError
            As `evaluate`.
        """
        self._check_weight()
        parts = np.split(self._sums, self._ends)
        plans = parts[-self.sequence_form.num_players :]
        return TabularPolicy.from_weights(self.sequence_form, plans)

    def _check_weight(self) -> None:
        if not self.weight > 0:
            raise ParameterError("nothing is played yet: add policies of positive weight first")


def evaluate_gradients(
    sequence_form: SequenceForm, gradients: Sequence[FloatArray], values: FloatArray
) -> CCEEvaluation:
    """Measure joint play by its mean gradients, per player [Q], and its values [N].

    The gradients are used up.
    """
    gains = []
    for plex, gradient, value in zip(
        sequence_form.treeplexes, gradients, values.tolist(), strict=True
    ):
        best_response_sweep(plex.parent_sequence, plex.first_sequence, plex.num_actions, gradient)
        gains.append(float(gradient[0]) - value)
    return CCEEvaluation(tuple(values.tolist()), tuple(gains), max(0.0, *gains))


def evaluate_cce(
    policies: Sequence[TabularPolicy], weights: Sequence[float] | None = None
) -> CCEEvaluation:
    """Measure the joint play in which one of some policies is drawn for all players.

    Parameters
    ----------
    policies : Sequence[TabularPolicy]
        At least one, all for the same game.
    weights : Sequence[float], optional
        One per policy, not negative; by default all alike.

    Raises
    ------
    ParameterError
        If something else than policies is given; if there are not as many weights as policies, or
        they are no numbers, negative or all zero.
    PolicyMismatchError
        If the policies are for different games.

    Notes
    -----
    Source: Moulin and Vial (1978).
    """
    weights = checked_weights(policies, weights)
    play = CCEEvaluator(policies[0].sequence_form)
    for policy, weight in zip(policies, weights, strict=True):
        play.add(policy.realization_plans(), weight)
    return play.evaluate()


def checked_weights(
    policies: Sequence[TabularPolicy], weights: Sequence[float] | None
) -> list[float]:
    """Return one weight per policy.

    Raises
    ------
    ParameterError, PolicyMismatchError
        As in `evaluate_cce`.
    """
    check_type("policies", policies, (list, tuple), "a list of policies, such as [result.policy]")
    for policy in policies:
        check_policy(policy)
    weights = [1.0] * len(policies) if weights is None else _numbers(weights)
    if len(policies) != len(weights) or min(weights, default=-1) < 0:
        raise ParameterError(
            f"got {len(policies)} policies and weights {weights}; give one weight per policy, none "
            "negative, and at least one policy"
        )
    if not sum(weights) > 0:
        raise ParameterError("nothing is played: give a policy of positive weight")
    first = policies[0].sequence_form
    for policy in policies:
        other = policy.sequence_form
        if other is not first and other.fingerprint != first.fingerprint:
            raise PolicyMismatchError(
                f"one policy is for {first.name}, another for {other.name}; joint play is of "
                "one game"
            )
    return weights


def _numbers(weights: Sequence[float]) -> list[float]:
    check_type("weights", weights, (list, tuple, np.ndarray), "a list of numbers, one per policy")
    for weight in weights:
        check_number("weight", weight, minimum=-inf)
    return list(map(float, weights))
