"""Studies on a Dask cluster of two workers on two loopback hosts, whose workers are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("distributed")

import infoset
from infoset.errors import CodeExitError, LostWorkersError, ParameterError, WorkerVersionError
from infoset.experiments import CellFolder, run_cells
from infoset.runs import executor_kinds, open_executor
from infoset.runs import tasks as tasks_module
from infoset_studies.balanced.learning_cells import LearningCell
from tests.support.dask_cluster import ROOT, dask_cluster
from tests.support.sent_cells import DrawnCell, ExitingCell, FailingCell, contents

pytestmark = pytest.mark.broad

REAL = [LearningCell("kuhn_poker", "ixomd", 2000, seed, points=2) for seed in range(3)]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with dask_cluster(tmp_path_factory.mktemp("dask")) as found:
        yield found


@pytest.fixture
def executor(cluster):
    with open_executor(f"dask:{cluster.address}") as found:
        yield found


def check_kills(cluster, executor, tmp_path, kills, pause, seconds):
    """Run cells while workers are killed; check that all bytes are those of a serial run."""
    cells = [*REAL, *(DrawnCell(seed, seconds) for seed in range(8 * kills))]
    there, here = (CellFolder(tmp_path / name, "drawn") for name in ("there", "here"))
    with cluster.kills(kills, seed=7, pause=pause) as moments:
        run_cells(cells, there, executor=executor)
        assert len(moments) == kills
    run_cells([*REAL, *(DrawnCell(seed) for seed in range(8 * kills))], here)
    assert contents(there) == contents(here)
    assert len(contents(there)) == len(cells)


def test_killed_workers_lose_nothing(cluster, executor, tmp_path):
    check_kills(cluster, executor, tmp_path, kills=3, pause=(0.3, 1.5), seconds=0.5)


@pytest.mark.long
def test_twenty_killed_workers_lose_nothing(cluster, executor, tmp_path):
    check_kills(cluster, executor, tmp_path, kills=20, pause=(1.0, 5.0), seconds=0.8)


def test_learning_and_matches_on_two_hosts(executor):
    options = dict(episodes=2000, seeds=2)
    here = infoset.learn("kuhn_poker", "ixomd", workers=1, **options)
    there = infoset.learn("kuhn_poker", "ixomd", executor=executor, **options)
    assert there.nash_conv == here.nash_conv
    for mine, theirs in zip(here.runs, there.runs, strict=True):
        for one, other in zip(mine.policy.probabilities, theirs.policy.probabilities, strict=True):
            assert one.tobytes() == other.tobytes()
    game = infoset.load("kuhn_poker")
    players = infoset.make_searcher("pimc", game), None
    here = infoset.play_matches(game, *players, num_deals=100)
    assert infoset.play_matches(game, *players, num_deals=100, executor=executor) == here


def test_errors_and_other_versions(executor, tmp_path, monkeypatch):
    folder, runs = CellFolder(tmp_path / "study", "drawn"), tmp_path / "runs"
    with pytest.raises(ValueError, match="no luck with 1"):
        run_cells([FailingCell(1, file=str(runs))], folder, executor=executor)
    assert runs.read_text() == "x"
    pids = sorted(executor._client.run(os.getpid).values())
    with pytest.raises(CodeExitError, match="SystemExit: 4 was raised"):
        run_cells([ExitingCell(1)], folder, executor=executor)
    assert sorted(executor._client.run(os.getpid).values()) == pids
    monkeypatch.setattr(tasks_module, "__version__", "0.0.1")
    with pytest.raises(WorkerVersionError, match="install the same version on every worker"):
        run_cells([DrawnCell(1)], folder, executor=executor)
    assert contents(folder) == {}


STUDY = """
import sys
sys.path.insert(0, {root!r})
from infoset.experiments import CellFolder, run_cells
from infoset.runs import open_executor
from tests.support.sent_cells import DrawnCell
with open_executor({on!r}) as executor:
    cells = [DrawnCell(0), *(DrawnCell(seed, 1.0) for seed in range(1, 100))]
    run_cells(cells, CellFolder({folder!r}, "drawn"), executor=executor)
"""


def test_ctrl_c_cancels_what_has_not_begun_and_keeps_what_is_done(cluster, tmp_path):
    path = tmp_path / "study"
    code = STUDY.format(root=str(ROOT), on=f"dask:{cluster.address}", folder=str(path))
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while not (path / "cells").is_dir() or not os.listdir(path / "cells"):
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert errors.rstrip().endswith("KeyboardInterrupt")
    done = len(contents(CellFolder(path, "drawn")))
    assert 1 <= done < 20


def test_a_cluster_that_ends_says_what_is_saved(tmp_path, monkeypatch):
    monkeypatch.setattr(executor_kinds, "SECONDS_WITHOUT_WORKERS", 1.0)
    monkeypatch.setattr(tasks_module, "SECONDS_BETWEEN_CHECKS", 0.5)
    folder = CellFolder(tmp_path / "study", "drawn")
    run_cells([DrawnCell(0)], folder)
    (tmp_path / "dask").mkdir()
    with dask_cluster(tmp_path / "dask") as ended:
        kind = f"dask:{ended.address}"
        monkeypatch.setattr(executor_kinds, "SECONDS_TO_ANSWER", 30)
        with open_executor(kind) as executor:
            for nanny in ended.nannies:
                os.killpg(nanny.pid, signal.SIGKILL)
            with pytest.raises(LostWorkersError, match=r"1 of 2 cells are saved in .* resumes"):
                run_cells([DrawnCell(0), DrawnCell(1, 100.0)], folder, executor=executor)
        monkeypatch.setattr(executor_kinds, "SECONDS_TO_ANSWER", 1)
        executor = open_executor(kind)
        with pytest.raises(ParameterError, match="no workers; start some with `dask worker"):
            executor.__enter__()
