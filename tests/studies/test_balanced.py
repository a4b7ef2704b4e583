"""The study of balanced learning: every experiment with a tiny setting, from cells to files."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
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
    bandit_trees,
    correlated_play,
    kuhn_theory,
    needed_episodes,
    switching_opponents,
    tuned_learners,
)
from infoset_studies.balanced.learning_cells import (
    LearningCell,
    measured_at,
    play_until,
    simulator_of,
)
from infoset_studies.balanced.tuned_learners import (
    COLUMNS,
    ENTRIES,
    EXPLORATIONS,
    constant_of,
    expected_of,
)

pytestmark = pytest.mark.broad

FEW = ("IXOMD", "IXOMD, loss - 1/2", "OS-MCCFR uniform", "ES-MCCFR (not bandit)")
TINY = {
    "kuhn-theory": kuhn_theory.Setting((10_000, 100_000), 2),
    "tuned-learners": tuned_learners.Setting(
        COLUMNS[:1], tuple(e for e in ENTRIES if e.label in FEW), 2, 3, False
    ),
    "separation": bandit_trees.Setting(("bandit_tree(branching=4)",), (100_000,), 2),
    "correlated-play": correlated_play.Setting((1_000,), 2),
    "ablations": ablations.Setting(("kuhn_poker",), 3_000, 2, 300),
    "switching": switching_opponents.Setting((500, 2_000), 2),
    "recommended": tuned_learners.Setting(
        (COLUMNS[0]._replace(episodes=20_000),), ENTRIES[-1:], 2, 3, False, "recommended"
    ),
    "sample-complexity": bandit_trees.SampleSetting((2, 3), 0.2, 16_000, 2),
    "needed-episodes": needed_episodes.Setting(
        (needed_episodes.TASKS[0]._replace(fine=0.08),), 16_000, 4_000, 2
    ),
}


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """Run every experiment with its tiny setting; return the results and the folder."""
    experiments = [replace(e, quick=TINY[e.name]) for e in BALANCED.experiments]
    study = Study("balanced", "tiny", tuple(experiments))
    folder = tmp_path_factory.mktemp("study") / "runs"
    found = run_study(study, folder, is_quick=True, workers=2)
    by_name = {f.experiment.name: f for f in found}
    (again,) = run_study(study, folder, ["kuhn-theory"], is_quick=True, workers=1)
    assert (again.report, again.files) == (
        by_name["kuhn-theory"].report,
        by_name["kuhn-theory"].files,
    )
    return by_name, folder


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


def test_every_experiment_states_its_duration():
    for experiment in BALANCED.experiments:
        assert experiment.quick_time
        assert experiment.full_time
        assert experiment.title


def test_kuhn_theory_agrees_with_the_reference(done):
    rows = rows_of(done, "kuhn-theory", "kuhn-theory")
    assert len(rows) == 2 * len(kuhn_theory.LEARNERS)
    assert all(row["within 3 sd"] for row in rows if "mccfr" not in row["learner"])
    (row,) = (r for r in rows if (r["learner"], r["episodes"]) == ("ixomd", 10_000))
    gaps = learn("kuhn_poker", "ixomd", episodes=10_000, seeds=2).nash_conv
    assert row["measured"] == pytest.approx(np.mean(gaps), abs=1e-12)
    assert row["difference"] == pytest.approx(np.mean(gaps) - 0.354, abs=1e-12)


def test_separation_agrees_with_the_reference(done):
    rows = rows_of(done, "separation", "separation")
    assert [row["X"] for row in rows] == [73, 73]
    assert [row["prototype"] for row in rows] == [0.115, 0.112]
    assert all(row["measured"] == pytest.approx(row["prototype"], rel=0.1) for row in rows)
    (ratio,) = rows_of(done, "separation", "separation-ratios")
    assert ratio["measured"] == pytest.approx(rows[0]["measured"] / rows[1]["measured"])


def test_points_at_which_a_run_is_measured():
    points = measured_at(10**7, 50)
    assert (points[0], points[-1], len(points)) == (1_000, 10**7, 50)
    assert np.ptp(np.diff(np.log(points))) < 1e-2
    assert measured_at(800, 50) == [800]


def test_measuring_a_trace_does_not_change_the_run(tmp_path):
    plain = LearningCell("kuhn_poker", "ixomd", 20_000, 3)
    traced = LearningCell("kuhn_poker", "ixomd", 20_000, 3, points=4)
    first, second = run_cells([plain, traced], CellFolder(tmp_path / "runs", "balanced"))
    assert first["nash_conv"] == second["nash_conv"]
    assert [episodes for episodes, _ in second["trace"]] == measured_at(20_000, 4)
    assert second["trace"][-1][1] == second["nash_conv"]


def test_a_cell_replaces_fields_of_the_learner():
    spec = LearningCell("kuhn_poker", "ixomd", 10, 0, rate=0.5, changes=(("center", 0.5),)).spec()
    assert (spec.step_sizes, spec.center) == ((0.5, 0.025), 0.5)
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
def test_traversals_stop_soon_after_the_requested_terminal_visits(visits):
    learners = get_learner("es-mccfr").self_play(simulator_of("kuhn_poker"), horizon=visits)
    play_until(learners, visits, Event())
    assert visits <= learners.terminal_visits <= visits + 4


def test_constants_without_a_reference_are_tuned(done):
    rows = {row["learner"]: row for row in rows_of(done, "tuned-learners", "tuned-kuhn-1e6")}
    assert list(rows) == [entry.label for entry in ENTRIES if entry.label in FEW]
    assert rows["IXOMD"]["constant"] == 0.003
    assert rows["OS-MCCFR uniform"]["constant"] == 0.4
    assert rows["ES-MCCFR (not bandit)"]["constant"] is None
    tried = [0.003 * factor for factor in tuned_learners.FACTORS]
    cells = [
        LearningCell("kuhn_poker", "ixomd", 10**6, 0, rate=rate, changes=(("center", 0.5),))
        for rate in tried
    ]
    results = run_cells(cells, CellFolder(done[1], "balanced"))
    best = min(zip([r["nash_conv"] for r in results], tried, strict=True))[1]
    assert rows["IXOMD, loss - 1/2"]["constant"] == pytest.approx(best)
    assert rows["IXOMD, loss - 1/2"]["measured"] < rows["IXOMD"]["measured"]
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


def test_balanced_ftrl_is_weighted_at_the_first_infostates():
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
    assert tuned_learners.candidates(entries["exploration"], COLUMNS[0], True) == EXPLORATIONS


def test_gaps_of_joint_play_are_the_largest_gains(done):
    rows = rows_of(done, "correlated-play", "correlated-play")
    assert [row["prototype"] for row in rows] == [0.123, None, 0.115, None]
    assert all(0.05 < row["measured"] < row["average policies"] for row in rows)
    cell = correlated_play.JointCell(correlated_play.GAME, "ixomd", 1_000, 0, True)
    (result,) = run_cells([cell], CellFolder(done[1], "balanced"))
    assert result["cce_gap"] == pytest.approx(max(result["gains"]), abs=1e-15)


def test_only_the_reach_weighted_average_matches_the_regrets(done):
    rows = rows_of(done, "ablations", "policy-averages")
    assert [row["below 1e-10"] for row in rows] == [True, False] * 3
    assert all(row["difference"] > 1e-6 for row in rows if row["average"] == "naive")


def test_variants_change_the_stated_fields():
    changed = {v.ablation: dict(v.changes) for v in ablations.VARIANTS}
    assert set(changed["exploration (ε)"]) == {"exploration"}
    for variant in ablations.VARIANTS:
        spec = ablations.cell_of(variant, "kuhn_poker", 1_000, 0).spec()
        assert all(getattr(spec, name) == value for name, value in variant.changes)


def test_regret_against_switching_opponents_is_below_its_bound(done):
    for row in rows_of(done, "switching", "switching"):
        assert 0 < row["regret / √T"] < row["bound / √T"]
        assert row["regret"] / row["episodes"] < 1


def test_episodes_are_interpolated_between_horizons():
    gaps = {1_000: 0.4, 2_000: 0.2, 4_000: 0.05}
    assert bandit_trees.episodes_to(gaps, 0.1) == pytest.approx(2_000 * 2**0.5)
    assert bandit_trees.episodes_to({1_000: 0.05}, 0.1) == 1_000
    assert bandit_trees.episodes_to({1_000: 0.2}, 0.1) is None


def test_needed_episodes_grow_with_the_tree(done):
    rows = rows_of(done, "sample-complexity", "sample-complexity")
    assert [row["X"] for row in rows] == [7, 13]
    found = [row["balanced-omd"] for row in rows]
    assert found[0] < found[1]


def test_needed_episodes_are_those_of_the_first_horizon_that_suffices(done):
    gaps = {250: 0.4, 500: 0.2, 1_000: 0.05, 2_000: 0.06}
    assert needed_episodes.first_episodes(gaps, 0.4) == 250
    assert needed_episodes.first_episodes(gaps, 0.1) == pytest.approx(500 * 2**0.5)
    assert needed_episodes.first_episodes(gaps, 0.04) is None
    rows = {row["learner"]: row for row in rows_of(done, "needed-episodes", "needed-episodes")}
    assert tuple(rows) == needed_episodes.LEARNERS
    setting = TINY["needed-episodes"]
    assert [setting.last(name) for name in ("ixomd", "cert-cfr", "cfr-psrl")] == [16000, 4000, 4000]
    for row in rows.values():
        if row["Kuhn 0.08"] is not None:
            assert row["Kuhn 0.1"] <= row["Kuhn 0.08"]
    # The learners with a model need fewer episodes than those that see their own only.
    with_model = {name: rows.pop(name)["Kuhn 0.1"] for name in ("cfr-psrl", "cert-cfr")}
    assert max(with_model.values()) < min(row["Kuhn 0.1"] or np.inf for row in rows.values())


def test_the_chart_has_the_episodes_to_each_accuracy(done):
    [chart] = done[0]["needed-episodes"].report.charts
    rows = {row["learner"]: row for row in rows_of(done, "needed-episodes", "needed-episodes")}
    lines = {line.label: line for line in chart.lines}
    assert set(lines) >= {name for name, row in rows.items() if row["Kuhn 0.08"] is not None}
    for name, line in lines.items():
        assert line.x[0] == pytest.approx(0.2)
        assert list(line.x) == sorted(line.x, reverse=True)
        assert list(line.y) == sorted(line.y)
        if rows[name]["Kuhn 0.08"] is not None:
            assert line.x[-1] == pytest.approx(0.08)
            assert line.y[-1] == pytest.approx(rows[name]["Kuhn 0.08"], abs=0.5)


def test_needed_episodes_are_those_of_the_recommended_presets():
    presets = {}

    def run(cells):
        presets.update((cell.learner, cell.preset) for cell in cells)
        return [{"nash_conv": 0.01} for _ in cells]

    needed_episodes.report(run, needed_episodes.Setting(needed_episodes.TASKS[:1], 250, 250, 1))
    assert presets == {
        name: "recommended" if "recommended" in get_learner(name).presets else None
        for name in needed_episodes.LEARNERS
    }
    assert len(set(presets.values())) == 2


def test_the_page_compares_needed_episodes_as_its_table_does():
    """The ratios that docs/learning/study.md states."""
    docs = Path(__file__).parents[2] / "docs"
    path = docs / "learning" / "study" / "needed-episodes.csv"
    with path.open(encoding="utf-8") as file:
        rows = {row.pop("learner"): row for row in csv.DictReader(file)}
    needed = {
        name: [float(text) if text.isdigit() else np.inf for text in row.values()]
        for name, row in rows.items()
    }
    psrl, certified = (np.array(needed.pop(name)) for name in ("cfr-psrl", "cert-cfr"))
    best = np.min(list(needed.values()), axis=0)
    kuhn, bandits, others = slice(0, 2), slice(2, 4), slice(4, 8)
    assert np.all((psrl[kuhn] / best[kuhn] > 0.1) & (psrl[kuhn] / best[kuhn] < 0.37))
    assert np.all(certified[kuhn] < 0.34 * best[kuhn])
    assert np.all(psrl[bandits] > best[bandits])
    assert np.all((psrl[others] / best[others] > 0.16) & (psrl[others] / best[others] < 0.565))
    assert best[3] == pytest.approx(11_000, rel=0.01)
    assert best[3] == pytest.approx((64 + 64) / (0.05 / 2) ** 2 / 20, rel=0.1)
    slower = np.array(needed["online-os-mccfr"]) / needed["os-mccfr"]
    assert np.all((slower > 1.45) & (slower < 8))


def test_former_names_of_experiments_still_work():
    assert [e.name for e in BALANCED.choose(["E3", "goals"])] == ["separation", "recommended"]
    assert set(BALANCED.aliases.values()) <= {e.name for e in BALANCED.experiments}


def test_file_names_of_cells_depend_on_settings_and_version_only(tmp_path, monkeypatch):
    """The expected name is the one that version 0.1.0 gave the same cell."""
    monkeypatch.setattr("infoset.experiments.cells.__version__", "0.1.0")
    folder = CellFolder(tmp_path / "runs", "balanced")
    cell = LearningCell("kuhn_poker", "ixomd", 10_000, 0)
    assert folder.file_of(cell).name == "kuhn_poker-ixomd-10000-0-7dda55908c.json"
