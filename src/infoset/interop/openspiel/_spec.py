"""Reading `name(key=value,...)` as OpenSpiel would, and checking it before OpenSpiel sees it.

OpenSpiel prints to standard error before it raises, and guesses the type of a value from its
text; both are avoided by looking up the declared parameters first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

from infoset.errors import (
    MissingExtraError,
    ParameterError,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.games.spec import CALL, Source, split_list

Value: TypeAlias = Any
"""A bool, int, float, str, or for a game inside a game the dictionary that OpenSpiel takes."""


class Spec(NamedTuple):
    """A game by its name in OpenSpiel and the parameters given, of their declared types."""

    name: str
    parameters: dict[str, Value]
    game_type: Any

    def __str__(self) -> str:
        declared = self.game_type.parameter_specification
        given = {key: value for key, value in self.parameters.items() if value != declared[key]}
        return spec_text({"name": self.name, **given})


def spec_text(parameters: Mapping[str, Value]) -> str:
    """Return a game as text, from its parameters with its name among them.

    Examples
    --------
    >>> spec_text({"name": "misere", "game": {"name": "kuhn_poker", "players": 3}})
    'misere(game=kuhn_poker(players=3))'
    """
    given = ",".join(
        f"{key}={spec_text(value) if isinstance(value, dict) else value}"
        for key, value in parameters.items()
        if key != "name"
    )
    return f"{parameters['name']}({given})" if given else str(parameters["name"])


def import_pyspiel(purpose: str = "loading a game from OpenSpiel") -> Any:
    """Return OpenSpiel's module, imported at the first need; `purpose` is for the message.

    Raises
    ------
    MissingExtraError
        If OpenSpiel is not installed.
    """
    try:
        return import_module("pyspiel")
    except ImportError as error:
        raise MissingExtraError("openspiel", purpose) from error


def game_types(name: str) -> dict[str, Any]:
    """Return OpenSpiel's registered games by name, those written in Python too if need be."""
    pyspiel = import_pyspiel()
    types = {entry.short_name: entry for entry in pyspiel.registered_games()}
    if name in types:
        return types
    with suppress(Exception):  # some of them need packages of their own; then they are not known
        import_module("open_spiel.python.games")
    return {entry.short_name: entry for entry in pyspiel.registered_games()}


def read_spec(text: str) -> Spec:
    """Read `name(key=value,...)` and check names and types against OpenSpiel's own tables.

    Raises
    ------
    UnknownNameError
        If OpenSpiel has no such game, or the game no such parameter.
    ParameterError
        If the text is not of that form, or a value is not of its parameter's type.
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
    """Return the name and the parameters' text of `name(key=value,...)`.

    Values stay text: which type they are of, only OpenSpiel's tables say.
    """
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
    """Return True or False from its text in any case."""
    return {"true": True, "false": False}[text.lower()]


READERS: dict[type, tuple[str, Callable[[str], Value]]] = {
    bool: ("True or False", read_boolean),
    int: ("a whole number", int),
    float: ("a number", float),
    str: ("text", str),
}


def read_value(name: str, key: str, text: str, default: Value) -> Value:
    """Return the value that `text` stands for, of the type of the declared default."""
    if isinstance(default, dict):
        inner = read_spec(text)
        return {"name": inner.name, **inner.parameters}
    expected, read = READERS[type(default)]
    try:
        return read(text)
    except (ValueError, KeyError):
        raise ParameterError(
            f"{key}={text} is not {expected}, which {key} of OpenSpiel's {name} is; "
            f"write it like the default, {key}={default}"
        ) from None


def check_type(game_type: Any) -> None:
    """Refuse what OpenSpiel has and a factored-observation stochastic game is not.

    Raises
    ------
    UnsupportedGameError
        If nobody takes turns or moves at once (mean-field games), or actions have no ids.
    """
    dynamics = import_pyspiel().GameType.Dynamics
    if game_type.dynamics not in (dynamics.SEQUENTIAL, dynamics.SIMULTANEOUS):
        raise UnsupportedGameError(
            f"OpenSpiel's {game_type.short_name} is a mean-field game; only sequential and "
            "simultaneous games can be loaded"
        )
    if getattr(game_type, "action_structs_only", False):
        raise UnsupportedGameError(
            f"OpenSpiel's {game_type.short_name} cannot list its legal actions, so it cannot be "
            "explored"
        )
