"""The comparison of iterates accepts rounding, and nothing more."""

from __future__ import annotations

from functools import partial

import form_iterates
import numpy as np
import pytest


def numbers(seed, noise, *, plan=0.0, value=0.0, late=0.0):
    """Return numbers of a game whose late plan amplifies noise."""
    return {
        "plans/1/current/0": np.array([1.0, 0.25 + plan + noise]),
        "plans/100/current/0": np.array([1.0, 0.25 + late + 1e5 * noise]),
        "values/1": np.array([np.nan, 0.5 + value + noise]),
    }


@pytest.fixture
def saved(tmp_path):
    """Return a file with the numbers of one game."""
    path = tmp_path / "base.npz"
    form_iterates.write({"game": numbers}, path)
    return path


def compared_with(saved, **changes):
    return form_iterates.compare({"game": partial(numbers, **changes)}, saved)


def test_rounding_is_accepted(saved, capsys):
    assert compared_with(saved)
    assert compared_with(saved, plan=5e-13, value=5e-10, late=5e-10)
    assert "plans are sensitive to rounding" in capsys.readouterr().out


@pytest.mark.parametrize(
    "changes", [{"plan": 2e-12}, {"value": 2e-9}, {"late": 2e-9}, {"value": np.nan}]
)
def test_a_larger_difference_is_not(saved, changes, capsys):
    assert not compared_with(saved, **changes)
    assert "BEYOND THE LIMIT" in capsys.readouterr().out


def test_missing_games_and_other_shapes_are_not(saved, capsys):
    assert not form_iterates.compare({}, saved)
    assert "missing: game" in capsys.readouterr().out
    assert form_iterates.compare({}, saved, only="other")
    shorter = {"game": lambda seed, noise: {k: a[:1] for k, a in numbers(seed, noise).items()}}
    assert not form_iterates.compare(shorter, saved)


def test_ids_are_distinct_and_those_with_seeds_exist():
    names = [name for name, _ in form_iterates.cells()]
    assert len(set(names)) == len(names)
    assert form_iterates.SEEDS.keys() <= set(names)


@pytest.mark.benchmarks
@pytest.mark.parametrize(
    "name",
    [
        "locked/public/river_merged/cfr+",
        "locked/sequence/general_sum/dcfr",
        "cut/continuation/river/cfr+",
        "gadget/public/resolving/end/river/0",
        "gadget/tree/max-margin/kuhn_poker",
        "cfr-d/resolving/kuhn_poker",
    ],
)
def test_noise_hardly_changes_games_without_ties(name, tmp_path, capsys):
    cell = dict(form_iterates.cells())[name]
    path = tmp_path / "base.npz"
    form_iterates.write({name: cell}, path)
    assert form_iterates.compare({name: lambda seed, _: cell(seed, 5e-16)}, path)
    assert "sensitive" not in capsys.readouterr().out
