"""Atomic writing of files."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from infoset.utils.files import replace_file, write_folder, write_output, write_text

posix = pytest.mark.skipif(os.name != "posix", reason="locks and modes are POSIX")


def test_a_file_is_written_and_replaced(tmp_path):
    path = tmp_path / "notes.txt"
    write_text(path, "first")
    write_text(str(path), "über")
    assert path.read_bytes() == "über".encode()
    write_output(path, b"\x00")
    assert path.read_bytes() == b"\x00"
    assert os.listdir(tmp_path) == ["notes.txt"]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "notes.txt"
    write_text(path, "old")

    def break_off():
        with replace_file(path) as temporary:
            temporary.write_text("half of the n")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["notes.txt"]


def test_two_writers_of_one_process_do_not_disturb_each_other(tmp_path):
    path = tmp_path / "notes.txt"
    with replace_file(path) as first, replace_file(path) as second:
        first.write_text("outer")
        second.write_text("inner")
    assert path.read_text() == "outer"


def test_a_missing_folder_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_text(tmp_path / "missing" / "notes.txt", "text")


def test_leftovers_of_interrupted_writers_are_removed_on_request(tmp_path):
    path, leftover = tmp_path / "a[1].ckpt", tmp_path / ".a[1].ckpt.17-ab.tmp"
    other, young = tmp_path / ".b.ckpt.17-ab.tmp", tmp_path / ".a[1].ckpt.18-cd.tmp"
    for file in (leftover, other, young):
        file.write_text("half")
    for file in (leftover, other):
        os.utime(file, (0, 0))
    write_text(path, "kept")
    assert leftover.exists()
    with replace_file(path, remove_leftovers=True) as temporary:
        temporary.write_text("new")
    assert sorted(os.listdir(tmp_path)) == sorted([other.name, young.name, path.name])


@posix
def test_temporary_files_of_living_writers_remain(tmp_path):
    """One writer holds its file open for a long time, as a large checkpoint on a slow disk does."""
    path = tmp_path / "run.ckpt"
    with replace_file(path, remove_leftovers=True) as slow:
        slow.write_text("slow")
        os.utime(slow, (0, 0))
        with replace_file(path, remove_leftovers=True) as quick:
            quick.write_text("quick")
        assert path.read_text() == "quick"
    assert path.read_text() == "slow"
    assert os.listdir(tmp_path) == [path.name]


@posix
def test_leftover_folders_of_killed_writers_are_removed(tmp_path):
    """A folder that another process still writes remains."""
    leftover, other = tmp_path / ".results.17-ab.tmp", tmp_path / ".others.17-ab.tmp"
    for folder in (leftover, other):
        folder.mkdir()
        (folder / "policy.parquet").write_text("half")
        os.utime(folder, (0, 0))

    def write_slowly(slow):
        os.utime(slow, (0, 0))
        write_folder(tmp_path / "results", lambda folder: None)
        assert slow.is_dir()

    write_folder(tmp_path / "results", write_slowly)
    assert sorted(os.listdir(tmp_path)) == [other.name, "results", "results-2"]


def test_an_error_names_the_file_and_not_the_temporary_one(tmp_path):
    path = tmp_path / "notes.txt"

    def fill_the_disk():
        with replace_file(path) as temporary:
            raise OSError(28, "No space left on device", str(temporary))

    with pytest.raises(OSError, match="No space left") as caught:
        fill_the_disk()
    assert caught.value.filename == str(path)
    assert caught.value.errno == 28


def test_long_names_have_temporary_files_too(tmp_path):
    path = tmp_path / ("x" * 250)
    write_text(path, "long")
    assert path.read_text() == "long"
    assert os.listdir(tmp_path) == [path.name]


def test_a_folder_is_written_completely_or_not_at_all(tmp_path):
    def write(folder):
        write_text(folder / "one", "1")

    def write_half(folder):
        write(folder)
        raise RuntimeError

    made = write_folder(tmp_path / "deep" / "run", write)
    assert os.listdir(made) == ["one"]
    with pytest.raises(RuntimeError):
        write_folder(made, write_half)
    assert write_folder(made, write).name == "run-2"
    assert sorted(os.listdir(tmp_path / "deep")) == ["run", "run-2"]


@posix
def test_files_have_the_usual_permissions(tmp_path):
    (tmp_path / "usual").write_text("")
    write_text(tmp_path / "ours", "")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "usual").stat().st_mode


KILLED = """
import os, sys
from infoset.utils.files import write_folder, write_text

def write(folder):
    write_text(folder / "one", "1")
    os._exit(9)

write_folder(sys.argv[1], write)
"""


def test_a_process_killed_while_saving_leaves_no_folder_of_that_name(tmp_path):
    command = [sys.executable, "-c", KILLED, str(tmp_path / "run")]
    assert subprocess.run(command, check=False).returncode == 9
    [left] = os.listdir(tmp_path)
    assert left.startswith(".run.")
    assert write_folder(tmp_path / "run", lambda folder: None) == tmp_path / "run"
