"""What charts have in common: figures of their own, and axes with a light grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["add_grid", "new_figure"]

DOTS_PER_INCH = 150
GRID_COLOR = "#d9d9d9"


def new_figure(inches: tuple[float, float], *, layout: str | None = None) -> Figure:
    """Return an empty figure, `inches` wide and high, that `pyplot` does not know of."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=inches, dpi=DOTS_PER_INCH, layout=layout)  # type: ignore[arg-type]
    FigureCanvasAgg(figure)
    return figure


def add_grid(axes: Axes) -> None:
    """Draw a grid behind what is drawn, in place of the frame above and at the right."""
    axes.grid(visible=True, which="major", color=GRID_COLOR, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
