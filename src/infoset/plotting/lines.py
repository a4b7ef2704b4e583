"""Lines of numbers, on two logarithmic axes or two plain ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from infoset.errors import ParameterError
from infoset.plotting.canvas import add_grid, new_figure
from infoset.plotting.comparison import COLORS, DASHES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Line", "plot_lines"]

INCHES = (8.0, 4.6)


@dataclass(frozen=True)
class Line:
    """A line of a figure.

    Attributes
    ----------
    label : str
    x, y : tuple[float, ...]
        Above 0 where axes are logarithmic.
    is_guide : bool
        Whether it shows a rate, and no measurement: it is drawn thin, in grey and without marks.
    """

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    is_guide: bool = False


def plot_lines(
    lines: Sequence[Line],
    *,
    title: str,
    x_label: str,
    y_label: str,
    is_logarithmic: bool = True,
) -> Figure:
    """Draw lines, their names at the right.

    Parameters
    ----------
    lines : Sequence[Line]
        At least one, of at least one point each.
    title, x_label, y_label : str
    is_logarithmic : bool
        Whether both axes are logarithmic, instead of plain.

    Returns
    -------
    Figure
        A matplotlib figure of its own, unknown to `pyplot`; save it by `figure.savefig(path)`.

    Raises
    ------
    ParameterError
        If there is nothing to draw, or a number has no logarithm on logarithmic axes.

    Examples
    --------
    >>> line = Line("ixomd", (10.0, 100.0), (0.3, 0.1))
    >>> figure = plot_lines([line], title="Kuhn", x_label="episodes", y_label="NashConv")
    >>> figure.axes[0].get_xscale()
    'log'
    """
    _check_lines(lines, is_logarithmic)
    figure = new_figure(INCHES)
    axes = figure.add_subplot()
    measured = 0
    for line in lines:
        if line.is_guide:
            axes.plot(line.x, line.y, color="#8a8a8a", linewidth=0.9, linestyle=":", zorder=1)
            end = line.x[-1], line.y[-1]
            where = "top" if _is_below_another(line, lines) else "bottom"
            axes.annotate(
                line.label,
                end,
                (4, 0),
                textcoords="offset points",
                va=where,
                fontsize=8,
                color="#666666",
            )
            continue
        color = COLORS[measured % len(COLORS)]
        dashes = DASHES[measured // len(COLORS) % len(DASHES)]
        axes.plot(line.x, line.y, dashes, color=color, label=line.label, marker="o", markersize=3.5)
        measured += 1
    if is_logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_title(title, fontsize=11, parse_math=False)
    add_grid(axes)
    figure.legend(loc="outside right upper", frameon=False, fontsize=8)
    figure.set_layout_engine("constrained")
    return figure


def _is_below_another(guide: Line, lines: Sequence[Line]) -> bool:
    """Return whether another guide ends just above where this one does: their names may touch."""
    x, y = guide.x[-1], guide.y[-1]
    return any(line.is_guide and line.x[-1] == x and line.y[-1] > y for line in lines)


def _check_lines(lines: Sequence[Line], is_logarithmic: bool) -> None:
    if not lines:
        raise ParameterError("there are no lines to draw: give at least one")
    for line in lines:
        if not line.x or len(line.x) != len(line.y):
            raise ParameterError(
                f"the line {line.label!r} has {len(line.x)} x and {len(line.y)} y: give as many of "
                "both, at least one"
            )
        if is_logarithmic and min(*line.x, *line.y) <= 0:
            raise ParameterError(
                f"the line {line.label!r} has a point at or below 0, which has no logarithm"
            )
