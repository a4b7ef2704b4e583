"""Strict JSON: no NaN, no infinity, and no types specific to Python."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from numbers import Integral, Real
from typing import Any, Final

import numpy as np

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
