"""Drawing lines, marks, boxes and texts by matplotlib, in points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from infoset.plotting.style import FONT, INK, REGION_FILL, REGION_LINE, TEXT_SIZE, Mark

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "BOXES",
    "EDGES",
    "IDLE_EDGES",
    "LINKS",
    "MARKS",
    "TEXTS",
    "Box",
    "LineLook",
    "Pen",
    "Point",
]

BOXES, IDLE_EDGES, EDGES, LINKS, MARKS, TEXTS = range(1, 7)
"""What is drawn over what."""

MOVE_TO, LINE_TO, CURVE_TO = 1, 2, 4
CORNER_RADIUS: Final = 4

Point: TypeAlias = tuple[float, float]


class Box(NamedTuple):
    """A rectangle, in points; y grows downwards."""

    left: float
    top: float
    width: float
    height: float


class LineLook(NamedTuple):
    """Colour, width in points, and dashes of a line; no dashes make it solid."""

    color: str
    width: float
    dashes: tuple[float, ...] = ()


@dataclass(frozen=True)
class Pen:
    """Draws on axes whose unit is a point, with an offset; y grows downwards.

    Whatever is drawn has a name, which is its `id` in SVG.
    """

    axes: Axes
    left: float = 0.0
    top: float = 0.0

    def moved(self, left: float, top: float) -> Pen:
        """Return a pen whose origin is elsewhere."""
        return Pen(self.axes, self.left + left, self.top + top)

    def box(self, name: str, box: Box) -> None:
        """Draw a shaded box with round corners."""
        from matplotlib.patches import FancyBboxPatch

        patch = FancyBboxPatch(
            self._place((box.left, box.top)),
            round(box.width, 2),
            round(box.height, 2),
            boxstyle=f"round,pad=0,rounding_size={CORNER_RADIUS}",
            facecolor=REGION_FILL,
            edgecolor=REGION_LINE,
            linewidth=0.6,
            zorder=BOXES,
            clip_on=False,
            gid=name,
        )
        self.axes.add_patch(patch)

    def curve(self, name: str, points: Sequence[Point], look: LineLook, layer: int) -> None:
        """Draw an S-shaped curve between the second and the third of four points.

        The first is joined to the second and the third to the fourth by straight lines.
        """
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        start, leave, arrive, end = map(self._place, points)
        middle = round((leave[0] + arrive[0]) / 2, 2)
        bends = [(middle, leave[1]), (middle, arrive[1])]
        patch = PathPatch(
            Path(
                [start, leave, *bends, arrive, end],
                [MOVE_TO, LINE_TO, CURVE_TO, CURVE_TO, CURVE_TO, LINE_TO],
            ),
            fill=False,
            edgecolor=look.color,
            linewidth=look.width,
            linestyle=(0, look.dashes) if look.dashes else "solid",
            capstyle="butt",
            zorder=layer,
            clip_on=False,
            gid=name,
        )
        self.axes.add_patch(patch)

    def chain(self, name: str, points: Sequence[Point], look: LineLook, dot: float) -> None:
        """Draw straight lines from point to point, with dots of a radius on them."""
        placed = [self._place(point) for point in points]
        self.axes.plot(
            [x for x, _ in placed],
            [y for _, y in placed],
            color=look.color,
            linewidth=look.width,
            linestyle=(0, look.dashes) if look.dashes else "solid",
            marker="o",
            markersize=2 * dot,
            markeredgewidth=0,
            zorder=LINKS,
            clip_on=False,
            gid=name,
        )

    def mark(self, name: str, at: Point, mark: Mark, radius: float) -> None:
        """Draw a mark of a radius, its middle at a point."""
        x, y = self._place(at)
        self.axes.plot(
            [x],
            [y],
            linestyle="none",
            marker=(mark.sides, 0, mark.turn) if mark.sides else "o",
            markersize=2 * radius,
            markerfacecolor=mark.fill,
            markeredgecolor=mark.line,
            markeredgewidth=0.9,
            zorder=MARKS,
            clip_on=False,
            gid=name,
        )

    def text(
        self,
        name: str,
        at: Point,
        text: str,
        *,
        size: float = TEXT_SIZE,
        color: str = INK,
        is_bold: bool = False,
        align: Literal["left", "center"] = "left",
    ) -> None:
        """Write a text; its base line is at the point."""
        self.axes.text(
            *self._place(at),
            text,
            fontfamily=FONT,
            fontsize=size,
            fontweight="bold" if is_bold else "normal",
            color=color,
            horizontalalignment=align,
            verticalalignment="baseline",
            zorder=TEXTS,
            parse_math=False,
            gid=name,
        )

    def _place(self, point: Point) -> Point:
        """Return a point on the axes; hundredths of a point are enough."""
        return round(self.left + point[0], 2), round(self.top + point[1], 2)
