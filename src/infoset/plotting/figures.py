"""Common parts of all charts: figures, colors, line styles, axes and titles."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure


DOTS_PER_INCH = 150
GRID_COLOR, GUIDE_COLOR, TARGET_COLOR = "#d9d9d9", "#8a8a8a", "#b5532a"
TITLE_FONT_SIZE = 11
FEW_DECADES = 100.0
"""Largest ratio of the ends of a logarithmic axis with labels between its decades."""
NO_DECADE = 5.0
"""Largest ratio of the ends of a logarithmic axis with labels at equal distances."""
TITLE_WIDTH, MAX_TITLE_LINES = 64, 4

COLORS: Final = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#000000",
    "#8a8a8a",
)
"""Colors that color-blind readers can distinguish (Okabe and Ito 2008)."""

DASHES: Final = ("-", "--", ":", "-.")
MARKERS: Final = ("o", "s", "^", "D", "v", "X", "P", "<", ">")
MARKS_PER_LINE = 8
"""Approximate number of markers on a line with many points."""


def new_figure(inches: tuple[float, float], *, layout: str | None = None) -> Figure:
    """Return an empty figure of a width and height in inches, not registered with `pyplot`."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=inches, dpi=DOTS_PER_INCH, layout=layout)  # type: ignore[arg-type]
    FigureCanvasAgg(figure)
    return figure


def set_title(axes: Axes, *lines: str) -> None:
    """Write the title of a chart, in which `$` is an ordinary character."""
    axes.set_title("\n".join(lines), fontsize=TITLE_FONT_SIZE, parse_math=False)


def add_legend_below(figure: Figure, marks: Sequence[Artist], columns: int, size: float) -> None:
    """Add a legend below all panels, in whose labels `$` is an ordinary character."""
    legend = figure.legend(
        handles=marks, loc="outside lower center", ncols=columns, frameon=False, fontsize=size
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def line_style(number: int, num_points: int) -> dict[str, Any]:
    """Return the style of the line with a number: color, dashes and markers.

    Lines differ in color or dashes up to 32 lines. Markers, which repeat after nine lines, keep
    them apart in black and white; a line of many points has a marker at some of them only.
    """
    return {
        "color": COLORS[number % len(COLORS)],
        "linestyle": DASHES[number // len(COLORS) % len(DASHES)],
        "marker": MARKERS[number % len(MARKERS)],
        # Markers of neighboring lines start at different points, so that they do not coincide.
        "markevery": (
            number % max(1, num_points // MARKS_PER_LINE),
            max(1, num_points // MARKS_PER_LINE),
        ),
        "markersize": 4.5,
        "linewidth": 1.5,
    }


def add_grid(axes: Axes) -> None:
    """Draw a grid behind the data, and remove the frame at the top and right."""
    axes.grid(visible=True, which="major", color=GRID_COLOR, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def set_log_scale(axes: Axes, axis: Axis, values: Sequence[float]) -> None:
    """Make an axis logarithmic over whole decades; it is linear around 0 if a value is 0."""
    positive = [value for value in values if value > 0]
    low = floor(log10(min(positive, default=1.0)))
    high = max(ceil(log10(max(positive, default=1.0))), low + 1)
    is_x = axis is axes.xaxis
    scale = axes.set_xscale if is_x else axes.set_yscale
    set_limits = axes.set_xlim if is_x else axes.set_ylim
    margin = 10 ** (0.02 * (high - low))
    if len(positive) == len(values):
        scale("log")
        set_limits(10.0**low / margin, 10.0**high * margin)
    else:
        scale("symlog", linthresh=10.0**low)
        set_limits(-0.1 * 10.0**low, 10.0**high * margin)


def set_log_ticks(axis: Axis, max_labels: int = 6) -> None:
    """Label the decades of a logarithmic axis or, if they are few, also their multiples by 2 and 5.

    On a short axis matplotlib labels all multiples, and the labels overlap. On an axis that could
    contain only one of these multiples, labels are at equal distances, as on a linear axis. Narrow
    axes have fewer labels.
    """
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

    low, high = sorted(axis.get_view_interval())
    axis.set_minor_formatter(NullFormatter())
    if high / low < FEW_DECADES:
        is_short = high / low < NO_DECADE
        multiples = (1.0, 2.0, 5.0) if max_labels > 4 else (1.0, 3.0)
        axis.set_major_locator(MaxNLocator(max_labels) if is_short else LogLocator(subs=multiples))
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))


def wrap_spec(game: str, width: int = TITLE_WIDTH) -> list[str]:
    """Break the text of a game into lines for a title, at its commas."""
    spaced = wrap(game.replace(",", ", "), width, max_lines=MAX_TITLE_LINES, placeholder="...")
    return [line.replace(", ", ",") for line in spaced]
