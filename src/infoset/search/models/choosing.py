"""Which model a game is searched with."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from infoset.errors import ExplorationLimitError, ParameterError, UnsupportedGameError
from infoset.game import Game
from infoset.games import LiarsDice, TrickTaking
from infoset.search.models.dice import DiceModel
from infoset.search.models.graph import GraphModel
from infoset.search.models.model import SearchModel
from infoset.search.models.rules import RulesModel
from infoset.search.models.tricks import TricksModel
from infoset.tree import GameTree, WorldGraph, build_world_graph
from infoset.utils.arguments import check_type

__all__ = ["register_model", "search_model", "search_model_type"]

MAX_WORLDS = 100_000
MAX_SECONDS = 10.0

_MODELS: Final[dict[type[Game], Callable[[Any], SearchModel]]] = {
    LiarsDice: DiceModel,
    TrickTaking: TricksModel,
}
"""Games that have a model of their own, most sizes at least."""


def register_model(game: type[Game], model: Callable[[Any], SearchModel]) -> None:
    """Have games of a class searched with a model of their own, whoever asks `search_model`.

    Put it beside the class, so that it is known wherever the game is: to searchers by name,
    matches, and `infoset info`.

    Parameters
    ----------
    game : type[Game]
        The class itself; those derived from it may have other rules, and are not meant.
    model : Callable[[Game], SearchModel]
        Such as the class of the model; it raises `UnsupportedGameError` for a size of the game
        that it is not for.

    Raises
    ------
    ParameterError
        If the one is no class of games, or the other cannot be called.
    """
    if not (isinstance(game, type) and issubclass(game, Game)):
        raise ParameterError(f"game is {game!r}; give the class of a game, such as type(game)")
    if not callable(model):
        raise ParameterError(f"model is {model!r}; give a class derived from SearchModel")
    _MODELS[game] = model


def search_model(source: Game | GameTree | WorldGraph) -> SearchModel:
    """Return a game as searches read it: compiled where it can be.

    A tree or world graph is searched as it is. Of a game, a model of its own is taken where there
    is one; otherwise its world states are explored, and if they are more than 100,000, or take
    more than ten seconds, its rules are asked as the search goes.

    Parameters
    ----------
    source : Game, GameTree or WorldGraph

    Examples
    --------
    >>> from infoset.games import load_game
    >>> search_model(load_game("kuhn_poker")).is_compiled
    True
    """
    check_type(
        "source", source, (Game, GameTree, WorldGraph), 'a Game, such as infoset.load("kuhn_poker")'
    )
    if not isinstance(source, Game):
        return GraphModel(source)
    own = _own_model(source)
    if own is not None:
        return own
    try:
        return GraphModel(build_world_graph(source, max_worlds=MAX_WORLDS, max_seconds=MAX_SECONDS))
    except ExplorationLimitError:
        return RulesModel(source)


def search_model_type(graph: WorldGraph) -> type[SearchModel]:
    """Return what `search_model` makes of the game of a graph, which need not be complete.

    Where exploring it takes more than ten seconds, the rules are asked all the same.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> search_model_type(build_world_graph(load_game("kuhn_poker"))).__name__
    'GraphModel'
    """
    own = _own_model(graph.game)
    if own is not None:
        return type(own)
    is_small = graph.is_complete and graph.num_worlds <= MAX_WORLDS
    return GraphModel if is_small else RulesModel


def _own_model(game: Game) -> SearchModel | None:
    """Return the model that is written for a game; None where there is none for its size."""
    if type(game) in _MODELS:
        with suppress(UnsupportedGameError):
            return _MODELS[type(game)](game)
    return None
