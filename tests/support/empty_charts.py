"""Saving of results without drawing their charts, for tests of what is saved beside them."""

from __future__ import annotations

from infoset.plotting.figure_files import figure_bytes

PNG = b"\x89PNG\r\n\x1a\n"


def empty_chart(figure: object, suffix: str, dots_per_inch: float) -> bytes:
    """Return the signature of a PNG file only; any other format is drawn.

    Drawing the chart of a result takes longer than computing the result of a small game. The charts
    themselves are tested in `tests/plotting` and `tests/experiments`.
    """
    return PNG if suffix == ".png" else figure_bytes(figure, suffix, dots_per_inch)
