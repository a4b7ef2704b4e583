"""From what a user names to what the library works on."""

from __future__ import annotations

from typing import TypeAlias

from infoset.front.own_game import is_own_game, load_own_game
from infoset.game import Game
from infoset.games import load_game
from infoset.tree import ExplorationProgress, GameTree, build_tree

__all__ = ["GameLike", "load", "to_game", "to_tree"]

GameLike: TypeAlias = str | Game | GameTree
"""A game by name, as rules, or compiled."""

OPENSPIEL = "openspiel:"


def load(spec: str) -> Game:
    """Load a game by name, with parameters in parentheses.

    Parameters
    ----------
    spec : str
        Such as `leduc_poker`, `goofspiel(num_cards=5,points_order=random)`,
        `openspiel:NAME(...)` for any game of OpenSpiel (optional extra), or
        `path/to/file.py:Class(...)` for a game of your own, whose file is run.

    Raises
    ------
    UnknownNameError
        If there is no such game or parameter; the message names the nearest.
    ParameterError
        If a value is of the wrong type or out of range.
    MissingExtraError
        If OpenSpiel is asked for and not installed.

    Examples
    --------
    >>> load("kuhn_poker(players=3)").num_players
    3
    """
    spec = spec.strip()
    if is_own_game(spec):
        return load_own_game(spec)
    if spec.startswith(OPENSPIEL):
        from infoset.interop import load_openspiel

        return load_openspiel(spec.removeprefix(OPENSPIEL))
    return load_game(spec)


def to_game(game: GameLike) -> Game:
    """Return the rules of a game."""
    if isinstance(game, str):
        return load(game)
    return game.game if isinstance(game, GameTree) else game


def to_tree(
    game: GameLike, *, memory: int | None = None, progress: ExplorationProgress | None = None
) -> GameTree:
    """Return a game compiled; one that is already is returned as it is."""
    if isinstance(game, GameTree):
        return game
    return build_tree(to_game(game), memory=memory, progress=progress)
