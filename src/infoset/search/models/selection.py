"""The choice of a search model for a game."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from infoset.errors import ExplorationLimitError, ParameterError, UnsupportedGameError
from infoset.forms import Form
from infoset.game import Game
from infoset.games import LiarsDice, TrickTaking, game_of_form
from infoset.search.models.dice import DiceModel
from infoset.search.models.graph import GraphModel
from infoset.search.models.model import SearchModel
from infoset.search.models.rules import RulesModel
from infoset.search.models.tricks import TricksModel
from infoset.tree import BuildLimits, GameTree, WorldGraph, build_world_graph
from infoset.tree.counting import utility_range
from infoset.utils.arguments import check_type

MAX_WORLDS = 100_000
MAX_EXPLORED = 125_000
"""Maximum number of world states to explore; for a game with more than `MAX_WORLDS`, only the range
of utilities is stored."""

_MODELS: Final[dict[type[Game], Callable[[Any], SearchModel]]] = {
    LiarsDice: DiceModel,
    TrickTaking: TricksModel,
}
"""Registered models, by class of game."""


def register_model(game: type[Game], model: Callable[[Any], SearchModel]) -> None:
    """Register a search model for a class of games; `search_model` then uses it.

    Call this function in the module of the game class. Searchers chosen by name, matches, and
    `infoset info` then find the model wherever the game is imported.

    Parameters
    ----------
    game
        The class of the game. Subclasses are not included, because their rules may differ.
    model : Callable[[Game], SearchModel]
        Usually the class of the model. It must raise `UnsupportedGameError` for a game whose
        parameters it does not support.
    """
    if not (isinstance(game, type) and issubclass(game, Game)):
        raise ParameterError(
            f"game is {game!r}, which is not a subclass of Game; give the class of a game, such as "
            f"type(game)"
        )
    if not callable(model):
        raise ParameterError(
            f"model is {model!r}, which is not callable; give a class derived from SearchModel"
        )
    _MODELS[game] = model


def search_model(source: Game | GameTree | WorldGraph | Form) -> SearchModel:
    """Return the search model of a game, compiled if possible.

    A tree or a world graph becomes a `GraphModel`. A game becomes the model registered for its
    class, if any. Otherwise its world states are explored into a `GraphModel`; if there are more
    than 100,000, or a million transitions, a `RulesModel` is returned. A form stands for the rules
    of its game.

    Raises
    ------
    UnsupportedGameError
        If the game of a form is not known by name.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> search_model(load_game("kuhn_poker")).is_compiled
    True
    """
    give = 'a Game, such as infoset.load("kuhn_poker")'
    check_type("source", source, (Game, GameTree, WorldGraph, Form), give)
    if isinstance(source, Form):
        source = game_of_form(source)
    if not isinstance(source, Game):
        return GraphModel(source)
    registered = _registered_model(source)
    if registered is not None:
        return registered
    try:
        graph = build_world_graph(source, max_worlds=MAX_EXPLORED)
    except ExplorationLimitError:
        return RulesModel(source)
    if _is_small(graph):
        return GraphModel(graph)
    return RulesModel(source, known_range=utility_range(graph))


def search_model_type(graph: WorldGraph) -> type[SearchModel]:
    """Return the class of model that `search_model` makes for the game of a world graph.

    The graph may be incomplete.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> search_model_type(build_world_graph(load_game("kuhn_poker"))).__name__
    'GraphModel'
    """
    if _registered_model(graph.game) is not None:
        return large_model_type(graph.game)
    return GraphModel if graph.is_complete and _is_small(graph) else RulesModel


def _is_small(graph: WorldGraph) -> bool:
    """Return whether searches run on the world states and transitions of a graph."""
    limits = BuildLimits(MAX_WORLDS)
    return graph.num_worlds <= limits.max_worlds and graph.num_edges <= limits.max_transitions


def large_model_type(game: Game) -> type[SearchModel]:
    """Return the class of model for a game that is too large to visit its world states."""
    registered = _registered_model(game)
    return RulesModel if registered is None else type(registered)


def _registered_model(game: Game) -> SearchModel | None:
    """Return the registered model of a game, or None if no model supports its parameters."""
    if type(game) in _MODELS:
        with suppress(UnsupportedGameError):
            return _MODELS[type(game)](game)
    return None
