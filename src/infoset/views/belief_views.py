"""What players may hold at a public state: for an onlooker, and for one of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.errors import ParameterError
from infoset.game import player_name
from infoset.typing import LongArray, Player
from infoset.utils.arguments import check_player
from infoset.views.labels import MAX_CELL_LENGTH, class_text, hand_class, number_duplicates
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


MAX_ENTRIES = 12
"""Entries of a player's belief, the most probable ones."""


@dataclass(frozen=True)
class HoldingView:
    """What another player may hold."""

    label: str
    """An infostate, or a class of hands such as `AKo`."""
    probability: float


@dataclass(frozen=True)
class PlayerBeliefView:
    """What a player at a public state believes that another player holds."""

    state: int
    player: Player
    infostate: int
    other: Player
    entries: tuple[HoldingView, ...]
    """The most probable first; empty if the policy never leads to the infostate."""
    rest: float
    """Probability of what is not listed."""


def view_player_belief(
    places: Places, state: int, player: Player, infostate: int, other: Player
) -> PlayerBeliefView:
    """Return what a player believes that another holds, given its own infostate.

    Parameters
    ----------
    infostate
        Number of the player's infostate.

    Raises
    ------
    ParameterError
        If the public state or a player does not exist, the players are equal, or the infostate is
        not one of the public state.
    """
    place = places.at(state)
    _check_players(places, player, other)
    is_other = place.infostates(player) != infostate
    if is_other.all():
        raise ParameterError(
            f"infostate={infostate}: player {player} never has it at public state {state}"
        )
    every = range(len(place.infostates(other)))
    texts = place.labels(other, every, MAX_CELL_LENGTH)
    classes = [hand_class(text) for text in texts]
    texts = [class_text(one) if one else text for one, text in zip(classes, texts, strict=True)]
    groups = {text: at for at, text in enumerate(dict.fromkeys(texts))}
    of = np.array([groups[text] for text in texts])
    mass = place.joint((player, other), (is_other.astype(np.int64), of))[0]
    total = float(mass.sum())
    shares = mass / total if total > 0 else mass
    order = np.argsort(-shares, kind="stable")[:MAX_ENTRIES].tolist()
    labels = [*groups]
    entries = [HoldingView(labels[at], float(shares[at])) for at in order if shares[at] > 0]
    rest = float(np.delete(shares, order).sum())
    return PlayerBeliefView(state, player, infostate, other, tuple(entries), rest)


def _check_players(places: Places, one: Player, other: Player) -> None:
    for player in (one, other):
        check_player(player, places.num_players, places.name)
    if one == other:
        raise ParameterError(f"players {one} and {other}: give two different players")


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
    _check_players(places, row, column)
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
