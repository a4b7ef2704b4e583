"""Pictures on one sheet: each under its title, and a legend of what occurs in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from infoset.plotting.arrangement import Arrangement, arrange
from infoset.plotting.canvas import new_figure
from infoset.plotting.drawing import draw_arrangement
from infoset.plotting.legend import ROW_HEIGHT, break_rows, legend_entries
from infoset.plotting.pen import Pen
from infoset.plotting.picture import Picture
from infoset.plotting.style import QUIET_INK, TEXT_SIZE, TITLE_SIZE, text_width

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_sheet"]

MARGIN, NARROWEST = 12.0, 360.0
TITLE_HEIGHT, REMARK_HEIGHT, GAP = 24.0, 18.0, 20.0
POINTS_PER_INCH = 72


def draw_sheet(pictures: Sequence[Picture]) -> Figure:
    """Draw pictures, one below the other.

    Raises
    ------
    MissingExtraError
        If pygraphviz is not installed.
    """
    arranged = [arrange(picture) for picture in pictures]
    width = max(NARROWEST, *map(_width, arranged))
    legend = break_rows(legend_entries(pictures), width)
    heights = [_height(one) for one in arranged]
    figure, pen = _sheet(width, sum(heights) + ROW_HEIGHT * len(legend))
    for one, height in zip(arranged, heights, strict=True):
        _draw_titled(pen, one)
        pen = pen.moved(0.0, height)
    for row, entries in enumerate(legend):
        for left, entry in entries:
            entry.draw(pen.moved(left, (row + 0.5) * ROW_HEIGHT))
    return figure


def _width(arranged: Arrangement) -> float:
    picture = arranged.picture
    title = text_width(picture.title, TITLE_SIZE, True)
    return max(title, text_width(picture.remark), arranged.width)


def _height(arranged: Arrangement) -> float:
    remark = REMARK_HEIGHT if arranged.picture.remark else 0.0
    return TITLE_HEIGHT + arranged.height + remark + GAP


def _draw_titled(pen: Pen, arranged: Arrangement) -> None:
    picture = arranged.picture
    pen.text(
        f"{picture.kind}-title", (0.0, TITLE_SIZE), picture.title, size=TITLE_SIZE, is_bold=True
    )
    draw_arrangement(pen.moved(0.0, TITLE_HEIGHT), arranged)
    if picture.remark:
        base = TITLE_HEIGHT + arranged.height + REMARK_HEIGHT - TEXT_SIZE / 2
        pen.text(f"{picture.kind}-remark", (0.0, base), picture.remark, color=QUIET_INK)


def _sheet(width: float, height: float) -> tuple[Figure, Pen]:
    """Return an empty figure and a pen on it whose unit is a point."""
    wide, high = width + 2 * MARGIN, height + 2 * MARGIN
    figure = new_figure((wide / POINTS_PER_INCH, high / POINTS_PER_INCH))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, wide), ylim=(high, 0))
    axes.set_axis_off()
    return figure, Pen(axes, MARGIN, MARGIN)
