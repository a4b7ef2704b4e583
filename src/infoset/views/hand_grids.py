"""Hands of two cards as a grid of 13 × 13 classes, as poker players draw ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from infoset.errors import ParameterError
from infoset.tree import InfostateTree
from infoset.typing import Player
from infoset.utils.arguments import check_player
from infoset.views.labels import RANKS, hand_class, private_texts
from infoset.views.policy_values import PolicyValues
from infoset.views.state_views import check_state, infostates_at

__all__ = ["HandCellView", "HandGridView", "view_hand_grid"]

MAX_LABEL: Final = 30


@dataclass(frozen=True)
class HandCellView:
    """A class of hands with equal ranks: `AA`, `AKs` (one suit) or `AKo` (two suits).

    Attributes
    ----------
    label : str
    num_hands : int
        Hands of the class that the player may hold; 0 if the board excludes all of them.
    own_reach : float
        Mean probability that the player's own actions lead here.
    probability : float or None
        Probability of the class, given the public state; None if the policy never reaches it.
    actions : tuple[float, ...]
        [A] action probabilities: a mean over the hands, weighted by their probabilities, or by
        equal weights if the policy never reaches them. Empty where the player does not act.
    """

    label: str
    num_hands: int
    own_reach: float
    probability: float | None
    actions: tuple[float, ...]


@dataclass(frozen=True)
class HandGridView:
    """The hands of a player at a public state: pairs on the diagonal, one suit above it.

    Attributes
    ----------
    state : int
    player : Player
    action_labels : tuple[str, ...]
        [A] empty if the player does not act.
    cells : tuple[tuple[HandCellView, ...], ...]
        [13, 13] by the higher and lower rank, from aces to twos.
    """

    state: int
    player: Player
    action_labels: tuple[str, ...]
    cells: tuple[tuple[HandCellView, ...], ...]


def view_hand_grid(values: PolicyValues, state: int, player: Player) -> HandGridView:
    """Return what a player holds at a public state as a grid of hands.

    Raises
    ------
    ParameterError
        If the public state or the player does not exist, or the player holds anything other than
        two cards of a deck with 13 ranks and 4 suits.
    """
    tree = values.tree
    check_state(tree, state)
    check_player(player, tree.num_players, str(tree))
    own, here = tree.infostate_trees[player], infostates_at(tree, state, player)
    labels = private_texts(own, here.tolist(), MAX_LABEL)
    places = [hand_class(label) for label in labels.values()]
    if None in places or not places:
        other = next((text for text in labels.values() if hand_class(text) is None), "nothing")
        raise ParameterError(
            f"player {player} holds {other} at public state {state}; a grid shows hands of two "
            "cards, such as AhKd"
        )
    members: dict[tuple[int, int], list[int]] = {}
    for number, place in zip(here.tolist(), places, strict=True):
        assert place is not None
        members.setdefault(place, []).append(number)
    actions = _action_labels(own, here.tolist())
    cells = tuple(
        tuple(
            _cell(values, state, player, (row, column), members.get((row, column), []), actions)
            for column in range(len(RANKS))
        )
        for row in range(len(RANKS))
    )
    return HandGridView(state, player, actions, cells)


def _action_labels(own: InfostateTree, here: list[int]) -> tuple[str, ...]:
    """Return the actions if all hands have the same; a grid shows no others."""
    found = {tuple(map(str, own.legal_actions(number))) for number in here}
    return found.pop() if len(found) == 1 else ()


def _cell(
    values: PolicyValues,
    state: int,
    player: Player,
    place: tuple[int, int],
    members: list[int],
    actions: tuple[str, ...],
) -> HandCellView:
    high, low = sorted(place)
    kind = "" if high == low else "s" if place == (high, low) else "o"
    label = f"{RANKS[high]}{RANKS[low]}{kind}"
    reached = float(values.state_reach[state])
    if not members:
        return HandCellView(label, 0, 0.0, 0.0 if reached > 0 else None, ())
    reach = values.infostate_reach[player][members]
    weight = reach / reach.sum() if reach.sum() > 0 else np.full(len(members), 1 / len(members))
    mixed: tuple[float, ...] = ()
    if actions:
        first = values.tree.infostate_trees[player].first_sequence[members]
        table = values.policy.probabilities[player][first[:, None] + np.arange(len(actions))]
        mixed = tuple((weight @ table).tolist())
    return HandCellView(
        label=label,
        num_hands=len(members),
        own_reach=float(values.own_reach[player][members].mean()),
        probability=float(reach.sum()) / reached if reached > 0 else None,
        actions=mixed,
    )
