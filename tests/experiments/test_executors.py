"""Cells of a study on executors: threads and spawned processes leave the bytes of a serial run."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import pytest

from infoset.errors import CodeExitError, DifferingMachinesWarning, LostWorkersError, ParameterError
from infoset.experiments import CellFolder, Experiment, Report, Study, run_cells, run_study
from infoset.runs import this_machine
from infoset.runs.workers import LocalProcesses
from infoset_studies.balanced.learning_cells import LearningCell
from tests.support.sent_cells import (
    DeadlyCell,
    DrawnCell,
    ExitingCell,
    FailingCell,
    UnsendableResultCell,
    contents,
)

CELLS = [DrawnCell(seed) for seed in range(6)]
REAL = [LearningCell("kuhn_poker", "ixomd", 2000, seed, points=2) for seed in range(2)]


@pytest.fixture
def folder(tmp_path):
    return CellFolder(tmp_path / "study", "drawn")


@pytest.fixture
def serial(tmp_path):
    """What the files of a run on one thread say."""

    def run(cells):
        folder = CellFolder(tmp_path / "serial", "drawn")
        run_cells(cells, folder, workers=1)
        return contents(folder)

    return run


def test_threads_leave_the_same_bytes(folder, serial):
    with ThreadPoolExecutor(3) as executor:
        run_cells(CELLS, folder, executor=executor)
        assert executor.submit(int).result() == 0  # it remains open
    assert contents(folder) == serial(CELLS)


def test_a_cell_that_exits_is_an_error_of_the_cell(folder):
    with ThreadPoolExecutor(2) as executor:
        for where in ({"workers": 1}, {"executor": executor}):
            with pytest.raises(CodeExitError, match="SystemExit: 4 was raised"):
                run_cells([ExitingCell(1)], folder, **where)
        run_cells(CELLS, folder, executor=executor)


@pytest.mark.broad
def test_processes_leave_the_same_bytes(folder, serial):
    cells = [*CELLS, *REAL]
    with ProcessPoolExecutor(2, get_context("spawn")) as executor:
        found = run_cells(cells, folder, executor=executor)
        assert contents(folder) == serial(cells)
        assert run_cells(cells, folder, executor=executor) == found
        with pytest.raises(ParameterError, match="both given"):
            run_cells(cells, folder, executor=executor, workers=2)


@pytest.mark.broad
def test_errors_dead_workers_and_what_cannot_come_back(folder, tmp_path, serial):
    runs, deaths = tmp_path / "runs", tmp_path / "deaths"
    pool = LocalProcesses(2)
    with pytest.raises(ValueError, match="no luck with 1"):
        run_cells([FailingCell(1, file=str(runs))], folder, executor=pool)
    assert runs.read_text() == "x"
    pool.shutdown()
    pool = LocalProcesses(2)
    with pytest.raises(CodeExitError, match="SystemExit: 4 was raised"):
        run_cells([ExitingCell(1)], folder, executor=pool)
    pool.shutdown()
    pool = LocalProcesses(2)
    cells = [*CELLS, DeadlyCell(7, file=str(deaths))]
    run_cells(cells, folder, executor=pool)
    assert deaths.read_text() == "x"
    assert contents(folder) == serial(cells)
    with pytest.raises(ParameterError, match="cannot be sent"):
        run_cells([UnsendableResultCell(8)], folder, executor=pool)
    pool.shutdown()


@pytest.mark.broad
def test_a_broken_executor_says_what_is_saved_and_where(folder, tmp_path):
    deadly = DeadlyCell(7, file=str(tmp_path / "deaths"), deaths=9)
    run_cells(CELLS[:2], folder)
    with (
        ProcessPoolExecutor(1, get_context("spawn")) as executor,
        pytest.raises(LostWorkersError) as caught,
    ):
        run_cells([*CELLS[:2], deadly], folder, executor=executor)
    assert "2 of 3 cells are saved in" in str(caught.value)
    assert "the same command resumes there" in str(caught.value)


@pytest.mark.broad
def test_ctrl_c_ends_processes_and_keeps_what_is_done(folder):
    def interrupt():
        while not os.listdir(folder.path / "cells"):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    pool, began = LocalProcesses(2), time.monotonic()
    cells = [DrawnCell(0), *(DrawnCell(seed, seconds=300) for seed in range(1, 9))]
    with pytest.raises(KeyboardInterrupt):
        run_cells(cells, folder, executor=pool)
    thread.join()
    pool.shutdown()
    assert time.monotonic() - began < 100
    assert len(os.listdir(folder.path / "cells")) == 1


def test_differing_machines_are_reported(folder, recwarn):
    def report(run, setting):
        run(CELLS)
        return Report(())

    study = Study("drawn", "Drawn", (Experiment("all", "All", report, 0, 0, "", ""),))
    folder.write(CELLS[0], CELLS[0].run(threading.Event()), 1.0, this_machine())
    run_study(study, folder.path, workers=1)
    assert not recwarn.list
    other = replace(this_machine(), host="node7", cpu="z80")
    folder.write(CELLS[1], CELLS[1].run(threading.Event()), 1.0, other)
    with pytest.warns(DifferingMachinesWarning, match=r"different machines \(cpu: .*z80"):
        run_study(study, folder.path, workers=1)
