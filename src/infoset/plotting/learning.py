"""How what is learned from play gets better, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infoset.plotting.convergence import (
    DOTS_PER_INCH,
    GRID_COLOR,
    INCHES,
    LINE_COLOR,
    errors_of,
    wrap_spec,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from infoset.learning import LearnResult

__all__ = ["plot_learning"]


def plot_learning(result: LearnResult) -> Figure:
    """Draw the error of average policies against episodes, a line for each seed.

    Exploitability, or NashConv in games that have none; both axes logarithmic.

    Parameters
    ----------
    result : LearnResult

    Returns
    -------
    Figure
        A matplotlib figure of its own, unknown to `pyplot`; save it by `figure.savefig(path)`.

    Examples
    --------
    >>> from infoset.front import learn
    >>> figure = plot_learning(learn("kuhn_poker", "ixomd", episodes=1000, seeds=2))
    >>> figure.axes[0].get_xlabel()
    'episodes'
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=INCHES, dpi=DOTS_PER_INCH)
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    name = ""
    for run in result.runs:
        name, errors = errors_of(run.trace)
        episodes = [point.iteration for point in run.trace]
        axes.plot(episodes, errors, color=LINE_COLOR, linewidth=1.2, alpha=0.7)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("episodes")
    axes.set_ylabel(f"{name} of the average policy (game's units)")
    axes.set_title("\n".join([*wrap_spec(result.game), _subtitle(result)]), fontsize=11)
    axes.grid(visible=True, which="major", color=GRID_COLOR, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    return figure


def _subtitle(result: LearnResult) -> str:
    """Return the method, and where its runs ended."""
    last = sorted(errors_of(run.trace)[1][-1] for run in result.runs)
    ends = f"{last[0]:.3g}" if len(last) == 1 else f"{last[0]:.3g} to {last[-1]:.3g}"
    seeds = "" if len(last) == 1 else f", {len(last)} seeds"
    return f"{result.method}: {ends} after {result.episodes:,} episodes{seeds}"
