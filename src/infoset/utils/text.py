"""Numbers and labels as text."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

__all__ = ["distinct_labels", "format_bytes"]

Label = TypeVar("Label", bound=Hashable)


def format_bytes(num_bytes: int) -> str:
    """Return an amount of memory as text: `874 bytes`, `5.7 kB`, `12.3 GB`."""
    for power, unit in enumerate(("bytes", "kB", "MB", "GB")):
        if num_bytes < 1000 ** (power + 1):
            return f"{num_bytes / 1000**power:.{min(power, 1)}f} {unit}"
    return f"{num_bytes // 10**12:,} TB" if num_bytes >= 10**14 else f"{num_bytes / 10**12:.1f} TB"


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
