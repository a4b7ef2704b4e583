"""Numbers by two parameters, as coloured squares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from infoset.errors import ParameterError
from infoset.plotting.canvas import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_heat_map"]

INCHES = (7.2, 6.0)
COLORS = "viridis"
LIGHT, DARK = "#ffffff", "#1a1a1a"
NUMBERS_UP_TO = 15
"""Squares in a row up to which each has its number in it."""


def plot_heat_map(
    values: Sequence[Sequence[float]],
    x: Sequence[float],
    y: Sequence[float],
    *,
    title: str,
    x_label: str,
    y_label: str,
) -> Figure:
    """Draw numbers by two parameters, the first row of them at the bottom.

    Parameters
    ----------
    values : Sequence[Sequence[float]]
        By y, then by x.
    x, y : Sequence[float]
        The parameters.
    title, x_label, y_label : str

    Returns
    -------
    Figure
        A matplotlib figure of its own, unknown to `pyplot`; save it by `figure.savefig(path)`.

    Raises
    ------
    ParameterError
        If there are not as many numbers as the parameters say.

    Examples
    --------
    >>> figure = plot_heat_map([[1, 2], [3, 4]], [0, 1], [0, 1], title="", x_label="", y_label="")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['1.00', '2.00', '3.00', '4.00']
    """
    shown = np.asarray(values, np.float64)
    if shown.shape != (len(y), len(x)) or not shown.size:
        raise ParameterError(
            f"the values are of shape {shown.shape}; give one for each of the {len(y)} y by each "
            f"of the {len(x)} x, at least one"
        )
    figure = new_figure(INCHES, layout="constrained")
    axes = figure.add_subplot()
    image = axes.imshow(shown, origin="lower", cmap=COLORS)
    axes.set_xticks(range(len(x)), [f"{value:g}" for value in x])
    axes.set_yticks(range(len(y)), [f"{value:g}" for value in y])
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_title(title, fontsize=11, parse_math=False)
    if max(shown.shape) <= NUMBERS_UP_TO:
        middle = (shown.min() + shown.max()) / 2
        for (row, column), value in np.ndenumerate(shown):
            ink = LIGHT if value < middle else DARK
            text = f"{value:.2f}"
            axes.text(column, row, text, ha="center", va="center", fontsize=7, color=ink)
    figure.colorbar(image, ax=axes, shrink=0.8)
    return figure
