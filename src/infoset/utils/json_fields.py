"""JSON of files: read with a limit on its size, and with types that are checked before use.

Every reader of JSON calls `parse_json`, or `read_json` for a whole file, and takes the fields that
it uses from `typed_fields`. What follows then never meets a value of another type.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from infoset.errors import show
from infoset.utils.files import read_limited
from infoset.utils.text import shortened

MAX_BYTES = 1_000_000_000
"""Maximum size of a file of JSON, unless the format has a smaller one."""

MAX_INTEGER = 2**63 - 1
"""Largest absolute value of an integer; more does not fit in an array."""


def read_json(path: Path, max_bytes: int = MAX_BYTES) -> Any:
    """Return the JSON values in a file.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is too long or not JSON, or an object has a key twice; the message is the reason.
    """
    return parse_json(read_limited(path, max_bytes))


def parse_json(text: bytes) -> Any:
    """Return the values of a JSON text in UTF-8.

    Raises
    ------
    ValueError
        If it is not JSON, or an object has a key twice; the message is the reason.
    """
    try:
        return json.loads(text.decode(), object_pairs_hook=_unique)
    except RecursionError:
        raise ValueError("its lists or objects are nested too deeply") from None
    except UnicodeDecodeError:
        raise ValueError("it is not text in UTF-8") from None
    except ValueError as error:
        raise ValueError(shortened(str(error))) from None


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON whose keys all differ; otherwise readers would disagree."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {show(key)} is given twice")
        found[key] = value
    return found


def typed_fields(content: Any, hints: Mapping[str, Any]) -> dict[str, Any]:
    """Return JSON values by name, as values of given types; lists become tuples.

    Parameters
    ----------
    content
        A JSON object. It may have more fields, which are left out.
    hints
        `str`, `int`, `float`, `bool`, `dict`, `list`, `Literal[...]`, `tuple[...]`, `Any`, or a
        union of these, by name. A whole number is a `float`, too; a `bool` and NaN are not. An
        `int` fits in 64 bits.

    Raises
    ------
    ValueError
        If a field is missing or has another type; the message names it.

    Examples
    --------
    >>> typed_fields({"hands": ["J", "Q"], "more": 1}, {"hands": tuple[str, ...]})
    {'hands': ('J', 'Q')}
    """
    if not isinstance(content, Mapping):
        raise ValueError(f"it is {show(content)}, not an object with names")
    found = {}
    for name, hint in hints.items():
        if name not in content:
            raise ValueError(f"{name} is missing")
        try:
            found[name] = _typed(content[name], hint)
        except TypeError:
            expected = hint.__name__ if isinstance(hint, type) else str(hint)
            raise ValueError(f"{name} is {show(content[name])}, not {expected}") from None
    return found


def _typed(value: Any, hint: Any) -> Any:
    """Return a JSON value as a value of a type; raise `TypeError` if it is something else."""
    choices, kind = get_args(hint), get_origin(hint)
    if kind in (Union, UnionType):
        # At most one of the choices is not `None` in the files of this library.
        rest = [choice for choice in choices if choice is not NoneType]
        return None if value is None and len(rest) < len(choices) else _typed(value, rest[0])
    if kind is Literal:
        is_valid = any(type(value) is type(one) and value == one for one in choices)
    elif kind is tuple and isinstance(value, list | tuple):
        parts = [choices[0]] * len(value) if choices[1:] == (...,) else choices
        if len(parts) != len(value):
            raise TypeError
        return tuple(map(_typed, value, parts))
    elif hint is float:
        is_valid = type(value) in (int, float) and _is_number(value)
    elif hint is int:
        is_valid = type(value) is int and abs(value) <= MAX_INTEGER
    else:
        is_valid = hint is Any or type(value) is hint
    if not is_valid:
        raise TypeError
    return value


def _is_number(value: float) -> bool:
    """Return whether a value is a floating-point number other than NaN."""
    try:
        return not isnan(float(value))
    except OverflowError:  # a whole number beyond the largest float
        return False
