"""Correlated play as a distribution over tuples of pure plans (CFR-Jr)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np

from infoset.errors import GameTooLargeError
from infoset.evaluation.cce import CCEEvaluation, checked_weights, evaluate_mean_gradients
from infoset.forms import SequenceForm, as_sequence_form
from infoset.policy import TabularPolicy, decompose_plan
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray

MAX_TUPLES = 10_000_000
CELLS_PER_CHUNK = 10_000_000

Mixture: TypeAlias = tuple[BoolArray, FloatArray]


@dataclass(frozen=True, eq=False)
class JointDistribution:
    """A distribution over finitely many tuples of pure plans, one plan per player."""

    form: SequenceForm
    """The game."""
    plans: tuple[BoolArray, ...]
    """Per player [K, Q], its pure plans: True for the sequences that a plan takes."""
    support: IntArray
    """[M, N] index of each player's plan in each tuple; all tuples are different."""
    probabilities: FloatArray
    """[M] positive probability of each tuple. The sum is 1."""

    def evaluate(self) -> CCEEvaluation:
        """Compute the exact values and the gain of each player from committing to a plan."""
        form = self.form
        gradients = [np.zeros(plex.num_sequences) for plex in form.treeplexes]
        values = np.zeros(form.num_players)
        for weights, support in self._chunks():
            taken = [
                own[numbers][:, sequences]
                for own, numbers, sequences in zip(
                    self.plans, support.T, form.terminal_sequence.T, strict=True
                )
            ]
            for player, gradient in enumerate(gradients):
                others = np.logical_and.reduce(
                    [other for number, other in enumerate(taken) if number != player]
                )
                paid = form.payoff[:, player]
                # [T] the probability that the plans of the others lead to each terminal.
                np.add.at(gradient, form.terminal_sequence[:, player], paid * (weights @ others))
                values[player] += paid @ (weights @ (others & taken[player]))
        return evaluate_mean_gradients(form, gradients, values)

    def _chunks(self) -> Iterator[tuple[FloatArray, IntArray]]:
        """Yield probabilities and tuples in chunks that bound the memory of `evaluate`."""
        size = max(1, CELLS_PER_CHUNK // max(1, self.form.num_payoffs))
        for first in range(0, len(self.support), size):
            part = slice(first, first + size)
            yield self.probabilities[part], self.support[part]

    def marginal_policy(self) -> TabularPolicy:
        """Return the product of the players' marginals; see `CCEEvaluator.marginal_policy`."""
        plans: list[FloatArray] = [
            np.bincount(numbers, self.probabilities, len(own)).astype(np.float64) @ own
            for own, numbers in zip(self.plans, self.support.T, strict=True)
        ]
        return TabularPolicy.from_weights(self.form, plans)

    def draw(self, rng: np.random.Generator) -> TabularPolicy:
        """Draw a tuple of plans as a policy, which is uniform where a plan is not defined."""
        numbers = self.support[rng.choice(len(self.support), p=self.probabilities)]
        plans = [own[number].astype(float) for own, number in zip(self.plans, numbers, strict=True)]
        return TabularPolicy.from_weights(self.form, plans)


def joint_distribution(
    policies: Sequence[TabularPolicy], weights: Sequence[float] | None = None
) -> JointDistribution:
    """Return correlated play as a distribution over tuples of pure plans.

    One of several policies is drawn for all players. Each player's part of a policy is decomposed
    into a mixture of a few pure plans (`decompose_plan`); the tuples of the policy are all
    combinations of these plans. The distribution reaches every terminal with the same probability
    as the mixture of policies.

    Parameters
    ----------
    policies, weights
        As in `evaluate_cce`.

    Raises
    ------
    ParameterError, PolicyMismatchError
        As in `evaluate_cce`.
    GameTooLargeError
        If the policies combine to more than 10,000,000 tuples.

    Notes
    -----
    Source: Celli, Marchesi, Bianchi and Gatti (2019), CFR-Jr.

    Examples
    --------
    >>> from infoset.games import matrix_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> pennies = build_tree(matrix_game([[1, -1], [-1, 1]])).sequence_form
    >>> joint_distribution([uniform_policy(pennies)]).probabilities
    array([0.25, 0.25, 0.25, 0.25])
    """
    weights = checked_weights(policies, weights)
    form = as_sequence_form(policies[0].form)
    mixtures = [
        [decompose_plan(plex, plan) for plex, plan in zip(form.treeplexes, plans, strict=True)]
        for plans in (policy.realization_plans() for policy in policies)
    ]
    _check_size(form, mixtures)
    plans, numbers = _different_plans(
        [[pure for pure, _ in own] for own in zip(*mixtures, strict=True)]
    )
    sizes = tuple(len(own) for own in plans)
    keys, probabilities = [], []
    for index, (weight, mixture) in enumerate(zip(weights, mixtures, strict=True)):
        keys.append(_combined(sizes, [own[index] for own in numbers]))
        probabilities.append(weight * _products([own for _, own in mixture]))
    # Tuples that policies have in common have equal keys, and their probabilities are added.
    different, where = np.unique(np.concatenate(keys), return_inverse=True)
    total = np.bincount(where, np.concatenate(probabilities))
    support = np.stack(np.unravel_index(different[total > 0], sizes), axis=1).astype(np.int32)
    return JointDistribution(form, plans, support, total[total > 0] / total.sum())


def _check_size(form: SequenceForm, mixtures: Sequence[Sequence[Mixture]]) -> None:
    entries = sum(prod(len(weights) for _, weights in mixture) for mixture in mixtures)
    if entries > MAX_TUPLES:
        raise GameTooLargeError(
            f"the pure plans of {len(mixtures)} policies of {form.name} combine to {entries:,} "
            f"tuples, more than {MAX_TUPLES:,}: give fewer policies, or evaluate the mixture "
            f"directly with evaluate_cce(policies, weights)",
            {"tuples": entries},
        )


def _different_plans(
    of_players: Sequence[Sequence[BoolArray]],
) -> tuple[tuple[BoolArray, ...], list[list[LongArray]]]:
    """Return each player's distinct plans, and the indices [K] of the plans of each policy."""
    plans, numbers = [], []
    for own in of_players:
        different, where = np.unique(np.concatenate(own), axis=0, return_inverse=True)
        plans.append(different)
        ends = np.cumsum([len(part) for part in own])[:-1]
        # With an axis, NumPy 2.0 gives the inverse more than one dimension.
        numbers.append(np.split(where.reshape(-1), ends))
    return tuple(plans), numbers


def _combined(sizes: tuple[int, ...], numbers: Sequence[LongArray]) -> LongArray:
    """Return every combination of the players' plan indices as one integer, last player fastest."""
    grids = np.meshgrid(*numbers, indexing="ij")
    combined: LongArray = np.ravel_multi_index([grid.ravel() for grid in grids], sizes)
    return combined


def _products(weights: Sequence[FloatArray]) -> FloatArray:
    """Return the product of the weights of each combination, in the order of `_combined`."""
    products = np.ones(1)
    for own in weights:
        products = np.outer(products, own).ravel()
    return products
