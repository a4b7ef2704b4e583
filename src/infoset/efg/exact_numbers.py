"""Exact numbers in .efg files, and probabilities that sum to exactly one."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final

from infoset.errors import ParameterError
from infoset.game import Probability

MAX_LENGTH: Final = 1000
"""Maximum length of a number in characters; enough for the exact value of any float in [0, 1]."""

MAX_EXPONENT: Final = 400
MAX_BITS: Final = 100_000
"""Maximum size in bits of the common denominator of probabilities; bounds the cost of a sum."""

SUM_TOLERANCE: Final = Fraction(1, 10**9)
MAX_DENOMINATOR: Final = 100_000
"""Maximum denominator tried for floating-point probabilities."""

MAX_INTEGER: Final = 2**31 - 1
"""Maximum integer in a ratio that all known readers accept."""

MAX_DECIMALS: Final = 40
"""Maximum number of digits after the point of a decimal that replaces a ratio."""

ROUNDING: Final = Fraction(1, 10**14)
"""Maximum difference between two probabilities that is attributed to rounding."""


@lru_cache(maxsize=10_000)
def read_number(text: str) -> Fraction | None:
    """Return the exact value of an integer, decimal or ratio; None if it is invalid.

    A denominator of 0, a value beyond the range of floats, and excessive length are invalid.

    Examples
    --------
    >>> read_number("-0.1"), read_number("2/6"), read_number("1/0")
    (Fraction(-1, 10), Fraction(1, 3), None)
    """
    # First: Python would compute all digits of a number such as 1e999999999.
    exponent = text.lower().partition("e")[2]
    if len(text) > MAX_LENGTH or len(exponent) > len("-400"):
        return None
    if exponent and abs(int(exponent)) > MAX_EXPONENT:
        return None
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None
    return value if abs(value) <= sys.float_info.max else None


def to_fraction(value: float | Fraction) -> Fraction:
    """Return a number as a fraction: a float as the shortest decimal that rounds to it.

    Examples
    --------
    >>> to_fraction(0.1), to_fraction(Fraction(1, 3))
    (Fraction(1, 10), Fraction(1, 3))
    """
    return Fraction(repr(float(value))) if isinstance(value, float) else Fraction(value)


def near_fraction(value: float, scale: float) -> Fraction:
    """Return the fraction that a rounded sum stands for.

    Parameters
    ----------
    scale
        The sum of the absolute values of the terms; the rounding error is proportional to it.

    Examples
    --------
    >>> near_fraction(1 / 6 + 1 / 6, 1 / 3), near_fraction(0.123456789, 0.2)
    (Fraction(1, 3), Fraction(123456789, 1000000000))
    """
    simple = Fraction(value).limit_denominator(MAX_DENOMINATOR)
    return (
        simple
        if abs(simple - Fraction(value)) <= ROUNDING * Fraction(scale)
        else to_fraction(value)
    )


def number_text(value: float | Fraction) -> str:
    """Return the exact text of a number in a file: an integer, a ratio or a decimal.

    Decimals replace ratios whose integers exceed 32 bits, which OpenSpiel's reader rejects.

    Examples
    --------
    >>> number_text(0.125), number_text(2.00000000001), number_text(Fraction(1, 3))
    ('1/8', '2.00000000001', '1/3')
    """
    exact = to_fraction(value)
    ratio = str(exact)
    if exact.denominator == 1 or max(abs(exact.numerator), exact.denominator) <= MAX_INTEGER:
        return ratio
    return _decimal_text(exact) or ratio


def _decimal_text(value: Fraction) -> str:
    """Return a fraction as a finite decimal; empty if it has none of moderate length."""
    for digits in range(1, MAX_DECIMALS + 1):
        scaled = value * 10**digits
        if scaled.denominator == 1:
            whole, rest = divmod(abs(scaled.numerator), 10**digits)
            return f"{'-' if value < 0 else ''}{whole}.{rest:0{digits}d}"
    return ""


def exact_chance(given: Sequence[Probability]) -> tuple[Fraction, ...]:
    """Return probabilities as fractions that sum to exactly one.

    Fractions that sum to one are returned unchanged. Other numbers are replaced by the nearest
    fractions with denominators up to 100,000 if these differ only by rounding and sum to one; for
    example, three times 0.3333333333333333 becomes three times 1/3. If they do not, floats are
    replaced by their shortest decimals, and the largest probability is adjusted.

    Raises
    ------
    ParameterError
        If a value is not in [0, 1], or the sum differs from 1 by more than 10⁻⁹.

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
            raise ParameterError(f"{str(value)[:30]} is not a probability between 0 and 1")
    excess = _exact_sum(exact) - 1
    if abs(excess) > SUM_TOLERANCE:
        texts = [str(value)[:30] for value in given[:6]] + ["..."] * (len(given) > 6)
        raise ParameterError(
            f"the probabilities {', '.join(texts)} sum to {float(1 + excess):.12g}; they must "
            "sum to exactly 1: write a third as 1/3"
        )
    if not excess and not any(isinstance(value, float) for value in given):
        return tuple(exact)
    simple = tuple(value.limit_denominator(MAX_DENOMINATOR) for value in exact)
    is_same = all(abs(new - old) <= ROUNDING for new, old in zip(simple, exact, strict=True))
    if is_same and _exact_sum(simple) == 1:
        return simple
    exact[exact.index(max(exact))] -= excess
    return tuple(exact)


def _exact_sum(values: Sequence[Fraction]) -> Fraction:
    """Return the sum over one common denominator, to avoid a reduction after each addition."""
    common = 1
    for value in values:
        common = math.lcm(common, value.denominator)
        if common.bit_length() > MAX_BITS:
            raise ParameterError(
                f"{len(values)} probabilities have a common denominator of more than "
                f"{MAX_BITS:,} bits; write them with fewer digits"
            )
    return Fraction(sum(v.numerator * (common // v.denominator) for v in values), common)
