"""The study of progressive hiding: every experiment with a tiny setting, and single parts."""

from __future__ import annotations

from dataclasses import replace
from threading import Event

import numpy as np
import pytest

from infoset.experiments import CellFolder, CellInterrupted, Study, run_cells, run_study
from infoset.teams import (
    HidingScheme,
    ProgressiveHiding,
)
from infoset_studies.hiding import HIDING, bridge, extensions, matching_pennies, trade
from infoset_studies.hiding.bridge import BIDDERS, bidding_cell
from infoset_studies.hiding.default_method import DefaultCell, Goal, Hanabi
from infoset_studies.hiding.team_cells import HidingCell, TeamGame, measured_at, play

pytestmark = pytest.mark.broad

FEW_BIDDERS = tuple(
    entry for entry in bridge.ENTRIES if entry.label in (*bridge.DRAWN[:1], "previous, γ 5 to 200")
)
TINY = {
    "matching-pennies": matching_pennies.Setting(runs=6, sweeps=2),
    "trade": trade.Setting({2: 2, 3: 1}, ablation_seeds=4, restarts=3),
    "bridge": bridge.Setting(FEW_BIDDERS, seeds=2, restarts=5),
    "extensions": extensions.Setting(
        single_seeds=1,
        markets=((4, "private_revealed", 2),),
        rounds=8,
        bridge_seeds=1,
        bridge_rounds=1,
        goals=(Goal("trade_comm(num_items=2,num_messages=1)", "recall", 0.5, 2),),
        hanabis=(Hanabi(1, 2, 2, 1, 1, 2),),
    ),
}


EXPERIMENTS = [replace(e, quick=TINY[e.name]) for e in HIDING.experiments]


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """Run three experiments with their tiny settings; return the results and the folder."""
    study = Study("hiding", "tiny", tuple(EXPERIMENTS))
    folder = tmp_path_factory.mktemp("study") / "runs"
    found = run_study(
        study, folder, ["matching-pennies", "trade", "bridge"], is_quick=True, workers=2
    )
    by_name = {f.experiment.name: f for f in found}
    (again,) = run_study(study, folder, ["trade"], is_quick=True, workers=1)
    assert (again.report, again.files) == (by_name["trade"].report, by_name["trade"].files)
    return by_name, folder


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """Run the experiment on extensions with its tiny setting; return the results and the folder."""
    study = Study("hiding", "tiny", tuple(EXPERIMENTS))
    folder = tmp_path_factory.mktemp("study") / "runs"
    (found,) = run_study(study, folder, ["extensions"], is_quick=True, workers=2)
    return {"extensions": found}, folder


def rows_of(done, experiment, table):
    (found,) = (t for t in done[0][experiment].report.tables if t.name == table)
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def check_files(finished, folder):
    for found in finished.values():
        assert found.experiment.quick_time
        assert found.experiment.full_time
        for file in found.files:
            assert (folder / file).stat().st_size > 0


def test_experiments_leave_their_files(done):
    finished, folder = done
    assert list(finished) == ["matching-pennies", "trade", "bridge"]
    assert [e.name for e in EXPERIMENTS] == [*finished, "extensions"]
    check_files(finished, folder)


@pytest.mark.long
def test_the_extensions_leave_their_files(extended):
    check_files(*extended)


def test_pennies_trap_cfr_of_one_player_alone(done):
    rows = rows_of(done, "matching-pennies", "pennies-successes")
    ours = [row for row in rows if row["source"] == "measured"]
    assert [row["CFR, one player"] for row in ours] == [0.0] * len(matching_pennies.EXPECTED)
    first, *_, last = ours
    assert first["γ 0.05"] == first["γ 1"] == 1.0
    assert last["two agents"] == last["γ 1"] == 0.0
    assert all(row["optimum"] == 1.0 for row in rows_of(done, "matching-pennies", "pennies-known"))


def test_a_projector_that_ignores_what_is_said_fails(done):
    rows = rows_of(done, "matching-pennies", "pennies-projectors")
    for row in rows:
        if row["source"] == "measured" and row["γ"] is not None:
            solved = row["projector or baseline"] != "uniform"
            assert row["wrong -2"] == float(solved)


def test_trade_agrees_with_the_prototype(done):
    rows = rows_of(done, "trade", "trade-relaxations")
    by_key = {(row["items"], row["relaxation"], row["source"]): row for row in rows}
    for size in (2, 3):
        for relaxation in trade.RELAXATIONS:
            measured, prototype = (
                by_key[size, relaxation, "measured"],
                by_key[size, relaxation, "prototype"],
            )
            assert measured["at 400"] == pytest.approx(prototype["at 400"], abs=0.15)
            assert measured["relaxed"] == pytest.approx(prototype["relaxed"], abs=0.15)
    assert by_key[2, "recall", "measured"]["success"] == 1.0
    assert by_key[2, "none", "measured"]["penalty"] == 0.0


def test_the_method_fails_without_its_parts(done):
    for row in rows_of(done, "trade", "trade-ablations"):
        assert row["success"] == pytest.approx(float(row["change"] == "baseline"), abs=0.4)
        assert row["mean"] == pytest.approx(row["mean, prototype"], abs=0.15)


def test_the_figures_have_the_curves_that_the_tables_have(done):
    charts = {chart.name: chart for name in done[0] for chart in done[0][name].report.charts}
    mean = next(line for line in charts["trade-2"].lines if line.label == "recall, mean")
    (row,) = (
        row
        for row in rows_of(done, "trade", "trade-relaxations")
        if (row["items"], row["relaxation"], row["source"]) == (2, "recall", "measured")
    )
    assert mean.x[4::5][:2] == (50.0, 100.0)
    assert mean.y[4] == pytest.approx(row["at 50"], abs=1e-4)
    guides = [line for line in charts["bridge-near"].lines if line.is_guide]
    assert [line.y[0] for line in guides] == [21.0, pytest.approx(21.0079365)]


def test_bridge_is_compared_with_its_optimum(done):
    known = rows_of(done, "bridge", "bridge-known")
    assert [row["measured"] for row in known[:2]] == pytest.approx([2647 / 126, 21.3174603])
    rows = {row["method"]: row for row in rows_of(done, "bridge", "bridge-methods")}
    for row in rows.values():
        assert row["peak mean"] == pytest.approx(row["peak mean, prototype"], abs=0.1)
        assert row["last best"] <= row["peak best"] <= 2647 / 126


@pytest.mark.long
def test_rounds_solve_trade_and_hill_climbing_never_loses(extended):
    rows = rows_of(extended, "extensions", "extensions-trade")
    assert [row["restarts"] for row in rows] == ["no retained regret", "retained regret"]
    assert all(row["1 round"] < row["8 rounds"] == 1.0 for row in rows)
    for row in rows_of(extended, "extensions", "extensions-bridge"):
        assert row["mean"] - 1e-9 <= row["mean, hill climbing"] <= 2647 / 126 + 1e-9


@pytest.mark.long
def test_the_default_method_reaches_its_goal(extended):
    (row,) = rows_of(extended, "extensions", "extensions-default")
    assert (row["solved"], row["minimum"]) == (1.0, 0.5)


@pytest.mark.long
def test_hanabi_reaches_its_optimum(extended):
    (row,) = rows_of(extended, "extensions", "extensions-hanabi")
    assert row["exact"] == row["upper bound"] == row["best"] == pytest.approx(1.5)
    assert row["iterated best response"] <= row["exact"] <= row["with recall"] + 1e-9


def test_bidders_retain_a_fraction_of_their_regrets():
    for name in BIDDERS:
        anew, kept = (bidding_cell(name, retain, 2, 0).scheme for retain in (0.0, 0.001))
        assert (anew.regret_restarts.retain, anew.regret_restarts.noise) == (
            0.0,
            anew.learner.noise,
        )
        assert kept.regret_restarts.retain == 0.001
        assert anew.regret_restarts.iterations == kept.regret_restarts.iterations


def test_solved_after_counts_rounds_that_were_not_needed():
    results = [{"best": [1.0]}, {"best": [0.5, 1.0]}, {"best": [0.5, 0.6, 0.7]}]
    solved = [extensions.solved_after(results, rounds) for rounds in (1, 2, 8)]
    assert solved == pytest.approx([1 / 3, 2 / 3, 2 / 3])


def test_seeds_are_the_same_in_any_parts(tmp_path):
    cell = HidingCell(TeamGame("cooperative_matching_pennies", "recall"), HidingScheme(), 100, 5)
    folder = CellFolder(tmp_path / "runs", "hiding")

    def run(cells):
        return run_cells(cells, folder, workers=1)

    at_once, in_parts = play(run, [cell], 5)[0], play(run, [cell], 2)[0]
    for one, other in zip(at_once, in_parts, strict=True):
        np.testing.assert_array_equal(one, other)
    hiding = ProgressiveHiding(cell.team_game.relaxed_form, cell.scheme, seed=3)
    trace = hiding.run(100)
    np.testing.assert_array_equal(at_once.curve[3], trace.implementable[measured_at(100) - 1, 0])
    assert at_once.peak[3] == trace.implementable.max()


def test_cells_can_be_interrupted():
    stopped = Event()
    stopped.set()
    game = TeamGame("cooperative_matching_pennies", "recall")
    with pytest.raises(CellInterrupted):
        HidingCell(game, HidingScheme(), 10, 2).run(stopped)
    with pytest.raises(CellInterrupted):
        extensions.market_cell(2, "private_revealed", extensions.RETAINED, 2, 0).run(stopped)
    with pytest.raises(CellInterrupted):
        DefaultCell("cooperative_matching_pennies", "recall", 0).run(stopped)


def test_every_number_of_the_prototype_has_its_cell():
    assert {name for _, name in matching_pennies.EXPECTED} <= set(matching_pennies.LEARNERS)
    assert {name for name, _ in trade.EXPECTED_ABLATIONS} == set(trade.ABLATIONS)
    settings = {str(bridge.bridge_cell(entry, 2).settings()) for entry in bridge.ENTRIES}
    assert len(settings) == len(bridge.ENTRIES)
    assert set(bridge.EXPECTED) <= {entry.label for entry in bridge.ENTRIES}


def test_settings_keep_the_names_of_earlier_run_folders():
    """The digest in the file name of a cell depends on the names and order of its settings."""
    game = TeamGame("cooperative_matching_pennies", "recall")
    assert list(game.settings()) == ["game", "lent", "is_short"]
    assert list(DefaultCell(game.game, "recall", 0).settings()) == [
        "game",
        "lent",
        "seed",
        "options",
    ]
