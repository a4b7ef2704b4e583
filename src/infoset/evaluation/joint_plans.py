"""Joint play as a distribution over tuples of pure plans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np

from infoset.errors import GameTooLargeError
from infoset.evaluation.joint import CCEEvaluation, checked_weights, evaluate_gradients
from infoset.policy import TabularPolicy, decompose_plan
from infoset.tree import SequenceForm
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray

__all__ = ["JointDistribution", "joint_distribution"]

MOST_ENTRIES = 10_000_000
CELLS_AT_ONCE = 10_000_000

Mixture: TypeAlias = tuple[BoolArray, FloatArray]


@dataclass(frozen=True, eq=False)
class JointDistribution:
    """Finitely many tuples of pure plans, one plan per player, each with a probability.

    Attributes
    ----------
    sequence_form : SequenceForm
        The game.
    plans : tuple[BoolArray, ...]
        Per player [K, Q], its pure plans: the sequences that each takes.
    support : IntArray
        [M, N] per tuple, the number of each player's plan; no tuple twice.
    probabilities : FloatArray
        [M] positive, of sum 1.
    """

    sequence_form: SequenceForm
    plans: tuple[BoolArray, ...]
    support: IntArray
    probabilities: FloatArray

    def evaluate(self) -> CCEEvaluation:
        """Measure the distribution, exactly: each player's best response to the others' draw."""
        form = self.sequence_form
        gradients = [np.zeros(plex.num_sequences) for plex in form.treeplexes]
        values = np.zeros(form.num_players)
        for shares, support in self._chunks():
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
                np.add.at(gradient, form.terminal_sequence[:, player], paid * (shares @ others))
                values[player] += paid @ (shares @ (others & taken[player]))
        return evaluate_gradients(form, gradients, values)

    def _chunks(self) -> Iterator[tuple[FloatArray, IntArray]]:
        """Yield the tuples in parts, so that their payoffs fit in memory."""
        size = max(1, CELLS_AT_ONCE // max(1, self.sequence_form.num_payoffs))
        for first in range(0, len(self.support), size):
            part = slice(first, first + size)
            yield self.probabilities[part], self.support[part]

    def marginal_policy(self) -> TabularPolicy:
        """Return the product of the players' marginals; see `CCEEvaluator.marginal_policy`."""
        plans: list[FloatArray] = [
            np.bincount(numbers, self.probabilities, len(own)).astype(np.float64) @ own
            for own, numbers in zip(self.plans, self.support.T, strict=True)
        ]
        return TabularPolicy.from_weights(self.sequence_form, plans)

    def draw(self, rng: np.random.Generator) -> TabularPolicy:
        """Draw a tuple for all players, as a policy; uniform where a plan says nothing."""
        numbers = self.support[rng.choice(len(self.support), p=self.probabilities)]
        plans = [own[number].astype(float) for own, number in zip(self.plans, numbers, strict=True)]
        return TabularPolicy.from_weights(self.sequence_form, plans)


def joint_distribution(
    policies: Sequence[TabularPolicy], weights: Sequence[float] | None = None
) -> JointDistribution:
    """Return joint play, of which one of some policies is drawn for all, over tuples of pure plans.

    Each player's policy becomes a mixture of few pure plans (`decompose_plan`), and the tuples of
    one policy are all combinations of those. What is played is the same.

    Parameters
    ----------
    policies, weights
        As in `evaluate_cce`.

    Raises
    ------
    ParameterError, PolicyMismatchError
        As in `evaluate_cce`.
    GameTooLargeError
        If there are more than 10,000,000 combinations.

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
    form = policies[0].sequence_form
    mixtures = [
        [decompose_plan(plex, plan) for plex, plan in zip(form.treeplexes, plans, strict=True)]
        for plans in (policy.realization_plans() for policy in policies)
    ]
    _check_size(form, mixtures)
    plans, numbers = _different_plans(
        [[pure for pure, _ in own] for own in zip(*mixtures, strict=True)]
    )
    sizes = tuple(len(own) for own in plans)
    keys, shares = [], []
    for time, (weight, mixture) in enumerate(zip(weights, mixtures, strict=True)):
        keys.append(_combined(sizes, [own[time] for own in numbers]))
        shares.append(weight * _products([own for _, own in mixture]))
    different, where = np.unique(np.concatenate(keys), return_inverse=True)
    total = np.bincount(where, np.concatenate(shares))
    support = np.stack(np.unravel_index(different[total > 0], sizes), axis=1).astype(np.int32)
    return JointDistribution(form, plans, support, total[total > 0] / total.sum())


def _check_size(form: SequenceForm, mixtures: Sequence[Sequence[Mixture]]) -> None:
    entries = sum(prod(len(shares) for _, shares in mixture) for mixture in mixtures)
    if entries > MOST_ENTRIES:
        raise GameTooLargeError(
            f"the pure plans of {len(mixtures)} policies of {form.name} combine to {entries:,} "
            f"tuples, more than {MOST_ENTRIES:,}: give fewer policies, or measure the policies "
            "themselves (evaluate_cce)",
            {"tuples": entries},
        )


def _different_plans(
    of_players: Sequence[Sequence[BoolArray]],
) -> tuple[tuple[BoolArray, ...], list[list[LongArray]]]:
    """Return each player's different plans, and per player and policy [K] which those are."""
    plans, numbers = [], []
    for own in of_players:
        different, where = np.unique(np.concatenate(own), axis=0, return_inverse=True)
        plans.append(different)
        ends = np.cumsum([len(part) for part in own])[:-1]
        numbers.append(np.split(where.reshape(-1), ends))
    return tuple(plans), numbers


def _combined(sizes: tuple[int, ...], numbers: Sequence[LongArray]) -> LongArray:
    """Return every combination of the players' numbers as one number; the last varies fastest."""
    grids = np.meshgrid(*numbers, indexing="ij")
    combined: LongArray = np.ravel_multi_index([grid.ravel() for grid in grids], sizes)
    return combined


def _products(shares: Sequence[FloatArray]) -> FloatArray:
    """Return the products of each combination of shares, in the order of `_combined`."""
    products = np.ones(1)
    for own in shares:
        products = np.outer(products, own).ravel()
    return products
