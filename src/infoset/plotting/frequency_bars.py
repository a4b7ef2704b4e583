"""Pictures of frequencies: a stacked bar for each row, with a color for each action."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infoset.plotting.figures import add_legend_below, new_figure, set_title
from infoset.typing import FloatArray
from infoset.views.styles import action_styles

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, ROW_HEIGHT, MARGIN_HEIGHT = 6.4, 0.2, 1.3
"""Sizes in inches: of the picture, of a row, and of the space above and below the rows."""

FONT_SIZE: Final = 7
THICKNESS: Final = 0.82
"""Height of a bar, as a fraction of its row."""


def plot_frequencies(
    labels: Sequence[str], actions: Sequence[str], frequencies: FloatArray, *, title: str = ""
) -> Figure:
    """Draw how often each action is played, as one stacked bar for each label.

    Parameters
    ----------
    labels
        [R] the labels of the rows, from top to bottom.
    actions
        [A] the entries of the legend; `action_styles` has their colors and their order.
    frequencies
        [R, A] shares, which sum to 1 in each row; rows with NaN are blank.
    """
    height = ROW_HEIGHT * len(labels) + MARGIN_HEIGHT
    figure = new_figure((WIDTH, height), layout="constrained")
    axes = figure.subplots()
    rows = np.arange(len(labels))
    begin = np.zeros(len(labels))
    shares = np.nan_to_num(np.asarray(frequencies, np.float64))
    marks: list[Any] = []
    for style in action_styles(actions):
        place, color = actions.index(style.label), style.color
        bars = axes.barh(rows, shares[:, place], THICKNESS, begin, color=color, label=style.label)
        marks.append(bars)
        begin += shares[:, place]
    axes.set_yticks(rows, labels, fontsize=FONT_SIZE, parse_math=False)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    set_title(axes, title)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    add_legend_below(figure, marks, columns=min(len(marks), 6), size=FONT_SIZE)
    return figure
