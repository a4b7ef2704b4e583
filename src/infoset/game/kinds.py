"""Equal values of different types, such as 1, True and 1.0, which count as one value."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Set
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

from infoset.errors import GameRuleError, show
from infoset.typing import World

SIMPLE = frozenset({str, int, float, bool, bytes, type(None)})
"""Types without parts; two equal values of one of these types are of the same kind."""

RULE = (
    "equal world states, equal observations and equal actions have the same type, because 1, True, "
    "1.0 and numpy.int64(1) count as one value; use one type, or labels that differ, such as "
    "strings"
)


class MixedKinds(NamedTuple):
    """Two equal values of different types, or the parts in which two equal values differ."""

    first: object
    second: object

    def __str__(self) -> str:
        return " and ".join(f"{show(value)} ({type(value).__name__})" for value in self)


def find_mixed_kinds(first: Any, second: Any) -> MixedKinds | None:
    """Return where two equal values differ in type, at any depth; None if they do not.

    Examples
    --------
    >>> print(find_mixed_kinds(("bet", 1), ("bet", True)))
    1 (int) and True (bool)
    >>> find_mixed_kinds(("bet", 1), ("bet", 1))
    """
    if first is second:
        return None
    kind = type(first)
    if kind is not type(second):
        # A class may count values as equal whose parts are not.
        return MixedKinds(first, second) if first == second else None
    if kind in SIMPLE:
        return None
    if isinstance(first, tuple):
        for one, other in zip(first, second, strict=False):
            if one is not other and (found := find_mixed_kinds(one, other)) is not None:
                return found
        return None
    if isinstance(first, Mapping):
        keys = {key: key for key in second}
        return _first_mixed(
            pair
            for key, value in first.items()
            if key in keys
            for pair in ((key, keys[key]), (value, second[key]))
        )
    if isinstance(first, Set):
        same = {value: value for value in second}
        return _first_mixed((value, same[value]) for value in first if value in same)
    if is_dataclass(kind):
        names = [field.name for field in fields(kind) if field.compare]
        return _first_mixed((getattr(first, name), getattr(second, name)) for name in names)
    return None


def is_text_only(value: Hashable) -> bool:
    """Return whether a value is text or None, or a tuple of such values.

    Everything that equals it is of the same kind, apart from subclasses of text and tuples.
    """
    if type(value) is tuple:
        return all(map(is_text_only, value))
    return value is None or type(value) is str


def _first_mixed(pairs: Iterable[tuple[Any, Any]]) -> MixedKinds | None:
    """Return the first mixture among pairs of parts."""
    mixtures = (find_mixed_kinds(first, second) for first, second in pairs)
    return next((mixed for mixed in mixtures if mixed is not None), None)


def mixed_kinds_error(what: str, value: object, mixed: MixedKinds, world: World) -> GameRuleError:
    """Return the error for a value that equals an earlier one of another type."""
    return GameRuleError(
        RULE,
        found=f"{what} {show(value)} equals an earlier one of another type: {mixed}",
        world=world,
    )


class KindTable:
    """The values seen so far, to compare each new one with an equal one."""

    def __init__(self) -> None:
        self.first: dict[Hashable, Hashable] = {}

    def check(self, what: str, value: Hashable, world: World) -> None:
        """Raise if an equal value of another type was seen before; `what` is a noun for it."""
        before = self.first.setdefault(value, value)
        mixed = find_mixed_kinds(before, value)
        if mixed is not None:
            raise mixed_kinds_error(what, value, mixed, world)
