"""The study of balanced learning: every experiment at a tiny setting, from cells to files."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from infoset.experiments import Study, run_study
from infoset.experiments.balanced import BALANCED, kuhn_theory, separation
from infoset.experiments.balanced.learning_cell import LearningCell, measured_at
from infoset.experiments.cells import CellFolder, run_cells
from infoset.front import learn

TINY = {
    "e1": kuhn_theory.Setting((10_000, 100_000), 2),
    "e3": separation.Setting(("bandit_tree(branching=4)",), (100_000,), 2),
}


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """Run every experiment at its tiny setting; return what is finished by name, and where."""
    experiments = [replace(e, quick=TINY[e.name]) for e in BALANCED.experiments]
    study = Study("balanced", "tiny", tuple(experiments))
    folder = tmp_path_factory.mktemp("study") / "runs"
    found = run_study(study, folder, is_quick=True, workers=2)
    again = run_study(study, folder, is_quick=True, workers=1)
    assert [(f.report, f.files) for f in found] == [(f.report, f.files) for f in again]
    return {f.experiment.name: f for f in found}, folder


def rows_of(done, experiment, table):
    (found,) = (t for t in done[0][experiment].report.tables if t.name == table)
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def test_every_experiment_leaves_its_files(done):
    finished, folder = done
    assert list(finished) == [experiment.name for experiment in BALANCED.experiments]
    for found in finished.values():
        assert found.report.tables
        assert found.report.charts
        for file in found.files:
            assert (folder / file).stat().st_size > 0


def test_every_experiment_says_what_it_takes():
    for experiment in BALANCED.experiments:
        assert experiment.quick_time
        assert experiment.full_time
        assert experiment.title.startswith(experiment.name.upper() + ":")


def test_e1_agrees_with_table_a(done):
    rows = rows_of(done, "e1", "e1-kuhn-theory")
    assert len(rows) == 2 * len(kuhn_theory.TABLE_A)
    assert all(row["within 3 sd"] for row in rows if "mccfr" not in row["learner"])
    (row,) = (r for r in rows if (r["learner"], r["episodes"]) == ("ixomd", 10_000))
    gaps = learn("kuhn_poker", "ixomd", episodes=10_000, seeds=2).nash_conv
    assert row["ours"] == pytest.approx(np.mean(gaps), abs=1e-12)
    assert row["difference"] == pytest.approx(np.mean(gaps) - 0.354, abs=1e-12)


def test_e3_agrees_with_table_d(done):
    rows = rows_of(done, "e3", "e3-separation")
    assert [row["X"] for row in rows] == [73, 73]
    assert [row["table D"] for row in rows] == [0.115, 0.112]
    assert all(row["ours"] == pytest.approx(row["table D"], rel=0.1) for row in rows)
    (ratio,) = rows_of(done, "e3", "e3-ratios")
    assert ratio["ours"] == pytest.approx(rows[0]["ours"] / rows[1]["ours"])


def test_points_at_which_a_run_is_measured():
    points = measured_at(10**7, 50)
    assert (points[0], points[-1], len(points)) == (1_000, 10**7, 50)
    assert np.ptp(np.diff(np.log(points))) < 1e-2
    assert measured_at(800, 50) == [800]


def test_a_trace_goes_through_the_run_itself(tmp_path):
    plain = LearningCell("kuhn_poker", "ixomd", 20_000, 3)
    traced = LearningCell("kuhn_poker", "ixomd", 20_000, 3, points=4)
    first, second = run_cells([plain, traced], CellFolder(tmp_path / "runs", "balanced"))
    assert first["nash_conv"] == second["nash_conv"]
    assert [episodes for episodes, _ in second["trace"]] == measured_at(20_000, 4)
    assert second["trace"][-1][1] == second["nash_conv"]


def test_a_cell_is_the_row_with_its_changes():
    row = LearningCell("kuhn_poker", "ixomd", 10, 0, rate=0.5, changes=(("centre", 0.5),)).row()
    assert (row.steps, row.centre) == ((0.5, 0.025), 0.5)
    settings = LearningCell("kuhn_poker", "ixomd", 10, 0, "practical").settings()
    assert json.loads(json.dumps(settings)) == {
        "game": "kuhn_poker",
        "learner": "ixomd",
        "episodes": 10,
        "seed": 0,
        "preset": "practical",
        "rate": None,
        "changes": [],
        "points": 1,
    }


def test_traversals_go_on_until_enough_terminal_histories_are_visited(tmp_path):
    cell = LearningCell("kuhn_poker", "es-mccfr", 5_000, 0)
    (result,) = run_cells([cell], CellFolder(tmp_path / "runs", "balanced"))
    found = learn("kuhn_poker", "es-mccfr", episodes=5_000 * 2 // 5, seeds=1).nash_conv[0]
    assert 0.2 < result["nash_conv"] / found < 5
