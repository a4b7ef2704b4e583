"""Traces that are read back from folders of runs, and from files of other programs."""

from __future__ import annotations

from math import isnan

import pytest

import infoset
from infoset.errors import ResultFileError
from infoset.experiments import save_comparison, save_learning, save_run, save_team
from infoset.runs import RunTrace, TracePoint, make_result, make_trace, read_trace, read_traces
from tests.support.empty_charts import PNG

pytestmark = pytest.mark.usefixtures("empty_charts")


def test_a_run_is_read_back_with_all_digits(tmp_path):
    result = infoset.solve("kuhn_poker", "cfr+", iterations=30)
    folder = save_run(result, tmp_path / "run")
    assert read_trace(folder) == read_trace(folder / "trace.csv") == result.trace
    assert read_traces(folder) == (RunTrace.of(result),)
    assert RunTrace.of(result).payoff_width == 4
    assert (folder / "convergence.png").read_bytes() == PNG  # the fixture left out the drawing


def test_errors_that_are_not_defined_stay_so(tmp_path):
    result = infoset.solve("kuhn_poker(players=3)", "cfr", iterations=3)
    assert read_trace(save_run(result, tmp_path / "run")) == result.trace
    assert result.trace[0].exploitability is None


def test_a_comparison_is_read_back_by_method(tmp_path):
    results = infoset.compare("kuhn_poker", ["cfr", "lp"], iterations=30)
    folder = save_comparison(results, tmp_path / "both")
    assert read_traces(folder) == tuple(RunTrace.of(result) for result in results)
    with pytest.raises(ResultFileError, match=r"2 runs \(cfr, lp\).*read_traces"):
        read_trace(folder)


def test_seeds_and_gaps_of_a_learner_are_read_back(tmp_path):
    result = infoset.learn("kuhn_poker(players=3)", "ixomd", episodes=40, seeds=[5, 2])
    runs = read_traces(save_learning(result, tmp_path / "run"))
    assert [run.seed for run in runs] == [5, 2]
    assert [run.trace for run in runs] == [run.trace for run in result.runs]
    assert {run.method for run in runs} == {"ixomd"}
    assert runs[0].trace[-1].cce_gap is not None


def test_a_trace_without_times_or_values_can_be_saved(tmp_path):
    policy = infoset.uniform_policy(infoset.build_sequence_form("kuhn_poker"))
    trace = make_trace([0.5, 0.4583333], iterations=[1, 10])
    folder = save_run(make_result(policy, trace=trace), tmp_path / "run")
    assert [(p.iteration, p.exploitability, p.values) for p in read_trace(folder)] == [
        (1, 0.5, ()),
        (10, 0.4583333, ()),
    ]
    assert all(isnan(point.seconds) for point in read_trace(folder))


def write(folder, text):
    path = folder / "mine.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_of_another_program(tmp_path):
    path = write(tmp_path, "\ufeffIteration, Exploitability\r\n1,0.5\r\n\r\n20,1e-3\r\n")
    (run,) = read_traces(path)
    assert (run.method, run.game, run.seed, run.payoff_width) == ("mine", "", None, None)
    assert [(p.iteration, p.exploitability, p.nash_conv) for p in run.trace] == [
        (1, 0.5, 1.0),
        (20, 0.001, 0.002),
    ]


def test_a_file_with_seconds_and_nash_conv_only(tmp_path):
    trace = read_trace(write(tmp_path, "seconds,nash_conv\n0.5,0.3\n2,0.1\n"))
    assert trace == (TracePoint(1, 0.5, (), 0.3, None), TracePoint(2, 2.0, (), 0.1, None))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has the columns none"),
        ("iteration,error\n1,0.5\n", "needs exploitability or nash_conv"),
        ("exploitability\n0.5\n", "iteration, episode or seconds"),
        ("iteration,exploitability\n", "no measurements"),
        ("iteration,exploitability\n1,half\n", "line 2 of .*exploitability='half'"),
        ("iteration,exploitability\n1,nan\n", "must be a finite number"),
        ("iteration,exploitability\n1.5,0.1\n", "iteration='1.5', which must be a whole"),
        ("iteration,exploitability\n1\n", "line 2 .* 1 entries, but there are 2 columns"),
        ("iteration,exploitability\n1,\n", "neither exploitability nor nash_conv"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(tmp_path, text, message):
    with pytest.raises(ResultFileError, match=message):
        read_trace(write(tmp_path, text))


def test_what_is_not_a_file_of_text_is_refused(tmp_path):
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(ResultFileError, match="cannot be read as comma-separated values"):
        read_trace(path)


def test_folders_without_a_trace(tmp_path):
    save_run(infoset.solve("kuhn_poker", "lp"), tmp_path / "runs" / "first")
    with pytest.raises(ResultFileError, match=r"no file or folder .*did you mean .*/first\?"):
        read_trace(tmp_path / "runs" / "frst")
    with pytest.raises(ResultFileError, match=r"folders in it do; give these: .*first"):
        read_trace(tmp_path / "runs")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ResultFileError, match=r"no trace\.csv or traces\.csv"):
        read_trace(tmp_path / "empty")


def test_a_team_run_has_no_errors_to_compare(tmp_path):
    result = infoset.solve_team("cooperative_matching_pennies", restarts=1, iterations=2)
    with pytest.raises(ResultFileError, match="plot_team"):
        read_trace(save_team(result, tmp_path / "run"))


def test_a_damaged_record_is_named(tmp_path):
    folder = save_run(infoset.solve("kuhn_poker", "lp"), tmp_path / "run")
    (folder / "result.json").write_text("{")
    with pytest.raises(ResultFileError, match=r"result\.json cannot be read"):
        read_trace(folder)
