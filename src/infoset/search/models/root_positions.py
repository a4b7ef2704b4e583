"""The positions from which a search starts, and the numbering of their infostates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from infoset.beliefs import Belief
from infoset.game import History, Infostate
from infoset.typing import Action, FloatArray, IntArray, LongArray, Player

__all__ = [
    "RootPositions",
    "action_indices_in",
    "number_infostates",
    "number_tree_infostates",
    "rewards_of_histories",
]


class RootPositions(NamedTuple):
    """The positions in the support of a belief, from which a search starts.

    Attributes
    ----------
    states : LongArray
        [K, L] the model's encoding of each position.
    rewards_so_far : FloatArray
        [K, N] sum of the rewards of each player.
    infostates : LongArray
        [K, N] number of each player's infostate, from 0. Different infostates of a player have
        different numbers; number 0 of the searching player is its true infostate.
    probability : FloatArray
        [K] probability under the belief. The sum is 1.
    model_noise : float
        As in `Belief`.
    """

    states: LongArray
    rewards_so_far: FloatArray
    infostates: LongArray
    probability: FloatArray
    model_noise: float = 0.0


def number_infostates(belief: Belief, own: Infostate) -> LongArray:
    """Return [K, N] the numbers of the players' infostates at the histories of a belief.

    Each player's numbers count from 0 in order of first appearance, except that `own` is 0.
    """
    histories = cast("Sequence[History]", belief.histories)
    columns = []
    for player in range(histories[0].game.num_players):
        known: dict[Infostate, int] = {own: 0} if player == own.player else {}
        columns.append([known.setdefault(h.infostates[player], len(known)) for h in histories])
    return np.array(columns, np.int64).T


def number_tree_infostates(infostate: IntArray, player: Player, own: int) -> LongArray:
    """Return the result of `number_infostates`, given the tree's infostate numbers [K, N]."""
    columns = []
    for other in range(infostate.shape[1]):
        first = [own] if other == player else []
        known = {number: count for count, number in enumerate(first)}
        column = infostate[:, other].tolist()
        columns.append([known.setdefault(number, len(known)) for number in column])
    return np.array(columns, np.int64).T


def action_indices_in(offered: Sequence[Sequence[Action]], legal: Sequence[Action]) -> LongArray:
    """Return [K, A] the index of each legal action in each of K lists; -1 if it is missing."""
    indices = [{action: index for index, action in enumerate(offer)} for offer in offered]
    return np.array([[index.get(action, -1) for action in legal] for index in indices], np.int64)


def rewards_of_histories(belief: Belief) -> FloatArray:
    """Return [K, N] the rewards so far at the histories of a belief."""
    histories = cast("Sequence[History]", belief.histories)
    return np.array([history.rewards_so_far for history in histories], np.float64)
