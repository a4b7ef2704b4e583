"""Bounds on the utilities of a game without a tree, for the confidence intervals of matches."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Protocol, runtime_checkable

import numpy as np

from infoset.errors import GameRuleError, ParameterError
from infoset.game import Game
from infoset.typing import FloatArray


@runtime_checkable
class KnowsRange(Protocol):
    """A search model that may have explored its game."""

    @property
    def known_range(self) -> tuple[float, float] | None:
        """Bounds on the utilities of all players; None if they are unknown."""


TOLERANCE = 1e-9
"""Rounding of utilities, relative to the range."""


def known_range(game: Game, participants: Iterable[object]) -> tuple[float, float] | None:
    """Return bounds on the utilities of all players; None if they are unknown.

    They are declared by the game, or found by a searcher that has explored it.

    Raises
    ------
    ParameterError
        If the game declares something else.
    """
    declared = game.utility_range
    if declared is not None:
        low, high = declared
        if not (isfinite(low) and isfinite(high) and low <= high):
            raise ParameterError(
                f"utility_range of {game} is {declared}; return two finite numbers, the smallest "
                "and the largest utility, or None"
            )
        return float(low), float(high)
    models = (getattr(participant, "model", None) for participant in participants)
    found = (model.known_range for model in models if isinstance(model, KnowsRange))
    return next(filter(None, found), None)


def check_in_range(game: Game, utilities: FloatArray) -> None:
    """Raise if the utilities [N] of a play are outside of the range that its game declares.

    Raises
    ------
    GameRuleError
        The message has the utilities and the range.
    """
    low, high = game.utility_range or (-np.inf, np.inf)
    margin = TOLERANCE * max(abs(low), abs(high)) if game.utility_range else 0.0
    if utilities.min() < low - margin or utilities.max() > high + margin:
        raise GameRuleError(
            "utility_range has bounds on the utility of every player; correct it, or leave it out",
            found=f"a play of {game} ends with the utilities {utilities.tolist()}, but its "
            f"utility_range is {game.utility_range}",
        )
