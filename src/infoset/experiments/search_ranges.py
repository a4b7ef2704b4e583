"""Ranges of parameters that are searched: numbers between bounds, or a list of choices."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import exp, isfinite, log
from typing import Any, TypeAlias

from infoset.errors import ParameterError

ParameterValue: TypeAlias = int | float | str | bool

LOG_RATIO = 10.0
"""Positive bounds that differ by at least this factor are searched on a logarithmic scale."""

NAME = re.compile(r"[a-z]\w*")
WORDS = {"true": True, "false": False}


@dataclass(frozen=True)
class SearchRange:
    """A parameter, and the values that it may take."""

    name: str
    low: float = 0.0
    high: float = 0.0
    """Bounds, both included; 0 if there are choices."""
    choices: tuple[ParameterValue, ...] = ()
    """The values, if they are listed."""
    is_integer: bool = False
    """Whether the values are whole numbers."""

    @property
    def is_logarithmic(self) -> bool:
        """Whether values are compared by their ratio instead of their difference."""
        return self.low > 0 and self.high >= LOG_RATIO * self.low

    def distribution(self, optuna: Any) -> Any:
        """Return the range as a distribution of Optuna."""
        kinds = optuna.distributions
        if self.choices:
            return kinds.CategoricalDistribution(self.choices)
        if self.is_integer:
            return kinds.IntDistribution(int(self.low), int(self.high), log=self.is_logarithmic)
        return kinds.FloatDistribution(self.low, self.high, log=self.is_logarithmic)

    def neighbors(self, value: ParameterValue) -> tuple[ParameterValue, ...]:
        """Return one value below and one above, a tenth of the range away; or the other choices.

        Examples
        --------
        >>> parse_range("period=10..500").neighbors(100)
        (68, 148)
        """
        if self.choices:
            return tuple(other for other in self.choices if other != value)
        assert not isinstance(value, str)
        found = []
        for step in (-0.1, 0.1):
            if self.is_logarithmic:
                moved = exp(log(value) + step * log(self.high / self.low))
            else:
                moved = value + step * (self.high - self.low)
            if self.is_integer:
                # A tenth of a short range may round to the same whole number.
                moved = min(moved, value - 1) if step < 0 else max(moved, value + 1)
            moved = min(max(moved, self.low), self.high)
            found.append(round(moved) if self.is_integer else moved)
        return tuple(one for one in found if one != value)


def parse_range(text: str) -> SearchRange:
    """Return the range in a text such as `rate=1e-4..1`, `period=10..500` or `anytime=true,false`.

    Bounds without a point or exponent are whole numbers. If the upper bound is at least ten times
    the lower one, the scale is logarithmic.

    Examples
    --------
    >>> parse_range("rate=1e-4..1").is_logarithmic
    True
    >>> parse_range("anytime=true,false").choices
    (True, False)
    """
    name, equals, rest = (part.strip() for part in text.partition("="))
    if not equals or NAME.fullmatch(name) is None or not rest:
        raise ParameterError(
            f"{text!r} is not a range; give NAME=LOW..HIGH, such as rate=1e-4..1, or NAME=A,B,C"
        )
    if ".." not in rest:
        choices = tuple(dict.fromkeys(_value(part.strip()) for part in rest.split(",")))
        if len(choices) < 2:
            raise ParameterError(f"{text!r} has one value; give at least two, such as {name}=1,2")
        return SearchRange(name, choices=choices)
    bounds = [_value(part.strip()) for part in rest.split("..", 1)]
    if any(isinstance(bound, str | bool) or not isfinite(bound) for bound in bounds):
        raise ParameterError(f"the bounds of {text!r} are not numbers; give {name}=LOW..HIGH")
    low, high = (float(bound) for bound in bounds)
    if not low < high:
        raise ParameterError(f"the bounds of {text!r} are not increasing; give {name}=LOW..HIGH")
    is_integer = all(isinstance(bound, int) for bound in bounds)
    return SearchRange(name, low, high, is_integer=is_integer)


def _value(text: str) -> ParameterValue:
    """Return a text as a boolean, an integer, a number, or text."""
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
