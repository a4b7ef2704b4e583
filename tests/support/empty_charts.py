"""Saving of charts without drawing them, for tests of what is saved beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

PNG = b"\x89PNG\r\n\x1a\n"

save_figure = Figure.savefig


def save_empty_chart(figure: Figure, target: object, **options: Any) -> None:
    """Save a file with the signature of PNG only; anything else than a PNG file is saved in full.

    Drawing the chart of a result takes longer than computing the result of a small game. The charts
    themselves are tested in `tests/plotting` and `tests/experiments`.
    """
    if isinstance(target, Path) and options.get("format") == "png":
        target.write_bytes(PNG)
    else:
        save_figure(figure, target, **options)
