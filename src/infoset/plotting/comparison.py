"""The chart of a comparison: the error of several methods against iterations and seconds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from infoset.errors import ParameterError, UnknownNameError, show
from infoset.learning import LEARNERS
from infoset.plotting.compared_runs import (
    BANDS,
    Compared,
    ComparedLine,
    Curve,
    common_error,
    group_runs,
    line_curve,
)
from infoset.plotting.figures import (
    COLORS,
    DASHES,
    GUIDE_COLOR,
    MARKS_PER_LINE,
    TARGET_COLOR,
    add_grid,
    line_style,
    new_figure,
    set_log_ticks,
    wrap_spec,
)
from infoset.runs import Target
from infoset.typing import FloatArray
from infoset.utils.arguments import check_choice, check_number, check_type

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


AXES: Final = ("iterations", "seconds", "both")
"""What errors are drawn against."""

PANEL_WIDTH, HEIGHT = 4.8, 4.6
MIN_FLOOR: Final = 1e-16
"""Height at which an error of 0 is drawn if the rounding error is unknown."""

BAND_OPACITY = 0.18
INCHES_PER_LABEL = 0.8
LEGEND_COLUMNS, HANDLE_INCHES, LETTER_INCHES, TEXT_SIZE = 6, 0.65, 0.078, 10
AXIS_SHARE = 0.68
"""Share of the height of a figure that the label of the error axis may take."""
MIN_TEXT_SCALE = 0.6
"""Six points: the smallest text that journals print."""


def plot_comparison(
    results: Mapping[str, Compared | Sequence[Compared]]
    | Sequence[Compared | tuple[str, Compared]]
    | Compared,
    *,
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
        Width and height in inches.
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
    _check_styles(styles, lines)
    chart = _Chart.of(lines, band, percent_of_range, payoff_width)
    level = None if target is None else chart.height_of(target, payoff_width)
    panels = _panels(chart, against)
    inches = _size(figsize, len(panels))
    # Text and lines shrink with the figure, relative to one of the default size.
    share = min(inches[0] / (PANEL_WIDTH * len(panels)), inches[1] / HEIGHT)
    with _scaled_text(float(np.clip(share, MIN_TEXT_SCALE, 1))):
        figure = new_figure(inches, layout="constrained")
        _draw_panels(figure, chart, panels, level, styles or {}, x_label, y_label)
        heading = "\n".join(wrap_spec(chart.game)) if title is None else title
        if heading:
            figure.suptitle(heading, fontsize="large", parse_math=False)
        _add_legend(figure, [line.name for line in lines])
    return figure


def _draw_panels(
    figure: Figure,
    chart: _Chart,
    panels: Sequence[str],
    level: float | None,
    styles: Mapping[str, Mapping[str, Any]],
    x_label: str | None,
    y_label: str | None,
) -> None:
    """Draw the lines of a chart against what each panel is drawn against."""
    limits = _error_limits(chart, panels, level)
    parts = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, kind in zip(parts, panels, strict=True):
        label = x_label if x_label is not None and kind == panels[0] else chart.unit_of(kind)
        axes.set(xscale="log", yscale="log", xlabel=label, ylim=limits)
        add_grid(axes)
        # Labels of marks need the limits of the axis, which lines determine.
        for number, line in sorted(enumerate(chart.lines), key=lambda entry: entry[1].is_mark):
            _draw_line(axes, chart, line, number, kind, panels, styles.get(line.name, {}))
        _mark_rounding(axes, chart)
        if level is not None:
            _mark_target(axes, level, chart.unit, is_labeled=kind == panels[0])
        if kind == "seconds":
            width = figure.get_size_inches()[0] / len(panels)
            set_log_ticks(axes.xaxis, int(np.clip(width / INCHES_PER_LABEL, 2, 6)))
    parts[0].set_ylabel(_error_label(figure, chart) if y_label is None else y_label)


@dataclass(frozen=True)
class _Chart:
    """What all panels of a comparison share.

    rounding, and the heights of curves, are in the unit of the axis.
    """

    lines: Sequence[ComparedLine]
    error: str
    band: str
    unit: str
    scale: float
    rounding: float
    game: str

    @classmethod
    def of(
        cls,
        lines: Sequence[ComparedLine],
        band: str,
        percent_of_range: bool,
        payoff_width: float | None,
    ) -> _Chart:
        runs = [run for line in lines for run in line.runs]
        scale, unit = 1.0, "game's units"
        if percent_of_range:
            scale, unit = 100 / _width(lines, payoff_width), "% of the payoff range"
        game = next((run.game for run in runs if run.game), "")
        rounding = max(run.rounding for run in runs) * scale
        return cls(lines, common_error(runs), band, unit, scale, rounding, game)

    def unit_of(self, kind: str) -> str:
        """Return the label of an axis: the iterations of learners are episodes."""
        if kind != "iterations":
            return kind
        learned = [run.method.split(" ")[0] in LEARNERS for line in self.lines for run in line.runs]
        if not any(learned):
            return kind
        return "episodes" if all(learned) else f"{kind} or episodes"

    def curve(self, line: ComparedLine, kind: str) -> Curve | None:
        """Return the curve of a line against `iterations` or `seconds`."""
        floor = max(*(run.rounding for run in line.runs), MIN_FLOOR)
        return line_curve(
            line, kind, error=self.error, band=self.band, floor=floor, scale=self.scale
        )

    def height_of(self, target: Target, payoff_width: float | None) -> float:
        """Return the height of a target on the error axis."""
        text = str(target).strip()
        try:
            number = float(text.removesuffix("%"))
        except ValueError:
            number = 0.0
        if not (isfinite(number) and number > 0):
            raise ParameterError(
                f"target={show(target)} must be a positive number, or a percentage of the payoff "
                "range such as '0.1%'"
            )
        if text.endswith("%"):
            number *= _width(self.lines, payoff_width) / 100
        return number * self.scale


def _width(lines: Sequence[ComparedLine], payoff_width: float | None) -> float:
    """Return the payoff range, as given or as the runs record it."""
    if payoff_width is None:
        known = [run.payoff_width for line in lines for run in line.runs]
        payoff_width = next((width for width in known if width), None)
    if payoff_width is None:
        raise ParameterError(
            "the payoff range is unknown, because no run records it: give payoff_width (on the "
            "command line --payoff-width), the largest difference between two utilities of a "
            "player, such as 26 for Leduc poker"
        )
    check_number("payoff_width", payoff_width)
    if payoff_width == 0:
        raise ParameterError(
            "payoff_width=0: all utilities are equal, so errors have no percentage of the payoff "
            "range; leave out percent_of_range and percentages"
        )
    return float(payoff_width)


def _check_styles(
    styles: Mapping[str, Mapping[str, Any]] | None, lines: Sequence[ComparedLine]
) -> None:
    names = [line.name for line in lines]
    check_type("styles", styles or {}, Mapping, "a dict of names and line properties")
    for name, style in (styles or {}).items():
        if name not in names:
            raise UnknownNameError.of("line in styles", name, names)
        check_type(f"styles[{name!r}]", style, Mapping, 'line properties, such as {"color": "red"}')


def _size(figsize: tuple[float, float] | None, num_panels: int) -> tuple[float, float]:
    if figsize is None:
        return (PANEL_WIDTH * num_panels + 1.2 * (num_panels == 1), HEIGHT)
    check_type("figsize", figsize, (tuple, list), "a width and a height in inches, such as (6, 4)")
    if len(figsize) != 2:
        raise ParameterError(f"figsize={show(figsize)}: give two numbers, width and height")
    for number in figsize:
        check_number("a side of figsize", number, 1, 100)
    return (float(figsize[0]), float(figsize[1]))


def _panels(chart: _Chart, against: str) -> list[str]:
    """Return what the panels are drawn against; each needs a line or mark."""
    asked = ["iterations", "seconds"] if against == "both" else [against]
    panels = [
        kind for kind in asked if any(chart.curve(line, kind) is not None for line in chart.lines)
    ]
    if panels:
        return panels
    raise ParameterError(
        f"no run has measurements at positive {against}; use against='iterations', or give traces "
        "with seconds"
        if against == "seconds"
        else "no run has measurements after iteration 0; give traces with iterations"
    )


def _error_limits(chart: _Chart, panels: Sequence[str], level: float | None) -> tuple[float, float]:
    """Return whole decades around the errors of iterative methods, if any, or of all methods."""
    iterative = [line for line in chart.lines if not line.is_mark]
    heights = [] if level is None else [level]
    for lines in (iterative, chart.lines):
        curves = [chart.curve(line, kind) for line in lines for kind in panels]
        shown = [curve for curve in curves if curve is not None]
        if shown:
            heights += [float(curve.low.min()) for curve in shown]
            heights += [float(curve.high.max()) for curve in shown]
            break
    low, high = floor(log10(min(heights))), ceil(log10(max(heights)))
    return 10.0 ** (low - (low == high)), 10.0**high  # at least one decade


def _draw_line(
    axes: Axes,
    chart: _Chart,
    line: ComparedLine,
    number: int,
    kind: str,
    panels: Sequence[str],
    changes: Mapping[str, Any],
) -> None:
    curve = chart.curve(line, kind)
    if curve is None:
        return
    style = _line_look(number, curve.x) | {"label": line.name} | dict(changes)
    if line.is_mark:
        # Iterations of an exact method mean little: it is drawn against seconds, if it has them.
        if kind == "seconds" or "seconds" not in panels or chart.curve(line, "seconds") is None:
            _draw_mark(axes, chart, line, curve, style)
        return
    axes.plot(curve.x, curve.middle, **style)
    if len(line.runs) > 1:
        color = axes.lines[-1].get_color()
        axes.fill_between(
            curve.x, curve.low, curve.high, color=color, alpha=BAND_OPACITY, linewidth=0
        )


def _line_look(number: int, x: FloatArray) -> dict[str, Any]:
    """Return the style of a line at points x, whose dashes also differ from its neighbors'."""
    style, scale = line_style(number, len(x)), _text_size() / TEXT_SIZE
    return style | {
        "linestyle": DASHES[(number + number // len(COLORS)) % len(DASHES)],
        "markevery": _marked_points(number, x),
        "markersize": style["markersize"] * scale,
        "linewidth": style["linewidth"] * scale,
    }


def _marked_points(number: int, x: FloatArray) -> list[int]:
    """Return the indices of points with markers: all if they are few, else at equal distances.

    The axis is logarithmic. Markers of neighboring lines are at different places.
    """
    if len(x) <= 2 * MARKS_PER_LINE:
        return [*range(len(x))]
    # Equal distances of log x: x = first^(1 - place) · last^place. The shift by the line's number
    # keeps the markers of three neighbors apart.
    places = (np.arange(MARKS_PER_LINE) + 0.25 + number % 3 / 4) / MARKS_PER_LINE
    at = np.searchsorted(x, x[0] ** (1 - places) * x[-1] ** places)
    return [int(index) for index in np.unique(at.clip(max=len(x) - 1))]


def _draw_mark(
    axes: Axes, chart: _Chart, line: ComparedLine, curve: Curve, style: dict[str, Any]
) -> None:
    look = style | {
        "linestyle": "",
        "marker": "D",
        "markersize": 1.5 * style["markersize"],
        "clip_on": False,
        "zorder": 3,
    }
    error, low = float(curve.middle[0]), axes.get_ylim()[0]
    height = max(error, low)
    axes.plot(curve.x, [height], **look)
    if curve.high[0] > curve.low[0]:
        axes.vlines(curve.x, np.maximum(curve.low, low), curve.high, color=look["color"])
    rounding = max(run.rounding for run in line.runs) * chart.scale
    bound = "≤ " if error == rounding else ""
    percent = "%" if chart.unit.startswith("%") else ""
    place = axes.transAxes.inverted().transform(axes.transData.transform((curve.x[0], height)))
    is_left = place[0] < 1 / 3
    axes.annotate(
        f"{line.name}: {bound}{error:.0e}{percent}",
        (curve.x[0], height),
        xytext=(8 if is_left else -8, 6),
        textcoords="offset points",
        horizontalalignment="left" if is_left else "right",
        color=look["color"],
    )


def _mark_rounding(axes: Axes, chart: _Chart) -> None:
    """Mark the rounding error of the measurements, if it is on the axis."""
    if chart.rounding < axes.get_ylim()[0]:
        return
    axes.axhline(chart.rounding, color=GUIDE_COLOR, linewidth=1.0, linestyle=":")
    axes.annotate(
        "rounding",
        (0.01, chart.rounding),
        xycoords=("axes fraction", "data"),
        xytext=(0, 3),
        textcoords="offset points",
        color=GUIDE_COLOR,
        fontsize="small",
    )


def _mark_target(axes: Axes, level: float, unit: str, *, is_labeled: bool) -> None:
    axes.axhline(level, color=TARGET_COLOR, linewidth=1.2, linestyle=(0, (6, 2)))
    if is_labeled:
        axes.annotate(
            f"target {level:.3g}{'%' if unit.startswith('%') else ''}",
            (0.01, level),
            xycoords=("axes fraction", "data"),
            xytext=(0, 4),
            textcoords="offset points",
            color=TARGET_COLOR,
        )


def _add_legend(figure: Figure, names: Sequence[str]) -> None:
    """Add one legend below all panels; each line is in it once."""
    drawn: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            drawn.setdefault(label, handle)
    handles = {name: drawn[name] for name in names if name in drawn}
    longest = max(map(len, handles))
    column = (HANDLE_INCHES + LETTER_INCHES * longest) * _text_size() / TEXT_SIZE
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


def _error_label(figure: Figure, chart: _Chart) -> str:
    """Return the label of the error axis, on two lines if one is too long for the figure."""
    label, unit = chart.error, f"({chart.unit})"
    inches = (len(label) + 1 + len(unit)) * LETTER_INCHES * _text_size() / TEXT_SIZE
    fits = inches < AXIS_SHARE * figure.get_size_inches()[1]
    return f"{label} {unit}" if fits else f"{label}\n{unit}"


@contextmanager
def _scaled_text(scale: float) -> Iterator[None]:
    """Scale the text, lines, markers and ticks of artists that are made in the block."""
    from matplotlib import rc_context, rcParams

    names = (
        "font.size",
        "axes.linewidth",
        "xtick.major.size",
        "xtick.minor.size",
        "ytick.major.size",
        "ytick.minor.size",
    )
    current = cast("dict[str, Any]", rcParams)
    changed: Any = {name: current[name] * scale for name in names}
    with rc_context(changed):
        yield


def _text_size() -> float:
    """Return the current size of text in points."""
    from matplotlib import rcParams

    return float(rcParams["font.size"])
