"""Charts of comparisons: their inputs, data, bands, options and readability."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest

import infoset
from infoset.errors import InfosetError, ParameterError, ResultFileError, UnknownNameError
from infoset.experiments import save_comparison, save_learning, save_run
from infoset.front import compare
from infoset.plotting import plot_comparison, save_figure
from infoset.runs import RunTrace, make_trace


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


def test_an_exact_method_is_a_labeled_mark_at_the_edge_of_the_errors_of_the_others(results):
    by_iterations, by_seconds = plot_comparison(results).axes
    low, high = by_iterations.get_ylim()
    errors = [point.exploitability for result in results[:2] for point in result.trace]
    assert low <= min(errors) < 10 * low
    assert high / 10 < max(errors) <= high
    assert curves(by_seconds)["lp"].get_ydata().tolist() == [low]
    (label,) = by_seconds.texts
    assert results[2].exploitability < results[2].measured.rounding < low
    assert label.get_text() == f"lp: ≤ {results[2].measured.rounding:.0e}"


def test_an_error_that_may_be_rounding_is_drawn_at_the_marked_rounding_error(results):
    _, by_seconds = plot_comparison(results[2:]).axes
    (drawn,) = curves(by_seconds)["lp"].get_ydata()
    assert drawn == results[2].measured.rounding
    assert "rounding" in [text.get_text() for text in by_seconds.texts]


def test_texts_are_apart_and_inside(results):
    figure = plot_comparison([(f"{n} {r.method}", r) for n in range(3) for r in results])
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    (legend,) = figure.legends
    box = legend.get_window_extent(renderer)
    for axes in figure.axes:
        assert box.y1 <= axes.xaxis.label.get_window_extent(renderer).y0
        assert axes.get_window_extent(renderer).y1 <= figure.bbox.y1
    assert box.y0 >= 0
    assert box.x0 >= 0


@pytest.mark.parametrize("num_lines", [1, 7, 12])
@pytest.mark.parametrize("against", ["iterations", "both"])
def test_a_chart_for_one_column_of_a_paper_is_legible(results, num_lines, against):
    lines = [(f"a method {number}", results[0]) for number in range(num_lines)]
    figure = plot_comparison(lines, against=against, figsize=(3.4, 2.6))
    figure.canvas.draw()
    renderer, whole = figure.canvas.get_renderer(), figure.bbox
    boxes = [axes.get_window_extent(renderer) for axes in figure.axes]
    assert sum(box.width for box in boxes) >= 0.6 * whole.width
    assert min(box.height for box in boxes) >= (0.4 if num_lines > 7 else 0.5) * whole.height
    texts = [figure.axes[0].yaxis.label, *(axes.xaxis.label for axes in figure.axes)]
    texts += [figure.legends[0], *figure.legends[0].get_texts(), *figure.texts]
    for text in texts:
        box = text.get_window_extent(renderer)
        assert whole.x0 <= box.x0 < box.x1 <= whole.x1, text
        assert whole.y0 <= box.y0 < box.y1 <= whole.y1, text
    assert min(text.get_fontsize() for text in figure.legends[0].get_texts()) >= 6


def test_what_learners_count_is_episodes(results):
    learned = infoset.learn("kuhn_poker", "ixomd", episodes=50)
    labels = [
        plot_comparison(chosen, against="iterations").axes[0].get_xlabel()
        for chosen in ([learned], [learned, results[0]], [results[0]])
    ]
    assert labels == ["episodes", "iterations or episodes", "iterations"]


def test_nine_methods_have_nine_looks(results):
    nine = [(f"method {number}", results[number % 2]) for number in range(9)]
    lines = plot_comparison(nine).axes[0].lines
    looks = {(line.get_color(), line.get_linestyle()) for line in lines}
    assert len(looks) == 9


def test_games_without_exploitability_show_nash_conv():
    figure = plot_comparison(compare("matrix_pd", ["cfr+"], iterations=5))
    assert figure.axes[0].get_ylabel() == "NashConv (game's units)"


def test_a_comparison_is_of_one_game(results):
    other = compare("matrix_mp", ["cfr"], iterations=2)
    with pytest.raises(ParameterError, match=r"kuhn_poker \(cfr\), matrix_mp \(mine\)"):
        plot_comparison([*results, ("mine", other[0])])


@pytest.mark.usefixtures("empty_charts")
def test_results_traces_folders_and_files_draw_the_same_line(results, tmp_path):
    first = results[0]
    folder, both = save_run(first, tmp_path / "run"), save_comparison(results, tmp_path / "both")
    given = {
        "result": first,
        "trace": first.trace,
        "run": RunTrace.of(first),
        "folder": folder,
        "text": str(folder),
        "file": folder / "trace.csv",
    }
    by_iterations, by_seconds = plot_comparison(given).axes
    for axes in (by_iterations, by_seconds):
        assert [*curves(axes)] == [*given]
        lines = [line.get_xydata().tolist() for line in curves(axes).values()]
        assert all(line == lines[0] for line in lines)
    assert [*curves(plot_comparison(both).axes[1])] == ["cfr", "cfr+", "lp"]
    with pytest.raises(ParameterError, match=r"'mine' names one line, .* \(cfr, cfr\+, lp\)"):
        plot_comparison({"mine": both})
    pairs = plot_comparison([("mine", str(folder)), results[1]])
    assert [*curves(pairs.axes[0])] == ["mine", "cfr+"]


@pytest.mark.usefixtures("empty_charts")
def test_seeds_of_a_learner_are_one_line_also_from_its_folder(tmp_path):
    result = infoset.learn("kuhn_poker", "ixomd", episodes=300, seeds=3)
    folder = save_learning(result, tmp_path / "run")
    errors = np.array([[point.exploitability for point in run.trace] for run in result.runs])
    for given in (result, folder, {"ixomd": [*result.runs]}):
        axes = plot_comparison([given] if given is result else given).axes[0]
        (line,) = axes.lines
        assert line.get_label() == "ixomd"
        assert np.array_equal(line.get_ydata(), np.median(errors, axis=0))


def band_of(axes):
    (band,) = axes.collections
    corners = band.get_paths()[0].vertices
    at = np.unique(corners[:, 0])
    ends = [corners[corners[:, 0] == x, 1] for x in at]
    return at, [end.min() for end in ends], [end.max() for end in ends]


@pytest.mark.parametrize(
    ("band", "low", "high"),
    [("range", [1.0, 0.1], [9.0, 0.9]), ("quartiles", [3.0, 0.3], [7.0, 0.7])],
)
def test_a_band_is_around_the_median(band, low, high):
    factors = (9, 1, 7, 3, 5)
    traces = [make_trace([factor, factor / 10], iterations=[1, 100]) for factor in factors]
    (axes,) = plot_comparison({"mine": traces}, band=band).axes
    (line,) = axes.lines
    assert line.get_xydata().tolist() == [[1, 5], [100, 0.5]]
    at, bottom, top = band_of(axes)
    assert at.tolist() == [1, 100]
    assert bottom == pytest.approx(low)
    assert top == pytest.approx(high)


def test_runs_with_other_points_are_interpolated_and_keep_their_last_error():
    one = make_trace([1.0, 0.01], iterations=[1, 100])
    other = make_trace([0.1, 0.001], iterations=[10, 1000])
    (axes,) = plot_comparison({"mine": [one, other]}).axes
    at, bottom, top = band_of(axes)
    assert at.tolist() == [10, 100, 1000]
    # Both lie on the line of 1 / iterations in logarithmic axes, until the first one ends.
    assert bottom == pytest.approx([0.1, 0.01, 0.001])
    assert top == pytest.approx([0.1, 0.01, 0.01])


def test_two_runs_of_one_seed_that_differ_are_not_taken_for_seeds():
    runs = [RunTrace("mine", tuple(make_trace([error, 0.1])), seed=0) for error in (1.0, 2.0)]
    with pytest.raises(ParameterError, match="two runs of 'mine' have the seed 0"):
        plot_comparison(runs)
    plot_comparison([runs[0], runs[0], ("tuned", runs[1])])


def test_copied_traces_name_their_game(tmp_path):
    copies = []
    for game in ("kuhn_poker", "matrix_pd"):
        results = infoset.compare(game, ["cfr+", "cfr"], iterations=5)
        folder = save_comparison(results, tmp_path / game)
        copies.append(shutil.copy(folder / "traces.csv", tmp_path / f"{game}.csv"))
    with pytest.raises(ParameterError, match=r"one game.*kuhn_poker.*matrix_pd"):
        plot_comparison(copies)


def test_traces_with_nash_conv_alone_are_halved_beside_runs_with_exploitability(tmp_path):
    theirs = tmp_path / "theirs.csv"
    theirs.write_text("iteration,nash_conv\n1,0.5\n10,0.2\n")
    mine = make_trace([1.0, 0.1], iterations=[1, 10])
    axes = plot_comparison([("mine", mine), ("theirs", theirs)]).axes[0]
    assert curves(axes)["theirs"].get_ydata().tolist() == pytest.approx([0.25, 0.1])
    axes = plot_comparison([("theirs", theirs)]).axes[0]
    assert curves(axes)["theirs"].get_ydata().tolist() == pytest.approx([0.5, 0.2])


def test_runs_measured_once_are_one_mark_at_the_median():
    traces = [make_trace([error], iterations=[10], seconds=[2]) for error in (0.1, 0.4, 0.2)]
    axes = plot_comparison({"mine": traces}).axes[1]
    assert curves(axes)["mine"].get_xydata().tolist() == [[2, 0.2]]
    assert axes.texts[0].get_text() == "mine: 2e-01"


def test_runs_without_times_have_no_axis_of_seconds(results):
    mine = make_trace([0.5, 0.1], iterations=[0, 10])
    (axes,) = plot_comparison({"mine": mine}).axes
    assert axes.lines[0].get_xydata().tolist() == [[10, 0.1]]
    figure = plot_comparison([*results, ("mine", mine)])
    assert [*curves(figure.axes[1])] == ["cfr", "cfr+", "lp"]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["cfr", "cfr+", "lp", "mine"]
    with pytest.raises(ParameterError, match="against='iterations'"):
        plot_comparison({"mine": mine}, against="seconds")


def test_percentages_are_of_the_payoff_range(results):
    plain = plot_comparison(results, target="0.1%").axes[0]
    shown = plot_comparison(results, target="0.1%", percent_of_range=True).axes[0]
    assert shown.get_ylabel() == "exploitability (% of the payoff range)"
    for name, line in curves(plain).items():
        # A payoff in Kuhn poker is between -2 and 2.
        assert curves(shown)[name].get_ydata() == pytest.approx(line.get_ydata() / 4 * 100)
    levels = [axes.lines[-1].get_ydata()[0] for axes in (plain, shown)]
    assert levels == pytest.approx([0.004, 0.1])
    assert [axes.texts[-1].get_text() for axes in (plain, shown)] == ["target 0.004", "target 0.1%"]


def test_the_payoff_range_of_a_trace_is_given():
    mine = {"mine": make_trace([0.5, 0.1])}
    axes = plot_comparison(mine, percent_of_range=True, payoff_width=10).axes[0]
    assert axes.lines[0].get_ydata() == pytest.approx([5, 1])
    with pytest.raises(ParameterError, match="--payoff-width"):
        plot_comparison(mine, percent_of_range=True)
    with pytest.raises(ParameterError, match="all utilities are equal"):
        plot_comparison(mine, target="1%", payoff_width=0)


def test_a_target_is_inside_the_axes(results):
    for axes in plot_comparison(results, target=1e-7).axes:
        assert axes.get_ylim()[0] <= 1e-7
        assert axes.lines[-1].get_ydata()[0] == 1e-7


def test_texts_size_and_styles(results):
    figure = plot_comparison(
        results,
        against="iterations",
        title="A game",
        x_label="steps",
        y_label="error",
        figsize=(3, 2.5),
        styles={"cfr": {"color": "black", "linestyle": ":"}},
    )
    (axes,) = figure.axes
    assert figure.get_suptitle() == "A game"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("steps", "error")
    assert figure.get_size_inches().tolist() == [3, 2.5]
    line = curves(axes)["cfr"]
    assert (line.get_color(), line.get_linestyle()) == ("black", ":")
    assert plot_comparison(results, title="").get_suptitle() == ""


def test_four_neighbors_differ_in_dashes_and_markers(results):
    lines = plot_comparison([(str(number), results[0]) for number in range(4)]).axes[0].lines
    assert len({line.get_linestyle() for line in lines}) == 4
    assert len({line.get_marker() for line in lines}) == 4


def test_methods_with_other_errors_are_compared_by_one_that_all_have():
    joint = infoset.learn("kuhn_poker(players=3)", "ixomd", episodes=50)
    plain = infoset.solve("kuhn_poker(players=3)", "cfr+", iterations=50)
    axes = plot_comparison([joint, plain]).axes[0]
    assert axes.get_ylabel() == "NashConv (game's units)"
    ends = [line.get_ydata()[-1] for line in axes.lines]
    assert ends == [joint.nash_conv[0], plain.nash_conv]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "results is empty"),
        ({}, "results is empty"),
        ({"mine": []}, "the value of 'mine' is empty"),
        ({"mine": 0.5}, "the value of 'mine'=0.5"),
        ([0.5], "a result=0.5"),
        (7, "results=7"),
        ([make_trace([0.5])], "a trace has no name"),
    ],
)
def test_other_values_are_refused(given, message):
    with pytest.raises(ParameterError, match=message):
        plot_comparison(given)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"against": "time"}, "unknown axis 'time'"),
        ({"band": "std"}, "unknown band 'std'"),
        ({"target": "small"}, "target='small' must be a positive number"),
        ({"target": 0}, "target=0 must be"),
        ({"figsize": 4}, "width and a height"),
        ({"figsize": (4, 3, 2)}, "two numbers"),
        ({"figsize": (0, 3)}, "side of figsize"),
        ({"styles": {"crf": {}}}, "did you mean cfr"),
        ({"styles": {"cfr": "red"}}, "line properties"),
    ],
)
def test_wrong_options_are_refused(results, options, message):
    with pytest.raises(InfosetError, match=message) as caught:
        plot_comparison(results, **options)
    assert isinstance(caught.value, ParameterError | UnknownNameError)


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(ResultFileError, match="there is no file or folder"):
        plot_comparison({"mine": tmp_path / "none"})


@pytest.mark.parametrize(
    ("ending", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml"), ("SVG", b"<?")]
)
def test_the_extension_selects_the_format(results, tmp_path, ending, start):
    path = tmp_path / f"chart.{ending}"
    save_figure(plot_comparison(results, against="iterations"), path)
    assert path.read_bytes().startswith(start)
    with pytest.raises(ParameterError, match=r"ends in \.svg"):
        save_figure(plot_comparison(results), tmp_path / "chart.tex")


def test_texts_in_svg_files_are_texts(results, tmp_path):
    path = tmp_path / "chart.svg"
    save_figure(plot_comparison({"mine": results[0]}), path)
    first = path.read_bytes()
    assert b">mine</text>" in first
    save_figure(plot_comparison({"mine": results[0]}), path)
    assert path.read_bytes() == first


def test_an_error_of_zero_is_drawn_at_the_rounding_error(results):
    rounding = results[0].measured.rounding
    point = replace(results[0].trace[-1], exploitability=0.0, nash_conv=0.0)
    ended = replace(results[0], trace=(*results[0].trace[:-1], point))
    line = curves(plot_comparison([ended]).axes[0])["cfr"]
    assert line.get_ydata()[-1] == rounding
