"""Runs of many cells: computed once, saved atomically, resumed, independent of the cores."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from fractions import Fraction

import numpy as np
import pytest

from infoset.errors import (
    CheckpointFileError,
    CheckpointMismatchError,
    ParameterError,
    UnsavedWarning,
)
from infoset.experiments import CellFolder, CellInterrupted, run_cells
from infoset.experiments import cells as cells_module
from infoset.utils.checksums import with_checksum

RUNS = []


@dataclass(frozen=True)
class Draw:
    """A cell that draws numbers from its seed, and notes that it ran."""

    seed: int
    error: str = ""

    @property
    def name(self):
        return "draw"

    def settings(self):
        return asdict(self)

    def run(self, interrupt):
        RUNS.append(self.seed)
        if self.error:
            raise ValueError(self.error)
        numbers = np.random.default_rng(self.seed).normal(size=3)
        return {"numbers": numbers, "none": None}


@dataclass(frozen=True)
class Patient(Draw):
    """A cell that waits until it is told to stop."""

    def run(self, interrupt):
        assert interrupt.wait(10)
        raise CellInterrupted


@pytest.fixture(autouse=True)
def _no_runs():
    RUNS.clear()


@pytest.fixture
def folder(tmp_path):
    return CellFolder(tmp_path / "study", "draws")


def files_of(folder):
    return sorted(os.listdir(folder.path / "cells"))


def test_results_are_in_the_order_of_the_cells(folder):
    cells = [Draw(seed) for seed in (3, 1, 2)]
    for cell, result in zip(cells, run_cells(cells, folder, workers=2), strict=True):
        expected = np.random.default_rng(cell.seed).normal(size=3)
        assert result == {"numbers": expected.tolist(), "none": None}


def test_a_cell_is_run_once(folder):
    first = run_cells([Draw(1), Draw(2), Draw(1)], folder)
    assert sorted(RUNS) == [1, 2]
    assert first[0] == first[2]
    again = run_cells([Draw(2), Draw(3)], CellFolder(folder.path, "draws"))
    assert sorted(RUNS) == [1, 2, 3]
    assert again[0] == first[1]


def test_files_do_not_depend_on_the_number_of_workers(tmp_path):
    kept = []
    for workers in (1, 4):
        folder = CellFolder(tmp_path / str(workers), "draws")
        run_cells([Draw(seed) for seed in range(9)], folder, workers=workers)
        paths = sorted((folder.path / "cells").iterdir())
        kept.append([(path.name, json.loads(path.read_text())["result"]) for path in paths])
    assert kept[0] == kept[1]
    assert len(kept[0]) == 9


def test_results_are_saved_when_another_cell_fails(folder):
    with pytest.raises(ValueError, match="no luck"):
        run_cells([Draw(1), Draw(2, "no luck")], folder, workers=1)
    assert len(files_of(folder)) == 1
    assert folder.read(Draw(1)) is not None


def test_an_error_interrupts_other_cells_and_is_raised(folder):
    with pytest.raises(ValueError, match="no luck"):
        run_cells([Patient(1), Draw(2, "no luck")], folder, workers=2)
    assert files_of(folder) == []


def test_ctrl_c_interrupts_cells_and_keeps_results(folder):
    def interrupt():
        while not files_of(folder):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        run_cells([Draw(1), Patient(2)], folder, workers=2)
    thread.join()
    assert len(files_of(folder)) == 1
    run_cells([Draw(1), Draw(2)], folder)
    assert RUNS == [1, 2]


KILLED = """
import os, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from experiments.test_cells import Draw
from infoset.experiments import CellFolder, run_cells
write = Path.write_text
def half(path, text, **options):
    if "draw" in path.name and any(n.endswith(".json") for n in os.listdir(path.parent)):
        write(path, text[: len(text) // 2])
        os._exit(9)
    write(path, text, **options)
Path.write_text = half
run_cells([Draw(1), Draw(2)], CellFolder(Path({folder!r}), "draws"), workers=1)
"""


def test_a_process_killed_in_the_middle_of_a_write(tmp_path):
    path = tmp_path / "study"
    tests = os.path.dirname(os.path.dirname(__file__))
    code = KILLED.format(tests=tests, folder=str(path))
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    folder = CellFolder(path, "draws")
    names = files_of(folder)
    assert sum(name.endswith(".tmp") for name in names) == 1
    assert sum(name.endswith(".json") for name in names) == 1
    whole = CellFolder(tmp_path / "whole", "draws")
    assert run_cells([Draw(1), Draw(2)], folder) == run_cells([Draw(1), Draw(2)], whole)
    assert sorted(RUNS) == [1, 2, 2]


def test_the_folder_of_another_study_is_refused(folder):
    with pytest.raises(CheckpointMismatchError, match=r"'draws', .* those of 'others'"):
        CellFolder(folder.path, "others")


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(CheckpointMismatchError, match="not part of a study"):
        CellFolder(tmp_path, "draws")
    assert os.listdir(tmp_path) == ["notes.txt"]
    with pytest.raises(CheckpointFileError, match="cannot use"):
        CellFolder(tmp_path / "notes.txt" / "study", "draws")


def test_an_interrupted_start_of_a_folder_is_resumed(tmp_path):
    path = tmp_path / "study"
    path.mkdir()
    (path / ".study.json.17.tmp").write_text("{")
    assert run_cells([Draw(1)], CellFolder(path, "draws"))
    (path / "cells" / os.listdir(path / "cells")[0]).unlink()
    (path / "cells").rmdir()
    assert run_cells([Draw(1)], CellFolder(path, "draws"))
    assert RUNS == [1, 1]


def test_cells_remain_after_a_damaged_study_is_deleted(folder):
    run_cells([Draw(1)], folder)
    about = folder.path / "study.json"
    about.write_text("{")
    with pytest.raises(CheckpointFileError, match=r"study\.json is damaged .*: delete this file"):
        CellFolder(folder.path, "draws")
    about.unlink()
    run_cells([Draw(1)], CellFolder(folder.path, "draws"))
    assert RUNS == [1]


def test_a_folder_without_results_is_discarded(tmp_path):
    old = CellFolder(tmp_path / "old", "draws")
    run_cells([Draw(1)], old)
    old.discard_if_empty()
    new = CellFolder(tmp_path / "new", "draws")
    CellFolder(tmp_path / "new", "draws").discard_if_empty()
    assert sorted(os.listdir(tmp_path)) == ["new", "old"]
    new.discard_if_empty()
    assert os.listdir(tmp_path) == ["old"]
    assert run_cells([Draw(1)], CellFolder(tmp_path / "old", "draws"))
    assert RUNS == [1]


def test_a_changed_digit_is_found(folder):
    [result] = run_cells([Draw(1)], folder)
    file = folder.file_of(Draw(1))
    text = file.read_text()
    digits = [place for place, character in enumerate(text) if character.isdigit()]
    refused = 0
    for place in digits:
        changed = str((int(text[place]) + 1) % 10)
        file.write_text(text[:place] + changed + text[place + 1 :])
        try:
            assert folder.read(Draw(1)) == result  # the last digit may not change the number
        except CheckpointFileError:
            refused += 1
    assert refused > len(digits) - 10


def test_results_are_returned_where_they_cannot_be_saved(folder, monkeypatch):
    def full(path, text):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(cells_module, "write_text", full)
    with pytest.warns(UnsavedWarning, match=r"cannot write .*draw-\w+\.json \(No space left"):
        results = run_cells([Draw(1)], folder)
    monkeypatch.undo()
    assert results == run_cells([Draw(1)], folder)
    assert RUNS == [1, 1]


def test_a_study_goes_on_where_its_folder_vanished(folder):
    shutil.rmtree(folder.path)
    run_cells([Draw(1)], folder)
    assert folder.read(Draw(1)) is not None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"settings": {}', "[" * 100_000, "9" * 5000])
def test_a_damaged_file_is_named(folder, text):
    run_cells([Draw(1)], folder)
    folder.file_of(Draw(1)).write_text(text)
    with pytest.raises(
        CheckpointFileError, match=r"draw-\w+\.json is damaged .*: delete this file"
    ):
        run_cells([Draw(1)], folder)


def test_a_file_of_other_settings_is_refused(folder):
    run_cells([Draw(1), Draw(2)], folder)
    os.replace(folder.file_of(Draw(2)), folder.file_of(Draw(1)))
    with pytest.raises(CheckpointMismatchError, match="do not match its name"):
        run_cells([Draw(1)], folder)


def test_results_of_another_version_are_not_used(folder, monkeypatch):
    run_cells([Draw(1)], folder)
    monkeypatch.setattr(cells_module, "__version__", "0.0.0")
    run_cells([Draw(1)], folder)
    assert RUNS == [1, 1]
    assert len(files_of(folder)) == 2


@dataclass(frozen=True)
class Timed(Draw):
    """A cell that measures a time."""

    def run(self, interrupt):
        return {"value": self.seed, "seconds": time.monotonic()}


def test_times_are_saved_beside_the_values(folder):
    [found] = run_cells([Timed(1)], folder)
    assert run_cells([Timed(1)], folder) == [found]
    assert set(found) == {"value", "seconds"}
    saved = json.loads(folder.file_of(Timed(1)).read_text())
    assert saved["result"] == {"value": 1}
    assert saved["times"] == {"seconds": found["seconds"]}


def test_each_finished_cell_is_reported(folder):
    told = []
    run_cells([Draw(1)], folder)
    run_cells([Draw(1), Draw(2)], folder, on_done=told.append)
    assert sorted(cell.seed for cell in told) == [1, 2]


def test_no_workers(folder):
    with pytest.raises(ParameterError, match="workers=0"):
        run_cells([Draw(1)], folder, workers=0)


@dataclass(frozen=True)
class Returns(Draw):
    """A cell that returns a given value."""

    value: object = None

    def settings(self):
        return {"seed": self.seed}

    def run(self, interrupt):
        return self.value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"one": object()}, r"result of the cell draw\['one'\] is <object object"),
        ({"runs": [1.0, float("nan")]}, r"draw\['runs'\]\[1\] is nan, which JSON cannot store"),
        ({"limit": np.float32(np.inf)}, r"draw\['limit'\] is inf"),
        ({"third": Fraction(1, 3)}, r"draw\['third'\] is Fraction\(1, 3\)"),
        ({"counts": {3: 0.5}}, r"draw\['counts'\] is {3: 0.5}.* text as keys"),
        ([1, 2], r"the result of the cell draw is \[1, 2\]; return values by name"),
        (None, r"the result of the cell draw is None"),
    ],
)
def test_a_result_that_json_would_change_is_refused(folder, value, message):
    with pytest.raises(ParameterError, match=message):
        run_cells([Returns(0, value=value)], folder)
    assert files_of(folder) == []


def test_a_result_is_returned_as_it_will_be_read(folder):
    value = {"pair": (1, np.float32(0.5)), "quarter": Fraction(1, 4), "large": 10**30, "no": None}
    cell = Returns(0, value=value)
    expected = {"pair": [1, 0.5], "quarter": 0.25, "large": 10**30, "no": None}
    assert run_cells([cell], folder) == [expected] == [folder.read(cell)]


@pytest.mark.parametrize(
    "name", ["../draw", "/tmp/draw", "a/b", "", ".draw", "a\n", "a\0", "é" * 101]
)
def test_a_name_that_is_not_one_of_a_file_is_refused(folder, name):
    cell = Draw(0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Draw, "name", name)
        with pytest.raises(ParameterError, match=r"cannot begin the name of a file.*run_slug"):
            folder.file_of(cell)


def test_an_infinite_setting_differs_from_none(folder):
    cells = [Draw(0, limit) for limit in (float("inf"), None, float("-inf"))]
    assert len({folder.file_of(cell) for cell in cells}) == 3
    with pytest.raises(ParameterError, match=r"settings of the cell draw\['error'\] is nan"):
        folder.file_of(Draw(0, float("nan")))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"result": "x"}, "result is 'x', not dict"),
        ({"times": None}, "times is None, not dict"),
        ({"machine": {}}, "host is missing"),
        ({"machine": [1]}, r"machine is \[1\], not dict"),
        ({"settings": 3}, "settings is 3, not dict"),
    ],
)
def test_fields_of_other_types_are_refused(folder, changes, message):
    run_cells([Draw(1)], folder)
    path = folder.file_of(Draw(1))
    saved = {**json.loads(path.read_text()), **changes}
    del saved["sha256"]
    path.write_text(json.dumps(with_checksum(saved)))
    with pytest.raises(CheckpointFileError, match=message):
        folder.read(Draw(1))
