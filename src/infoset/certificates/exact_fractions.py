"""Fractions as text, each in one spelling only."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from infoset.errors import CertificateError, show

MAX_DIGITS: Final = 4000
"""Maximum number of digits of a numerator or denominator; Python reads at most 4,300."""

SPELLING: Final = re.compile(rf"(-?[0-9]{{1,{MAX_DIGITS}}})(?:/([0-9]{{1,{MAX_DIGITS}}}))?")


def fraction_to_text(value: Fraction, place: str) -> str:
    """Return a fraction in lowest terms, such as `-1/18`.

    Raises
    ------
    CertificateError
        If the numerator or the denominator has more than 4,000 digits.
    """
    # Four bits are more than a digit, and Python refuses to write numbers that are very long.
    longest = max(abs(value.numerator), value.denominator)
    if longest.bit_length() > 3 * MAX_DIGITS:
        raise CertificateError(
            f"{place} is a fraction with more than {3 * MAX_DIGITS // 4} digits, too long for a "
            "certificate; certify a policy with shorter fractions, such as that of prove_value"
        )
    return str(value)


def fraction_from_text(text: object, place: str) -> Fraction:
    """Return the fraction that `fraction_to_text` wrote.

    Raises
    ------
    CertificateError
        If the value is not a fraction in lowest terms.
    """
    match = SPELLING.fullmatch(text) if isinstance(text, str) else None
    value = None
    # A denominator of zeros alone would raise an error of Python.
    if match is not None and (match[2] is None or match[2].strip("0")):
        value = Fraction(int(match[1]), int(match[2] or 1))
    if value is None or str(value) != text:
        raise CertificateError(
            f"{place} is {show(text)}; it must be text with a fraction in lowest terms, such as "
            f"'-1/18', of at most {MAX_DIGITS:,} digits"
        )
    return value
