"""Atomic writing of files."""

from __future__ import annotations

import os

import pytest

from infoset.utils.files import replace_file, write_bytes, write_text


def test_a_file_is_written_and_replaced(tmp_path):
    path = tmp_path / "notes.txt"
    write_text(path, "first")
    write_text(str(path), "über")
    assert path.read_bytes() == "über".encode()
    write_bytes(path, b"\x00")
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
    other = tmp_path / ".b.ckpt.17-ab.tmp"
    for file in (leftover, other):
        file.write_text("half")
    write_text(path, "kept")
    assert leftover.exists()
    with replace_file(path, remove_leftovers=True) as temporary:
        temporary.write_text("new")
    assert sorted(os.listdir(tmp_path)) == sorted([other.name, path.name])


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_files_have_the_usual_permissions(tmp_path):
    (tmp_path / "usual").write_text("")
    write_text(tmp_path / "ours", "")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "usual").stat().st_mode
