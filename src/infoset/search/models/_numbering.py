"""Numbers for the infostates of all players at the positions where a search begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from infoset.beliefs import Belief
from infoset.game import History, Infostate
from infoset.typing import Action, FloatArray, IntArray, LongArray, Player

__all__ = ["number_actions", "number_columns", "number_infostates", "reward_rows"]


def number_infostates(belief: Belief, own: Infostate) -> LongArray:
    """Return [K, N] numbers of what each player knows at the histories of rules; of `own`, 0.

    For each player they count from 0 in the order of the histories, but for `own`.
    """
    histories = cast("Sequence[History]", belief.histories)
    columns = []
    for player in range(histories[0].game.num_players):
        known: dict[Infostate, int] = {own: 0} if player == own.player else {}
        columns.append([known.setdefault(h.infostates[player], len(known)) for h in histories])
    return np.array(columns, np.int64).T


def number_columns(infostate: IntArray, player: Player, own: int) -> LongArray:
    """Return [K, N] the same from the numbers [K, N] that infostates have in a tree."""
    columns = []
    for other in range(infostate.shape[1]):
        first = [own] if other == player else []
        known = {number: count for count, number in enumerate(first)}
        column = infostate[:, other].tolist()
        columns.append([known.setdefault(number, len(known)) for number in column])
    return np.array(columns, np.int64).T


def number_actions(offered: Sequence[Sequence[Action]], legal: Sequence[Action]) -> LongArray:
    """Return [K, A] the place of each legal action in each of K offers; -1 where it is not in."""
    places = [{action: place for place, action in enumerate(offer)} for offer in offered]
    return np.array([[place.get(action, -1) for action in legal] for place in places], np.int64)


def reward_rows(belief: Belief) -> FloatArray:
    """Return [K, N] what each player was paid on the way to the histories of rules."""
    histories = cast("Sequence[History]", belief.histories)
    return np.array([history.rewards_so_far for history in histories], np.float64)
