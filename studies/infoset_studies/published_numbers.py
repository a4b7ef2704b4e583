"""Published and reference numbers, which are stored as CSV files in the folder `data`."""

from __future__ import annotations

import csv
from importlib.resources import files

__all__ = ["number", "read_rows"]


def read_rows(name: str) -> list[dict[str, str]]:
    """Return the rows of `data/NAME.csv`, text by column.

    Examples
    --------
    >>> read_rows("correlated_play")[0]
    {'learner': 'ixomd', 'episodes': '1000', 'cce_gap': '0.123'}
    """
    text = (files("infoset_studies") / "data" / f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def number(text: str) -> int | float:
    """Parse a printed number: an integer if it has no decimal point, otherwise a float.

    Examples
    --------
    >>> number("-2"), number("0.9")
    (-2, 0.9)
    """
    return int(text) if text.lstrip("-").isdigit() else float(text)
