"""From what a user names to what the library works on."""

from __future__ import annotations

from typing import TypeAlias

from infoset.efg import ExtensiveForm, as_game
from infoset.front.own_game import is_own_game, load_own_game
from infoset.game import Game
from infoset.games import load_game
from infoset.tree import (
    ExplorationProgress,
    GameTree,
    SequenceForm,
    build_sequence_form,
    build_tree,
)
from infoset.utils.arguments import check_type

__all__ = [
    "CompiledGame",
    "FormLike",
    "GameLike",
    "find_game",
    "load",
    "to_compiled",
    "to_form",
    "to_game",
]

CompiledGame: TypeAlias = GameTree | ExtensiveForm
"""A game as arrays: unrolled from its rules, or given as a tree."""

GameLike: TypeAlias = str | Game | CompiledGame
"""A game by name, as rules, or as arrays."""

FormLike: TypeAlias = GameLike | SequenceForm
"""What can be solved and evaluated: a game, or its sequence form alone."""

OPENSPIEL = "openspiel:"
EFG = ".efg"
GIVE = 'a name such as "kuhn_poker", a Game, a GameTree or an ExtensiveForm'


def load(spec: str) -> Game | ExtensiveForm:
    """Load a game by name, with parameters in parentheses.

    Parameters
    ----------
    spec : str
        Such as `leduc_poker`, `goofspiel(num_cards=5,points_order=random)`,
        `openspiel:NAME(...)` for any game of OpenSpiel (optional extra),
        `path/to/file.py:Class(...)` for a game of your own, whose file is run, or
        `path/to/game.efg` for a file of Gambit.

    Returns
    -------
    Game or ExtensiveForm
        An extensive form where a file gives the game as a tree.

    Raises
    ------
    UnknownNameError
        If there is no such game or parameter; the message names the nearest.
    ParameterError
        If a value is of the wrong type or out of range.
    MissingExtraError
        If OpenSpiel is asked for and not installed.
    GameFileError
        If a file cannot be read; the message gives line and column.

    Examples
    --------
    >>> load("kuhn_poker(players=3)").num_players
    3
    """
    check_type("game", spec, str, GIVE)
    spec = spec.strip()
    if is_own_game(spec):
        return load_own_game(spec)
    if spec.startswith(OPENSPIEL):
        from infoset.interop import load_openspiel

        return load_openspiel(spec.removeprefix(OPENSPIEL))
    if spec.lower().endswith(EFG):
        from infoset.efg import load_efg

        return load_efg(spec)
    return load_game(spec)


def find_game(game: GameLike) -> Game | CompiledGame:
    """Return a game given as such, or by name.

    Raises
    ------
    ParameterError
        If it is neither.
    """
    check_type("game", game, (str, Game, GameTree, ExtensiveForm), GIVE)
    return load(game) if isinstance(game, str) else game


def to_game(game: GameLike) -> Game:
    """Return the rules of a game; those of an extensive form are made by `as_game`.

    Raises
    ------
    UnsupportedGameError
        If it is an extensive form that no rules lead to.
    """
    game = find_game(game)
    if isinstance(game, ExtensiveForm):
        return as_game(game)
    return game.game if isinstance(game, GameTree) else game


def to_compiled(
    game: GameLike, *, memory: int | None = None, progress: ExplorationProgress | None = None
) -> CompiledGame:
    """Return a game as arrays; one that is already so is returned as it is."""
    game = find_game(game)
    if isinstance(game, Game):
        return build_tree(game, memory=memory, progress=progress)
    return game


def to_form(
    game: FormLike, *, memory: int | None = None, progress: ExplorationProgress | None = None
) -> SequenceForm:
    """Return the sequence form of a game; one that is given as such is returned as it is.

    That of rules is made without keeping the histories, so that larger games fit.
    """
    if isinstance(game, SequenceForm):
        return game
    game = find_game(game)
    if isinstance(game, Game):
        return build_sequence_form(game, memory=memory, progress=progress)
    return game.sequence_form
