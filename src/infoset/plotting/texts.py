"""Numbers and labels as the pictures write them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from infoset.game import Probability

__all__ = ["EMPTY", "count_text", "number_apart", "odds_text", "shorten", "utilities_text"]

EMPTY = "∅"
LARGEST_DENOMINATOR = 999
SMALLEST_ODDS = 0.005
ROUNDING = 1e-12


def shorten(text: str, length: int) -> str:
    """Return the text, cut to `length` characters, on one line.

    Examples
    --------
    >>> shorten("a long observation", 8)
    'a long …'
    """
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def number_apart(texts: Iterable[str]) -> list[str]:
    """Return texts that are all different: those met before get a number.

    Examples
    --------
    >>> number_apart(["heads", "tails", "heads"])
    ['heads', 'tails', 'heads #2']
    """
    seen: dict[str, int] = {}
    result = []
    for text in texts:
        seen[text] = seen.get(text, 0) + 1
        result.append(text if seen[text] == 1 else f"{text} #{seen[text]}")
    return result


def odds_text(probability: Probability) -> str:
    """Return a probability as text: a short fraction, or two digits.

    Examples
    --------
    >>> odds_text(Fraction(1, 6)), odds_text(0.3333), odds_text(1e-9), odds_text(0.9999)
    ('1/6', '0.33', '<0.01', '>0.99')
    """
    if isinstance(probability, (Fraction, int)):
        exact = Fraction(probability)
        if exact.denominator <= LARGEST_DENOMINATOR:
            return str(exact)
    value = float(probability)
    if abs(value - round(value)) < ROUNDING:
        return f"{value:.0f}"
    if value < SMALLEST_ODDS:
        return "<0.01"
    return ">0.99" if value > 1 - SMALLEST_ODDS else f"{value:.2f}"


def utilities_text(utilities: Iterable[float]) -> str:
    """Return utilities with their signs.

    Examples
    --------
    >>> utilities_text([1.0, -1.0, 0.0, 2.5])
    '+1, −1, 0, +2.5'
    """
    texts = (f"{value:+.6g}" if value else "0" for value in utilities)
    return ", ".join(texts).replace("-", "−")


def count_text(count: int, singular: str, plural: str = "") -> str:
    """Return a number of things.

    Examples
    --------
    >>> count_text(1, "history", "histories"), count_text(9212, "infostate")
    ('1 history', '9,212 infostates')
    """
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"
