"""Infostates and actions as JSON, so that loading a learner never runs code from a file."""

from __future__ import annotations

import json
from collections.abc import Hashable
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import ParameterError
from infoset.game import Infostate, Step


def keys_to_json(keys: Hashable) -> NDArray[np.uint8]:
    """Encode keys as the bytes of a JSON text.

    Raises
    ------
    ParameterError
        If a part of a key has a type that cannot be written.

    Examples
    --------
    >>> keys_from_json(keys_to_json(("K", frozenset({1}), None)))
    ('K', frozenset({1}), None)
    """
    text = json.dumps(_written(keys), separators=(",", ":"))
    return np.frombuffer(text.encode(), np.uint8)


def keys_from_json(written: NDArray[np.uint8]) -> Any:
    """Decode the keys that `keys_to_json` wrote."""
    return _read(json.loads(written.tobytes()))


def _written(key: object) -> Any:
    """Return a key as JSON values: tuples as lists, types that JSON lacks as objects."""
    if key is None or isinstance(key, (str, bool)):
        return key
    if isinstance(key, Infostate):
        return {"player": key.player, "steps": _written(key.steps)}
    if isinstance(key, tuple):
        return [_written(part) for part in key]
    if isinstance(key, frozenset):
        return {"set": sorted((_written(part) for part in key), key=json.dumps)}
    if isinstance(key, Integral):
        return int(key)
    if isinstance(key, Fraction):
        return {"fraction": str(key)}
    if isinstance(key, Real):
        return float(key)
    raise ParameterError(
        f"{key!r}, part of an infostate or action, cannot be written to a file because it is of "
        f"type {type(key).__name__}: use strings, numbers, None, and tuples and frozensets of these"
    )


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_read, value))
    if not isinstance(value, dict):
        return value
    if "steps" in value:
        return Infostate(value["player"], tuple(Step(*_read(step)) for step in value["steps"]))
    if "set" in value:
        return frozenset(map(_read, value["set"]))
    return Fraction(value["fraction"])
