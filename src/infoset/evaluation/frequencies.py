"""Proportional changes of the policy at a decision to given action frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from infoset.typing import FloatArray

ROUNDING: Final = 1e-12
"""Largest difference from given frequencies that counts as rounding."""
MAX_FITTING_STEPS: Final = 10_000


def fit_frequencies(
    played: FloatArray, weights: FloatArray, groups: Sequence[Sequence[int]], goal: FloatArray
) -> FloatArray | None:
    """Change a policy in proportion, so that groups of actions have given frequencies.

    With one factor f for each group g(a), return [actions, hands]

        σ'(h, a) = f_g(a) σ(h, a) / Σ_a' f_g(a') σ(h, a').

    Hands that play only actions of frequency 0 play the other actions as the average hand does: the
    limit of mixing a little of the average policy into all hands first. Source: iterative
    proportional fitting (Deming and Stephan 1940).

    Parameters
    ----------
    played
        [actions, hands] the policy.
    weights
        [hands] the probability of each hand; they sum to 1.
    groups
        The numbers of the actions in each group; every action is in exactly one group.
    goal
        [groups] the frequencies, which sum to 1.

    Returns
    -------
    array or None
        None if no such factors exist, because too few hands play the actions in a group.

    Examples
    --------
    >>> policy = np.array([[1.0, 0.5], [0.0, 0.5]])
    >>> fit_frequencies(policy, np.array([0.5, 0.5]), [[0], [1]], np.array([0.6, 0.4]))
    array([[1. , 0.2],
           [0. , 0.8]])
    """
    goal = np.where(goal > ROUNDING, goal, 0.0)
    group = np.empty(len(played), np.int64)
    for number, members in enumerate(groups):
        group[list(members)] = number
    played = np.where((goal > 0)[group][:, None], played, 0.0)
    total = played.sum(axis=0)
    if not total.all():
        average = played @ weights
        played[:, total == 0] = average[:, None]
        total = played.sum(axis=0)
    for _ in range(MAX_FITTING_STEPS):
        if not np.all(total > 0):
            return None
        played = played / total
        found = np.bincount(group, played @ weights, len(goal))
        if np.abs(found - goal).max() <= ROUNDING:
            return played
        if np.any((found == 0) & (goal > 0)) or not np.isfinite(found).all():
            return None
        played *= np.divide(goal, found, out=np.zeros(len(goal)), where=found > 0)[group][:, None]
        total = played.sum(axis=0)
    return None


def reachable_frequencies(
    played: FloatArray, weights: FloatArray, members: Sequence[int]
) -> tuple[float, float]:
    """Return the minimum and maximum frequency of a group of actions in `fit_frequencies`.

    Hands that always or never play these actions continue to do so.
    """
    share = played[list(members)].sum(axis=0)
    others = np.delete(played, list(members), axis=0).sum(axis=0)
    return float(weights[others == 0].sum()), float(weights[share > 0].sum())
