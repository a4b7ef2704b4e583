"""Hands of two cards as a grid of 13 × 13 classes, as poker players draw ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from infoset.errors import ParameterError
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_player
from infoset.views.labels import RANKS, are_hands, class_text, hand_class, hands_in
from infoset.views.places import Place, Places

MAX_LABEL: Final = 30


@dataclass(frozen=True)
class HandCellView:
    """A class of hands with equal ranks: `AA`, `AKs` (one suit) or `AKo` (two suits)."""

    label: str
    num_hands: int
    """Hands of the class that the player may hold; 0 if the board excludes all of them."""
    own_reach: float
    """Mean probability that the player's own actions lead here."""
    probability: float | None
    """Probability of the class, given the public state; None if the policy never reaches it."""
    actions: tuple[float, ...]
    """[A] action probabilities: a mean over the hands, weighted by their probabilities, or by equal
    weights if the policy never reaches them. Empty where the player does not act."""


@dataclass(frozen=True)
class HandGridView:
    """The hands of a player at a public state: pairs on the diagonal, one suit above it."""

    state: int
    player: Player
    action_labels: tuple[str, ...]
    """[A] empty if the player does not act."""
    cells: tuple[tuple[HandCellView, ...], ...]
    """[13, 13] by the higher and lower rank, from aces to twos."""


def view_hand_grid(places: Places, state: int, player: Player) -> HandGridView:
    """Return what a player holds at a public state as a grid of hands.

    Raises
    ------
    ParameterError
        If the public state or the player does not exist, or the player holds anything other than
        two cards of a deck with 13 ranks and 4 suits.
    """
    place = places.at(state)
    check_player(player, places.num_players, places.name)
    positions = range(len(place.infostates(player)))
    actions = _action_labels(place, player, positions)
    policy = [place.policy(player, at) for at in positions] if actions else []
    return grid_of_hands(
        state,
        player,
        labels=place.labels(player, positions, MAX_LABEL),
        own_reach=place.own_reach(player),
        reach=place.reach(player),
        state_reach=place.probability,
        actions=actions,
        policy=np.array(policy) if actions else np.zeros((len(positions), 0)),
    )


def view_acting_hands(places: Places, state: int) -> tuple[HandGridView, ...]:
    """Return the hands of the players who act at a public state, if they hold two cards."""
    place = places.at(state)

    def holds_hands(player: Player) -> bool:
        return are_hands(place.labels(player, range(len(place.infostates(player))), MAX_LABEL))

    return tuple(view_hand_grid(places, state, one) for one in place.actors if holds_hands(one))


def _action_labels(place: Place, player: Player, positions: range) -> tuple[str, ...]:
    """Return the actions if all hands have the same; a grid shows no others."""
    found = {tuple(map(str, place.legal_actions(player, at))) for at in positions}
    return found.pop() if len(found) == 1 else ()


def grid_of_hands(
    state: int,
    player: Player,
    *,
    labels: Sequence[str],
    own_reach: FloatArray,
    reach: FloatArray,
    state_reach: float,
    actions: tuple[str, ...],
    policy: FloatArray,
) -> HandGridView:
    """Return hands as a grid.

    Parameters
    ----------
    labels
        [K] the hands.
    own_reach, reach
        [K] the range, and the probability of each hand and the public state.
    state_reach
        Probability of the public state.
    actions
        [A] empty if the player does not act.
    policy
        [K, A] the probability of each action.
    """
    members: dict[tuple[int, int], list[int]] = {}
    for number, label in enumerate(labels):
        members.setdefault(_class(state, player, label), []).append(number)
    if not members:
        _class(state, player, "nothing")

    def cell(place: tuple[int, int]) -> HandCellView:
        own = members.get(place, [])
        number = sum(hands_in(labels[at]) for at in own)
        return _cell(place, number, own_reach[own], reach[own], state_reach, policy[own])

    size = range(len(RANKS))
    cells = tuple(tuple(cell((row, column)) for column in size) for row in size)
    return HandGridView(state, player, actions, cells)


def _class(state: int, player: Player, label: str) -> tuple[int, int]:
    place = hand_class(label)
    if place is None:
        raise ParameterError(
            f"player {player} holds {label} at public state {state}; a grid shows hands of two "
            "cards, such as AhKd"
        )
    return place


def _cell(
    place: tuple[int, int],
    num_hands: int,
    own_reach: FloatArray,
    reach: FloatArray,
    state_reach: float,
    policy: FloatArray,
) -> HandCellView:
    """Return the cell of a class, given the hands of the class; see `grid_of_hands`."""
    label = class_text(place)
    if not len(reach):
        return HandCellView(label, 0, 0.0, 0.0 if state_reach > 0 else None, ())
    total = reach.sum()
    weight = reach / total if total > 0 else np.full(len(reach), 1 / len(reach))
    return HandCellView(
        label=label,
        num_hands=num_hands,
        own_reach=float(own_reach.mean()),
        probability=float(total) / state_reach if state_reach > 0 else None,
        actions=tuple((weight @ policy).tolist()),
    )
