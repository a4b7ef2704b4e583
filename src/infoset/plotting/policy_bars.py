"""Bars of a policy: the probabilities of the actions at each infostate."""

from __future__ import annotations

from itertools import groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from infoset.plotting.figures import COLORS, TITLE_FONT_SIZE, new_figure, wrap_spec
from infoset.policy import PolicyRow, TabularPolicy, check_policy
from infoset.utils.arguments import check_count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_policy"]

PANEL_WIDTH, ROW_HEIGHT, MARGIN_HEIGHT = 4.6, 0.24, 1.1
"""Sizes in inches."""

FONT_SIZE: Final = 7
MIN_LABELED: Final = 0.12
"""Smallest probability whose action is written on its bar."""

FADED: Final = 0.35
"""Opacity of bars at infostates to which the player's own actions do not lead."""

LABEL_START, LABEL_END, LABEL_LENGTH = 10, 20, 36
"""Numbers of characters that are shown of the beginning and end of an infostate that has more
characters than the last number."""


def plot_policy(policy: TabularPolicy, *, title: str = "", max_infostates: int = 24) -> Figure:
    """Draw the probabilities of all actions as stacked bars, one for each infostate.

    Each player has a panel with its first infostates, those of early decisions first. Bars are pale
    where the player's own actions do not lead. Equal actions have the same color.

    Parameters
    ----------
    policy : TabularPolicy
    title : str
        Text above the panels; by default the game.
    max_infostates : int
        Maximum number of infostates of each player.

    Returns
    -------
    Figure
        A new matplotlib figure, not registered with `pyplot`; save it with `figure.savefig(path)`.

    Raises
    ------
    ParameterError
        If `policy` is not a `TabularPolicy`, or `max_infostates` is less than 1.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> form = build_tree(load_game("kuhn_poker")).sequence_form
    >>> [panel.get_title() for panel in plot_policy(uniform_policy(form)).axes]
    ['player 0', 'player 1']
    """
    check_policy(policy)
    check_count("max_infostates", max_infostates, minimum=1)
    shown = {
        player: list(islice(group, max_infostates))
        for player, group in groupby(policy.sorted_rows(), key=attrgetter("player"))
    }
    totals = [plex.num_infostates for plex in policy.sequence_form.treeplexes]
    highest = max(map(len, shown.values()), default=1)
    inches = PANEL_WIDTH * max(1, len(shown)), MARGIN_HEIGHT + ROW_HEIGHT * highest
    figure = new_figure(inches, layout="constrained")
    panels = figure.subplots(1, max(1, len(shown)), squeeze=False)[0]
    actions = {str(a): None for rows in shown.values() for row in rows for a in row.actions}
    colors = {name: COLORS[number % len(COLORS)] for number, name in enumerate(actions)}
    for axes, (player, rows) in zip(panels, shown.items(), strict=False):
        _draw_panel(axes, rows, colors, highest)
        count = "" if len(rows) == totals[player] else f" ({len(rows)} of {totals[player]:,})"
        axes.set_title(f"player {player}{count}", fontsize=FONT_SIZE + 2)
    lines = wrap_spec(title or policy.sequence_form.name)
    figure.suptitle("\n".join(lines), fontsize=TITLE_FONT_SIZE, parse_math=False)
    return figure


def _draw_panel(axes: Axes, rows: list[PolicyRow], colors: dict[str, str], highest: int) -> None:
    """Draw the bars of one player, from top to bottom."""
    for place, row in enumerate(rows):
        left = 0.0
        opacity = 1.0 if row.own_reach > 0 else FADED
        for action, probability in zip(row.actions, row.probabilities.tolist(), strict=True):
            name = str(action)
            axes.barh(place, probability, 0.82, left, color=colors[name], alpha=opacity)
            if probability >= MIN_LABELED:
                axes.text(
                    left + probability / 2,
                    place,
                    name,
                    ha="center",
                    va="center",
                    color="white",
                    fontsize=FONT_SIZE,
                    clip_on=True,
                    parse_math=False,
                )
            left += probability
    axes.set_yticks(
        range(len(rows)), [_shortened(row.infostate) for row in rows], fontsize=FONT_SIZE
    )
    for label in axes.get_yticklabels():
        label.set_parse_math(False)
    axes.tick_params(axis="x", labelsize=FONT_SIZE)
    axes.set(xlim=(0, 1), ylim=(highest - 0.4, -0.6))
    axes.set_xlabel("probability", fontsize=FONT_SIZE)
    axes.spines[["top", "right"]].set_visible(False)


def _shortened(text: str) -> str:
    if len(text) <= LABEL_LENGTH:
        return text
    return f"{text[:LABEL_START]}…{text[-LABEL_END:]}"
