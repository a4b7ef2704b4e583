"""Two policies side by side: where they differ, and what that is worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.evaluation import policy_differences
from infoset.evaluation.infostate_statuses import infostate_reach
from infoset.typing import Player
from infoset.utils.arguments import check_count
from infoset.views.places import Places, check_same_form

MAX_DIFFERENCES = 50
"""Infostates in one answer."""


@dataclass(frozen=True)
class DifferenceView:
    """An infostate where two policies differ."""

    player: Player
    infostate: int
    """Number at its public state, as in `InfostateView`; in a public form, that of the first of the
    hands that are played alike."""
    state: int
    """Its public state."""
    label: str
    """The whole infostate."""
    reach: float
    """Probability of the infostate: the mean of those under the two policies."""
    distance: float
    """Total variation distance of the two distributions of actions, from 0 to 1."""
    gain: float
    """What the first policy earns more than the second by its decisions there, if all others follow
    the second; see `policy_differences`. Gains within rounding are 0."""
    actions: tuple[str, ...]
    probabilities: tuple[tuple[float, ...], tuple[float, ...]]
    """Probabilities of the actions under each policy."""


@dataclass(frozen=True)
class DifferencesView:
    """Some of the infostates where two policies differ, largest gain or loss first."""

    start: int
    total: int
    """Position of the first infostate in this answer, and the number of all at which the policies
    differ and that one of them reaches."""
    differences: tuple[DifferenceView, ...]


def view_differences(
    first: Places, second: Places, start: int = 0, size: int = MAX_DIFFERENCES
) -> DifferencesView:
    """Return up to 50 infostates where two policies differ, largest gain or loss first.

    Those without gain or loss come last, by reach × distance.

    Raises
    ------
    PolicyMismatchError
        If the policies are for different games, or different forms of one.
    """
    check_same_form(first.policy, second.policy)
    check_count("start", start)
    check_count("size", size, minimum=1)
    found = []
    reaches = zip(infostate_reach(first.policy), infostate_reach(second.policy), strict=True)
    for player, (one, two) in enumerate(reaches):
        plex, reach = first.policy.form.treeplexes[player], (one + two) / 2
        gains = policy_differences(first.policy, second.policy, player)
        gains[np.abs(gains) <= first.policy.form.rounding] = 0.0
        distance = np.zeros(0)
        if len(reach):
            own, other = (places.policy.probabilities[player] for places in (first, second))
            # Sums over the actions of each infostate, which begin at its first sequence.
            distance = np.add.reduceat(np.abs(own - other), plex.first_sequence) / 2
        for number in np.flatnonzero((reach * distance > 0) | (gains != 0)).tolist():
            numbers = float(reach[number]), float(distance[number]), float(gains[number])
            # Ties are in the order of players and infostates.
            order = -abs(numbers[2]), -numbers[0] * numbers[1]
            found.append((order, player, number, numbers))
    shown = sorted(found)[start : start + min(size, MAX_DIFFERENCES)]
    views = tuple(_difference(first, second, *entry[1:3], *entry[3]) for entry in shown)
    return DifferencesView(start, len(found), views)


def _difference(
    first: Places,
    second: Places,
    player: Player,
    number: int,
    reach: float,
    distance: float,
    gain: float,
) -> DifferenceView:
    form = first.policy.form
    begin = int(form.treeplexes[player].first_sequence[number])
    actions = form.actions_at(player, number)
    here = slice(begin, begin + len(actions))
    place, infostate = (int(column[number]) for column in first.acting_infostates(player))
    return DifferenceView(
        player=player,
        infostate=infostate,
        state=place,
        label=form.infostate_labels(player)[number],
        reach=reach,
        distance=distance,
        gain=gain,
        actions=tuple(map(str, actions)),
        probabilities=(
            tuple(first.policy.probabilities[player][here].tolist()),
            tuple(second.policy.probabilities[player][here].tolist()),
        ),
    )
