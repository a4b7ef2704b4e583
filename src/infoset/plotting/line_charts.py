"""Line charts, on two logarithmic or two linear axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from infoset.errors import ParameterError
from infoset.plotting.figures import (
    GUIDE_COLOR,
    TITLE_FONT_SIZE,
    add_grid,
    line_style,
    new_figure,
    set_log_ticks,
    set_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


INCHES = (8.0, 4.6)
PANEL_INCHES = (4.0, 5.2)
MAX_LINES, LINES_PER_PANEL = 9, 6
"""A chart with more lines than `MAX_LINES` is drawn as panels of `LINES_PER_PANEL` lines each."""

BACKGROUND_COLOR = "#d0d0d0"
SMALL_FONT_SIZE = 8


@dataclass(frozen=True)
class Line:
    """A line of a chart."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    """Coordinates, positive on logarithmic axes."""
    is_guide: bool = False
    """Whether the line is a reference, such as a rate or a bound, instead of a measurement. A guide
    is thin, gray and labeled at its end."""


def plot_lines(
    lines: Sequence[Line],
    *,
    title: str,
    x_label: str,
    y_label: str,
    is_logarithmic: bool = True,
    x_ticks: Sequence[str] = (),
) -> Figure:
    """Draw lines with their labels at the right.

    More than nine lines are drawn as panels with the same axes. Each panel shows six lines in
    color above their labels, and all others in light gray.

    Parameters
    ----------
    lines
        At least one, of at least one point each.
    is_logarithmic
        Whether both axes are logarithmic; otherwise both are linear.
    x_ticks
        Labels of the positions 1, 2, ... on the x axis, in place of numbers.

    Examples
    --------
    >>> line = Line("ixomd", (10.0, 100.0), (0.3, 0.1))
    >>> figure = plot_lines(
    ...     [line], title="Kuhn", x_label="episodes", y_label="NashConv"
    ... )
    >>> figure.axes[0].get_xscale()
    'log'
    """
    _check_lines(lines, is_logarithmic)
    measured = [line for line in lines if not line.is_guide]
    guides = [line for line in lines if line.is_guide]
    size = len(measured) if len(measured) <= MAX_LINES else LINES_PER_PANEL
    parts = [measured[start : start + size] for start in range(0, len(measured), size or 1)] or [[]]
    inches = INCHES if len(parts) == 1 else (PANEL_INCHES[0] * len(parts), PANEL_INCHES[1])
    figure = new_figure(inches, layout="constrained")
    panels = figure.subplots(1, len(parts), sharex=True, sharey=True, squeeze=False)[0]
    for axes, part in zip(panels, parts, strict=True):
        others = [line for line in measured if line not in part]
        _draw_panel(axes, part, guides, others)
        if is_logarithmic:
            axes.set(xscale="log", yscale="log")
        axes.set_xlabel(x_label)
        if x_ticks:
            axes.set_xticks(range(1, len(x_ticks) + 1), x_ticks)
        add_grid(axes)
    panels[0].set_ylabel(y_label)
    if is_logarithmic:
        for axis in (panels[0].xaxis, panels[0].yaxis):
            set_log_ticks(axis)
    if len(parts) == 1:
        set_title(panels[0], title)
        figure.legend(loc="outside right upper", frameon=False, fontsize=SMALL_FONT_SIZE)
    else:
        figure.suptitle(title, fontsize=TITLE_FONT_SIZE, parse_math=False)
        for axes in panels:
            axes.legend(
                loc="upper center",
                bbox_to_anchor=(0.5, -0.14),
                frameon=False,
                fontsize=SMALL_FONT_SIZE,
            )
    return figure


def _draw_panel(
    axes: Axes, lines: Sequence[Line], guides: Sequence[Line], others: Sequence[Line]
) -> None:
    for line in others:
        axes.plot(line.x, line.y, color=BACKGROUND_COLOR, linewidth=0.7, zorder=1)
    for number, line in enumerate(lines):
        axes.plot(line.x, line.y, label=line.label, **line_style(number, len(line.x)))
    for guide in guides:
        axes.plot(guide.x, guide.y, color=GUIDE_COLOR, linewidth=0.9, linestyle=":", zorder=1)
        axes.annotate(
            guide.label,
            (guide.x[-1], guide.y[-1]),
            (4, 0),
            textcoords="offset points",
            va="top" if _is_below_another(guide, guides) else "bottom",
            fontsize=SMALL_FONT_SIZE,
            color=GUIDE_COLOR,
        )


def _is_below_another(guide: Line, guides: Sequence[Line]) -> bool:
    """Return whether another guide ends above the end of this one, so that labels may touch."""
    x, y = guide.x[-1], guide.y[-1]
    return any(other.x[-1] == x and other.y[-1] > y for other in guides)


def _check_lines(lines: Sequence[Line], is_logarithmic: bool) -> None:
    if not lines:
        raise ParameterError("lines is empty; give at least one Line")
    for line in lines:
        if not line.x or len(line.x) != len(line.y):
            raise ParameterError(
                f"the line {line.label!r} has len(x)={len(line.x)} and len(y)={len(line.y)}; "
                "give equal numbers of both, at least one"
            )
        if is_logarithmic and min(*line.x, *line.y) <= 0:
            raise ParameterError(
                f"the line {line.label!r} has a point at or below 0, which has no logarithm: "
                "remove the point, or use is_logarithmic=False"
            )
