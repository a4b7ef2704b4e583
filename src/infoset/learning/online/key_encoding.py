"""Infostates and actions as JSON, so that loading a learner never runs code from a file."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import ParameterError, show
from infoset.game import Infostate, Step
from infoset.utils.json_fields import parse_json

FRACTION = re.compile(r"-?\d+(/0*[1-9]\d*)?")


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
    """Decode the keys that `keys_to_json` wrote.

    Raises
    ------
    ValueError
        If something else was written.
    """
    return _read(parse_json(written.tobytes()))


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
    match value:
        case list():
            return tuple(map(_read, value))
        case {"player": int() as player, "steps": list() as steps}:
            return Infostate(player, tuple(_read_step(step) for step in steps))
        case {"set": list() as parts}:
            return frozenset(map(_read, parts))
        case {"fraction": str() as text} if FRACTION.fullmatch(text):
            return Fraction(text)
        case dict():
            raise ValueError(f"{show(value)} is not a part of an infostate or action")
    return value


def _read_step(step: Any) -> Step:
    if not isinstance(step, list) or len(step) != len(Step._fields):
        raise ValueError(f"{show(step)} is not a step of an infostate")
    return Step(*_read(step))
