"""Numbers as text."""

from __future__ import annotations

__all__ = ["format_bytes"]


def format_bytes(num_bytes: int) -> str:
    """Return an amount of memory as text: `874 bytes`, `5.7 kB`, `12.3 GB`."""
    for power, unit in enumerate(("bytes", "kB", "MB", "GB")):
        if num_bytes < 1000 ** (power + 1):
            return f"{num_bytes / 1000**power:.{min(power, 1)}f} {unit}"
    return f"{num_bytes // 10**12:,} TB" if num_bytes >= 10**14 else f"{num_bytes / 10**12:.1f} TB"
