"""The command `tune`: what it prints and saves, and its mistakes."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.broad

RUN = ("tune", "kuhn_poker", "--method", "ixomd", "--over", "rate=1e-2..1", "--trials", "3")
SMALL = ("--seeds", "2", "--fresh-seeds", "2", "--episodes", "300")


def test_it_prints_saves_and_resumes(command, tmp_path):
    ran = command(*RUN, *SMALL)
    assert ran.code == 0
    assert "on fresh seeds" in ran.out
    assert "ratio to the best" in ran.out
    assert ran.err.count("rate=") == 3
    folder = tmp_path / "runs" / "kuhn_poker-ixomd-tuning"
    assert (folder / "tuning.md").is_file()
    cells = sorted((folder / "cells").iterdir())
    times = [path.stat().st_mtime_ns for path in cells]
    found = command(*RUN, *SMALL, "--on", "threads:2", "--json").json
    assert [path.stat().st_mtime_ns for path in cells] == times
    assert len(found["trials"]) == 3
    assert found["fresh"]["num_runs"] == 2
    assert found["best"] in [trial["parameters"] for trial in found["trials"]]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--over", "rate"), "'rate' is not a range; give NAME=LOW..HIGH"),
        (("--over", "rat=0.1..1"), "did you mean rate?"),
        (("--trials", "0"), "trials=0"),
    ],
)
def test_mistakes(command, options, words):
    assert words in command(*RUN, *SMALL, *options).complaint


def test_what_is_needed(command):
    assert "--over" in command("tune", "kuhn_poker", "--method", "ixomd").complaint
