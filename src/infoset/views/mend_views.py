"""The solution of a part of a policy, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from infoset.front.mends import Mend, mend
from infoset.views.places import Places

MAX_SECONDS = 10.0
"""Time limit of a solution for each player."""


@dataclass(frozen=True)
class MendView:
    """A policy from a public state on, solved again while all the rest is fixed."""

    state: int
    policy: int | None
    """Position of the new policy among those of the page; None if it is not better."""
    name: str
    before: float | None
    after: float | None
    """Exploitability."""


def mend_from(places: Places, state: int) -> Mend:
    """Solve all decisions at and below a public state again; see `infoset.mend`.

    Raises
    ------
    ParameterError
        If the public state does not exist.
    UnsupportedGameError
        If the game is not two-player constant-sum.
    """
    places.at(state)
    part = tuple(places.infostates_from(state, player) for player in range(places.num_players))
    return mend(places.policy, part, seconds=MAX_SECONDS)
