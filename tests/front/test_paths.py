"""Paths that no system accepts end in an error of the library, in every function that takes one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import infoset
from infoset.efg import load_efg, save_efg
from infoset.errors import InfosetError
from infoset.evaluation import load_correlated_policy
from infoset.experiments import CellFolder, check_results, save_run
from infoset.front import resolve_players
from infoset.games import load_game
from infoset.policy import (
    load_policy,
    load_policy_csv,
    read_metadata,
    save_policy,
    save_policy_csv,
    uniform_policy,
)
from infoset.runs import read_checkpoint
from infoset.tree import graph_cache
from tests.support.cached_games import cached_tree

PATHS = {"long": "a" * 5000, "NUL": "x\0y", "surrogate": "a\ud800b", "byte": "a\udc80b"}


def form():
    return cached_tree("kuhn_poker").sequence_form


def solved(**options):
    return infoset.solve(form(), "cfr+", iterations=1, **options)


CALLS: dict[str, Callable[[str], object]] = {
    "save_policy": lambda path: save_policy(uniform_policy(form()), path),
    "load_policy": lambda path: load_policy(path, form()),
    "read_metadata": read_metadata,
    "save_policy_csv": lambda path: save_policy_csv(uniform_policy(form()), path),
    "load_policy_csv": lambda path: load_policy_csv(path, form()),
    "load_correlated_policy": lambda path: load_correlated_policy(path, form()),
    "save_efg": lambda path: save_efg(cached_tree("kuhn_poker"), path),
    "load_efg": load_efg,
    "load a file": lambda path: infoset.load(f"{path}.py:Game"),
    "load": infoset.load,
    "checkpoint": lambda path: solved(checkpoint=path),
    "read_checkpoint": read_checkpoint,
    "save_run": lambda path: save_run(solved(), path),
    "check_results": check_results,
    "evaluate": lambda path: infoset.evaluate(cached_tree("kuhn_poker"), path),
    "player": lambda path: resolve_players([path], load_game("kuhn_poker")),
    "player of a file": lambda path: resolve_players([f"{path}.py:Own"], load_game("kuhn_poker")),
    "match": lambda path: infoset.play_matches(
        load_game("kuhn_poker"), uniform_policy(), uniform_policy(), num_deals=2, checkpoint=path
    ),
    "picture": lambda path: infoset.draw("kuhn_poker").save(f"{path}.svg"),
    "study": lambda path: CellFolder(Path(path), "study"),
    "graph_cache": lambda path: graph_cache(path).__enter__(),
}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems accept other paths")
@pytest.mark.parametrize("kind", PATHS)
@pytest.mark.parametrize("name", CALLS)
def test_an_impossible_path_is_rejected_shortly(name, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InfosetError) as caught:
        CALLS[name](PATHS[kind])
    assert len(str(caught.value)) < 800
    assert str(caught.value).encode(), "it can be printed"
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("path", [3, b"x", None])
def test_what_is_not_a_path_is_refused(path):
    with pytest.raises(InfosetError, match="give a path"):
        save_policy_csv(uniform_policy(form()), path)
    with pytest.raises(InfosetError, match="give a path"):
        infoset.draw("kuhn_poker").save(path)


def test_a_picture_on_a_full_disk_ends_in_an_error_of_the_library(tmp_path, monkeypatch):
    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(InfosetError, match=r"kuhn\.svg cannot be written \(No space"):
        infoset.draw("kuhn_poker").save(tmp_path / "kuhn.svg")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["save_policy", "save_policy_csv", "save_efg", "load_efg"])
def test_a_folder_is_not_a_file(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InfosetError):
        CALLS[name]("")
