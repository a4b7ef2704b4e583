"""Exact distance of correlated play from a coarse correlated equilibrium (CCE)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from infoset.errors import NumericalError, ParameterError, PolicyMismatchError
from infoset.forms import Form, best_response_sweep, check_form, plan_value
from infoset.policy import TabularPolicy, check_policy
from infoset.typing import FloatArray, StateArrays
from infoset.utils.arguments import check_number, check_type


def check_finite_sums(sums: FloatArray, form: Form) -> None:
    """Raise `NumericalError` if sums of the payoffs of policies have overflowed."""
    if not np.isfinite(sums).all():
        raise NumericalError(
            f"sums of payoffs of {form.name} exceed the range of floating-point numbers; divide "
            "all rewards by the same number"
        )


@dataclass(frozen=True)
class CCEEvaluation:
    """Values of correlated play, and its distance from a coarse correlated equilibrium."""

    values: tuple[float, ...]
    """Expected utility of each player, in the game's units."""
    gains: tuple[float, ...]
    """Gain of each player from committing to a best policy before the draw, while the others follow
    the draw. Negative if following the draw is better than any fixed policy."""
    cce_gap: float
    """The largest gain, at least 0: the play is a `cce_gap`-coarse correlated equilibrium."""


class CCEEvaluator:
    """Evaluates a mixture of joint policies, such as the empirical distribution of play.

    One policy is drawn for all players before each play. A player who deviates from the mixture
    does not see the draw, so its best response is to the mean of the gradients. The evaluator
    therefore stores sums of gradients instead of the policies.

    Parameters
    ----------
    form
        The game, with any number of players and any payoffs.

    Examples
    --------
    In the game of chicken, a traffic light that lets one of two cars go is an equilibrium.

    >>> import numpy as np
    >>> from infoset.games import matrix_game
    >>> from infoset.tree import build_tree
    >>> chicken = matrix_game([[-9, 1], [0, 0]], [[-9, 0], [1, 0]])
    >>> evaluator = CCEEvaluator(build_tree(chicken).sequence_form)
    >>> go, stop = np.array([1.0, 1, 0]), np.array([1.0, 0, 1])
    >>> gradients = evaluator.add((go, stop)), evaluator.add((stop, go))
    >>> evaluator.evaluate()
    CCEEvaluation(values=(0.5, 0.5), gains=(-0.5, -0.5), cce_gap=0.0)
    """

    def __init__(self, form: Form) -> None:
        check_form(form)
        self.form = form
        sizes = [plex.num_sequences for plex in form.treeplexes]
        # One array: the weight, the values, the gradients and the plans of all players.
        self._ends = np.cumsum([1, len(sizes), *sizes, *sizes])[:-1]
        self._sums = np.zeros(1 + len(sizes) + 2 * sum(sizes))

    @property
    def weight(self) -> float:
        """Total weight of the policies added so far."""
        return float(self._sums[0])

    def state(self) -> StateArrays:
        """Return the array that `add` changes, by name."""
        return {"joint": self._sums}

    def copy(self) -> CCEEvaluator:
        """Return an independent evaluator of the same mixture."""
        other = CCEEvaluator(self.form)
        other._sums[:] = self._sums
        return other

    def add(
        self, plans: Sequence[FloatArray], weight: float = 1.0, discount: float = 1.0
    ) -> tuple[FloatArray, ...]:
        """Add a policy to the mixture.

        Parameters
        ----------
        plans
            Per player [Q], its realization plan.
        weight, discount
            Weight of the policy, and factor on the weights of all earlier policies.

        Returns
        -------
        tuple[FloatArray, ...]
            Per player [Q], the gradient of its expected utility with respect to its own plan.
        """
        form, plans = self.form, tuple(plans)
        players = range(form.num_players)
        gradients = tuple(form.gradient(plans, player) for player in players)
        values = [
            plan_value(gradient, plan) for gradient, plan in zip(gradients, plans, strict=True)
        ]
        added = np.concatenate([(1.0,), values, *gradients, *plans])
        # A single assignment, so that an interrupt cannot leave a policy half added. Sums of huge
        # payoffs may overflow, which matters only if they are evaluated.
        with np.errstate(over="ignore", invalid="ignore"):
            self._sums[:] = discount * self._sums + weight * added
        return gradients

    def evaluate(self) -> CCEEvaluation:
        """Compute the exact values and deviation gains of the mixture.

        Raises
        ------
        ParameterError
            If no policy of positive weight has been added.
        NumericalError
            If sums of payoffs exceed the range of floating point.
        """
        self._check_weight()
        check_finite_sums(self._sums, self.form)
        _, values, *means = np.split(self._sums / self.weight, self._ends)
        return evaluate_mean_gradients(self.form, means[: len(values)], values)

    def marginal_policy(self) -> TabularPolicy:
        """Return the product of the players' marginals: each player draws independently.

        With more than two players, or payoffs that are not constant-sum, the product need not be an
        equilibrium of any kind even if the correlated play is a CCE.

        Raises
        ------
        ParameterError
            As in `evaluate`.
        """
        self._check_weight()
        parts = np.split(self._sums, self._ends)
        plans = parts[-self.form.num_players :]
        return TabularPolicy.from_weights(self.form, plans)

    def _check_weight(self) -> None:
        if not self.weight > 0:
            raise ParameterError("the mixture is empty; first add a policy with a positive weight")


def evaluate_mean_gradients(
    form: Form, gradients: Sequence[FloatArray], values: FloatArray
) -> CCEEvaluation:
    """Evaluate correlated play, given its mean gradients, per player [Q], and values [N].

    The gradients are overwritten.
    """
    gains = []
    for plex, gradient, value in zip(form.treeplexes, gradients, values.tolist(), strict=True):
        best_response_sweep(plex.parent_sequence, plex.first_sequence, plex.num_actions, gradient)
        gains.append(float(gradient[0]) - value)
    return CCEEvaluation(tuple(values.tolist()), tuple(gains), max(0.0, *gains))


def evaluate_cce(
    policies: Sequence[TabularPolicy], weights: Sequence[float] | None = None
) -> CCEEvaluation:
    """Evaluate correlated play, in which one of several policies is drawn for all players.

    Parameters
    ----------
    policies
        At least one, all for the same game.
    weights
        One nonnegative number per policy; by default all equal.

    Raises
    ------
    PolicyMismatchError
        If the policies are for different games.

    Notes
    -----
    Source: Moulin and Vial (1978).
    """
    weights = checked_weights(policies, weights)
    evaluator = CCEEvaluator(policies[0].form)
    for policy, weight in zip(policies, weights, strict=True):
        evaluator.add(policy.realization_plans(), weight)
    return evaluator.evaluate()


def checked_weights(
    policies: Sequence[TabularPolicy], weights: Sequence[float] | None
) -> list[float]:
    """Return one weight per policy, after checking both.

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
            f"got {len(policies)} policies and weights {weights}; give at least one policy, and "
            f"one nonnegative weight for each policy"
        )
    if not sum(weights) > 0:
        raise ParameterError("all weights are zero; give at least one policy a positive weight")
    first = policies[0].form
    for policy in policies:
        other = policy.form
        if other is not first and other.fingerprint != first.fingerprint:
            raise PolicyMismatchError(
                f"one policy is for {first.name}, another for {other.name}; all policies must be "
                "for the same game"
            )
    return weights


def _numbers(weights: Sequence[float]) -> list[float]:
    check_type("weights", weights, (list, tuple, np.ndarray), "a list of numbers, one per policy")
    for weight in weights:
        check_number("weight", weight, minimum=-inf)
    return list(map(float, weights))
