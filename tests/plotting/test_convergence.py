"""Charts of convergence and learning: their data, labels and readability."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError
from infoset.games import matrix_game
from infoset.plotting import plot_convergence, plot_learning
from infoset.runs import TracePoint


def point(iteration, nash_conv, exploitability):
    return TracePoint(iteration, 0.1 * iteration, (0.0, 0.0), nash_conv, exploitability)


def halving(errors):
    return [point(t, 2 * error, error) for t, error in errors]


FALLING = halving([(1, 2.5), (10, 0.3), (1000, 4e-4), (25_000, 3e-6)])


def drawn(figure):
    """Return the one pair of axes of a figure, with its layout computed."""
    figure.draw_without_rendering()
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
        pytest.param(halving([(1477, 1e-17)]), marks=pytest.mark.long),
        pytest.param(halving([(1, 0.5)]), marks=pytest.mark.long),
        halving([(1, 0.0)]),
        halving([(0, 0.0)]),
        pytest.param(halving([(0, 1e-16)]), marks=pytest.mark.long),
        halving([(1, 0.5), (2, 0.25), (3, 0.0)]),
        pytest.param(halving([(1, 0.31), (2, 0.3)]), marks=pytest.mark.long),
        halving([(t, 1.0 / t) for t in range(1, 2000)]),
        halving([(10**k, 10.0 ** (3 - 2 * k)) for k in range(9)]),
        pytest.param(halving([(36, 1.0), (36, 1.0)]), marks=pytest.mark.long),
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


@pytest.mark.broad
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


@pytest.mark.broad
def test_pyplot_and_its_global_state_are_left_alone():
    program = (
        "import sys; from infoset.plotting import draw, plot_convergence\n"
        "drawing = draw('matrix_mp')\n"
        "loaded = {'matplotlib', 'pygraphviz'} & set(sys.modules)\n"
        "assert not loaded, 'loaded before it is used'\n"
        "drawing.svg()\n"
        "from infoset.runs import TracePoint\n"
        "figure = plot_convergence([TracePoint(1, 0.1, (0.0, 0.0), 1.0, 0.5)])\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
        "print(type(figure.canvas).__name__)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "FigureCanvasAgg", done.stderr


SHAPLEY = matrix_game([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 0], [0, 0, 1], [1, 0, 0]])


def learning_lines(figure):
    (axes,) = figure.axes
    return axes, [line.get_xydata() for line in axes.get_lines()]


def test_each_seed_is_a_line_of_its_trace():
    result = infoset.learn("kuhn_poker", "ixomd", episodes=300, seeds=3)
    axes, drawn = learning_lines(plot_learning(result))
    for run, line in zip(result.runs, drawn, strict=True):
        assert np.array_equal(line, [(p.iteration, p.exploitability) for p in run.trace])
    assert (axes.get_xlabel(), axes.get_xscale(), axes.get_yscale()) == ("episodes", "log", "log")
    game, method = axes.get_title().split("\n")
    assert game == "kuhn_poker"
    assert method.endswith(" after 300 episodes, 3 seeds")


@pytest.mark.parametrize(
    ("game", "method", "said", "name"),
    [
        ("kuhn_poker(players=3)", "ixomd", "CCE gap of joint play", "cce_gap"),
        ("kuhn_poker", "balanced-efce-omd", "EFCE gap of recommended play", "efce_gap"),
    ],
)
def test_learners_of_joint_play_show_its_gap(game, method, said, name):
    result = infoset.learn(game, method, episodes=200)
    axes, (line,) = learning_lines(plot_learning(result))
    assert axes.get_ylabel() == f"{said} (game's units)"
    assert np.array_equal(line[:, 1], [getattr(point, name) for point in result.runs[0].trace])


def test_a_gap_of_zero_is_drawn_where_the_axis_is_linear():
    result = infoset.learn(SHAPLEY, "ixomd", episodes=5000, step_sizes=(0.05, 0.005))
    assert result.cce_gap == (0.0,)
    axes, _ = learning_lines(plot_learning(result))
    assert axes.get_yscale() == "symlog"
    assert axes.get_ylim()[0] < 0


def test_what_is_not_measured_at_all_points_is_not_drawn():
    result = infoset.learn("kuhn_poker(players=3)", "ixomd", episodes=50)
    (run,) = result.runs
    broken = replace(run, trace=(replace(run.trace[0], cce_gap=None), *run.trace[1:]))
    axes, _ = learning_lines(plot_learning(replace(result, runs=(broken,))))
    assert axes.get_ylabel() == "NashConv (game's units)"


@pytest.mark.parametrize("given", [None, "kuhn_poker", 5])
def test_only_what_learn_returns_is_drawn(given):
    with pytest.raises(ParameterError, match=r"result=.* give a result of learn"):
        plot_learning(given)
