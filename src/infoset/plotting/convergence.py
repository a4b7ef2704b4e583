"""How the error of a solver falls, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from textwrap import wrap
from typing import TYPE_CHECKING

from infoset.errors import ParameterError
from infoset.plotting.canvas import add_grid, new_figure
from infoset.runs import TracePoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

__all__ = ["plot_convergence"]

INCHES = (6.4, 4.4)
TITLE_WIDTH, MOST_TITLE_LINES = 64, 4
HEIGHT_OF_TITLE_LINE = 0.045
MOST_MARKED_POINTS = 80
LINE_COLOR, TARGET_COLOR = "#1f5fa8", "#b5532a"


def plot_convergence(
    trace: Sequence[TracePoint], *, game: str = "", method: str = "", target: float | None = None
) -> Figure:
    """Draw exploitability against iterations, both on logarithmic axes.

    Where exploitability is not defined (more than two players, or payoffs that are not
    constant-sum) it is NashConv that is drawn, and the axis says so. A measurement of exactly
    zero, which has no logarithm, is drawn on a short linear stretch at the end of its axis.

    Parameters
    ----------
    trace : Sequence[TracePoint]
        At least one measurement, as in `SolveResult.trace`.
    game, method : str
        For the title.
    target : float, optional
        Exploitability, in the game's units, to mark by a line.

    Returns
    -------
    Figure
        A matplotlib figure of its own, unknown to `pyplot`; save it by `figure.savefig(path)`.

    Raises
    ------
    ParameterError
        If the trace is empty.

    Examples
    --------
    >>> from infoset.runs import TracePoint
    >>> trace = [TracePoint(t, t / 10, (0.0, 0.0), 2 / t, 1 / t) for t in (1, 10, 100)]
    >>> figure = plot_convergence(trace, game="kuhn_poker", method="cfr+")
    >>> figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()
    ('iterations', "exploitability (game's units)")
    """
    if not trace:
        raise ParameterError("the trace is empty; give at least one measurement to draw")
    figure = new_figure(INCHES)
    title = [*wrap_spec(game), subtitle(trace, method)]
    figure.subplots_adjust(0.13, 0.12, 0.97, 0.96 - HEIGHT_OF_TITLE_LINE * len(title))
    axes = figure.add_subplot()
    _draw_errors(axes, trace, target)
    _dress(axes, "\n".join(title))
    return figure


def errors_of(trace: Sequence[TracePoint]) -> tuple[str, list[float]]:
    """Return the name of the error that a trace measures, and its values.

    The first by `TracePoint.errors` that there is at all points.
    """
    everywhere = [name for name in trace[-1].errors if all(name in p.errors for p in trace)]
    return everywhere[0], [point.errors[everywhere[0]] for point in trace]


def subtitle(trace: Sequence[TracePoint], method: str) -> str:
    """Return the method, and where it ended."""
    _, errors = errors_of(trace)
    ending = f"{errors[-1]:.3g} after {trace[-1].iteration:,} iterations"
    return f"{method}: {ending}" if method else ending


def wrap_spec(game: str) -> list[str]:
    """Break the text of a game into lines for a title, at commas where there are some."""
    spaced = wrap(
        game.replace(",", ", "), TITLE_WIDTH, max_lines=MOST_TITLE_LINES, placeholder="..."
    )
    return [line.replace(", ", ",") for line in spaced]


def _draw_errors(axes: Axes, trace: Sequence[TracePoint], target: float | None) -> None:
    iterations = [point.iteration for point in trace]
    name, errors = errors_of(trace)
    marker = "o" if len(trace) <= MOST_MARKED_POINTS else None
    axes.plot(iterations, errors, color=LINE_COLOR, marker=marker, markersize=3.5, linewidth=1.6)
    marks = [] if target is None else [target]
    for mark in marks:
        axes.axhline(mark, color=TARGET_COLOR, linewidth=1.2, linestyle="--")
        axes.annotate(
            f"target {mark:.3g}",
            (1, mark),
            xycoords=("axes fraction", "data"),
            xytext=(-4, 4),
            textcoords="offset points",
            horizontalalignment="right",
            color=TARGET_COLOR,
        )
    set_scale(axes, axes.xaxis, iterations)
    set_scale(axes, axes.yaxis, [*errors, *marks])
    axes.set_xlabel("iterations")
    axes.set_ylabel(f"{name} (game's units)")


def set_scale(axes: Axes, axis: Axis, values: Sequence[float]) -> None:
    """Make an axis logarithmic over whole decades, with a linear end where a value is zero."""
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


def _dress(axes: Axes, title: str) -> None:
    axes.set_title(title, fontsize=11, parse_math=False)
    add_grid(axes)
