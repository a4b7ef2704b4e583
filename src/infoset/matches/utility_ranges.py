"""Bounds on the utilities of a game without a tree, for the confidence intervals of matches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from infoset.game import Game
from infoset.game.answer_checks import checked_range


@runtime_checkable
class KnowsRange(Protocol):
    """A search model that may have explored its game."""

    @property
    def known_range(self) -> tuple[float, float] | None:
        """Bounds on the utilities of all players; None if they are unknown."""


def known_range(game: Game, participants: Iterable[object]) -> tuple[float, float] | None:
    """Return bounds on the utilities of all players; None if they are unknown.

    They are declared by the game, or found by a searcher that has explored it.

    Raises
    ------
    GameRuleError
        If the declared value is not a pair of bounds.
    """
    declared = checked_range(game)
    if declared is not None:
        return declared
    models = (getattr(participant, "model", None) for participant in participants)
    found = (model.known_range for model in models if isinstance(model, KnowsRange))
    return next(filter(None, found), None)
