"""Two policies against each other: exact utilities in every position."""

from __future__ import annotations

from dataclasses import dataclass

from infoset.evaluation import expected_values
from infoset.policy import TabularPolicy
from infoset.typing import Player
from infoset.views.places import check_same_form


@dataclass(frozen=True)
class PositionView:
    """The utilities if the first policy plays one position, and the second all others."""

    player: Player
    """Position of the first policy."""
    values: tuple[float, ...]
    """[N] expected utilities."""


@dataclass(frozen=True)
class MatchView:
    """An exact match of two policies."""

    positions: tuple[PositionView, ...]
    """[N]"""
    mean: float
    """Expected utility of the first policy, as a mean over the positions."""


def view_match(first: TabularPolicy, second: TabularPolicy) -> MatchView:
    """Return what a policy earns in each position against another one, without sampling.

    Raises
    ------
    PolicyMismatchError
        If the policies are for different forms.

    Examples
    --------
    >>> import infoset
    >>> kuhn = infoset.build_tree("kuhn_poker")
    >>> uniform = infoset.policy.uniform_policy(kuhn.sequence_form)
    >>> solved = infoset.solve(kuhn, "lp").policy
    >>> match = view_match(solved, uniform)
    >>> [round(place.values[place.player], 4) for place in match.positions]
    [0.0556, 0.1667]
    """
    check_same_form(first, second)
    positions = []
    for player in range(first.form.num_players):
        values = expected_values(second.replace_player(player, first))
        positions.append(PositionView(player, tuple(map(float, values))))
    own = [place.values[place.player] for place in positions]
    return MatchView(tuple(positions), sum(own) / len(own))
