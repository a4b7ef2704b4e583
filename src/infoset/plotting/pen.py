"""Shapes, colors and text of tree pictures, and a pen that draws them with matplotlib in points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from infoset.efg import TERMINAL
from infoset.plotting.picture import OBSERVING
from infoset.typing import CHANCE, Player
from infoset.utils.text import printable_line, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes


FONT: Final = "DejaVu Sans"
"""This font is part of matplotlib, so every machine has it."""

TEXT_SIZE, SMALL_SIZE, LABEL_SIZE, TITLE_SIZE = 8.5, 7.5, 6.5, 10.0
INK, QUIET_INK, FAINT_INK = "#1a1a1a", "#666666", "#a3a3a3"
REGION_FILL, REGION_LINE = "#f0f1f4", "#9aa0a8"


class Mark(NamedTuple):
    """The mark of an actor: a shape with a label."""

    sides: int
    """Number of sides of a regular polygon; 0 for a circle."""
    turn: float
    """Rotation in degrees; at 0 a corner points up."""
    radius: float
    """Radius in points."""
    fill: str
    line: str
    """Colors."""
    label: str = ""
    """Text inside the shape."""
    drop: float = 0.0
    """Offset of the label below the center of the shape, in points."""


SHAPES: Final = (
    (3, 0.0, 8.2, 0.7),
    (3, 180.0, 8.2, -0.9),
    (4, 0.0, 7.8, 0.0),
    (5, 0.0, 7.4, 0.2),
    (6, 0.0, 7.2, 0.0),
    (4, 45.0, 7.4, 0.0),
)
"""Sides, turn, radius and drop by player; players 0 and 1 are ▲ and ▼, as in the paper."""

COLORS: Final = ("#1f5fa8", "#b5532a", "#2f7d4f", "#7b4a9e", "#8a6d00", "#a03060")
DASHES: Final = ((4.0, 2.0), (1.0, 1.4), (5.0, 1.5, 1.0, 1.5), (8.0, 2.0), (2.4, 1.2))

MAX_DRAWN: Final = 300
"""Maximum number of characters of a text; a picture of a thousand times as many cannot be made."""

HINTING: Final = 1.04
"""Factor by which text can be wider on a screen than by the metrics of its font."""

OTHER_MARKS: Final = {
    CHANCE: Mark(0, 0.0, 5.6, "white", INK),
    TERMINAL: Mark(4, 45.0, 5.2, INK, INK),
    OBSERVING: Mark(0, 0.0, 2.6, QUIET_INK, QUIET_INK),
}


def player_color(player: Player) -> str:
    """Return the color of a player; gray for chance and terminals."""
    return COLORS[player % len(COLORS)] if player >= 0 else QUIET_INK


def mark_of(actor: Player) -> Mark:
    """Return the mark of a player (its number inside), of chance, or of a terminal."""
    if actor in OTHER_MARKS:
        return OTHER_MARKS[actor]
    sides, turn, radius, drop = SHAPES[actor % len(SHAPES)]
    color = player_color(actor)
    return Mark(sides, turn, radius, color, color, str(actor), drop)


def dashes_of(player: Player) -> tuple[float, ...]:
    """Return the dashes of the lines that join an infoset of a player."""
    return DASHES[player % len(DASHES)]


@cache
def text_width(text: str, size: float = TEXT_SIZE, is_bold: bool = False) -> float:
    """Return the width of a text in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=FONT, size=size, weight="bold" if is_bold else "normal")
    width, _, _ = text_to_path.get_text_width_height_descent(drawn_text(text), font, False)
    return HINTING * float(width)


def drawn_text(text: str) -> str:
    """Return a text as it is drawn: on one line, and only the beginning of a very long one."""
    return shortened(printable_line(text), MAX_DRAWN)


BOXES, IDLE_EDGES, EDGES, LINKS, MARKS, TEXTS = range(1, 7)
"""Drawing order, from back to front."""

MOVE_TO, LINE_TO, CURVE_TO = 1, 2, 4
CORNER_RADIUS: Final = 4

Point: TypeAlias = tuple[float, float]


class Box(NamedTuple):
    """A rectangle, in points; y grows downwards."""

    left: float
    top: float
    width: float
    height: float


class LineStyle(NamedTuple):
    """Color, width in points, and dashes of a line; no dashes make it solid."""

    color: str
    width: float
    dashes: tuple[float, ...] = ()


@dataclass(frozen=True)
class Pen:
    """Draws on axes whose unit is a point, with an offset; y grows downwards.

    Every element has a name, which becomes its `id` in SVG.
    """

    axes: Axes
    left: float = 0.0
    top: float = 0.0

    def moved(self, left: float, top: float) -> Pen:
        """Return a pen with its origin moved."""
        return Pen(self.axes, self.left + left, self.top + top)

    def box(self, name: str, box: Box) -> None:
        """Draw a shaded box with rounded corners."""
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

    def curve(self, name: str, points: Sequence[Point], look: LineStyle, layer: int) -> None:
        """Draw an S-shaped curve between the second and the third of four points.

        Straight lines join the first two points and the last two points.
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

    def chain(self, name: str, points: Sequence[Point], look: LineStyle, dot: float) -> None:
        """Draw straight lines from point to point, with a dot of radius `dot` at each."""
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
        """Draw a mark of the given radius, centered at a point."""
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
        """Draw text with its baseline at the point."""
        self.axes.text(
            *self._place(at),
            drawn_text(text),
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
        """Return the axes coordinates of a point, rounded to two decimals."""
        return round(self.left + point[0], 2), round(self.top + point[1], 2)
