"""Executors by name: threads, Slurm with a stand-in for `srun`, Ray with a stand-in for Ray."""

from __future__ import annotations

import os
import socket
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import active_children
from types import SimpleNamespace

import pytest

from infoset.errors import ParameterError, UnknownNameError
from infoset.experiments import CellFolder, run_cells
from infoset.runs import open_executor, ray_executor
from tests.support.sent_cells import DrawnCell, contents

SRUN = """#!/bin/bash
echo "$*" >> {log}
while [[ "$1" != *python* ]]; do shift; done
exec "$@"
"""


def test_threads_are_closed_afterwards():
    with open_executor("threads:2") as executor:
        assert executor.submit(abs, -3).result() == 3
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(abs, -3)


@pytest.mark.parametrize(("on", "error"), [("thread", UnknownNameError), (4, ParameterError)])
def test_mistakes(on, error):
    with pytest.raises(error, match="threads"), open_executor(on):
        pass


@pytest.mark.broad
def test_slurm_starts_workers_by_srun(tmp_path, monkeypatch):
    pytest.importorskip("executorlib")
    command, log = tmp_path / "srun", tmp_path / "log"
    command.write_text(SRUN.format(log=log))
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([os.getcwd(), *os.sys.path]))
    here, there = (CellFolder(tmp_path / name, "drawn") for name in ("here", "there"))
    cells = [DrawnCell(seed) for seed in range(5)]
    with open_executor("slurm:max_workers=2,cores=1,slurm_cmd_args=['-q','low']") as executor:
        run_cells(cells, there, executor=executor)
    run_cells(cells, here)
    assert contents(there) == contents(here)
    started = log.read_text().splitlines()
    assert len(started) == 2
    assert all(line.startswith("-n 1 ") and "-q low" in line for line in started)


class FakeRay:
    """What the executor uses of Ray, on a thread."""

    def __init__(self):
        self.threads, self.told, self.options = ThreadPoolExecutor(1), [], []

    def init(self, address, **options):
        self.told.append(address)
        if address.endswith(":1"):
            raise ConnectionError("no head")

    def remote(self, **options):
        self.options.append(options)

        def decorate(function):
            def call(*arguments, **named):
                future = self.threads.submit(function, *arguments, **named)
                return SimpleNamespace(future=lambda: future)

            return SimpleNamespace(remote=call)

        return decorate

    def shutdown(self):
        self.told.append("shutdown")


def test_ray_runs_cells_and_leaves_repeating_to_us(tmp_path, monkeypatch):
    ray = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", ray)
    here, there = (CellFolder(tmp_path / name, "drawn") for name in ("here", "there"))
    cells = [DrawnCell(seed) for seed in range(3)]
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with open_executor(f"ray:{address}") as executor:
            run_cells(cells, there, executor=executor)
            assert executor.submit(pow, 2, exp=5).result() == 32
    run_cells(cells, here)
    assert contents(there) == contents(here)
    assert ray.told == [address, "shutdown"]
    assert ray.options == [{"max_retries": 0}]


def test_ray_that_does_not_answer(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", FakeRay())
    with pytest.raises(ParameterError, match=r"Ray does not answer at 10\.0\.0\.1:1 \(no head\)"):
        ray_executor.RayExecutor("10.0.0.1:1")


def test_tasks_of_local_processes_end_with_the_executor():
    with open_executor("processes:1") as executor:
        assert not executor.interrupt.is_set()
    assert executor.interrupt.is_set()


@pytest.mark.broad
def test_no_process_outlives_the_executor():
    """One that is still starting would report an error, because its parent has ended."""
    with open_executor("processes:2") as executor:
        assert executor.submit(abs, -1).result() == 1
    assert active_children() == []
