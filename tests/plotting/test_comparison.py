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
from infoset.plotting import plot_comparison, plot_games, save_figure
from infoset.plotting.figures import new_figure
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


@pytest.fixture(scope="module")
def other_game():
    return compare("matrix_pd", ["cfr+", "dcfr"], iterations=5)


def test_a_panel_for_each_game_and_one_legend(results, other_game):
    games = {"Kuhn poker": results, "A dilemma, of prisoners": other_game, "Again": [results[1]]}
    figure = plot_games(games)
    assert [axes.get_title().replace("\n", " ") for axes in figure.axes] == [*games]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["cfr", "cfr+", "lp", "dcfr"]
    looks = [
        {(line.get_color(), line.get_marker(), line.get_linestyle())}
        for axes in figure.axes
        for name, line in curves(axes).items()
        if name == "cfr+"
    ]
    assert len(looks) == 3
    assert looks[0] == looks[1] == looks[2]
    drawn = curves(figure.axes[0])["cfr"].get_xydata().tolist()
    assert drawn == curves(plot_comparison(results).axes[0])["cfr"].get_xydata().tolist()


def test_labels_that_all_panels_share_are_at_the_left_and_bottom_only(results, other_game):
    same = plot_games(dict.fromkeys("abcde", results)).axes
    error = "exploitability (game's units)"
    assert [axes.get_ylabel() for axes in same] == [error, "", "", error, ""]
    assert [axes.get_xlabel() for axes in same] == ["", "", *["iterations"] * 3]
    mixed = plot_games({"a": results, "b": other_game}).axes
    assert [axes.get_ylabel() for axes in mixed] == [error, "NashConv (game's units)"]


@pytest.mark.parametrize("figsize", [None, (3.4, 3.0)])
def test_panels_of_games_are_legible(results, figsize):
    long = "goofspiel(num_cards=4,points_order=descending,imp_info=True)"
    figure = plot_games(dict.fromkeys(("Kuhn", long, "c", "d"), results), figsize=figsize)
    figure.canvas.draw()
    renderer, whole = figure.canvas.get_renderer(), figure.bbox
    boxes = [axes.title.get_window_extent(renderer) for axes in figure.axes]
    assert boxes[0].x1 < boxes[1].x0
    for box in [*boxes, figure.legends[0].get_window_extent(renderer)]:
        assert whole.x0 <= box.x0 < box.x1 <= whole.x1
        assert whole.y0 <= box.y0 < box.y1 <= whole.y1
    for axes in figure.axes:
        for text in axes.texts:
            assert text.get_window_extent(renderer).x0 >= axes.bbox.x0 - 1


def test_games_are_known_from_the_runs(results, other_game, tmp_path):
    folder = save_comparison(results, tmp_path / "kuhn")
    figure = plot_games([folder, *other_game], columns=1, against="seconds", title="Two games")
    assert [axes.get_title() for axes in figure.axes] == ["kuhn_poker", "matrix_pd"]
    assert [*curves(figure.axes[0])] == ["cfr", "cfr+", "lp"]
    assert figure.get_suptitle() == "Two games"
    with pytest.raises(ParameterError, match="'mine' does not record its game"):
        plot_games([folder, ("mine", make_trace([0.5]))])


def test_percentages_of_several_games_are_of_their_own_ranges(results):
    mine = {"mine": make_trace([0.5, 0.1])}
    figure = plot_games(
        {"a": mine, "b": results},
        percent_of_range=True,
        target="1%",
        payoff_width={"a": 10},
    )
    assert curves(figure.axes[0])["mine"].get_ydata() == pytest.approx([5, 1])
    assert [axes.texts[-1].get_text() for axes in figure.axes] == ["target 1%", "target 1%"]
    with pytest.raises(ParameterError, match="a: the payoff range is unknown"):
        plot_games({"a": mine, "b": results}, percent_of_range=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"against": "both"}, "unknown axis 'both'"),
        ({"columns": 0}, "columns"),
        ({"styles": {"crf": {}}}, "did you mean cfr"),
        ({"payoff_width": {"Kun": 3}}, "did you mean Kuhn"),
        ({"payoff_width": 3}, "a dict of titles and numbers"),
    ],
)
def test_wrong_options_for_games_are_refused(results, options, message):
    with pytest.raises(InfosetError, match=message):
        plot_games({"Kuhn": results}, **options)
    with pytest.raises(ParameterError, match="results is empty"):
        plot_games({})
    with pytest.raises(ParameterError, match=r"Kuhn: a result=0\.5"):
        plot_games({"Kuhn": [0.5]})


def test_a_comparison_is_drawn_on_given_axes(results):
    whole = new_figure((9, 3))
    left, right = whole.subfigures(1, 2)
    one, two = left.subplots(), right.subplots(1, 2)
    assert plot_comparison(results, axes=one, y_label="error") is whole
    plot_comparison(results, axes=two, title="mine")
    alone = plot_comparison(results).axes
    for axes, same in zip((one, *two), (alone[0], *alone), strict=True):
        assert axes.get_xlabel() == same.get_xlabel()
        for name in ("cfr", "cfr+"):
            assert np.array_equal(curves(axes)[name].get_ydata(), curves(same)[name].get_ydata())
    assert one.get_ylabel() == "error"
    assert [axes.get_title() for axes in (one, *two)] == ["kuhn_poker", "mine", ""]
    assert not whole.legends
    for wrong, message in (
        ({"axes": 3}, "Axes of matplotlib"),
        ({"axes": one, "figsize": (3, 3)}, "leave out figsize or axes"),
        ({"axes": two, "against": "seconds"}, "there are 2 axes for seconds"),
    ):
        with pytest.raises(ParameterError, match=message):
            plot_comparison(results, **wrong)


def test_results_of_several_methods_are_not_one_line(results):
    with pytest.raises(ParameterError, match=r"'Kuhn' names one line.*\(cfr, cfr\+, lp\).*plot_ga"):
        plot_comparison({"Kuhn": results})


def test_an_error_of_zero_is_drawn_at_the_rounding_error(results):
    rounding = results[0].measured.rounding
    point = replace(results[0].trace[-1], exploitability=0.0, nash_conv=0.0)
    ended = replace(results[0], trace=(*results[0].trace[:-1], point))
    line = curves(plot_comparison([ended]).axes[0])["cfr"]
    assert line.get_ydata()[-1] == rounding
