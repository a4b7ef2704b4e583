"""Values of histories for each continuation of the opponent, for searches by rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from infoset.beliefs import HistorySet
from infoset.errors import ParameterError, UserFunctionError
from infoset.evaluation import TransformedValues
from infoset.evaluation.tree_reach import acting_histories
from infoset.typing import FloatArray, Player

ContinuationFunction: TypeAlias = Callable[[HistorySet, Player], FloatArray]


@runtime_checkable
class ContinuationValues(Protocol):
    """Values of histories at which a player acts, for the continuations of the opponent.

    A critic is one, see `infoset.deep.Critic.continuation_values`.
    """

    def continuation_values(self, histories: HistorySet, player: Player) -> FloatArray:
        """Return [K, n] the reward that `player` expects after each history.

        In column 0, both players play the blueprint afterwards; in the others, the opponent plays
        a transformation of it.
        """
        ...


class ExactContinuationValues:
    """Values from the tree of a game, mainly to compare searches.

    A history is recognized by the infostates of both players. If there are several, because their
    difference is hidden from both, the value is their mean, weighted by chance reach.
    """

    def __init__(self, values: TransformedValues) -> None:
        self.values = values
        self.blueprints = values.blueprints
        tree = values.tree
        self._histories: dict[tuple[int, ...], list[int]] = {}
        for history in acting_histories(tree).tolist():
            pair = tuple(tree.infostate[history].tolist())
            self._histories.setdefault(pair, []).append(history)

    def continuation_values(self, histories: HistorySet, player: Player) -> FloatArray:
        """Return [K, n] the expected reward after each history.

        Raises
        ------
        UnknownNameError
            If the histories are not of the game.
        """
        tree = self.values.tree
        future = self.values.against(player) - tree.rewards_so_far[:, player, None]
        numbers = [
            np.array([own.index_of(infostate) for infostate in infostates], np.int64)[place]
            for own, infostates, place in zip(
                tree.infostate_trees, histories.infostates, histories.position.T, strict=True
            )
        ]
        found = np.zeros((len(histories), future.shape[1]))
        for row, pair in enumerate(zip(*(column.tolist() for column in numbers), strict=True)):
            same = self._histories.get(pair, [])  # empty for a terminal history
            if same:
                found[row] = np.average(future[same], axis=0, weights=tree.chance_reach[same])
        return found


def checked_continuation_values(
    values: ContinuationValues | ContinuationFunction, histories: HistorySet, player: Player
) -> FloatArray:
    """Return [K, n] the values of histories, including the rewards before them.

    Raises
    ------
    UserFunctionError
        If the function raises an exception.
    """
    function = values.continuation_values if isinstance(values, ContinuationValues) else values
    try:
        answer = function(histories, player)
    except Exception as error:
        UserFunctionError.check(error, values, "the values", _place(histories, player))
        raise
    found = np.asarray(answer, np.float64)
    if found.ndim != 2 or len(found) != len(histories) or not found.shape[1]:
        raise ParameterError(
            f"the continuation values have shape {found.shape} for {len(histories)} histories; "
            f"return an array of shape [{len(histories)}, n], one column for each continuation of "
            f"the opponent ({_place(histories, player)})"
        )
    if not np.isfinite(found).all():
        raise ParameterError(
            "the continuation values have an entry that is NaN or infinite "
            f"{_place(histories, player)}; return finite numbers"
        )
    return found + histories.rewards_so_far[:, player, None]


def _place(histories: HistorySet, player: Player) -> str:
    """Return where in a search the values of histories are asked for."""
    first = [
        f"{infostates[number]} of player {owner}"
        for owner, (infostates, number) in enumerate(
            zip(histories.infostates, histories.position[0].tolist(), strict=True)
        )
    ]
    return (
        f"in a search of player {player}, for {len(histories)} histories; the first of them has "
        f"the infostates {' and '.join(first)}"
    )
