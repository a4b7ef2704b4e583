"""Tables: their arithmetic, and their text."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from infoset.errors import ParameterError, UnknownNameError
from infoset.experiments import (
    Chart,
    Expected,
    Experiment,
    HeatMap,
    Report,
    Spread,
    Study,
    Table,
    get_study,
    run_study,
)
from infoset.experiments.reports import compared
from infoset.plotting import Line, plot_heat_map, plot_lines
from infoset.plotting.heat_maps import DARK, LIGHT


def test_mean_and_standard_deviation():
    spread = Spread.of([1.0, 2.0, 6.0])
    assert spread == (3.0, pytest.approx(7**0.5), 3)
    assert Spread.of([4.0]) == (4.0, None, 1)


@pytest.mark.parametrize(
    ("texts", "mean", "sd", "rounding"),
    [
        (("0.0560", "0.0038"), 0.056, 0.0038, 0.00005),
        ((" .115 ",), 0.115, None, 0.0005),
        (("2", ""), 2.0, None, 0.5),
    ],
)
def test_numbers_as_printed(texts, mean, sd, rounding):
    assert Expected.read(*texts) == (mean, sd, pytest.approx(rounding))


@pytest.mark.parametrize(
    ("spread", "expected", "agrees"),
    [
        # Three standard deviations of the expected run, not of the measured runs.
        (Spread(1.59, 9.0, 4), Expected(1.0, 0.2), True),
        (Spread(1.61, 9.0, 4), Expected(1.0, 0.2), False),
        (Spread(0.39, 9.0, 4), Expected(1.0, 0.2), False),
        # The standard deviation of our runs if none is expected, plus rounding.
        (Spread(1.59, 0.2, 4), Expected(1.0), True),
        (Spread(1.61, 0.2, 4), Expected(1.0), False),
        (Spread(1.61, 0.2, 4), Expected(1.0, None, 0.05), True),
        (Spread(1.0, None, 1), Expected(1.0), None),
    ],
)
def test_within_three_standard_deviations(spread, expected, agrees):
    assert spread.agrees_with(expected) is agrees
    assert compared(spread, expected) == (*spread, expected.mean, spread.mean - 1.0, agrees)


def test_nothing_expected():
    assert compared(Spread(1.0, 0.5, 2), None) == (1.0, 0.5, 2, None, None, None)


TABLE = Table("t", "A table.", ("x", "gap", "agrees"), ((1_000, 0.123456, False), (2, None, True)))


def test_a_table_as_text_and_as_csv():
    assert str(TABLE).splitlines() == [
        "| x | gap | agrees |",
        "|---|---|---|",
        "| 1,000 | 0.1235 | NO |",
        "| 2 | - | yes |",
    ]
    assert list(csv.reader(TABLE.csv().splitlines())) == [
        ["x", "gap", "agrees"],
        ["1000", "0.1235", "NO"],
        ["2", "-", "yes"],
    ]


def study_of(*names):
    chart = Chart("c", "A chart", "x", "y", (Line("a", (1.0, 10.0), (0.5, 0.1)),))
    squares = HeatMap("h", "A heat map", "x", "y", (0.0, 1.0), (0.0,), ((1.0, 2.0),))
    report = Report((TABLE,), (chart, squares))
    experiments = [Experiment(name, f"E {name}", lambda *_: report, 1, 2, "", "") for name in names]
    return Study("mine", "Mine", tuple(experiments))


def test_a_study_leaves_text_tables_and_figures(tmp_path):
    (done,) = run_study(study_of("e1", "e2"), tmp_path / "runs", ["E2"], is_quick=True)
    assert done.files == ("e2.md", "t.csv", "c.svg", "h.svg")
    text = (tmp_path / "runs" / "e2.md").read_text()
    assert text.startswith("# E e2 (quick setting)\n\nA table.\n\n| x | gap | agrees |\n")
    assert "![A chart](c.svg)" in text
    for name in ("c.svg", "h.svg"):
        assert "<svg" in (tmp_path / "runs" / name).read_text()


def test_the_same_figure_is_the_same_file(tmp_path):
    files = []
    for name in ("a", "b"):
        run_study(study_of("e1"), tmp_path / name)
        files.append([(tmp_path / name / file).read_bytes() for file in ("c.svg", "h.svg")])
    assert files[0] == files[1]


def test_all_experiments_in_the_order_of_the_study(tmp_path):
    study = study_of("e1", "e2", "e3")
    names = [done.experiment.name for done in run_study(study, tmp_path / "runs")]
    assert names == ["e1", "e2", "e3"]
    assert [e.name for e in study.choose(["e3", "e1"])] == ["e1", "e3"]


def test_unknown_names(tmp_path):
    with pytest.raises(UnknownNameError, match="e9"):
        run_study(study_of("e1"), tmp_path / "runs", ["e9"])
    assert not (tmp_path / "runs").exists()
    with pytest.raises(UnknownNameError, match="did you mean balanced"):
        get_study("balnced")


def test_lines_keep_their_points():
    lines = [Line("a", (1.0, 10.0), (0.5, 0.1)), Line("1/T", (1.0,), (2.0,), is_guide=True)]
    (axes,) = plot_lines(lines, title="t", x_label="x", y_label="y").axes
    drawn = [(list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines]
    assert drawn == [([1.0, 10.0], [0.5, 0.1]), ([1.0], [2.0])]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "lines is empty"),
        ([Line("a", (), ())], r"len\(x\)=0 and len\(y\)=0"),
        ([Line("a", (1.0,), (1.0, 2.0))], r"len\(x\)=1 and len\(y\)=2"),
        ([Line("a", (1.0,), (0.0,))], "no logarithm"),
    ],
)
def test_lines_that_cannot_be_drawn(lines, words):
    with pytest.raises(ParameterError, match=words):
        plot_lines(lines, title="t", x_label="x", y_label="y")


def test_plain_axes_take_zero_and_below():
    line = Line("a", (0.0, 0.5, 1.0), (-0.1, 0.0, 0.2))
    (axes,) = plot_lines([line], title="t", x_label="x", y_label="y", is_logarithmic=False).axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "linear")
    assert list(axes.lines[0].get_ydata()) == [-0.1, 0.0, 0.2]


def test_the_first_row_of_a_heat_map_is_at_the_bottom():
    values = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    figure = plot_heat_map(values, [0, 0.5, 1], [0, 1], title="t", x_label="first", y_label="later")
    axes = figure.axes[0]
    assert axes.images[0].get_array().tolist() == values
    assert axes.images[0].origin == "lower"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "0.5", "1"]
    assert [text.get_text() for text in axes.texts][:3] == ["1.00", "2.00", "3.00"]


def test_cells_of_a_heat_map_without_a_number_are_blank():
    values = [[1.0, np.nan], [3.0, 4.0]]
    axes = plot_heat_map(values, [0, 1], [0, 1], title="t", x_label="", y_label="").axes[0]
    # The colors of numbers are those of the whole map: light on its lower half.
    found = [(*text.get_position(), text.get_text(), text.get_color()) for text in axes.texts]
    assert found == [(0, 0, "1.00", LIGHT), (0, 1, "3.00", DARK), (1, 1, "4.00", DARK)]
    assert axes.images[0].get_array().mask.tolist() == [[False, True], [False, False]]


@pytest.mark.parametrize("values", [[], [[1.0]], [[1.0, 2.0], [3.0, 4.0]]])
def test_heat_maps_have_a_number_for_each_pair(values):
    with pytest.raises(ParameterError, match="have 1 and 2 entries"):
        plot_heat_map(values, [0, 1], [0], title="t", x_label="x", y_label="y")
