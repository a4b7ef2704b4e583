"""A part of a policy that is solved again, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from infoset.errors import UnsupportedGameError
from infoset.front.mends import Mend, mend_infostates
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
    form = places.policy.form
    if not form.is_two_player_constant_sum:
        raise UnsupportedGameError(f"{places.name} is not a two-player constant-sum game")
    first, second = (places.infostates_from(state, player) for player in range(2))
    return mend_infostates(places.policy, (first, second), seconds=MAX_SECONDS)
