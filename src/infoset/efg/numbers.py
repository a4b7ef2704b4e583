"""Numbers of .efg files, kept exact, and probabilities that sum to exactly one."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final

from infoset.errors import ParameterError
from infoset.game import Probability

__all__ = ["exact_chance", "number_text", "read_number", "to_fraction"]

LONGEST: Final = 1000
"""Characters of a number; the exact value of any probability in floating point fits."""

LARGEST_EXPONENT: Final = 400
MOST_BITS: Final = 100_000
"""Of the common denominator of some probabilities: adding them stays quick."""

SUM_TOLERANCE: Final = Fraction(1, 10**9)
SIMPLE: Final = 100_000
"""Denominators up to this are tried for probabilities in floating point."""

SAME: Final = Fraction(1, 10**14)
"""Two probabilities this close are the same but for rounding."""


@lru_cache(maxsize=10_000)
def read_number(text: str) -> Fraction | None:
    """Return a whole number, decimal or ratio exactly; None if it cannot be.

    Refused are a denominator of 0, what no float can hold, and absurd lengths.

    Examples
    --------
    >>> read_number("-0.1"), read_number("2/6"), read_number("1/0")
    (Fraction(-1, 10), Fraction(1, 3), None)
    """
    exponent = text.lower().partition("e")[2]
    if len(text) > LONGEST or len(exponent) > len("-400"):
        return None
    if exponent and abs(int(exponent)) > LARGEST_EXPONENT:
        return None
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None
    return value if abs(value) <= sys.float_info.max else None


def to_fraction(value: float | Fraction) -> Fraction:
    """Return a number as a fraction: a float as the shortest decimal that is read as the same.

    Examples
    --------
    >>> to_fraction(0.1), to_fraction(Fraction(1, 3))
    (Fraction(1, 10), Fraction(1, 3))
    """
    return Fraction(repr(float(value))) if isinstance(value, float) else Fraction(value)


def number_text(value: float | Fraction) -> str:
    """Return a number as it is written to a file: whole, or a ratio of whole numbers."""
    return str(to_fraction(value))


def exact_chance(given: Sequence[Probability]) -> tuple[Fraction, ...]:
    """Return probabilities as fractions that sum to exactly one.

    Fractions that do already are kept. Otherwise, if fractions with denominators up to 100,000
    differ by rounding alone and sum to one, it is those: three times 0.3333333333333333 becomes
    1/3. Otherwise floats are taken as their shortest decimals, and the largest is adjusted.

    Raises
    ------
    ParameterError
        If one is not from 0 to 1, or the sum is off by more than 10⁻⁹.

    Examples
    --------
    >>> exact_chance([0.5, 1 / 6, 1 / 3])
    (Fraction(1, 2), Fraction(1, 6), Fraction(1, 3))
    >>> exact_chance([Fraction("0.125"), Fraction("0.875")])
    (Fraction(1, 8), Fraction(7, 8))
    """
    exact = [to_fraction(value) for value in given]
    for value in exact:
        if not 0 <= value <= 1 + SUM_TOLERANCE:
            raise ParameterError(f"{str(value)[:30]} is no probability, which is from 0 to 1")
    excess = _exact_sum(exact) - 1
    if abs(excess) > SUM_TOLERANCE:
        texts = [str(value)[:30] for value in given[:6]] + ["..."] * (len(given) > 6)
        raise ParameterError(
            f"the probabilities {', '.join(texts)} sum to {float(1 + excess):.12g}; they sum to "
            "exactly 1, for which thirds are written 1/3"
        )
    if not excess and not any(isinstance(value, float) for value in given):
        return tuple(exact)
    simple = tuple(value.limit_denominator(SIMPLE) for value in exact)
    is_same = all(abs(new - old) <= SAME for new, old in zip(simple, exact, strict=True))
    if is_same and _exact_sum(simple) == 1:
        return simple
    exact[exact.index(max(exact))] -= excess
    return tuple(exact)


def _exact_sum(values: Sequence[Fraction]) -> Fraction:
    """Return a sum, by one common denominator: adding one by one would reduce every time."""
    common = 1
    for value in values:
        common = math.lcm(common, value.denominator)
        if common.bit_length() > MOST_BITS:
            raise ParameterError(
                f"{len(values)} probabilities have a common denominator of more than "
                f"{MOST_BITS:,} bits; give them with fewer digits"
            )
    return Fraction(sum(v.numerator * (common // v.denominator) for v in values), common)
