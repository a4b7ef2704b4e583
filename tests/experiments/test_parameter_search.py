"""The search for parameters: equal trials everywhere, resumed from cells, fresh seeds."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from math import inf
from statistics import fmean

import numpy as np
import pytest

import infoset
from infoset.errors import MissingExtraError, ParameterError, UnknownNameError
from infoset.experiments import SearchRange, parameter_search, parse_range, save_tuning, tune
from infoset.experiments.tuning_cells import TuningCell, configured
from infoset.learning import get_learner
from infoset.solvers import get_method
from tests.runs.test_tasks import LocalExecutor

OPTIONS = dict(trials=7, seeds=2, fresh_seeds=2, length=300)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rate=1e-4..1", SearchRange("rate", 1e-4, 1.0)),
        ("period = 10..500", SearchRange("period", 10, 500, is_integer=True)),
        ("offset=-1.5..2", SearchRange("offset", -1.5, 2.0)),
        ("anytime=true,false", SearchRange("anytime", choices=(True, False))),
        ("kind=a,2,0.5", SearchRange("kind", choices=("a", 2, 0.5))),
    ],
)
def test_ranges_are_read(text, expected):
    found = parse_range(text)
    assert found == expected
    assert [type(choice) for choice in found.choices] == [type(c) for c in expected.choices]


@pytest.mark.parametrize("text", ["rate", "rate=", "=1..2", "rate=2..1", "rate=a..b", "rate=1"])
def test_mistakes_in_ranges(text):
    with pytest.raises(ParameterError, match="give"):
        parse_range(text)


def test_neighbors_stay_in_the_range():
    assert parse_range("period=1..5").neighbors(1) == (2,)
    assert parse_range("period=1..5").neighbors(3) == (2, 4)
    assert parse_range("x=0.0..1.0").neighbors(0.5) == (0.4, 0.6)
    low, high = parse_range("rate=1e-4..1").neighbors(1e-2)
    assert np.isclose(low * high, 1e-4)
    assert np.isclose(high / low, 10 ** (4 * 0.2))
    assert parse_range("kind=a,b,c").neighbors("b") == ("a", "c")


def test_parameters_are_those_of_the_method():
    spec = configured("ixomd", {"rate": 0.5, "anytime": True})
    assert spec == replace(get_learner("ixomd", step_sizes=(0.5, 0.025)), anytime=True)
    assert configured("ixomd", {"rate": 0.5, "exploration": 0.1}).step_sizes == (0.5, 0.1)
    assert configured("dcfr", {"average_exponent": 3}).scheme.average_exponent == 3
    assert configured("rnad", {"period": 7}) == replace(get_method("rnad"), period=7)
    with pytest.raises(UnknownNameError, match="did you mean anytime"):
        configured("ixomd", {"anytim": True})
    with pytest.raises(UnknownNameError, match="dcfr has no parameter 'rate'"):
        configured("dcfr", {"rate": 0.5})


@pytest.mark.broad
def test_trials_are_equal_everywhere_and_more_of_them_continue(tmp_path):
    def search(name, **options):
        options = {**OPTIONS, **options}
        return tune("kuhn_poker", "ixomd", ["rate=1e-3..1"], folder=tmp_path / name, **options)

    first = search("here", workers=1)
    there = search("there", executor=LocalExecutor())
    assert there.trials == first.trials
    assert (there.fresh, there.default, there.neighbors) == (
        first.fresh,
        first.default,
        first.neighbors,
    )
    assert search("other", seed=1, trials=1).trials[0] != first.trials[0]
    seen = []
    more = search("here", trials=12, callback=seen.append)
    assert more.trials[:7] == first.trials
    assert tuple(seen) == more.trials
    assert search("whole", trials=12).trials == more.trials
    files = set(os.listdir(tmp_path / "here" / "cells"))
    assert search("here", trials=12) == replace(more)
    assert set(os.listdir(tmp_path / "here" / "cells")) == files


@pytest.mark.broad
def test_errors_are_those_of_the_learner(tmp_path):
    result = tune("kuhn_poker", "ixomd", ["rate=1e-3..1"], folder=tmp_path / "here", **OPTIONS)
    best = result.best
    assert best.error == min(trial.error for trial in result.trials)
    rate = best.parameters["rate"]

    def errors(seeds, **options):
        found = infoset.learn("kuhn_poker", "ixomd", episodes=300, seeds=seeds, **options)
        return [run.exploitability for run in found.runs]

    assert list(best.errors) == errors([0, 1], step_sizes=(rate, rate / 20))
    fresh = [parameter_search.FIRST_FRESH_SEED, parameter_search.FIRST_FRESH_SEED + 1]
    assert result.fresh.mean == fmean(errors(fresh, step_sizes=(rate, rate / 20)))
    assert result.default.mean == fmean(errors(fresh))
    (low, high) = result.neighbors
    assert low.spread.mean == fmean(errors(fresh, step_sizes=(low.value, low.value / 20)))
    assert low.value < rate < high.value
    files = save_tuning(result)
    assert sorted(files) == [
        "error-by-rate.svg",
        "flatness.csv",
        "trials.csv",
        "tuning.csv",
        "tuning.md",
    ]
    assert "on fresh seeds" in (tmp_path / "here" / "tuning.md").read_text("utf-8")


@pytest.mark.broad
def test_methods_without_a_seed_run_once(tmp_path):
    over = ["average_exponent=0..5", "alternating=true,false"]
    result = tune("kuhn_poker", "cfr", over, folder=tmp_path / "cfr", trials=6, length=50)
    assert {len(trial.errors) for trial in result.trials} == {1}
    assert result.fresh.mean == result.best.error
    assert result.fresh.sd is None
    alone = infoset.solve("kuhn_poker", "cfr", iterations=50)
    assert result.default.mean == alone.exploitability
    assert {one.name for one in result.neighbors} == {"average_exponent", "alternating"}


def test_numbers_that_overflow_count_as_infinite(tmp_path, monkeypatch):
    monkeypatch.setattr(TuningCell, "run", lambda cell, interrupt: {"error": None})
    with pytest.raises(ParameterError, match="no trial has a finite error"):
        tune("kuhn_poker", "ixomd", ["rate=1e-3..1"], folder=tmp_path / "x", trials=1)
    trial = parameter_search.Trial({}, (1.0, inf))
    assert trial.error == inf


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"over": []}, ParameterError, "empty or repeats"),
        ({"over": "rate=1..2"}, ParameterError, "a list of ranges"),
        ({"over": ["rate=1..2", "rate=1..3"]}, ParameterError, "repeats a parameter"),
        ({"over": ["rat=1..2"]}, UnknownNameError, "did you mean rate"),
        ({"over": ["rate=-1..2"]}, ParameterError, "learning_rate=-1.0 must be"),
        ({"method": "auto"}, ParameterError, "auto has no parameters"),
        ({"method": "ixomdd"}, UnknownNameError, "ixomd"),
        ({"game": "kuhn_pokr"}, UnknownNameError, "did you mean kuhn_poker"),
        ({"trials": 0}, ParameterError, "trials=0"),
        ({"game": "mine.py:Mine", "executor": LocalExecutor()}, ParameterError, "cannot import"),
    ],
)
def test_mistakes(tmp_path, change, error, words):
    arguments = {"game": "kuhn_poker", "method": "ixomd", "over": ["rate=0.1..1"], **change}
    with pytest.raises(error, match=words):
        tune(folder=tmp_path / "x", **arguments)
    assert not (tmp_path / "x").exists()


def test_a_missing_package_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(MissingExtraError, match=r"infoset\[tune\]"):
        tune("kuhn_poker", "ixomd", ["rate=0.1..1"], folder=tmp_path)
