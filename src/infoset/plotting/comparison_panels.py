"""The panels of charts of comparisons: lines, marks and the axis of errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import ceil, floor, isfinite, log10
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from infoset.errors import ParameterError, show
from infoset.learning import LEARNERS
from infoset.plotting.compared_runs import ComparedLine, Curve, common_error, line_curve
from infoset.plotting.figures import (
    COLORS,
    DASHES,
    GUIDE_COLOR,
    MARKS_PER_LINE,
    TARGET_COLOR,
    add_grid,
    line_style,
    set_log_ticks,
)
from infoset.runs import Target
from infoset.typing import FloatArray
from infoset.utils.arguments import check_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MIN_FLOOR: Final = 1e-16
"""Height at which an error of 0 is drawn if the rounding error is unknown."""

BAND_OPACITY = 0.18
INCHES_PER_LABEL = 0.8
LETTER_INCHES, TEXT_SIZE = 0.078, 10
"""Mean width of a letter at a size of the text, in points."""
AXIS_SHARE = 0.68
"""Share of the height of a panel that the label of the error axis may take."""


@dataclass(frozen=True)
class Chart:
    """Data shared by all panels of the comparison of one game.

    rounding, and the heights of curves, are in the unit of the axis.
    """

    lines: Sequence[ComparedLine]
    names: Sequence[str]
    """Names of lines in an order that determines their looks; those of all games of a figure."""
    error: str
    band: str
    unit: str
    scale: float
    rounding: float
    game: str
    styles: Mapping[str, Mapping[str, Any]]
    """Properties of matplotlib lines by name of the line."""
    level: float | None = None
    """Height of the target on the error axis."""

    @classmethod
    def of(
        cls,
        lines: Sequence[ComparedLine],
        band: str,
        percent_of_range: bool,
        payoff_width: float | None,
        target: Target | None,
        styles: Mapping[str, Mapping[str, Any]] | None,
        names: Sequence[str] | None = None,
    ) -> Chart:
        """Return the chart of lines; `names` are by default those of the lines."""
        runs = [run for line in lines for run in line.runs]
        scale, unit = 1.0, "game's units"
        if percent_of_range:
            scale, unit = 100 / _width(lines, payoff_width), "% of the payoff range"
        game = next((run.game for run in runs if run.game), "")
        rounding = max(run.rounding for run in runs) * scale
        named = [line.name for line in lines] if names is None else names
        error = common_error(runs)
        chart = cls(lines, named, error, band, unit, scale, rounding, game, styles or {})
        if target is None:
            return chart
        return replace(chart, level=chart.height_of(target, payoff_width))

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


def draw_panel(axes: Axes, chart: Chart, kind: str, panels: Sequence[str], width: float) -> None:
    """Draw the lines of a chart against `kind`, one of the horizontal axes in `panels`.

    Parameters
    ----------
    width
        Width of the panel in inches.
    """
    limits = _error_limits(chart, panels)
    axes.set(xscale="log", yscale="log", xlabel=chart.unit_of(kind), ylim=limits)
    add_grid(axes)
    # Labels of marks need the limits of the axis, which lines determine.
    for line in sorted(chart.lines, key=lambda line: line.is_mark):
        _draw_line(axes, chart, line, kind, panels)
    _mark_rounding(axes, chart)
    if chart.level is not None:
        _mark_target(axes, chart.level, chart.unit, is_labeled=kind == panels[0])
    if kind == "seconds":
        set_log_ticks(axes.xaxis, int(np.clip(width / INCHES_PER_LABEL, 2, 6)))


def drawn_kinds(chart: Chart, against: str) -> list[str]:
    """Return the horizontal axes of the panels; each needs a line or mark."""
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


def _error_limits(chart: Chart, panels: Sequence[str]) -> tuple[float, float]:
    """Return whole decades around the errors of iterative methods, if any, or of all methods."""
    iterative = [line for line in chart.lines if not line.is_mark]
    heights = [] if chart.level is None else [chart.level]
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
    axes: Axes, chart: Chart, line: ComparedLine, kind: str, panels: Sequence[str]
) -> None:
    curve = chart.curve(line, kind)
    if curve is None:
        return
    style = _line_look(chart.names.index(line.name), curve.x) | {"label": line.name}
    style |= chart.styles.get(line.name, {})
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
    style, scale = line_style(number, len(x)), text_size() / TEXT_SIZE
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
    axes: Axes, chart: Chart, line: ComparedLine, curve: Curve, style: dict[str, Any]
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
    text = f"{line.name}: {bound}{error:.0e}{percent}"
    width = axes.get_window_extent().width / axes.figure.dpi
    needed = len(text) * LETTER_INCHES * text_size() / TEXT_SIZE / width
    # To the right of the mark if there is no room on its left, unless the right has even less.
    is_left = place[0] < max(1 / 3, min(1 / 2, needed))
    axes.annotate(
        text,
        (curve.x[0], height),
        xytext=(8 if is_left else -8, 6),
        textcoords="offset points",
        horizontalalignment="left" if is_left else "right",
        color=look["color"],
    )


def _mark_rounding(axes: Axes, chart: Chart) -> None:
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


def error_label(chart: Chart, height: float) -> str:
    """Return the label of the error axis, on two lines if one is too long for the height."""
    label, unit = chart.error, f"({chart.unit})"
    inches = (len(label) + 1 + len(unit)) * LETTER_INCHES * text_size() / TEXT_SIZE
    return f"{label} {unit}" if inches < AXIS_SHARE * height else f"{label}\n{unit}"


@contextmanager
def scaled_text(scale: float) -> Iterator[None]:
    """Scale the text, lines, markers and ticks of artists that are created in the block."""
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


def text_size() -> float:
    """Return the current size of text in points."""
    from matplotlib import rcParams

    return float(rcParams["font.size"])
