"""Charts of team learning: payoffs of both policies and their squared distance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infoset.game.player_names import name_players
from infoset.plotting.figures import COLORS, add_grid, new_figure, set_title, wrap_spec
from infoset.teams import TeamPoint, TeamResult
from infoset.utils.arguments import check_type

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


INCHES = (6.8, 5.2)
BOUND_COLOR = "#666666"
FAINT = 0.25
MAX_OTHER_RUNS = 100


def plot_team(result: TeamResult) -> Figure:
    """Draw the payoffs of teams over the iterations of a run, and the squared distance below.

    Solid lines are the payoffs of implementable policies, dashed lines those of relaxed policies.
    Other runs are faint. A dotted line is the upper bound.

    Examples
    --------
    >>> from infoset.front import solve_team
    >>> figure = plot_team(solve_team("cooperative_matching_pennies", restarts=1))
    >>> [axes.get_ylabel() for axes in figure.axes]
    ["payoff (game's units)", 'squared distance']
    """
    check_type("result", result, TeamResult, "a result of solve_team")
    figure = new_figure(INCHES, layout="constrained")
    above, below = figure.subplots(2, sharex=True, height_ratios=(3, 1))
    _draw_other_runs(above, result)
    for team in range(len(result.teams)):
        _draw_team(above, below, result, team)
    if result.upper_bound is not None:
        above.axhline(result.upper_bound, color=BOUND_COLOR, linestyle=":", label="upper bound")
    above.set_ylabel("payoff (game's units)")
    for text in above.legend(frameon=False, fontsize=8).get_texts():
        text.set_parse_math(False)
    earned = ", ".join(f"{payoff:.6g}" for payoff in result.payoffs)
    best = f", best of {result.num_runs} runs" if result.num_runs > 1 else ""
    if len(result.teams) > 1:  # their policies are chosen team by team
        best = ""
    set_title(above, *wrap_spec(result.game), f"{result.method}: {earned}{best}")
    below.set_ylabel("squared distance")
    below.set_xlabel("iterations")
    below.set_xscale("log")
    add_grid(above)
    add_grid(below)
    return figure


def _draw_other_runs(axes: Axes, result: TeamResult) -> None:
    others = [run for run in range(result.num_runs) if run != result.run]
    for run in others[:MAX_OTHER_RUNS]:
        trace = result.trace_of(run)
        for team in range(len(result.teams)):
            earned = [point.payoffs[team] for point in trace]
            _plot(axes, trace, earned, color=COLORS[team % len(COLORS)], alpha=FAINT, linewidth=0.8)


def _draw_team(above: Axes, below: Axes, result: TeamResult, team: int) -> None:
    trace, color = result.trace_of(result.run), COLORS[team % len(COLORS)]
    players = result.teams[team]
    name = f"{name_players(result.information.form, players)}: "
    if len(result.teams) == 1:
        name = ""
    earned = [point.payoffs[team] for point in trace]
    relaxed = [point.relaxed_payoffs[team] for point in trace]
    distance = [point.squared_distances[team] for point in trace]
    _plot(above, trace, earned, color=color, label=f"{name}implementable policy")
    if result.relaxed is not result.information:
        _plot(above, trace, relaxed, color=color, linestyle="--", label=f"{name}relaxed policy")
    _plot(below, trace, distance, color=color)


def _plot(
    axes: Axes, trace: tuple[TeamPoint, ...], values: list[float], **style: str | float
) -> None:
    """Draw a line, or a dot if there is only one measurement."""
    marker = "o" if len(trace) == 1 else None
    axes.plot([point.iteration for point in trace], values, marker=marker, **style)  # type: ignore[arg-type]
