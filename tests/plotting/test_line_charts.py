"""Line charts: many lines are divided into panels with distinguishable lines."""

from __future__ import annotations

from itertools import pairwise

import pytest

from infoset.plotting import Line, plot_lines

LABELS = {"title": "", "x_label": "x", "y_label": "y"}


def lines(count):
    return [
        Line(f"line {n}", (1.0, 10.0, 100.0), (n + 1.0, n + 2.0, n + 3.0)) for n in range(count)
    ]


def styles(axes):
    labeled = [line for line in axes.lines if not line.get_label().startswith("_")]
    return [(line.get_color(), line.get_linestyle(), line.get_marker()) for line in labeled]


@pytest.mark.parametrize(("count", "panels"), [(1, 1), (9, 1), (10, 2), (18, 3)])
def test_each_line_has_its_own_style_in_one_panel(count, panels):
    figure = plot_lines(lines(count), **LABELS)
    assert len(figure.axes) == panels
    drawn = [styles(axes) for axes in figure.axes]
    assert sum(map(len, drawn)) == count
    for panel in drawn:
        assert len({color for color, *_ in panel} | {marker for *_, marker in panel}) >= len(panel)
        assert len(set(panel)) == len(panel)
    assert all(len(axes.lines) == count for axes in figure.axes), "others are in the background"


def test_guides_are_labeled_at_their_ends_and_not_in_the_legend():
    guide = Line("bound", (1.0, 100.0), (4.0, 4.0), is_guide=True)
    (axes,) = plot_lines([*lines(2), guide], **LABELS).axes
    assert [text.get_text() for text in axes.texts] == ["bound"]
    assert len(styles(axes)) == 2


def test_ticks_of_a_short_logarithmic_axis_do_not_overlap():
    figure = plot_lines([Line("a", (0.05, 0.8), (0.2, 0.9))], **LABELS)
    figure.canvas.draw()
    (axes,) = figure.axes
    renderer = figure.canvas.get_renderer()
    shown = [
        t for t in (*axes.get_xticklabels(), *axes.get_xticklabels(minor=True)) if t.get_text()
    ]
    boxes = sorted((box.x0, box.x1) for t in shown for box in [t.get_window_extent(renderer)])
    assert len(boxes) >= 2
    assert all(end < start for (_, end), (start, _) in pairwise(boxes))


def test_a_logarithmic_axis_within_a_decade_has_several_labels():
    (axes,) = plot_lines([Line("a", (2.1, 4.9), (0.53, 0.77))], **LABELS).axes
    axes.figure.canvas.draw()
    assert axes.get_yscale() == "log"
    for axis in (axes.xaxis, axes.yaxis):
        low, high = axis.get_view_interval()
        inside = [tick for tick in axis.get_majorticklocs() if low <= tick <= high]
        assert len(inside) >= 3


def test_positions_on_the_x_axis_can_be_named():
    line = Line("search", (1.0, 2.0, 3.0), (0.3, 0.2, 0.1))
    names = ("1", "2", "to the end")
    (axes,) = plot_lines([line], **LABELS, is_logarithmic=False, x_ticks=names).axes
    assert axes.get_xticks().tolist() == [1, 2, 3]
    assert [label.get_text() for label in axes.get_xticklabels()] == list(names)
