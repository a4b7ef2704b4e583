"""Checks of arguments, which run once, where a user's call enters the library."""

from __future__ import annotations

import os
from collections.abc import Iterable
from errno import EILSEQ, EINVAL, ELOOP, ENAMETOOLONG
from math import inf, isfinite
from numbers import Integral, Real
from os import PathLike
from typing import cast

import numpy as np

from infoset.errors import ParameterError, UnknownNameError, show

SUM_TOLERANCE = 1e-9
"""Tolerance for a sum of probabilities that should be 1."""

MAX_SHOWN = 60
"""Maximum number of characters of a wrong value that a message shows."""


def check_type(
    name: str, value: object, expected: type | tuple[type, ...], instruction: str
) -> None:
    """Raise unless a value is an instance of a type. Classes themselves are rejected.

    Parameters
    ----------
    name
        The name of the parameter.
    instruction
        What to pass instead, in words or as a call; the message puts "give" before it.

    Raises
    ------
    ParameterError
        If the value fails the check.

    Examples
    --------
    >>> check_type("game", "kuhn_poker", str, "a name")
    """
    if isinstance(value, type) or not isinstance(value, expected):
        raise ParameterError(f"{name}{_described(value)}; give {instruction}")


def check_callable(name: str, value: object, instruction: str) -> None:
    """Raise unless a value is callable. Classes are rejected."""
    if not callable(value) or isinstance(value, type):
        raise ParameterError(
            f"{name}{_described(value)}, which is not callable; give {instruction}"
        )


def check_number(name: str, value: object, minimum: float = 0, maximum: float = inf) -> None:
    """Raise unless a value is a finite number from `minimum` to `maximum`. Booleans are rejected.

    Raises
    ------
    ParameterError
        If the value fails the check.

    Examples
    --------
    >>> check_number("exploration", 0.5, maximum=1)
    """
    if (
        isinstance(value, bool)
        or not isinstance(value, Real)
        or not _is_finite(value)
        or not minimum <= float(value) <= maximum
    ):
        bounds = f", at least {minimum}" if minimum > -inf else ""
        if maximum < inf:
            bounds = f" from {minimum} to {maximum}"
        raise ParameterError(f"{name}={show(value)} must be a finite number{bounds}")


def _is_finite(value: Real) -> bool:
    """Return whether a number is finite as a `float`."""
    try:
        return isfinite(value)
    except OverflowError:  # a whole number or fraction beyond the largest float
        return False


def check_count(name: str, value: object, minimum: int = 0) -> None:
    """Raise unless a value is a whole number, at least `minimum`. Booleans are rejected.

    Raises
    ------
    ParameterError
        If the value fails the check.

    Examples
    --------
    >>> check_count("iterations", 100, minimum=1)
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < minimum:
        raise ParameterError(f"{name}={show(value)} must be a whole number, at least {minimum}")


def check_choice(kind: str, value: object, choices: Iterable[str]) -> None:
    """Raise unless a value is one of a few names.

    Examples
    --------
    >>> check_choice("precision", "float32", ("float32", "float64"))
    """
    choices = tuple(choices)
    if value not in choices:
        raise UnknownNameError.of(kind, value, choices)


def check_generator(rng: object) -> None:
    """Raise unless a value is a NumPy random generator. Seeds are rejected.

    Raises
    ------
    ParameterError
        If the value fails the check.
    """
    check_type("rng", rng, np.random.Generator, "a generator, such as np.random.default_rng(0)")


def check_path(name: str, value: object) -> None:
    """Raise unless a value is a path that the system accepts: text or a `Path`.

    Raises
    ------
    ParameterError
        If the value is of another type, or is too long or has characters that no path has.

    Examples
    --------
    >>> check_path("folder", "runs/first")
    """
    check_type(name, value, (str, PathLike), "a path, as text or pathlib.Path")
    reason = path_problem(cast(str, value))
    if reason is not None:
        shown = ascii(os.fspath(cast(str, value)))
        raise ParameterError(
            f"{name}={shown[:MAX_SHOWN]} is not a path that this system accepts ({reason}); give "
            "another path"
        )


def path_problem(path: str | PathLike[str]) -> str | None:
    """Return why the system cannot accept a path; None for paths of existing and missing files.

    Names with bytes that are not UTF-8 are refused on all systems: Parquet and terminals cannot
    write them.
    """
    try:
        str(os.fspath(path)).encode()
        os.stat(path)
    except UnicodeEncodeError:
        return "it has characters that cannot be encoded"
    except ValueError as error:
        return str(error)
    except OSError as error:
        if error.errno in (ENAMETOOLONG, EILSEQ, EINVAL, ELOOP):
            return error.strerror
    return None


def check_player(player: object, num_players: int, game: object) -> None:
    """Raise unless a value is a player of a game, counted from 0; the message prints the game.

    Raises
    ------
    ParameterError
        If the value fails the check.
    """
    is_whole = isinstance(player, Integral) and not isinstance(player, bool)
    if not (is_whole and 0 <= int(player) < num_players):  # type: ignore[call-overload]
        raise ParameterError(
            f"there is no player {show(player)}; {game} has players 0 to {num_players - 1}"
        )


def _described(value: object) -> str:
    """Describe, for an error message, a value of the wrong type: its type and shortened text."""
    if isinstance(value, type):
        return f" is the class {value.__name__}"
    text = f"={show(value)}" if isinstance(value, (str, Real, type(None))) else ""
    return f"{text[:MAX_SHOWN]} is of type {type(value).__name__}"
