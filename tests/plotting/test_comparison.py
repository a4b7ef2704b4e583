"""The picture of several methods."""

import pytest

from infoset.errors import ParameterError
from infoset.front import compare
from infoset.plotting import plot_comparison


@pytest.fixture(scope="module")
def results():
    return compare("kuhn_poker", ["cfr", "cfr+", "lp"], iterations=50)


def curves(axes):
    return {line.get_label(): line for line in axes.lines if not line.get_label().startswith("_")}


def test_each_method_is_drawn_against_iterations_and_seconds(results):
    by_iterations, by_seconds = plot_comparison(results).axes
    assert [*curves(by_iterations)] == ["cfr", "cfr+"]
    assert [*curves(by_seconds)] == ["cfr", "cfr+", "lp"]
    for result in results[:2]:
        drawn = curves(by_iterations)[result.method]
        assert drawn.get_xdata().tolist() == [point.iteration for point in result.trace]
        assert drawn.get_ydata().tolist() == [point.exploitability for point in result.trace]


def test_what_may_be_rounding_is_drawn_at_rounding(results):
    _, by_seconds = plot_comparison(results).axes
    (drawn,) = curves(by_seconds)["lp"].get_ydata()
    assert drawn == results[2].measured.rounding > results[2].exploitability
    assert [text.get_text() for text in by_seconds.texts] == ["rounding"]
    assert not plot_comparison(results[:2]).axes[0].texts


def test_texts_are_apart_and_inside(results):
    figure = plot_comparison(results * 3)
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    (legend,) = figure.legends
    box = legend.get_window_extent(renderer)
    for axes in figure.axes:
        assert box.y1 <= axes.xaxis.label.get_window_extent(renderer).y0
        assert axes.get_window_extent(renderer).y1 <= figure.bbox.y1
    assert box.y0 >= 0
    assert box.x0 >= 0


def test_nine_methods_have_nine_looks(results):
    nine = [*results[:2]] * 5
    lines = plot_comparison(nine[:9]).axes[0].lines
    looks = {(line.get_color(), line.get_linestyle()) for line in lines}
    assert len(looks) == 9


def test_games_without_exploitability_show_nash_conv():
    figure = plot_comparison(compare("matrix_pd", ["cfr+"], iterations=5))
    assert figure.axes[0].get_ylabel() == "NashConv (game's units)"


def test_a_comparison_is_of_one_game(results):
    other = compare("matrix_mp", ["cfr"], iterations=2)
    with pytest.raises(ParameterError, match="kuhn_poker, matrix_mp"):
        plot_comparison([*results, *other])
    with pytest.raises(ParameterError, match="none"):
        plot_comparison([])
