"""Games in a Python file of the user's own: `path/to/file.py:Class(parameter=value)`."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from infoset.errors import InfosetError, ParameterError, UnknownNameError
from infoset.game import Game
from infoset.games import parse_spec

__all__ = ["is_own_game", "load_own_game"]

MARK = ".py:"


def is_own_game(spec: str) -> bool:
    """Return whether the text names a game in a Python file."""
    return MARK in spec


def load_own_game(spec: str) -> Game:
    """Load a game from a Python file, which is run as `import` would.

    Parameters
    ----------
    spec : str
        The path of the file, a colon, the name of the class, and its parameters in parentheses,
        such as `cuckoo.py:Cuckoo(num_cards=5)`.

    Raises
    ------
    ParameterError
        If there is no such file, running it raises an error, or the class does not take the
        parameters.
    UnknownNameError
        If the file has no game of that name; the message names those it has.
    """
    stem, _, rest = spec.partition(MARK)
    path = Path(f"{stem}.py")
    name, parameters = parse_spec(rest)
    games = _games_of(_run(path))
    if name not in games:
        raise UnknownNameError.of(f"game of {path}", name, games)
    try:
        return games[name](**parameters)
    except InfosetError:
        raise
    except Exception as error:
        raise ParameterError(f"{name} of {path} cannot be made of {parameters}: {error}") from error


def _run(path: Path) -> ModuleType:
    found = spec_from_file_location(f"infoset_own_game_{path.stem}", path)
    if not path.is_file() or found is None or found.loader is None:
        raise ParameterError(f"there is no file {path} to load a game from")
    module = module_from_spec(found)
    sys.modules[found.name] = module  # where dataclasses look for the names in annotations
    try:
        found.loader.exec_module(module)
    except Exception as error:
        raise ParameterError(
            f"{path} cannot be run: {type(error).__name__}: {error}; run it with Python alone to "
            "see where"
        ) from error
    return module


def _games_of(module: ModuleType) -> dict[str, type[Game]]:
    """Return the classes of games that a module defines, by name."""
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, Game)
        and value.__module__ == module.__name__
    }
