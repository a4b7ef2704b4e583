"""The parameters of a game: each declared once, with its default and the values it allows."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from infoset.errors import ParameterError
from infoset.game import Game

__all__ = ["Domain", "check_parameters", "choice", "flag", "integer", "parameter_error"]


@dataclass(frozen=True)
class Domain:
    """The values that a parameter allows.

    Attributes
    ----------
    kind : type
        `int`, `bool` or `str`.
    low, high : int or None
        Bounds of a number, both included; None for no bound.
    special : int or None
        A number outside the bounds with a meaning of its own.
    options : tuple[str, ...]
        The words allowed, for a string.
    is_addition : bool
        Whether OpenSpiel's game of that name lacks the parameter.

    Examples
    --------
    >>> 11 in Domain(int, low=2, high=10), str(Domain(int, low=2, high=10))
    (False, 'a whole number from 2 to 10')
    """

    kind: type
    low: int | None = None
    high: int | None = None
    special: int | None = None
    options: tuple[str, ...] = ()
    is_addition: bool = False

    def __contains__(self, value: object) -> bool:
        if type(value) is not self.kind:
            return False
        if isinstance(value, str):
            return value in self.options
        if isinstance(value, bool) or not isinstance(value, int):
            return True
        above = self.low is None or value >= self.low
        below = self.high is None or value <= self.high
        return (above and below) or value == self.special

    def __str__(self) -> str:
        if self.kind is bool:
            return "True or False"
        if self.kind is str:
            return f"one of {', '.join(self.options)}"
        if self.low is not None and self.low == self.high:
            return str(self.low)
        text = "a whole number"
        if self.low is not None:
            text += f" from {self.low} " + ("up" if self.high is None else f"to {self.high}")
        return text if self.special is None else f"{self.special} or {text}"


def integer(
    default: int,
    *,
    low: int,
    high: int | None = None,
    special: int | None = None,
    is_addition: bool = False,
) -> Any:
    """Declare a dataclass field that holds a whole number, bounds included."""
    domain = Domain(int, low, high, special, is_addition=is_addition)
    return field(default=default, metadata={"domain": domain})


def flag(default: bool) -> Any:
    """Declare a dataclass field that holds True or False."""
    return field(default=default, metadata={"domain": Domain(bool)})


def choice(default: str, *options: str) -> Any:
    """Declare a dataclass field that holds one of a few words, the default among them."""
    return field(default=default, metadata={"domain": Domain(str, options=(default, *options))})


def check_parameters(game: Game) -> None:
    """Check every declared parameter of a game that is a dataclass.

    Raises
    ------
    ParameterError
        If a value is of another type than its domain, or outside it.
    """
    this: Any = game
    for parameter in fields(this):
        domain = parameter.metadata.get("domain")
        if domain is not None and getattr(game, parameter.name) not in domain:
            raise parameter_error(game, parameter.name, f"must be {domain}", parameter.default)


def parameter_error(game: Game, parameter: str, rule: str, instead: object) -> ParameterError:
    """Make the error for a parameter of `game` that breaks `rule`, with a value that would do."""
    value = getattr(game, parameter)
    return ParameterError(
        f"{game.name}: {parameter}={value!r} is not allowed; {parameter} {rule}, "
        f"for example {game.name}({parameter}={instead})"
    )
