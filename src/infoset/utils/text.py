"""Numbers and labels as text."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from math import log10
from typing import TypeVar

MAX_SHOWN = 200
"""Maximum number of characters of an input that a message shows."""

MAX_SHOWN_COUNT = 10**21
"""Smallest count that is shown in scientific notation."""

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that reverse the direction of text; not line breaks and tabs."""

Label = TypeVar("Label", bound=Hashable)


def format_bytes(num_bytes: int) -> str:
    """Return an amount of memory as text: `874 bytes`, `5.7 kB`, `12.3 GB`."""
    for power, unit in enumerate(("bytes", "kB", "MB", "GB")):
        if num_bytes < 1000 ** (power + 1):
            return f"{num_bytes / 1000**power:.{min(power, 1)}f} {unit}"
    is_large = num_bytes >= 10**14
    return f"{format_count(num_bytes // 10**12) if is_large else f'{num_bytes / 10**12:.1f}'} TB"


def format_count(count: int) -> str:
    """Return a whole number as text: with commas, or with an exponent if it is very large.

    Examples
    --------
    >>> format_count(9451), format_count(2 * 3**20_000)
    ('9,451', '5.32e+9542')
    """
    if abs(count) < MAX_SHOWN_COUNT:
        return f"{count:,}"
    # Python refuses to write more than 4,300 digits, but has the logarithm of any number.
    exponent, fraction = divmod(log10(abs(count)), 1)
    return f"{'-' if count < 0 else ''}{10**fraction:.2f}e+{exponent:.0f}"


def distinct_labels(labels: Sequence[Label]) -> tuple[Label | str, ...]:
    """Return the labels made unique; a repeated label gets a number.

    Examples
    --------
    >>> distinct_labels(("up", "down", "up"))
    ('up', 'down', 'up #2')
    """
    result: dict[Label | str, None] = {}
    counts: dict[Label, int] = {}
    for label in labels:
        changed: Label | str = label
        while changed in result:
            counts[label] = counts.get(label, 1) + 1
            changed = f"{label} #{counts[label]}"
        result[changed] = None
    return tuple(result)


def printable(text: str) -> str:
    r"""Return a text in which control characters are written as escapes.

    A terminal would obey them: names and labels of a foreign file could otherwise clear the screen,
    or print a line over another. Line breaks and tabs remain.

    Examples
    --------
    >>> printable("a title with \x1b[2J")
    'a title with \\x1b[2J'
    """
    if not CONTROL.search(text):
        return text
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def printable_line(text: str) -> str:
    r"""Return a text as one line, in which line breaks are written as `\n`; see `printable`."""
    return printable(text).replace("\n", "\\n")


def one_line(text: str) -> str:
    """Return a text whose lines are joined by spaces."""
    return " ".join(text.splitlines())


def shortened(text: str, limit: int = MAX_SHOWN) -> str:
    """Return a text for a message: as it is, or its beginning and its length if it is long.

    Examples
    --------
    >>> shortened("x" * 2_000_000, limit=5)
    'xxxxx... (2000000 characters)'
    """
    return text if len(text) <= limit else f"{text[:limit]}... ({len(text)} characters)"
