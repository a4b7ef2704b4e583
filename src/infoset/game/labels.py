"""Text of action and observation labels that gives back equal labels of the same types."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import suppress
from fractions import Fraction
from typing import Any, Final

from infoset.errors import show
from infoset.game.observation import SharedView

AS_IT_IS: Final = (str, int, bool, type(None))
"""Types that JSON has too. All others are written as a list of a name and their parts."""


class UnwritableLabelError(ValueError):
    """A value of a type that has no text, such as an instance of a class of the user."""


def label_to_json(label: Hashable) -> Any:
    """Return a label as JSON values.

    Labels are text, numbers, bytes and None, and tuples and frozen sets of labels.

    Raises
    ------
    UnwritableLabelError
        If the label, or a part of it, has another type.

    Examples
    --------
    >>> label_to_json(("bet", 2.0, None))
    ['tuple', 'bet', ['float', '0x1.0000000000000p+1'], None]
    """
    kind = type(label)
    if kind in AS_IT_IS:
        return label
    value: Any = label
    if kind is float:
        return ["float", value.hex()]
    if kind is tuple:
        return ["tuple", *map(label_to_json, value)]
    if kind is bytes:
        return ["bytes", value.hex()]
    if kind is Fraction:
        return ["Fraction", value.numerator, value.denominator]
    if kind is frozenset:
        return ["frozenset", *sorted(map(label_to_json, value), key=repr)]
    if kind is SharedView:
        return ["SharedView", *map(label_to_json, value)]
    raise UnwritableLabelError(f"{show(label)} has the type {kind.__name__}")


def label_from_json(text: Any) -> Hashable:
    """Return the label that `label_to_json` wrote.

    Raises
    ------
    ValueError
        If the values are not those of a label.
    """
    if type(text) in AS_IT_IS:
        label: Hashable = text
        return label
    match text:
        case ["tuple", *parts]:
            return tuple(map(label_from_json, parts))
        case ["float", str() as digits]:
            with suppress(OverflowError):
                return float.fromhex(digits)
        case ["bytes", str() as digits]:
            return bytes.fromhex(digits)
        case ["Fraction", int() as numerator, int() as denominator] if denominator > 0:
            return Fraction(numerator, denominator)
        case ["frozenset", *parts]:
            return frozenset(map(label_from_json, parts))
        case ["SharedView", own, groups]:
            pairs: Any = label_from_json(groups)
            return SharedView(label_from_json(own), pairs)
    raise ValueError(f"{show(text)} is not a label")
