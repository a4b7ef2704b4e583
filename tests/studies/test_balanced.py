"""The study of balanced learning: every experiment at a tiny setting, from cells to files."""

from __future__ import annotations

import json
from dataclasses import replace
from threading import Event

import numpy as np
import pytest

from infoset.experiments import Study, run_study
from infoset.experiments.cells import CellFolder, run_cells
from infoset.front import learn
from infoset.learning import get_learner
from infoset_studies.balanced import (
    BALANCED,
    ablations,
    correlated,
    kuhn_theory,
    samples,
    separation,
    switching,
    tuned_learners,
)
from infoset_studies.balanced.learning_cell import (
    LearningCell,
    measured_at,
    play_until,
    simulator_of,
)
from infoset_studies.balanced.tuned_numbers import (
    COLUMNS,
    ENTRIES,
    SHARES,
    constant_of,
    expected_of,
)

FEW = ("IXOMD", "IXOMD, loss - 1/2", "OS-MCCFR uniform", "ES-MCCFR (not bandit)")
TINY = {
    "e1": kuhn_theory.Setting((10_000, 100_000), 2),
    "e2": tuned_learners.Setting(
        COLUMNS[:1], tuple(e for e in ENTRIES if e.label in FEW), 2, 3, False
    ),
    "e3": separation.Setting(("bandit_tree(branching=4)",), (100_000,), 2),
    "e4": correlated.Setting((1_000,), 2),
    "e5": ablations.Setting(("kuhn_poker",), 3_000, 2, 300),
    "e6": switching.Setting((500, 2_000), 2),
    "goals": tuned_learners.Setting((COLUMNS[0],), ENTRIES[-1:], 2, 3, False, "goals"),
    "samples": samples.Setting((2, 3), 0.2, 16_000, 2),
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
        assert experiment.title.lower().startswith(experiment.name + ":")


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
    row = LearningCell("kuhn_poker", "ixomd", 10, 0, rate=0.5, changes=(("center", 0.5),)).row()
    assert (row.step_sizes, row.center) == ((0.5, 0.025), 0.5)
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


@pytest.mark.parametrize("visits", [100, 5_000, 200_000])
def test_traversals_go_on_until_so_many_terminal_histories_are_visited(visits):
    learners = get_learner("es-mccfr").self_play(simulator_of("kuhn_poker"), horizon=visits)
    play_until(learners, visits, Event())
    assert visits <= learners.terminal_visits <= visits + 4


def test_e2_tunes_what_has_no_published_constant(done):
    rows = {row["learner"]: row for row in rows_of(done, "e2", "e2-kuhn-1e6")}
    assert list(rows) == [entry.label for entry in ENTRIES if entry.label in FEW]
    assert rows["IXOMD"]["constant"] == 0.003
    assert rows["OS-MCCFR uniform"]["constant"] == 0.4
    assert rows["ES-MCCFR (not bandit)"]["constant"] is None
    tried = [0.003 * factor for factor in tuned_learners.NEAR]
    cells = [
        LearningCell("kuhn_poker", "ixomd", 10**6, 0, rate=rate, changes=(("center", 0.5),))
        for rate in tried
    ]
    results = run_cells(cells, CellFolder(done[1], "balanced"))
    best = min(zip([r["nash_conv"] for r in results], tried, strict=True))[1]
    assert rows["IXOMD, loss - 1/2"]["constant"] == pytest.approx(best)
    assert rows["IXOMD, loss - 1/2"]["ours"] < rows["IXOMD"]["ours"]
    assert all(row["within 3 sd"] for row in rows.values())


def test_constants_and_numbers_are_read_from_the_tables():
    by_label = {entry.label: entry for entry in ENTRIES}
    dice = next(column for column in COLUMNS if column.name == "dice-1e6")
    assert constant_of(by_label["Balanced OMD"], dice) == (0.3, True)
    assert expected_of(by_label["Balanced OMD"], dice).mean == 0.43
    assert constant_of(by_label["Balanced OMD, loss - 1/2"], dice) == (0.3, False)
    assert expected_of(by_label["Balanced OMD, loss - 1/2"], dice).mean == 0.704
    assert expected_of(by_label["Adaptive FTRL"], dice) is None
    assert constant_of(by_label["Adaptive FTRL"], dice) == (None, True)


def test_balanced_ftrl_counts_from_the_first_infostates():
    entry = next(entry for entry in ENTRIES if entry.label == "Balanced FTRL")
    found = tuned_learners.Found(entry, COLUMNS[1], None)
    assert tuned_learners.cell_of(found, 0.001, 0).rate == pytest.approx(0.001 / 6)
    for column in COLUMNS[:2]:
        simulator = simulator_of(column.game)
        roots = simulator.infostates.parent_sequence == simulator.infostates.root_sequence[0]
        assert np.count_nonzero(roots) == column.num_roots


def test_the_published_grids():
    entries = {entry.tuned: entry for entry in ENTRIES[:10]}
    grid = tuned_learners.candidates(entries["rate"], COLUMNS[0], True)
    assert (len(grid), grid[0], grid[-1]) == (20, pytest.approx(1e-4), pytest.approx(1e3))
    assert tuned_learners.candidates(entries["exploration"], COLUMNS[0], True) == SHARES


def test_e4_gaps_are_the_largest_gains(done):
    rows = rows_of(done, "e4", "e4-joint-play")
    assert [row["table E"] for row in rows] == [0.123, None, 0.115, None]
    assert all(0.05 < row["ours"] < row["product"] for row in rows)
    cell = correlated.JointCell(correlated.GAME, "ixomd", 1_000, 0, True)
    (result,) = run_cells([cell], CellFolder(done[1], "balanced"))
    assert result["cce_gap"] == pytest.approx(max(result["gains"]), abs=1e-15)


def test_e5_the_naive_average_fails_and_the_other_does_not(done):
    rows = rows_of(done, "e5", "e5-averages")
    assert [row["below 1e-10"] for row in rows] == [True, False] * 3
    assert all(row["difference"] > 1e-6 for row in rows if row["average"] == "naive")


def test_e5_changes_what_it_says():
    changed = {v.ablation: dict(v.changes) for v in ablations.VARIANTS}
    assert set(changed["share of exploration"]) == {"exploration"}
    for variant in ablations.VARIANTS:
        row = ablations.cell_of(variant, "kuhn_poker", 1_000, 0).row()
        assert all(getattr(row, name) == value for name, value in variant.changes)


def test_e6_regret_is_below_its_bound(done):
    for row in rows_of(done, "e6", "e6-switching"):
        assert 0 < row["regret / √T"] < row["bound / √T"]
        assert row["regret"] / row["episodes"] < 1


def test_samples_are_counted_between_horizons():
    gaps = {1_000: 0.4, 2_000: 0.2, 4_000: 0.05}
    assert samples.episodes_to(gaps, 0.1) == pytest.approx(2_000 * 2**0.5)
    assert samples.episodes_to({1_000: 0.05}, 0.1) == 1_000
    assert samples.episodes_to({1_000: 0.2}, 0.1) is None


def test_samples_grow_with_the_tree(done):
    rows = rows_of(done, "samples", "samples")
    assert [row["X"] for row in rows] == [7, 13]
    found = [row["balanced-omd"] for row in rows]
    assert found[0] < found[1]
