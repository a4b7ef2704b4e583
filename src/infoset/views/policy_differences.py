"""Two policies side by side: where they differ, weighted by how often play gets there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.errors import PolicyMismatchError
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_count
from infoset.views.policy_values import PolicyValues

__all__ = ["DifferenceView", "DifferencesView", "view_differences"]

MAX_DIFFERENCES = 50
"""Infostates in one answer."""


@dataclass(frozen=True)
class DifferenceView:
    """An infostate where two policies differ.

    Attributes
    ----------
    player : Player
    infostate : int
        Number in the player's infostate tree.
    state : int
        Its public state.
    label : str
        The whole infostate.
    reach : float
        Probability of the infostate: the mean of those under the two policies.
    distance : float
        Total variation distance of the two distributions of actions, from 0 to 1.
    actions : tuple[str, ...]
    probabilities : tuple[tuple[float, ...], tuple[float, ...]]
        Probabilities of the actions under each policy.
    """

    player: Player
    infostate: int
    state: int
    label: str
    reach: float
    distance: float
    actions: tuple[str, ...]
    probabilities: tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True)
class DifferencesView:
    """Some of the infostates where two policies differ, largest reach × distance first.

    Attributes
    ----------
    start, total : int
        Position of the first infostate in this answer, and the number of all at which the policies
        differ and that one of them reaches.
    differences : tuple[DifferenceView, ...]
    """

    start: int
    total: int
    differences: tuple[DifferenceView, ...]


def view_differences(
    first: PolicyValues, second: PolicyValues, start: int = 0, size: int = MAX_DIFFERENCES
) -> DifferencesView:
    """Return up to 50 infostates where two policies differ, largest reach × distance first.

    Raises
    ------
    PolicyMismatchError
        If the policies are for different trees.
    ParameterError
        If `start` or `size` is not a whole number in its range.
    """
    if first.tree is not second.tree:
        raise PolicyMismatchError(
            f"the policies are for {first.tree} and {second.tree}; give two for the same tree"
        )
    check_count("start", start)
    check_count("size", size, minimum=1)
    places = []
    for player in range(first.tree.num_players):
        acting = first.tree.infostate_trees[player].acting
        reach = (first.infostate_reach[player] + second.infostate_reach[player])[acting] / 2
        distance = _distances(first, second, player)
        for place in np.flatnonzero(reach * distance > 0).tolist():
            weight = float(reach[place] * distance[place])
            places.append((-weight, player, int(acting[place]), reach[place], distance[place]))
    shown = sorted(places)[start : start + min(size, MAX_DIFFERENCES)]
    views = tuple(
        _difference(first, second, player, infostate, float(reach), float(distance))
        for _, player, infostate, reach, distance in shown
    )
    return DifferencesView(start, len(places), views)


def _distances(first: PolicyValues, second: PolicyValues, player: Player) -> FloatArray:
    """Return [I] the total variation distances at a player's acting infostates."""
    own = first.tree.infostate_trees[player]
    if not own.num_acting:
        return np.zeros(0)
    change = np.abs(first.policy.probabilities[player] - second.policy.probabilities[player])
    total: FloatArray = np.add.reduceat(change, own.first_sequence[own.acting]) / 2
    return total


def _difference(
    first: PolicyValues,
    second: PolicyValues,
    player: Player,
    infostate: int,
    reach: float,
    distance: float,
) -> DifferenceView:
    own = first.tree.infostate_trees[player]
    begin = int(own.first_sequence[infostate])
    here = slice(begin, begin + int(own.num_actions[infostate]))
    return DifferenceView(
        player=player,
        infostate=infostate,
        state=int(own.public_state[infostate]),
        label=own.label(infostate),
        reach=reach,
        distance=distance,
        actions=tuple(map(str, own.legal_actions(infostate))),
        probabilities=(
            tuple(first.policy.probabilities[player][here].tolist()),
            tuple(second.policy.probabilities[player][here].tolist()),
        ),
    )
