"""Checks of what users give, made at the shell, before any work is done."""

from __future__ import annotations

from math import inf, isfinite
from numbers import Integral, Real
from os import PathLike

import numpy as np

from infoset.errors import ParameterError

__all__ = [
    "SUM_TOLERANCE",
    "check_callable",
    "check_count",
    "check_generator",
    "check_kind",
    "check_number",
    "check_path",
    "check_player",
]

SUM_TOLERANCE = 1e-9
"""How far rounding may put a sum of probabilities off 1."""


def check_kind(name: str, value: object, kind: type | tuple[type, ...], give: str) -> None:
    """Raise unless a value is of a kind; a class is of none.

    Parameters
    ----------
    name : str
        What the parameter is called.
    value : object
    kind : type or tuple[type, ...]
    give : str
        What to give instead, as words or as a call.

    Raises
    ------
    ParameterError
        If it is not.

    Examples
    --------
    >>> check_kind("game", "kuhn_poker", str, "a name")
    """
    if isinstance(value, type) or not isinstance(value, kind):
        raise ParameterError(f"{name}{_shown(value)}; give {give}")


def check_callable(name: str, value: object, give: str) -> None:
    """Raise unless a value can be called; a class is not a function.

    Raises
    ------
    ParameterError
        If it cannot.
    """
    if not callable(value) or isinstance(value, type):
        raise ParameterError(f"{name}{_shown(value)}, which cannot be called; give {give}")


def check_number(name: str, value: object, least: float = 0, of: str = "") -> None:
    """Raise unless a value is a finite number, at least `least`; true and false are none.

    With `least` −∞ any will do. `of` says what is counted, such as bytes.

    Raises
    ------
    ParameterError
        If it is not.
    """
    if (
        isinstance(value, bool)
        or not isinstance(value, Real)
        or not isfinite(value)
        or float(value) < least
    ):
        number = f"a finite number of {of}" if of else "a finite number"
        bound = f", at least {least}" if least > -inf else ""
        raise ParameterError(f"{name}={value!r} must be {number}{bound}")


def check_count(name: str, value: object, least: int = 0) -> None:
    """Raise unless a value is a whole number, at least `least`; true and false are none.

    Raises
    ------
    ParameterError
        If it is not.

    Examples
    --------
    >>> check_count("iterations", 100, least=1)
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise ParameterError(f"{name}={value!r} must be a whole number, at least {least}")


def check_generator(rng: object) -> None:
    """Raise unless a value is a random generator of numpy; a seed is none.

    Raises
    ------
    ParameterError
        If it is not.
    """
    check_kind("rng", rng, np.random.Generator, "a generator, such as np.random.default_rng(0)")


def check_path(name: str, value: object, of: str = "a file") -> None:
    """Raise unless a value is the path of something, as text or as a `Path`.

    Raises
    ------
    ParameterError
        If it is not.

    Examples
    --------
    >>> check_path("folder", "runs/first", of="a folder")
    """
    check_kind(name, value, (str, PathLike), f"the path of {of}")


def check_player(player: object, num_players: int, game: str) -> None:
    """Raise unless a value is one of the players of a game, counted from 0.

    Raises
    ------
    ParameterError
        If it is not.
    """
    is_whole = isinstance(player, Integral) and not isinstance(player, bool)
    if not (is_whole and 0 <= int(player) < num_players):  # type: ignore[call-overload]
        raise ParameterError(
            f"there is no player {player!r}; {game} has players 0 to {num_players - 1}"
        )


def _shown(value: object) -> str:
    """Return what is said of a value of the wrong kind: its type, and itself where it is short."""
    if isinstance(value, type):
        return f" is the class {value.__name__}"
    text = f"={value!r}" if isinstance(value, (str, Real, type(None))) else ""
    return f"{text[:60]} is of type {type(value).__name__}"
