"""How the errors of several methods fall, as one picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from infoset.errors import ParameterError
from infoset.plotting.canvas import add_grid, new_figure
from infoset.plotting.convergence import errors_of, wrap_spec
from infoset.runs import SolveResult
from infoset.utils.arguments import check_type

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_comparison"]

INCHES = (9.6, 4.6)
LEGEND_COLUMNS = 6
HEIGHT_OF_LEGEND_LINE = 0.055
LEAST_SECONDS = 1e-4
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8a8a8a")
"""Told apart by the colour-blind (Okabe and Ito 2008)."""

DASHES = ("-", "--", ":", "-.")
FLOOR_COLOR = "#8a8a8a"


def plot_comparison(results: Sequence[SolveResult]) -> Figure:
    """Draw the error of several methods against iterations, and against seconds.

    What is drawn is exploitability, or NashConv in games that have none. Errors below what
    rounding in float64 may hide are drawn at that level, which is marked. A method that is
    measured once, at its end, is a diamond over its seconds.

    Parameters
    ----------
    results : Sequence[SolveResult]
        At least one, all of the same game.

    Returns
    -------
    Figure
        A matplotlib figure of its own, unknown to `pyplot`; save it by `figure.savefig(path)`.

    Raises
    ------
    ParameterError
        If there are no results, or of different games, or something else is given.

    Examples
    --------
    >>> from infoset.front import compare
    >>> figure = plot_comparison(compare("kuhn_poker", ["cfr", "lp"], iterations=100))
    >>> [axes.get_xlabel() for axes in figure.axes]
    ['iterations', 'seconds']
    """
    check_type("results", results, (list, tuple), "what compare returns")
    for result in results:
        check_type("a result", result, SolveResult, "what compare or solve returns")
    games = {result.game for result in results}
    if len(games) != 1:
        raise ParameterError(
            f"a comparison is of one game, by at least one method; got {len(results)} results of "
            f"{', '.join(sorted(games)) or 'none'}"
        )
    figure = new_figure(INCHES)
    title = wrap_spec(results[0].game)
    num_legend_lines = -(-len(results) // LEGEND_COLUMNS)
    figure.subplots_adjust(
        0.08, 0.13 + HEIGHT_OF_LEGEND_LINE * num_legend_lines, 0.98, 0.95 - 0.05 * len(title), 0.06
    )
    by_iterations, by_seconds = figure.subplots(1, 2, sharey=True)
    for number, result in enumerate(results):
        _draw_curves(by_iterations, by_seconds, result, number)
    _dress(by_iterations, "iterations", results)
    _dress(by_seconds, "seconds", results)
    by_iterations.set_ylabel(f"{errors_of(results[0].trace)[0]} (game's units)")
    figure.suptitle("\n".join(title), fontsize=11, parse_math=False)
    handles, labels = by_seconds.get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=LEGEND_COLUMNS, frameon=False)
    return figure


def _draw_curves(by_iterations: Axes, by_seconds: Axes, result: SolveResult, number: int) -> None:
    _, errors = errors_of(result.trace)
    shown = [max(error, result.measured.rounding) for error in errors]
    seconds = [max(point.seconds, LEAST_SECONDS) for point in result.trace]
    color = COLORS[number % len(COLORS)]
    if len(shown) == 1:
        by_seconds.plot(seconds, shown, "D", color=color, label=result.method, markersize=7)
        return
    dashes = DASHES[number // len(COLORS) % len(DASHES)]
    style: dict[str, Any] = {
        "color": color,
        "linestyle": dashes,
        "linewidth": 1.6,
        "label": result.method,
    }
    by_iterations.plot([point.iteration for point in result.trace], shown, **style)
    by_seconds.plot(seconds, shown, **style)


def _dress(axes: Axes, label: str, results: Sequence[SolveResult]) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(label)
    add_grid(axes)
    floor = max(result.measured.rounding for result in results)
    if any(min(errors_of(result.trace)[1]) <= floor for result in results):
        axes.axhline(floor, color=FLOOR_COLOR, linewidth=1.0, linestyle=":")
        axes.annotate(
            "rounding",
            (0.01, floor),
            xycoords=("axes fraction", "data"),
            xytext=(0, 3),
            textcoords="offset points",
            color=FLOOR_COLOR,
            fontsize=8,
        )
