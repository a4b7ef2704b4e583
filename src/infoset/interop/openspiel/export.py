"""Games of infoset for OpenSpiel's algorithms."""

from __future__ import annotations

from typing import Any

from infoset.efg import rules_of
from infoset.game import Game
from infoset.interop.openspiel._spec import import_pyspiel
from infoset.interop.openspiel.game import OpenSpielGame
from infoset.tree import GameTree, build_tree

__all__ = ["to_openspiel"]


def to_openspiel(game: Game | GameTree) -> Any:
    """Return a game as OpenSpiel's algorithms expect it, those in Python and those in C++.

    The game is compiled, so that a state is a place in its tree: quick to copy, and with the
    same infostates as here. Actions are numbered over all players; where a transition may lead
    to several world states, nature's choice is a move of its own. Players who act at once do so
    there too; `pyspiel.convert_to_turn_based` is for algorithms that take only one at a time.
    A game that was loaded from OpenSpiel goes back as it came.

    Parameters
    ----------
    game : Game or GameTree

    Returns
    -------
    pyspiel.Game

    Raises
    ------
    MissingExtraError
        If OpenSpiel is not installed.
    GameTooLargeError
        If the game does not fit in memory.
    ParameterError
        If it is no game; the message says how to make one of an extensive form or a name.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> state = to_openspiel(load_game("kuhn_poker")).new_initial_state()
    >>> state.apply_action(0)
    >>> state.information_state_string(0), state.legal_actions()
    ('0: [J]', [0, 1])
    """
    import_pyspiel("using a game in OpenSpiel")
    rules = rules_of(game)
    if isinstance(rules, OpenSpielGame):
        return rules.pyspiel_game
    from infoset.interop.openspiel._exported import ExportedGame

    return ExportedGame(game if isinstance(game, GameTree) else build_tree(game))
