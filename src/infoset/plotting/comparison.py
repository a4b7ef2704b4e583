"""Charts of comparisons: the error of several methods, on one game or on several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from math import ceil
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infoset.errors import ParameterError, UnknownNameError, show
from infoset.plotting.compared_runs import BANDS, Compared, errors_about, group_games, group_runs
from infoset.plotting.comparison_panels import (
    LETTER_INCHES,
    TEXT_SIZE,
    Chart,
    draw_panel,
    drawn_kinds,
    error_label,
    scaled_text,
    text_size,
)
from infoset.plotting.figures import new_figure, wrap_spec
from infoset.runs import Target
from infoset.utils.arguments import check_choice, check_count, check_number, check_type

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


AXES: Final = ("iterations", "seconds", "both")
"""What errors are drawn against."""

PANEL_WIDTH, HEIGHT = 4.8, 4.6
GAME_INCHES = (3.4, 2.7)
"""Width and height of the panel of a game among others."""
GAME_TEXT_SCALE = 0.85
LEGEND_INCHES = 0.5
TITLE_SHARE = 0.85
"""Share of the width of a panel that its title may take: that of the axes."""
COLUMN_COUNTS: Final = (4, 3, 2)
"""Numbers of columns of panels of games, if there are more than three."""

LEGEND_COLUMNS, HANDLE_INCHES = 6, 0.65
MIN_TEXT_SCALE = 0.6
"""Six points: the smallest text that journals print."""


def plot_comparison(
    results: Mapping[str, Compared | Sequence[Compared]]
    | Sequence[Compared | tuple[str, Compared]]
    | Compared,
    *,
    axes: Axes | Sequence[Axes] | None = None,
    against: str = "both",
    band: str = "range",
    target: Target | None = None,
    percent_of_range: bool = False,
    payoff_width: float | None = None,
    title: str | None = None,
    x_label: str | None = None,
    y_label: str | None = None,
    figsize: tuple[float, float] | None = None,
    styles: Mapping[str, Mapping[str, Any]] | None = None,
) -> Figure:
    """Draw the error of several methods against iterations and against seconds.

    The error is exploitability, or NashConv in games without exploitability. Errors below the
    rounding error of the measurement are drawn at that level, which is marked. The error axis spans
    the iterative methods. An exact method, which is measured once, is drawn as a diamond at its
    time, labeled with its error. If the error is below the axis, the diamond is at the lower edge.
    Lines differ in color, dashes and markers, so that they can be distinguished in black and white.

    Parameters
    ----------
    results : dict, list or path
        Results of `compare`, `solve` and `learn`, traces, and paths of folders of runs or of CSV
        files (see `read_traces`), all of the same game. Names come from a dict or from pairs, such
        as `{"mine": "runs/first"}` or `[("mine", trace)]`, else from the methods. Several runs with
        the same name, such as the seeds of a method, are drawn as the median with a band.
    axes : Axes or pair of Axes, optional
        Axes of matplotlib to draw on, such as a panel of your own figure; by default a new figure.
        On a single one, `both` means `iterations`. There is no legend: `axes.legend()` adds one.
    against
        `iterations`, `seconds`, or `both`. If no run has times, only iterations are drawn.
    band
        `range` from the minimum to the maximum over runs, or `quartiles`.
    target : float or str, optional
        Error to mark by a horizontal line, in the game's units, or as a percentage of the payoff
        range such as `"0.1%"`.
    percent_of_range
        Whether errors are drawn as percentages of the payoff range instead of the game's units.
    payoff_width
        The payoff range, for traces without a game: the largest difference between two utilities of
        the same player. Results and folders of runs record it.
    title, x_label, y_label
        Texts; an empty text leaves them out. By default the game, the iterations, and the error.
        `x_label` is that of the axis of iterations, or of the only axis.
    figsize : pair of float, optional
        Width and height in inches of a new figure.
    styles
        Properties of matplotlib lines by name of the line, such as
        `{"mine": {"color": "black", "linewidth": 2}}`.

    Raises
    ------
    ResultFileError
        If a file or folder cannot be read.

    Examples
    --------
    >>> from infoset.front import compare
    >>> figure = plot_comparison(compare("kuhn_poker", ["cfr", "lp"], iterations=100))
    >>> [axes.get_xlabel() for axes in figure.axes]
    ['iterations', 'seconds']
    """
    check_choice("axis", against, AXES)
    check_choice("band", band, BANDS)
    lines = group_runs(results)
    _check_styles(styles, [line.name for line in lines])
    chart = Chart.of(lines, band, percent_of_range, payoff_width, target, styles)
    heading = "\n".join(wrap_spec(chart.game)) if title is None else title
    if axes is not None:
        parts = _given_axes(axes, figsize)
        kinds = drawn_kinds(chart, AXES[0] if len(parts) == 1 and against == "both" else against)
        if len(parts) != len(kinds):
            raise ParameterError(
                f"there are {len(parts)} axes for {' and '.join(kinds)}; give one for each, or "
                "against= one of them"
            )
        box = parts[0].get_window_extent()
        figure = parts[0].figure.figure  # of a subfigure, the whole figure
        size = (box.width / figure.dpi, box.height / figure.dpi)
        _draw_panels(parts, chart, kinds, x_label, y_label, size)
        parts[0].set_title(heading, parse_math=False)
        return figure
    kinds = drawn_kinds(chart, against)
    inches = _size(figsize, (PANEL_WIDTH * len(kinds) + 1.2 * (len(kinds) == 1), HEIGHT))
    size = (inches[0] / len(kinds), inches[1])
    # Text and lines shrink with the figure, relative to one of the default size.
    with _text_fitting(size, (PANEL_WIDTH, HEIGHT)):
        figure = new_figure(inches, layout="constrained")
        parts = [*figure.subplots(1, len(kinds), sharey=True, squeeze=False)[0]]
        _draw_panels(parts, chart, kinds, x_label, y_label, size)
        if heading:
            figure.suptitle(heading, fontsize="large", parse_math=False)
        _add_legend(figure, chart.names)
    return figure


def plot_games(
    games: Mapping[str, Any] | Sequence[Compared | tuple[str, Compared]],
    *,
    against: str = "iterations",
    columns: int | None = None,
    band: str = "range",
    target: Target | None = None,
    percent_of_range: bool = False,
    payoff_width: Mapping[str, float] | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    styles: Mapping[str, Mapping[str, Any]] | None = None,
) -> Figure:
    """Draw the errors of several methods on several games: a panel for each game, and one legend.

    A method has the same color, dashes and markers in all panels. Panels are those of
    `plot_comparison`, whose other parameters have the same meaning here.

    Parameters
    ----------
    games : dict or list
        For each game, its title and the results for `plot_comparison`, such as `{"Leduc poker":
        compare("leduc_poker", methods), "Kuhn poker": "runs/kuhn_poker-comparison"}`. Or results
        and paths of several games, which record the names of their games.
    against
        `iterations` or `seconds`.
    columns
        Number of panels in a row; by default 2 to 4, so that few places are empty.
    payoff_width
        The payoff range by title, for games whose runs do not record it.
    title
        Text above all panels; by default none.
    figsize : pair of float, optional
        Width and height of the figure in inches.

    Raises
    ------
    ResultFileError
        If a file or folder cannot be read.

    Examples
    --------
    >>> from infoset.front import compare
    >>> games = ("kuhn_poker", "matrix_rps")
    >>> figure = plot_games(
    ...     {game: compare(game, ["cfr", "cfr+"], iterations=9) for game in games}
    ... )
    >>> [axes.get_title() for axes in figure.axes], len(figure.legends)
    (['kuhn_poker', 'matrix_rps'], 1)
    """
    check_choice("axis", against, AXES[:-1])
    check_choice("band", band, BANDS)
    lines = group_games(games)
    names = [*dict.fromkeys(line.name for own in lines.values() for line in own)]
    _check_styles(styles, names)
    widths = _checked_widths(payoff_width, lines)
    panels = []
    for game, own in lines.items():
        with errors_about(game):
            width = widths.get(game)
            chart = Chart.of(own, band, percent_of_range, width, target, styles, names)
            panels.append((game, chart, drawn_kinds(chart, against)))
    shape = _grid(len(panels), columns)
    inches = _size(figsize, (GAME_INCHES[0] * shape[1], GAME_INCHES[1] * shape[0] + LEGEND_INCHES))
    size = (inches[0] / shape[1], inches[1] / shape[0])
    with _text_fitting(size, GAME_INCHES, GAME_TEXT_SCALE):
        figure = new_figure(inches, layout="constrained")
        parts = [*figure.subplots(*shape, squeeze=False).flat]
        for unused in parts[len(panels) :]:
            unused.remove()
        for axes, (game, chart, kinds) in zip(parts, panels, strict=False):
            draw_panel(axes, chart, against, kinds, size[0])
            heading = _heading(game, size[0])
            axes.set_title("\n".join(heading), fontsize="medium", parse_math=False)
            axes.set_ylabel(error_label(chart, size[1]))
        _remove_repeated_labels(parts[: len(panels)], shape[1])
        if title:
            figure.suptitle(title, fontsize="large", parse_math=False)
        _add_legend(figure, names)
    return figure


def _heading(game: str, inches: float) -> list[str]:
    """Return the lines of the title of a panel; a specification is broken at its commas."""
    letters = int(TITLE_SHARE * inches / (LETTER_INCHES * text_size() / TEXT_SIZE))
    return wrap(game, letters) if " " in game else wrap_spec(game, letters)


def _given_axes(axes: Axes | Sequence[Axes], figsize: object) -> list[Axes]:
    """Return the axes on which to draw, as a list."""
    from matplotlib.axes import Axes as MatplotlibAxes

    parts = [axes] if isinstance(axes, MatplotlibAxes) else [*np.ravel(np.asarray(axes, object))]
    for part in parts:
        check_type("axes", part, MatplotlibAxes, "Axes of matplotlib, such as figure.subplots()")
    if figsize is not None:
        raise ParameterError(
            f"figsize={show(figsize)} is the size of a new figure, and the axes are those of "
            "another one; leave out figsize or axes"
        )
    return parts


def _draw_panels(
    parts: Sequence[Axes],
    chart: Chart,
    kinds: Sequence[str],
    x_label: str | None,
    y_label: str | None,
    size: tuple[float, float],
) -> None:
    """Draw the lines of a chart on all its panels, each with its horizontal axis."""
    for axes, kind in zip(parts, kinds, strict=True):
        draw_panel(axes, chart, kind, kinds, size[0])
    if x_label is not None:
        parts[0].set_xlabel(x_label)
    parts[0].set_ylabel(error_label(chart, size[1]) if y_label is None else y_label)


def _check_styles(styles: Mapping[str, Mapping[str, Any]] | None, names: Sequence[str]) -> None:
    check_type("styles", styles or {}, Mapping, "a dict of names and line properties")
    for name, style in (styles or {}).items():
        if name not in names:
            raise UnknownNameError.of("line in styles", name, names)
        check_type(f"styles[{name!r}]", style, Mapping, 'line properties, such as {"color": "red"}')


def _checked_widths(
    widths: Mapping[str, float] | None, games: Mapping[str, object]
) -> Mapping[str, float]:
    what = 'a dict of titles and numbers, such as {"Leduc poker": 26}'
    check_type("payoff_width", widths or {}, Mapping, what)
    for game in widths or {}:
        if game not in games:
            raise UnknownNameError.of("game in payoff_width", game, games)
    return widths or {}


def _size(figsize: tuple[float, float] | None, default: tuple[float, float]) -> tuple[float, float]:
    if figsize is None:
        return default
    check_type("figsize", figsize, (tuple, list), "a width and a height in inches, such as (6, 4)")
    if len(figsize) != 2:
        raise ParameterError(f"figsize={show(figsize)}: give two numbers, width and height")
    for number in figsize:
        check_number("a side of figsize", number, 1, 100)
    return (float(figsize[0]), float(figsize[1]))


def _text_fitting(
    size: tuple[float, float], default: tuple[float, float], scale: float = 1.0
) -> AbstractContextManager[None]:
    """Scale text and lines that are created in the block by the ratio of `size` to the default."""
    share = scale * min(size[0] / default[0], size[1] / default[1])
    return scaled_text(float(np.clip(share, MIN_TEXT_SCALE, scale)))


def _grid(number: int, columns: int | None) -> tuple[int, int]:
    """Return the numbers of rows and columns of panels.

    Examples
    --------
    >>> [_grid(number, None) for number in (1, 3, 4, 5, 8, 9)]
    [(1, 1), (1, 3), (2, 2), (2, 3), (2, 4), (3, 3)]
    """
    if columns is not None:
        check_count("columns", columns, minimum=1)
        width = min(columns, number)
    elif number <= COLUMN_COUNTS[1]:
        width = number
    else:
        # At most as many rows as columns, if possible; few empty places; then nearly square.
        def order(count: int) -> tuple[bool, int, int]:
            rows = ceil(number / count)
            return rows > count, rows * count - number, abs(rows - count)

        width = min(COLUMN_COUNTS, key=order)
    return ceil(number / width), width


def _remove_repeated_labels(parts: Sequence[Axes], columns: int) -> None:
    """Leave the labels of axes at the left and at the bottom only, if all panels have the same."""
    if len({axes.get_ylabel() for axes in parts}) == 1:
        for number, axes in enumerate(parts):
            if number % columns:
                axes.set_ylabel("")
    if len({axes.get_xlabel() for axes in parts}) == 1:
        for axes in parts[:-columns]:
            axes.set_xlabel("")


def _add_legend(figure: Figure, names: Sequence[str]) -> None:
    """Add one legend below all panels; each line is in it once."""
    drawn: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            drawn.setdefault(label, handle)
    handles = {name: drawn[name] for name in names if name in drawn}
    longest = max(map(len, handles))
    column = (HANDLE_INCHES + LETTER_INCHES * longest) * text_size() / TEXT_SIZE
    fitting = int(figure.get_size_inches()[0] / column)
    figure.legend(
        [*handles.values()],
        [*handles],
        loc="outside lower center",
        ncols=max(1, min(LEGEND_COLUMNS, fitting)),
        frameon=False,
        columnspacing=1.0,
        handletextpad=0.5,
    )
