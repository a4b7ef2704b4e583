"""How what is learned from play gets better, as a picture."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from infoset.learning import LearnResult
from infoset.plotting.canvas import add_grid, new_figure
from infoset.plotting.convergence import (
    INCHES,
    LINE_COLOR,
    errors_of,
    set_scale,
    wrap_spec,
)
from infoset.utils.arguments import check_type

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_learning"]

MEASURED_OF = {
    "EFCE gap": "EFCE gap of recommended play",
    "CCE gap": "CCE gap of joint play",
}
"""What is said of an error that is not that of the policies learned."""


def plot_learning(result: LearnResult) -> Figure:
    """Draw how far what was learned is from equilibrium, against episodes, a line for each seed.

    That is exploitability, or NashConv in games that have none; where joint play is what is
    learned, its gap from the equilibrium that the method goes to. Both axes are logarithmic.

    Parameters
    ----------
    result : LearnResult

    Returns
    -------
    Figure
        A matplotlib figure of its own, unknown to `pyplot`; save it by `figure.savefig(path)`.

    Raises
    ------
    ParameterError
        If something else is given.

    Examples
    --------
    >>> from infoset.front import learn
    >>> figure = plot_learning(learn("kuhn_poker", "ixomd", episodes=1000, seeds=2))
    >>> figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()
    ('episodes', "exploitability (game's units)")
    """
    check_type("result", result, LearnResult, "what learn returns")
    figure = new_figure(INCHES)
    axes = figure.add_subplot()
    name, _ = errors_of(result.runs[0].trace)
    errors = [errors_of(run.trace)[1] for run in result.runs]
    for run, measured in zip(result.runs, errors, strict=True):
        episodes = [point.iteration for point in run.trace]
        axes.plot(episodes, measured, color=LINE_COLOR, linewidth=1.2, alpha=0.7)
    axes.set_xscale("log")
    set_scale(axes, axes.yaxis, list(chain(*errors)))
    axes.set_xlabel("episodes")
    axes.set_ylabel(f"{MEASURED_OF.get(name, name)} (game's units)")
    title = "\n".join([*wrap_spec(result.game), _subtitle(result)])
    axes.set_title(title, fontsize=11, parse_math=False)
    add_grid(axes)
    figure.tight_layout()
    return figure


def _subtitle(result: LearnResult) -> str:
    """Return the method, and where its runs ended."""
    last = sorted(errors_of(run.trace)[1][-1] for run in result.runs)
    ends = " to ".join(dict.fromkeys((f"{last[0]:.3g}", f"{last[-1]:.3g}")))
    seeds = "" if len(last) == 1 else f", {len(last)} seeds"
    return f"{result.method}: {ends} after {result.episodes:,} episodes{seeds}"
