"""Mixing policies, and how far two are apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoset.errors import ParameterError, PolicyMismatchError
from infoset.policy.tabular import TabularPolicy, check_policy

__all__ = ["distance", "mix"]


def mix(policies: Sequence[TabularPolicy], weights: Sequence[float]) -> TabularPolicy:
    """Return the policy that plays as if each player first drew one of the policies.

    Each player draws on its own, policy k with probability `weights[k] / sum(weights)`; by
    Kuhn's theorem the mixture of realization plans plays the same.

    Raises
    ------
    ParameterError
        If there are not as many weights as policies, or they are negative or all zero.
    PolicyMismatchError
        If the policies are for different games.
    """
    if len(policies) != len(weights) or min(weights, default=-1) < 0 or not sum(weights) > 0:
        raise ParameterError(
            f"got {len(policies)} policies and weights {list(weights)}; give one weight per "
            "policy, none negative, not all zero"
        )
    _check_same_game(policies)
    shares = np.asarray(weights, dtype=np.float64) / float(sum(weights))
    plans = [policy.realization_plans() for policy in policies]
    mixed = [
        sum(share * plan[player] for share, plan in zip(shares, plans, strict=True))
        for player in range(policies[0].sequence_form.num_players)
    ]
    return TabularPolicy.from_weights(policies[0].sequence_form, mixed)


def distance(first: TabularPolicy, second: TabularPolicy) -> float:
    """Return the largest total variation distance over all infostates of all players.

    It is between 0 (the same policy) and 1 (somewhere no action in common), and says nothing of
    how often an infostate is reached.

    Raises
    ------
    PolicyMismatchError
        If the policies are for different games.
    """
    _check_same_game([first, second])
    largest = 0.0
    for player, plex in enumerate(first.sequence_form.treeplexes):
        gap = np.abs(first.probabilities[player] - second.probabilities[player])
        if plex.num_infostates:
            largest = max(largest, float(np.add.reduceat(gap, plex.first_sequence).max()) / 2)
    return largest


def _check_same_game(policies: Sequence[TabularPolicy]) -> None:
    for policy in policies:
        check_policy(policy)
    first = policies[0].sequence_form
    for policy in policies[1:]:
        other = policy.sequence_form
        if other is not first and other.fingerprint != first.fingerprint:
            raise PolicyMismatchError(
                f"one policy is for {first.name}, another for {other.name}; both must be for the "
                "same game and parameters"
            )
