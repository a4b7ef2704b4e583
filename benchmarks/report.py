"""Utilities of the benchmarks: times, tables, generated parts of pages, and the machine."""

from __future__ import annotations

import os
import platform
import re
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import psutil

__all__ = ["DOCS", "environment", "environment_text", "replace_part", "shown", "table", "timed"]

DOCS = Path(__file__).parents[1] / "docs"
SAME_SIDE = ("infoset", "numpy", "numba", "highspy")
"""Packages whose versions are reported with the times."""

Value = TypeVar("Value")


def timed(work: Callable[[], Value]) -> tuple[Value, float]:
    """Return the result of `work` and its seconds."""
    started = time.perf_counter()
    value = work()
    return value, time.perf_counter() - started


def shown(seconds: float) -> str:
    """Return a time with three digits and its unit."""
    for unit, scale in (("s", 1), ("ms", 1e3)):
        if seconds * scale >= 0.9995:
            return f"{_digits(seconds * scale)} {unit}"
    return f"{_digits(seconds * 1e6)} µs"


def _digits(value: float) -> str:
    return f"{value:.0f}" if value >= 999.5 else f"{value:.3g}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def replace_part(text: str, maker: str, part: str) -> str:
    """Return a page with the part written by `maker` replaced.

    The part is between `<!-- made by benchmarks/MAKER -->` and the next `<!-- end -->`.

    Raises
    ------
    ValueError
        If the page has no such part.
    """
    begin, end = f"<!-- made by benchmarks/{maker} -->", "<!-- end -->"
    between = re.compile(f"(?<={re.escape(begin)}\n).*?(?={re.escape(end)})", re.DOTALL)
    if not between.search(text):
        raise ValueError(f"the page has no place for {maker}: write {begin}, a line, {end} into it")
    return between.sub(lambda _: f"\n{part.strip()}\n\n", text, count=1)


def environment() -> dict[str, str]:
    """Return the machine and our versions."""
    memory = psutil.virtual_memory().total / 2**30
    return {
        "machine": f"{os.cpu_count()} cores of {_processor()}, {memory:.0f} GB",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in SAME_SIDE},
    }


def environment_text(known: Mapping[str, str]) -> str:
    """Return the machine and the versions as a sentence."""
    versions = ", ".join(f"{name} {known[name]}" for name in SAME_SIDE)
    return f"Machine: {known['machine']}, {known['system']}; Python {known['python']}, {versions}."


def _processor() -> str:
    """Return the name of the processor, if Linux reports it."""
    listing = Path("/proc/cpuinfo")
    lines = listing.read_text().splitlines() if listing.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
