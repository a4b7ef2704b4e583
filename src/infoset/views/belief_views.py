"""What two players may hold at a public state, as a matrix of joint probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.errors import ParameterError
from infoset.game import player_name
from infoset.typing import LongArray, Player
from infoset.utils.arguments import check_player
from infoset.views.labels import MAX_CELL_LENGTH, number_duplicates
from infoset.views.places import Place, Places

MAX_BELIEFS = 60
"""Infostates of a player in one belief matrix; more are merged into groups."""


@dataclass(frozen=True)
class BeliefView:
    """Joint probabilities of what two players hold at a public state."""

    state: int
    players: tuple[Player, Player]
    """Players of the rows and of the columns."""
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    """Labels of infostates, or of groups."""
    probability: tuple[tuple[float, ...], ...] | None
    """[rows, columns]; sums to 1. None if the policy never reaches the public state."""
    grouped: str
    """How infostates were merged if there are more than 60; empty otherwise."""


def view_beliefs(places: Places, state: int, row: Player = 0, column: Player = 1) -> BeliefView:
    """Return the joint probabilities of what two players hold at a public state.

    If a player has more than 60 infostates, neighbors in the order of the rules are merged into 60
    groups of nearly equal size, named by their first and last infostate.

    Raises
    ------
    ParameterError
        If the public state or a player does not exist, or the players are equal.
    """
    place, players = places.at(state), (row, column)
    for player in players:
        check_player(player, places.num_players, places.name)
    if row == column:
        raise ParameterError(f"row={row} and column={column}: give two different players")
    groups = [_groups(place, player) for player in players]
    table = place.joint(players, (groups[0].of, groups[1].of))
    total = float(table.sum())
    merged = " and ".join(
        f"{len(group.of):,} {places.noun} of {player_name(places.policy.form, player)} in "
        f"{len(group.labels)} groups"
        for group, player in zip(groups, players, strict=True)
        if len(group.of) > len(group.labels)
    )
    return BeliefView(
        state=state,
        players=players,
        rows=groups[0].labels,
        columns=groups[1].labels,
        probability=tuple(map(tuple, (table / total).tolist())) if total > 0 else None,
        grouped=merged,
    )


@dataclass(frozen=True)
class _Groups:
    """Groups of neighboring infostates of a player at a public state."""

    labels: tuple[str, ...]
    of: LongArray
    """[K] the group of each infostate."""


def _groups(place: Place, player: Player) -> _Groups:
    size = len(place.infostates(player))
    count = min(size, MAX_BELIEFS)
    # Infostate k is in group floor(k · count / size), so that group sizes differ by at most one;
    # group g has the infostates from bounds[g] up to bounds[g + 1].
    of = np.arange(size) * count // max(size, 1)
    bounds = np.searchsorted(of, np.arange(count + 1))
    first, last = bounds[:-1].tolist(), (bounds[1:] - 1).tolist()
    ends = [*dict.fromkeys(first + last)]
    texts = dict(zip(ends, place.labels(player, ends, MAX_CELL_LENGTH), strict=True))
    labels = [
        texts[a] if a == b else f"{texts[a]} to {texts[b]}"
        for a, b in zip(first, last, strict=True)
    ]
    return _Groups(tuple(number_duplicates(labels)), of)
