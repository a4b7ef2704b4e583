"""Checkpoint files: round trips, atomic writes, and refusal of invalid files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from infoset.errors import CheckpointFileError, ParameterError
from infoset.runs import (
    Checkpoint,
    Checkpointing,
    TracePoint,
    checkpoint,
    read_checkpoint,
    write_checkpoint,
)
from infoset.utils.array_files import read_arrays, write_arrays

SMALL = Checkpoint(
    game="kuhn_poker",
    fingerprint="ab12",
    method="mine",
    settings={"floor": float("-inf"), "exponents": [1.5, None], "alternating": True},
    iteration=7,
    seconds=1.25,
    trace=(TracePoint(1, 0.1, (0.1, -0.1), 0.3, 0.15), TracePoint(7, 1.0, (0.5,), 1e-300, None)),
    state={
        "done": np.array([7]),
        "plans.0": np.array([1.0, -0.0, np.pi, 5e-324, np.inf]),
        "plans.1": np.arange(6, dtype=np.float32).reshape(2, 3),
        "previous": np.zeros((3, 0)),
    },
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.ckpt"


@pytest.fixture
def kept(path):
    write_checkpoint(SMALL, path)
    return path


def assert_same(found, wanted):
    for name, array in wanted.state.items():
        assert found.state[name].dtype == array.dtype
        assert found.state[name].shape == array.shape
        assert found.state[name].tobytes() == array.tobytes()
    assert found.state.keys() == wanted.state.keys()
    assert replace(found, state={}) == replace(wanted, state={})


def test_a_checkpoint_survives_the_round_trip(kept):
    assert_same(read_checkpoint(kept), SMALL)


def test_nothing_is_left_beside_the_file(kept):
    write_checkpoint(replace(SMALL, iteration=8), kept)
    assert read_checkpoint(kept).iteration == 8
    assert os.listdir(kept.parent) == [kept.name]


def test_a_file_cut_short_anywhere_is_refused(kept):
    whole = kept.read_bytes()
    for length in range(0, len(whole), 41):
        kept.write_bytes(whole[:length])
        with pytest.raises(CheckpointFileError, match=r"run\.ckpt .*delete it to begin again"):
            read_checkpoint(kept)


def test_a_file_with_any_byte_changed_is_refused_or_reads_the_same(kept):
    whole = kept.read_bytes()
    refused, places = 0, [*range(0, len(whole), 11), *range(len(whole) - 24, len(whole))]
    for place in places:
        kept.write_bytes(whole[:place] + bytes([whole[place] ^ 0x11]) + whole[place + 1 :])
        try:
            found = read_checkpoint(kept)
        except CheckpointFileError:
            refused += 1
        else:
            assert_same(found, SMALL)
    assert refused > len(places) / 2


def _save(save, path, array):
    with path.open("wb") as file:
        save(file, array)


def _with_header(path, header):
    _save(lambda file, text: np.savez(file, header=text), path, np.frombuffer(header, np.uint8))


def _zip(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header", "hello")


def _damage(path, old, new):
    """Write a checkpoint with other descriptions of its arrays, and valid checksums."""
    write_checkpoint(SMALL, path)
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content[:100].replace(old, new) + content[100:])


FOREIGN = {
    "text": lambda path: path.write_text("iteration,seconds\n1,0.1\n"),
    "nothing": lambda path: path.write_bytes(b""),
    "one array": lambda path: _save(np.save, path, np.zeros(3)),
    "arrays": lambda path: _save(np.savez, path, np.zeros(3)),
    "another header": lambda path: _with_header(path, b'{"version": 3}'),
    "no JSON": lambda path: _with_header(path, b"\xff\x00"),
    "a list": lambda path: _with_header(path, b"[]"),
    "half a header": lambda path: _with_header(path, b'{"format": 1}'),
    "an archive": _zip,
    "an open bracket in the description of an array": lambda path: _damage(path, b"}", b"("),
    "an array without its description": lambda path: _damage(path, b"NUMPY", b"NOMPY"),
}


@pytest.mark.parametrize("what", FOREIGN)
def test_a_foreign_file_is_refused(path, what):
    FOREIGN[what](path)
    with pytest.raises(CheckpointFileError, match=r"run\.ckpt .*give"):
        read_checkpoint(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"iteration": "3"}, "iteration is '3', not int"),
        ({"iteration": 10**400}, "iteration is 10+"),
        ({"iteration": -1}, "iterations or seconds are out of range"),
        ({"seconds": None}, "seconds is None, not float"),
        ({"seconds": float("inf")}, "out of range"),
        ({"fingerprint": None}, "fingerprint is None, not str"),
        ({"settings": []}, r"settings is \[\], not dict"),
        ({"version": 3}, "version is 3, not str"),
        ({"format": "2"}, "format is '2', not int"),
        ({"trace": {}}, "trace is {}, not list"),
        ({"trace": [3]}, "it is 3, not an object"),
        ({"trace": [{"iteration": 1}]}, "seconds is missing"),
        ({"trace": [asdict(SMALL.trace[0]) | {"values": ["x"]}]}, r"values is \['x'\], not tuple"),
    ],
)
def test_headers_with_other_types_are_refused(kept, changes, message):
    header, arrays = read_arrays(kept)
    write_arrays(kept, {**header, **changes}, arrays)
    with pytest.raises(CheckpointFileError, match=message):
        read_checkpoint(kept)


def test_a_changed_state_is_refused(kept):
    """The checksums of the archive alone are renewed by any program that writes one."""
    with np.load(kept) as archive:
        arrays = dict(archive)
    arrays["plans.0"] = -arrays["plans.0"]
    with kept.open("wb") as file:
        np.savez(file, **arrays)
    with pytest.raises(CheckpointFileError, match="does not match its checksum"):
        read_checkpoint(kept)


def test_objects_are_never_unpickled(path):
    class Bomb:
        def __reduce__(self):
            raise AssertionError("pickled")

    np_array = np.array([[1], [2, 3]], dtype=object)
    _save(lambda file, array: np.savez(file, header=array), path, np_array)
    with pytest.raises(CheckpointFileError, match="not an array of numbers"):
        read_checkpoint(path)


def test_a_missing_file_is_named(path):
    with pytest.raises(CheckpointFileError, match=r"there is no file .*run\.ckpt"):
        read_checkpoint(path)


def test_another_format_is_refused(path, monkeypatch):
    monkeypatch.setattr(checkpoint, "FORMAT", 3)
    write_checkpoint(replace(SMALL, version="9.0"), path)
    monkeypatch.undo()
    with pytest.raises(
        CheckpointFileError, match=r"format 3, .*reads formats 1 and 2: .*infoset 9\.0"
    ):
        read_checkpoint(path)


@pytest.mark.parametrize("step", ["savez", "fsync", "replace"])
def test_a_failed_write_leaves_the_old_file(kept, monkeypatch, step):
    before = kept.read_bytes()

    def full(file, *_, **__):
        if step == "savez":
            file.write(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np if step == "savez" else os, step, full)
    with pytest.raises(CheckpointFileError, match=r"No space left.*is unchanged"):
        write_checkpoint(replace(SMALL, iteration=99), kept)
    assert kept.read_bytes() == before
    assert os.listdir(kept.parent) == [kept.name]


def test_an_interrupted_write_leaves_the_old_file(kept, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_checkpoint(replace(SMALL, iteration=99), kept)
    monkeypatch.undo()
    assert_same(read_checkpoint(kept), SMALL)
    assert os.listdir(kept.parent) == [kept.name]


def test_the_file_is_synced_before_it_is_renamed(path, monkeypatch):
    steps = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *a, n=name, f=real: (steps.append(n), f(*a))[1])
    write_checkpoint(SMALL, path)
    assert steps[:2] == ["fsync", "replace"]


def test_leftovers_of_a_killed_process_are_removed(kept):
    leftover = kept.parent / f".{kept.name}.1.tmp"
    leftover.write_bytes(b"half of it")
    os.utime(leftover, (0, 0))
    (kept.parent / ".other.ckpt.1.tmp").write_bytes(b"not ours")
    write_checkpoint(SMALL, kept)
    assert sorted(os.listdir(kept.parent)) == [".other.ckpt.1.tmp", kept.name]


def test_names_with_glob_characters_are_taken_literally(tmp_path):
    path = tmp_path / "leduc_poker(num_ranks=4)[1]*.ckpt"
    (tmp_path / f".{path.name}.1.tmp").touch()
    os.utime(tmp_path / f".{path.name}.1.tmp", (0, 0))
    write_checkpoint(SMALL, path)
    assert_same(read_checkpoint(path), SMALL)
    assert os.listdir(tmp_path) == [path.name]


def test_the_header_is_text_for_other_programs(kept):
    with np.load(kept) as archive:
        about = json.loads(archive["header"].tobytes())
    assert about["game"] == "kuhn_poker"
    assert about["format"] == 2


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf")])
def test_seconds_out_of_range(path, seconds):
    with pytest.raises(ParameterError, match=r"checkpoint_seconds=.* at least 0"):
        Checkpointing(path, seconds)


def test_a_checkpoint_in_a_read_only_folder_is_refused_before_any_work(path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(ParameterError, match=r"run\.ckpt cannot be written: .* is read-only"):
        Checkpointing(path)


WRITER = """
import sys
import numpy as np
from dataclasses import replace
from tests.runs.test_checkpoint import SMALL
from infoset.runs import write_checkpoint
from infoset.utils import files

files.MIN_LEFTOVER_AGE = 0.0  # so that only the lock protects a file
for iteration in range(15):
    write_checkpoint(replace(SMALL, state={"done": np.full(10**5, iteration)}), sys.argv[1])
"""


@pytest.mark.long
def test_several_processes_write_one_checkpoint(path):
    """They would delete each other's temporary files, if a lock did not protect these."""
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", WRITER, str(path)]
    processes = [subprocess.Popen(command, cwd=root) for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    assert read_checkpoint(path).state["done"].tolist() == [14] * 10**5
    assert os.listdir(path.parent) == [path.name]


def test_a_checkpoint_is_a_file_in_a_folder_that_exists(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for device in (tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(ParameterError, match="is a pipe or a device; give the name of a file"):
            Checkpointing(device)
    with pytest.raises(ParameterError, match="is a folder; give the name of a file"):
        Checkpointing(tmp_path)
    with pytest.raises(ParameterError, match=r"nowhere does not exist; create it"):
        Checkpointing(Path(tmp_path, "nowhere", "run.ckpt"))
