"""Pictures of convergence: what they say, and that they can be read."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from infoset.errors import ParameterError
from infoset.plotting import plot_convergence
from infoset.runs import TracePoint


def point(iteration, nash_conv, exploitability):
    return TracePoint(iteration, 0.1 * iteration, (0.0, 0.0), nash_conv, exploitability)


def halving(errors):
    return [point(t, 2 * error, error) for t, error in errors]


FALLING = halving([(1, 2.5), (10, 0.3), (1000, 4e-4), (25_000, 3e-6)])


def drawn(figure):
    """Return the one pair of axes of a figure, after drawing it."""
    figure.savefig(io.BytesIO(), format="png")
    (axes,) = figure.axes
    return axes


def visible_ticks(axis):
    low, high = sorted(axis.get_view_interval())
    return [
        tick.label1.get_text()
        for tick in axis.get_major_ticks()
        if low <= tick.get_loc() <= high and tick.label1.get_text()
    ]


def test_the_curve_is_exploitability_against_iterations_on_two_logarithmic_axes():
    axes = drawn(plot_convergence(FALLING, game="leduc_poker", method="cfr+"))
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    (line,) = axes.lines
    assert list(line.get_xdata()) == [1, 10, 1000, 25_000]
    assert list(line.get_ydata()) == [2.5, 0.3, 4e-4, 3e-6]
    assert axes.get_xlabel() == "iterations"
    assert axes.get_ylabel() == "exploitability (game's units)"
    assert axes.get_title() == "leduc_poker\ncfr+: 3e-06 after 25,000 iterations"


def test_without_exploitability_it_is_nash_conv_and_says_so():
    trace = [point(1, 1.5, None), point(7, 0.25, None)]
    axes = drawn(plot_convergence(trace))
    assert axes.get_ylabel() == "NashConv (game's units)"
    assert list(axes.lines[0].get_ydata()) == [1.5, 0.25]
    assert axes.get_title() == "0.25 after 7 iterations"


@pytest.mark.parametrize(
    "trace",
    [
        FALLING,
        halving([(1477, 1e-17)]),
        halving([(1, 0.5)]),
        halving([(1, 0.0)]),
        halving([(0, 0.0)]),
        halving([(0, 1e-16)]),
        halving([(1, 0.5), (2, 0.25), (3, 0.0)]),
        halving([(1, 0.31), (2, 0.3)]),
        halving([(t, 1.0 / t) for t in range(1, 2000)]),
        halving([(10**k, 10.0 ** (3 - 2 * k)) for k in range(9)]),
        halving([(36, 1.0), (36, 1.0)]),
    ],
    ids=lambda trace: f"{len(trace)} from {trace[0].iteration} at {trace[0].exploitability:g}",
)
def test_every_point_is_inside_and_the_ticks_can_be_read(trace):
    axes = drawn(plot_convergence(trace))
    for axis, values in (
        (axes.xaxis, axes.lines[0].get_xdata()),
        (axes.yaxis, axes.lines[0].get_ydata()),
    ):
        low, high = axis.get_view_interval()
        assert all(low < value < high for value in values)
        assert 2 <= len(visible_ticks(axis)) <= 12


def test_a_zero_is_marked_as_zero():
    axes = drawn(plot_convergence(halving([(1, 0.5), (2, 0.0)])))
    assert axes.get_yscale() == "symlog"
    assert axes.get_xscale() == "log"
    assert "0" in "".join(visible_ticks(axes.yaxis)).replace("10", "")


def test_few_points_are_marked_and_many_are_not():
    few = plot_convergence(FALLING).axes[0].lines[0]
    many = plot_convergence(halving([(t, 1.0 / t) for t in range(1, 200)])).axes[0].lines[0]
    assert few.get_marker() == "o"
    assert many.get_marker() in (None, "None", "")


def test_a_target_is_a_line_inside_the_picture():
    axes = drawn(plot_convergence(FALLING, target=1e-9))
    assert list(axes.lines[1].get_ydata()) == [1e-9, 1e-9]
    assert axes.get_ylim()[0] < 1e-9
    assert [text.get_text() for text in axes.texts] == ["target 1e-09"]


def test_long_names_are_broken_at_commas_and_dollars_are_no_formulas():
    game = "goofspiel(imp_info=True,num_cards=5,points_order=random,returns_type=point_difference)"
    axes = drawn(plot_convergence(FALLING, game=game, method="cfr"))
    lines = axes.get_title().split("\n")
    assert "".join(lines[:-1]) == game
    assert len(lines) == 3
    assert all(line.endswith(",") for line in lines[:-2])
    drawn(plot_convergence(FALLING, game="a$_b$ \\frac{", method="cfr"))


@pytest.mark.parametrize("repeats", [1, 4, 1000])
def test_title_and_labels_lie_inside_the_figure(repeats):
    game = ",".join(["goofspiel(imp_info=True,num_cards=5"] * repeats)
    figure = plot_convergence(FALLING, game=game, method="cfr")
    axes = drawn(figure)
    box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert box.x0 >= 0
    assert box.y0 >= 0
    assert box.x1 <= width
    assert box.y1 <= height
    assert axes.get_position().height > 0.5
    assert ("..." in axes.get_title()) == (repeats == 1000)


def test_an_empty_trace_is_refused():
    with pytest.raises(ParameterError, match="at least one measurement"):
        plot_convergence([])


def test_pyplot_and_its_global_state_are_left_alone():
    program = (
        "import sys; from infoset.plotting import plot_convergence\n"
        "assert 'matplotlib' not in sys.modules, 'loaded before it is used'\n"
        "from infoset.runs import TracePoint\n"
        "figure = plot_convergence([TracePoint(1, 0.1, (0.0, 0.0), 1.0, 0.5)])\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
        "print(type(figure.canvas).__name__)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "FigureCanvasAgg", done.stderr
