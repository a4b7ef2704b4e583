"""What may be handed to other libraries."""

from __future__ import annotations

from infoset.efg import ExtensiveForm
from infoset.errors import ParameterError
from infoset.game import Game
from infoset.tree import GameTree

__all__ = ["rules_of"]


def rules_of(game: object) -> Game:
    """Return the rules of a game that is given as such or compiled.

    Raises
    ------
    ParameterError
        If it is something else; the message says how to make a game of it.
    """
    if isinstance(game, GameTree):
        return game.game
    if isinstance(game, Game):
        return game
    makes = "as_game(form)" if isinstance(game, ExtensiveForm) else "infoset.load(name)"
    raise ParameterError(
        f"got a value of type {type(game).__name__}, which is neither Game nor GameTree; "
        f"{makes} makes a game"
    )
