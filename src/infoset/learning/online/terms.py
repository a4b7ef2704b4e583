"""What a learner is told of its task before it begins."""

from __future__ import annotations

from dataclasses import dataclass

from infoset.typing import Player

__all__ = ["Terms"]


@dataclass(frozen=True)
class Terms:
    """What a learner is told of its task before it begins.

    Attributes
    ----------
    player : Player
        Its seat.
    utility_range : tuple[float, float]
        Least and greatest utility there can be, in the game's units.
    horizon : int
        How many episodes are meant.
    seed : int
        Of its actions.
    game : str
        What the game is called.
    """

    player: Player
    utility_range: tuple[float, float]
    horizon: int
    seed: int
    game: str
