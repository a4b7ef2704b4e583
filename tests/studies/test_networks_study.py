"""The study of networks: cells with tiny settings, their reports, and the published numbers."""

from __future__ import annotations

from dataclasses import replace
from threading import Event

import pytest

from infoset import solve
from infoset.evaluation import nash_conv
from infoset.experiments import CellInterrupted, Study, run_study
from infoset.games import load_game
from infoset.policy import uniform_policy
from infoset.tree import build_tree
from infoset_studies.networks import NETWORKS, benchmark, training_cells
from infoset_studies.networks.benchmark import LARGE, LEARNERS, PUBLISHED, Benchmark, Game
from infoset_studies.networks.published import (
    DARK_HEX,
    DECISIONS,
    PHANTOM_TTT,
    PUBLISHED_NUMBERS,
    published_spec,
)
from infoset_studies.networks.training_cells import EquilibriumCell, TrainingCell, form_of

pytestmark = [pytest.mark.broad, pytest.mark.networks]

GAME = "dark_hex(board_size=2,gameversion=adh)"
TINY = Benchmark("tiny", (Game("dark hex 2x2", GAME, 40),), ("ppo", "rnad"), False, 2, 600, 3, 16)
CELL = TINY.cell(TINY.games[0], "ppo", 0)


def test_runs_are_measured_on_the_tree_as_on_the_world_form_and_repeat_bit_for_bit():
    first, again = (CELL.run(Event()) for _ in range(2))
    assert {**first, "seconds": 0} == {**again, "seconds": 0}
    other = replace(CELL, seed=1).run(Event())
    assert other["nash_conv"] != first["nash_conv"]
    learner = CELL._learner()
    learner.run(first["learner_steps"][0])
    tree = build_tree(load_game(GAME))
    policy = learner.network_policy().tabulate(tree.sequence_form)
    assert nash_conv(policy) == pytest.approx(first["nash_conv"][0], abs=1e-6)


def test_points_are_decisions_of_both_players():
    """Episodes of dark hex on 2 x 2 cells have 3 to 7 decisions."""
    steps = CELL.run(Event())["learner_steps"]
    assert [600 / 3 / 16 / 7 < step / place < 2 + 600 / 3 / 16 / 3 for place, step in
            enumerate(steps, start=1)] == [True] * 3  # fmt: skip
    half = replace(CELL, batch_size=8).run(Event())["learner_steps"]
    assert half[-1] == pytest.approx(2 * steps[-1], rel=0.2)


def test_an_equilibrium_cell_has_uniform_play_and_the_solution():
    found = EquilibriumCell(GAME, "cfr+", 40).run(Event())
    form = form_of(GAME)
    assert found["uniform"] == nash_conv(uniform_policy(form))
    assert found["nash_conv"] == solve(form, "cfr+", iterations=40).nash_conv


@pytest.mark.parametrize("cell", [CELL, EquilibriumCell(GAME, "cfr+", 40)])
def test_cells_stop_when_they_are_interrupted(cell):
    event = Event()
    event.set()
    with pytest.raises(CellInterrupted):
        cell.run(event)


def test_a_report_has_all_points_and_resumes(tmp_path, monkeypatch):
    study = Study("tiny", "Tiny", (replace(LEARNERS, quick=TINY),))
    (done,) = run_study(study, tmp_path, is_quick=True, workers=1)
    curves, last, summary = done.report.tables
    assert [row[2] for row in curves.rows] == [200, 400, 600] * 2
    assert [row[1] for row in last.rows] == [*("ppo", "rnad", "uniform play", "cfr+-quadratic")]
    assert all(row[5] <= row[4] <= row[6] for row in last.rows[:2])
    exploitability = {row[1]: row[4] for row in last.rows}
    assert exploitability["uniform play"] == nash_conv(uniform_policy(form_of(GAME))) / 2
    assert exploitability["cfr+-quadratic"] < 0.01
    assert [row[0] for row in summary.rows] == [row[1] for row in last.rows]
    assert summary.rows[2][1] == f"{exploitability['uniform play']:.3g}"
    assert " to " in summary.rows[0][1]
    monkeypatch.setattr(training_cells, "form_of", None)
    (again,) = run_study(study, tmp_path, is_quick=True, workers=1)
    assert again.report == done.report


def test_without_networks_a_report_has_equilibria_only(tmp_path, monkeypatch):
    monkeypatch.setattr(benchmark, "has_networks", lambda: False)
    study = Study("tiny", "Tiny", (replace(LEARNERS, quick=TINY),))
    (done,) = run_study(study, tmp_path, is_quick=True, workers=1)
    assert [len(table.rows) for table in done.report.tables] == [0, 2, 2]


def test_the_full_setting_is_that_of_the_benchmark():
    for experiment in (LEARNERS, PUBLISHED):
        assert experiment in NETWORKS.experiments
        full = experiment.full
        assert (full.seeds, full.decisions, full.points) == (3, 10_000_000, 10)
        assert full.games == LARGE
    assert LEARNERS.full.learners == ("ppo", "mmd", "nash-pg", "rnad")
    assert LEARNERS.quick.decisions == 100_000


def test_published_numbers_become_presets():
    """A batch has as many decisions as a published one, whatever the game."""
    for game, methods in PUBLISHED_NUMBERS.items():
        for method in methods:
            assert published_spec(game, method).name == method
    ppo, mmd = (published_spec(DARK_HEX, method) for method in ("ppo", "mmd"))
    assert (ppo.clip, ppo.entropy, ppo.kl, ppo.epochs, ppo.gae) == (0.025, 0.05, 0.0, 4, 0.95)
    assert ppo.batch_size * DECISIONS[DARK_HEX] == pytest.approx(8 * 256, rel=0.01)
    assert (mmd.kl, mmd.epochs, mmd.minibatches, mmd.value) == (0.1, 2, 32, 0.03125)
    rnad = published_spec(PHANTOM_TTT, "rnad")
    assert (rnad.eta, rnad.c_bar, rnad.schedule.sizes) == (0.05, 4.0, (6250,))


@pytest.mark.parametrize("game", PUBLISHED_NUMBERS)
def test_lengths_of_episodes_are_those_of_early_play(game):
    cell = TrainingCell(game, "ppo", False, 256, 0, 1, 1)
    assert cell._learner().mean_decisions() == pytest.approx(DECISIONS[game], rel=0.1)
