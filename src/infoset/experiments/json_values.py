"""Strict JSON: no NaN, no infinity, and no types specific to Python."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np


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


def json_text(value: Any, *, indent: int | None = None) -> str:
    """Return a value as JSON text, on one line unless `indent` is given.

    Examples
    --------
    >>> json_text({"nash_conv": float("inf")})
    '{"nash_conv": null}'
    """
    return json.dumps(json_value(value), indent=indent, allow_nan=False)
