"""Games are recognized by the content of a file, whatever its name."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from threading import Thread

import pytest

import infoset
from infoset.efg import ExtensiveForm, efg_tokens, load_efg, load_game_file, load_nfg
from infoset.errors import GameFileError, ParameterError

HORSE = (Path(__file__).parent / "games" / "horse.efg").read_bytes()
HUNT = b'NFG 1 R "stag hunt" { "Ann" "Bob" } { 2 2 }  2 2  1 0  0 1  1 1'
LITE = b"node / player 1 actions in out\nnode /P1:in leaf payoffs 1=3\nnode /P1:out leaf payoffs"
XML = b"""<?xml version="1.0" encoding="UTF-8"?>
<gambit:document xmlns:gambit="http://gambit.sourceforge.net/" version="0.1">
<game>
<%sfile>
%s
</%sfile>
<analysis type="list"></analysis></game></gambit:document>
"""
BOOK = XML % (b"efg", HORSE, b"efg")
PREAMBLE = b"# LiteEFG\n#  num_players: 1,\n\n"
BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        *((name, HORSE) for name in ("a.efg", "a", "a.txt", "a.gam", "a.nfg", "a.game", "a.gz")),
        *((name, gzip.compress(HORSE, mtime=0)) for name in ("a.efg.gz", "a.efg", "a.gz", "b")),
        *((name, BOOK) for name in ("a.gbt", "a.xml", "a.efg")),
        ("a.gbt.gz", gzip.compress(BOOK, mtime=0)),
        ("a.txt", b"\n \n" + HORSE),
        ("a.txt", BOM + HORSE),
    ],
)
def test_a_tree_is_read(tmp_path, monkeypatch, name, data):
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(data)
    Path("plain.efg").write_bytes(HORSE)
    for read in (load_game_file, infoset.load):
        form = read(name)
        assert isinstance(form, ExtensiveForm)
        assert form.outcomes == load_efg("plain.efg").outcomes


@pytest.mark.parametrize("data", [HUNT, gzip.compress(HUNT, mtime=0), XML % (b"nfg", HUNT, b"nfg")])
def test_a_table_is_read(tmp_path, data):
    (tmp_path / "hunt.dat").write_bytes(data)
    assert infoset.load(str(tmp_path / "hunt.dat")).payoffs[0] == (2, 2)


@pytest.mark.parametrize("data", [LITE, PREAMBLE + LITE, gzip.compress(LITE, mtime=0), BOM + LITE])
def test_a_file_of_liteefg_is_read(tmp_path, data):
    (tmp_path / "door.dat").write_bytes(data)
    assert infoset.load(str(tmp_path / "door.dat")).utility.max() == 3


def test_readers_of_one_format_read_compressed_files(tmp_path):
    for name, data, load in (("a.efg", HORSE, load_efg), ("a.nfg", HUNT, load_nfg)):
        (tmp_path / name).write_bytes(gzip.compress(data, mtime=0))
        assert load(tmp_path / name).num_players > 1


def test_a_pipe_is_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = Thread(target=(tmp_path / "pipe").write_bytes, args=(gzip.compress(HORSE, mtime=0),))
    writer.start()
    assert infoset.load(str(tmp_path / "pipe")).num_players == 3
    writer.join()


@pytest.mark.parametrize("name", ["kuhn.efg", "a.nfg", "kuhn.game", "x", "kuhn.efg.gz"])
@pytest.mark.parametrize("data", [b"", b"PAR1\x00\xff", b"\x1f\x8bxyz", b"<svg></svg>", b"EF"])
def test_other_files_are_named_as_files(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(GameFileError) as refused:
        infoset.load(str(path))
    assert str(path) in str(refused.value)
    if name == "x" and not data.startswith(b"\x1f"):
        assert ".efg, .nfg and .gbt" in str(refused.value)
        assert "file.py:Class" in str(refused.value)


def test_errors_in_a_workbook_give_the_line_of_the_file(tmp_path):
    lines = BOOK.splitlines(keepends=True)
    number = next(i for i, line in enumerate(lines) if line.startswith(b"p "))
    lines[number] = b"p oops\n"
    (tmp_path / "a.gbt").write_bytes(b"".join(lines))
    with pytest.raises(GameFileError, match=f"line {number + 1}, column 3: read oops") as caught:
        infoset.load(str(tmp_path / "a.gbt"))
    assert caught.value.line == number + 1
    (tmp_path / "b.gbt").write_bytes(b"<gambit:document></gambit:document>")
    with pytest.raises(GameFileError, match="has no <efgfile> or <nfgfile>"):
        infoset.load(str(tmp_path / "b.gbt"))


def test_a_small_file_of_any_size_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(efg_tokens, "MAX_BYTES", 1000)
    for name, data in (("a.efg.gz", gzip.compress(b" " * 10**6, mtime=0)), ("a.efg", b" " * 1001)):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(GameFileError, match=r"has more than 1\.0 kB, the limit"):
            infoset.load(str(tmp_path / name))
    (tmp_path / "cut.efg.gz").write_bytes(gzip.compress(HORSE, mtime=0)[:-20])
    with pytest.raises(GameFileError, match=r"cannot be read .*end-of-stream"):
        infoset.load(str(tmp_path / "cut.efg.gz"))


def test_folders_and_missing_files_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    with pytest.raises(GameFileError, match="folder is a folder, not a game"):
        infoset.load("folder")
    Path("kuhn.efg").write_bytes(HORSE)
    for name in ("kun.efg", "./kuhn.egf", "kuhn.efg2", "kuhn.gam"):
        with pytest.raises(GameFileError, match=f"no file or folder {name}; did you mean kuhn.efg"):
            infoset.load(name)
    with pytest.raises(GameFileError, match="no file or folder folder/kuhn; give the name of"):
        infoset.load("folder/kuhn")
    with pytest.raises(ParameterError, match="takes no parameters, got players"):
        infoset.load("kuhn.efg", players=3)
