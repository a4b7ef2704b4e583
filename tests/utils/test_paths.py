import os
from pathlib import Path

import pytest

from infoset.utils.paths import looks_like_path, no_such_path


@pytest.mark.parametrize(
    "text", ["a/b", "./a", "a.efg", "runs/k.parquet", "x.tar.gz", "..", "a/b(c)", "~/a", "a.Z9"]
)
def test_paths(text):
    assert looks_like_path(text)


@pytest.mark.parametrize(
    "text", ["", "pimc", "cfr+", "kuhn_poker", "pimc(belief=0.5)", "f(x=a/b)", "m.n:Game", "a.5"]
)
def test_names(text):
    assert not looks_like_path(text)


def test_what_exists_is_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("nothing").symlink_to("nowhere")
    assert looks_like_path("nothing")


def test_what_is_there_but_no_file_is_named(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("nothing")
    assert no_such_path(tmp_path / "pipe", "give a file").endswith("pipe or a device; give a file")
    assert no_such_path(tmp_path / "link", "give a file").endswith(
        "link to a missing path; give a file"
    )


def test_similar_names_are_suggested(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("kuhn.efg", "kuhn\x1b[31m.efg", "leduc.efg"):
        Path(name).touch()
    said = "there is no file or folder kuh.efg; did you mean kuhn.efg? give another"
    assert no_such_path("kuh.efg", "give another") == said
    assert no_such_path("liars.efg", "give") == "there is no file or folder liars.efg; give"
    for odd in ("x" * 5000, "a/\0", "no/such/folder", "kuhn\x1b[31.efg"):
        assert "\x1b" not in no_such_path(odd, "give").replace(odd, "")
