"""OpenSpiel games by name and parameters: `name(key=value,...)`.

OpenSpiel prints to standard error before it raises an exception, and infers the type of a value
from its text. Looking up the declared parameters first avoids both problems.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple

from infoset.errors import ParameterError, UnknownNameError
from infoset.games.parameters import CALL, Source, split_list
from infoset.interop.openspiel.game import OpenSpielGame, check_type
from infoset.interop.openspiel.states import import_pyspiel
from infoset.interop.openspiel.trials import Value, first_line, spec_text, try_apart

PREFIX = "openspiel:"


class Spec(NamedTuple):
    """A game's name in OpenSpiel and its given parameters, converted to their declared types."""

    name: str
    parameters: dict[str, Value]
    game_type: Any

    def __str__(self) -> str:
        declared = self.game_type.parameter_specification
        given = {key: value for key, value in self.parameters.items() if value != declared[key]}
        return spec_text({"name": self.name, **given})


def load_openspiel(spec: str) -> OpenSpielGame:
    """Load one of OpenSpiel's sequential or simultaneous games.

    Values are parsed as the types that OpenSpiel declares; spaces around values are ignored. A game
    with parameters is first tried in another process, because some parameters and some observers
    crash OpenSpiel; this takes some tens of milliseconds.

    Parameters
    ----------
    spec
        The game's name and parameters, with or without the prefix `openspiel:`, such as
        `"kuhn_poker(players=3)"`. Games can be nested, as in `"misere(game=kuhn_poker())"`.
        OpenSpiel's Python games have names such as `"python_kuhn_poker"`.

    Raises
    ------
    MissingExtraError
        If OpenSpiel is not installed.
    UnsupportedGameError
        If the game is a mean-field game, samples chance moves instead of listing them, or hides
        information without describing what a player observes.

    Examples
    --------
    >>> game = load_openspiel("openspiel:kuhn_poker(players=3)")
    >>> game.num_players
    3
    """
    wanted = read_spec(spec.strip().removeprefix(PREFIX))
    are_safe = True
    if wanted.parameters or not wanted.game_type.default_loadable:
        are_safe = try_apart(json.dumps({"name": wanted.name, **wanted.parameters}))
    return OpenSpielGame(load_game(wanted), str(wanted), use_observers=are_safe)


def load_game(wanted: Spec) -> Any:
    """Return OpenSpiel's game object."""
    pyspiel = import_pyspiel()
    try:
        return pyspiel.load_game(wanted.name, wanted.parameters)
    except pyspiel.SpielError as error:
        raise ParameterError(f"OpenSpiel rejects {wanted.name}: {first_line(error)}") from error


def game_types(name: str) -> dict[str, Any]:
    """Return OpenSpiel's registered games by name, including its Python games if necessary."""
    pyspiel = import_pyspiel()
    types = {entry.short_name: entry for entry in pyspiel.registered_games()}
    if name in types:
        return types
    with suppress(Exception):  # some need additional packages; their games remain unknown
        import_module("open_spiel.python.games")
    return {entry.short_name: entry for entry in pyspiel.registered_games()}


def read_spec(text: str) -> Spec:
    """Parse `name(key=value,...)` and check names and types against OpenSpiel's tables.

    Raises
    ------
    UnsupportedGameError
        If the game is neither sequential nor simultaneous.
    """
    name, arguments = split_spec(text)
    types = game_types(name)
    if name not in types:
        raise UnknownNameError.of("OpenSpiel game", name, types)
    declared: Mapping[str, Value] = types[name].parameter_specification
    parameters = {}
    for key, value in arguments.items():
        if key not in declared:
            raise UnknownNameError.of(f"parameter of OpenSpiel's {name}", key, declared)
        parameters[key] = read_value(name, key, value, declared[key])
    check_type(types[name])
    return Spec(name, parameters, types[name])


def split_spec(text: str) -> tuple[str, dict[str, str]]:
    """Return the name and the parameters of `name(key=value,...)`, with values as text."""
    source, match = Source(text), CALL.fullmatch(text)
    if match is None:
        raise source.malformed("it is not a name with parameters in parentheses")
    pairs: dict[str, str] = {}
    for part in split_list(match[2] or "", source):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise source.malformed(f"{key!r} is not of the form parameter=value")
        if key in pairs:
            raise source.malformed(f"{key} is given twice")
        pairs[key] = value
    return match[1], pairs


def read_boolean(text: str) -> bool:
    """Parse True or False, ignoring case."""
    return {"true": True, "false": False}[text.lower()]


READERS: dict[type, tuple[str, Callable[[str], Value]]] = {
    bool: ("True or False", read_boolean),
    int: ("a whole number", int),
    float: ("a number", float),
    str: ("text", str),
}


def read_value(name: str, key: str, text: str, default: Value) -> Value:
    """Parse a value as the type of the declared default value."""
    if isinstance(default, dict):
        inner = read_spec(text)
        return {"name": inner.name, **inner.parameters}
    expected, read = READERS[type(default)]
    try:
        return read(text)
    except (ValueError, KeyError):
        raise ParameterError(
            f"{key}={text} is not {expected}, as OpenSpiel's {name} requires; "
            f"write it like the default, {key}={default}"
        ) from None
