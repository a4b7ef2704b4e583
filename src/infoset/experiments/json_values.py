"""Strict JSON: no NaN, no infinity, and no types specific to Python."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from numbers import Integral, Real
from typing import Any, Final

import numpy as np

from infoset.errors import ParameterError, show

LARGEST_PORTABLE: Final = 2**53
"""Largest integer up to which floating-point numbers represent all integers."""


def json_value(value: Any) -> Any:
    """Convert a value to JSON types: non-finite numbers to None, unknown types to text.

    Examples
    --------
    >>> json_value({"value": float("nan"), "cards": ("K", 3)})
    {'value': None, 'cards': ['K', 3]}
    """
    if value is None or isinstance(value, bool | str):  # bool is an Integral, too
        return value
    if isinstance(value, np.generic | np.ndarray):
        return json_value(value.tolist())
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): json_value(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(entry) for entry in value]
    return str(value)


def exact_json_value(value: Any, place: str) -> Any:
    """Convert a value to JSON types if it can be read back: lists for tuples, but equal numbers.

    Parameters
    ----------
    place
        What the value is, for the message.

    Raises
    ------
    ParameterError
        If the value, or a part of it, would be read back as another one.

    Examples
    --------
    >>> exact_json_value({"mean": np.float64(0.5), "runs": (1, 2)}, "the result")
    {'mean': 0.5, 'runs': [1, 2]}
    """
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, np.generic | np.ndarray):
        return exact_json_value(value.tolist(), place)
    if isinstance(value, Real) and isfinite(value) and float(value) == value:
        return float(value)
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: exact_json_value(part, f"{place}[{key!r}]") for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [exact_json_value(part, f"{place}[{n}]") for n, part in enumerate(value)]
    raise ParameterError(
        f"{place} is {show(value)}, which JSON cannot store: return text, finite numbers, None, "
        "and lists and dictionaries (with text as keys) of these"
    )


def portable_integers(value: Any) -> Any:
    """Return a JSON value with integers beyond 2**53 as text.

    Programs that read JSON numbers as floating-point numbers, as JavaScript does, would round them
    or read infinity. Files that only this library reads keep the numbers.

    Examples
    --------
    >>> portable_integers({"histories": [2**53, 2**53 + 1]})
    {'histories': [9007199254740992, '9007199254740993']}
    """
    if isinstance(value, int):
        return value if abs(value) <= LARGEST_PORTABLE else str(value)
    if isinstance(value, dict):
        return {key: portable_integers(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [portable_integers(entry) for entry in value]
    return value


def json_text(value: Any, *, indent: int | None = None) -> str:
    """Return a value as JSON text, on one line unless `indent` is given.

    Examples
    --------
    >>> json_text({"nash_conv": float("inf")})
    '{"nash_conv": null}'
    """
    return json.dumps(json_value(value), indent=indent, allow_nan=False)
