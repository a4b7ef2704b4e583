"""Declarations and checks of game parameters, with defaults and domains."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from math import isfinite
from typing import Any

from infoset.errors import ParameterError, show
from infoset.game import Game, parameter_text

__all__ = [
    "Domain",
    "check_parameters",
    "choice",
    "flag",
    "integer",
    "integers",
    "parameter_error",
    "real",
    "reals",
]

EXACT_IN_FLOAT = 2**53


@dataclass(frozen=True)
class Domain:
    """The values that a parameter may have.

    Attributes
    ----------
    kind : type
        `int`, `float`, `bool` or `str`; `float` includes whole numbers.
    low, high : int or None
        Inclusive bounds of a number; None for no bound.
    special : int or None
        A number outside the bounds that has a special meaning.
    options : tuple[str, ...]
        The allowed values of a string.
    is_list : bool
        Whether the parameter is a nonempty tuple of such values.
    is_addition : bool
        Whether the parameter is an addition that OpenSpiel's game does not have.

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
    is_list: bool = False
    is_addition: bool = False

    def __contains__(self, value: object) -> bool:
        if self.is_list:
            return isinstance(value, tuple) and value != () and all(map(self._allows, value))
        return self._allows(value)

    def _allows(self, value: object) -> bool:
        if type(value) is not self.kind:
            return False
        if isinstance(value, str):
            return value in self.options
        if isinstance(value, bool) or not isinstance(value, int | float):
            return True
        above = self.low is None or value >= self.low
        below = self.high is None or value <= self.high
        is_number = isinstance(value, int) or isfinite(value)
        return (above and below and is_number) or value == self.special

    def normal_form(self, value: object) -> object:
        """Return a value in normal form: lists become tuples, and integers become floats if needed.

        Examples
        --------
        >>> Domain(float, is_list=True).normal_form([1, 2.5])
        (1.0, 2.5)
        """
        if isinstance(value, list | tuple):
            return tuple(map(self.normal_form, value))
        if self.kind is float and type(value) is int and abs(value) <= EXACT_IN_FLOAT:
            return float(value)
        return value

    def __str__(self) -> str:
        if self.kind is bool:
            return "True or False"
        if self.kind is str:
            return f"one of {', '.join(self.options)}"
        if self.low is not None and self.low == self.high:
            return str(self.low)
        noun = "whole number" if self.kind is int else "number"
        text = f"a list of {noun}s" if self.is_list else f"a {noun}"
        if self.low is not None:
            has_high = self.high is not None
            text += f" from {self.low} to {self.high}" if has_high else f" of at least {self.low}"
        return text if self.special is None else f"{self.special} or {text}"


def integer(
    default: int,
    *,
    low: int,
    high: int | None = None,
    special: int | None = None,
    is_addition: bool = False,
) -> Any:
    """Declare a dataclass field for a whole number with inclusive bounds."""
    domain = Domain(int, low, high, special, is_addition=is_addition)
    return field(default=default, metadata={"domain": domain})


def flag(default: bool) -> Any:
    """Declare a dataclass field for True or False."""
    return field(default=default, metadata={"domain": Domain(bool)})


def integers(*default: int, low: int, high: int | None = None) -> Any:
    """Declare a dataclass field for a list of whole numbers with inclusive bounds."""
    return field(default=default, metadata={"domain": Domain(int, low, high, is_list=True)})


def real(default: float, *, low: int | None = None) -> Any:
    """Declare a dataclass field for a number."""
    return field(default=default, metadata={"domain": Domain(float, low)})


def reals(*default: float, low: int | None = None) -> Any:
    """Declare a dataclass field for a list of numbers."""
    return field(default=default, metadata={"domain": Domain(float, low, is_list=True)})


def choice(default: str, *options: str, is_addition: bool = False) -> Any:
    """Declare a dataclass field for one of a few strings, which include the default."""
    domain = Domain(str, options=(default, *options), is_addition=is_addition)
    return field(default=default, metadata={"domain": domain})


def check_parameters(game: Game) -> None:
    """Check all declared parameters of a dataclass game and store their normal forms.

    Raises
    ------
    ParameterError
        If a value is not in the domain of its parameter.
    """
    this: Any = game
    for parameter in fields(this):
        domain = parameter.metadata.get("domain")
        if domain is None:
            continue
        value = domain.normal_form(getattr(game, parameter.name))
        if value not in domain:
            raise parameter_error(game, parameter.name, f"must be {domain}", parameter.default)
        # Games are frozen dataclasses, so their fields can be set only in this way during
        # construction.
        object.__setattr__(game, parameter.name, value)


def parameter_error(game: Game, parameter: str, rule: str, instead: object) -> ParameterError:
    """Return the error for a parameter that violates `rule`; it suggests a valid value."""
    value = getattr(game, parameter)
    return ParameterError(
        f"{game.name}: {parameter}={show(value)} is not allowed; {parameter} {rule}, "
        f"for example {game.name}({parameter}={parameter_text(instead)})"
    )
