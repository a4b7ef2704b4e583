"""Types of JSON values in the headers of files, checked before anything is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import Any, Literal, get_args, get_origin

from infoset.errors import show


def typed_fields(content: Mapping[str, Any], hints: Mapping[str, Any]) -> dict[str, Any]:
    """Return JSON values by name, as values of given types; lists become tuples.

    Parameters
    ----------
    content
        May have more fields, which are left out.
    hints
        `str`, `int`, `float`, `bool`, `dict`, `Literal[...]` or `tuple[...]`, by name. A whole
        number is a `float`, too; a `bool` and NaN are not.

    Raises
    ------
    ValueError
        If a field is missing or has another type; the message names it.

    Examples
    --------
    >>> typed_fields({"hands": ["J", "Q"], "more": 1}, {"hands": tuple[str, ...]})
    {'hands': ('J', 'Q')}
    """
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
    choices = get_args(hint)
    if get_origin(hint) is Literal:
        is_valid = any(type(value) is type(one) and value == one for one in choices)
    elif get_origin(hint) is tuple and isinstance(value, list | tuple):
        parts = [choices[0]] * len(value) if choices[1:] == (...,) else choices
        if len(parts) != len(value):
            raise TypeError
        return tuple(map(_typed, value, parts))
    elif hint is float:
        is_valid = type(value) in (int, float) and _is_number(value)
    else:
        is_valid = type(value) is hint
    if not is_valid:
        raise TypeError
    return value


def _is_number(value: float) -> bool:
    """Return whether a value is a floating-point number other than NaN."""
    try:
        return not isnan(float(value))
    except OverflowError:  # a whole number beyond the largest float
        return False
