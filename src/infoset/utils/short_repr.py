"""Short representations of objects that contain large arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from dataclasses import fields
from html import escape
from numbers import Real
from typing import Any, NamedTuple, cast

import numpy as np

from infoset.utils.text import format_count, shortened

MAX_TEXT = 60
"""Maximum number of characters of one value."""


class Facts(NamedTuple):
    """The facts that represent an object."""

    subject: str
    """What the object belongs to, such as the name of a game."""
    values: Mapping[str, object]
    """The most important facts by name."""
    hint: str = ""
    """How to go on from here."""


class ShortRepr:
    """Base of classes whose representation states a few facts, in text and in notebooks.

    A subclass overrides `_facts`. The default lists the fields of a dataclass: numbers and short
    texts as they are, arrays by type and shape, other objects by type and length. Dataclasses need
    `repr=False`, or they replace `__repr__`.
    """

    def _facts(self) -> Facts:
        shown = [field.name for field in fields(cast(Any, self)) if field.repr]
        values = {name: getattr(self, name) for name in shown}
        return Facts("", values)

    def __repr__(self) -> str:
        facts = self._facts()
        values = ", ".join(f"{name} {_value(value)}" for name, value in facts.values.items())
        head = " ".join(filter(None, (type(self).__name__, facts.subject)))
        return f"<{': '.join(filter(None, (head, values)))}{facts.hint and '; ' + facts.hint}>"

    def _repr_html_(self) -> str:
        facts = self._facts()
        head = " ".join(filter(None, (type(self).__name__, facts.subject)))
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(_value(value))}</td></tr>"
            for name, value in facts.values.items()
        )
        hint = f"<div>{escape(facts.hint)}</div>" if facts.hint else ""
        return f"<div><b>{escape(head)}</b></div><table>{rows}</table>{hint}"


def format_numbers(values: Iterable[float]) -> str:
    """Return numbers in parentheses, with four significant digits.

    Examples
    --------
    >>> format_numbers((-1 / 18, 1 / 18))
    '(-0.05556, 0.05556)'
    """
    return f"({', '.join(f'{value:.4g}' for value in values)})"


def _value(value: object) -> str:
    """Return a value as text, without the entries of arrays and long containers."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int):
        return format_count(value)
    if isinstance(value, Real):
        return f"{float(value):.4g}"
    if isinstance(value, str):
        return shortened(value, MAX_TEXT)
    return _object(value)


def _object(value: Any) -> str:
    text = repr(value) if not isinstance(value, Sized) or len(value) <= 4 else ""
    if text and len(text) <= MAX_TEXT:
        return text
    of_length = f" of {format_count(len(value))}" if isinstance(value, Sized) else ""
    return f"{type(value).__name__}{of_length}"
