"""Charts of convergence: the error of one solver, or of a learner."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from infoset.errors import ParameterError
from infoset.learning import LearnResult
from infoset.plotting.figures import (
    TARGET_COLOR,
    add_grid,
    new_figure,
    set_log_scale,
    set_title,
    wrap_spec,
)
from infoset.runs import TracePoint
from infoset.utils.arguments import check_type

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


INCHES = (6.4, 4.4)
TITLE_LINE_HEIGHT = 0.045
MAX_MARKED_POINTS = 80
LINE_COLOR = "#1f5fa8"
ERROR_LABELS = {
    "EFCE gap": "EFCE gap of recommended play",
    "CCE gap": "CCE gap of joint play",
}
"""Axis labels of the errors that measure joint play instead of the learned policies."""


def plot_convergence(
    trace: Sequence[TracePoint], *, game: str = "", method: str = "", target: float | None = None
) -> Figure:
    """Draw exploitability against iterations on logarithmic axes.

    Where exploitability is not defined (more than two players, or utilities that are not
    constant-sum), NashConv is drawn instead, and the axis label says so. An error of exactly 0,
    which has no logarithm, is drawn on a short linear part at the end of the axis.

    Parameters
    ----------
    trace
        At least one measurement, as in `SolveResult.trace`.
    game, method
        Text of the title.
    target
        Exploitability, in the game's units, to mark by a horizontal line.

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
    _, errors = errors_of(trace)
    final = f"{errors[-1]:.3g} after {trace[-1].iteration:,} iterations"
    title = [*wrap_spec(game), f"{method}: {final}" if method else final]
    figure.subplots_adjust(0.13, 0.12, 0.97, 0.96 - TITLE_LINE_HEIGHT * len(title))
    axes = figure.add_subplot()
    _draw_errors(axes, trace, target)
    set_title(axes, *title)
    add_grid(axes)
    return figure


def plot_learning(result: LearnResult) -> Figure:
    """Draw the error of a learner against episodes, with one line for each seed.

    The error is exploitability, or NashConv in games without exploitability. For learners of joint
    play it is the gap from their equilibrium (CCE or EFCE). Both axes are logarithmic.

    Examples
    --------
    >>> from infoset.front import learn
    >>> figure = plot_learning(learn("kuhn_poker", "ixomd", episodes=1000, seeds=2))
    >>> figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()
    ('episodes', "exploitability (game's units)")
    """
    check_type("result", result, LearnResult, "a result of learn")
    figure = new_figure(INCHES)
    axes = figure.add_subplot()
    name, _ = errors_of(result.runs[0].trace)
    errors = [errors_of(run.trace)[1] for run in result.runs]
    for run, measured in zip(result.runs, errors, strict=True):
        episodes = [point.iteration for point in run.trace]
        axes.plot(episodes, measured, color=LINE_COLOR, linewidth=1.2, alpha=0.7)
    axes.set_xscale("log")
    set_log_scale(axes, axes.yaxis, list(chain(*errors)))
    axes.set_xlabel("episodes")
    axes.set_ylabel(f"{ERROR_LABELS.get(name, name)} (game's units)")
    last = sorted(measured[-1] for measured in errors)
    ends = " to ".join(dict.fromkeys((f"{last[0]:.3g}", f"{last[-1]:.3g}")))
    seeds = "" if len(last) == 1 else f", {len(last)} seeds"
    final = f"{result.method}: {ends} after {result.episodes:,} episodes{seeds}"
    set_title(axes, *wrap_spec(result.game), final)
    add_grid(axes)
    figure.tight_layout()
    return figure


def errors_of(trace: Sequence[TracePoint]) -> tuple[str, list[float]]:
    """Return the name and the values of the error of a trace.

    It is the first error in `TracePoint.errors` that all points have.
    """
    everywhere = [name for name in trace[-1].errors if all(name in p.errors for p in trace)]
    return everywhere[0], [point.errors[everywhere[0]] for point in trace]


def _draw_errors(axes: Axes, trace: Sequence[TracePoint], target: float | None) -> None:
    iterations = [point.iteration for point in trace]
    name, errors = errors_of(trace)
    marker = "o" if len(trace) <= MAX_MARKED_POINTS else None
    axes.plot(iterations, errors, color=LINE_COLOR, marker=marker, markersize=3.5, linewidth=1.6)
    targets = [] if target is None else [target]
    for level in targets:
        axes.axhline(level, color=TARGET_COLOR, linewidth=1.2, linestyle="--")
        axes.annotate(
            f"target {level:.3g}",
            (1, level),
            xycoords=("axes fraction", "data"),
            xytext=(-4, 4),
            textcoords="offset points",
            horizontalalignment="right",
            color=TARGET_COLOR,
        )
    set_log_scale(axes, axes.xaxis, iterations)
    set_log_scale(axes, axes.yaxis, [*errors, *targets])
    axes.set_xlabel("iterations")
    axes.set_ylabel(f"{name} (game's units)")
