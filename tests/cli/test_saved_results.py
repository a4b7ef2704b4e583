"""Results of commands whose folder cannot be written, and checkpoints that cannot be saved."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from infoset.experiments import check_results
from infoset.runs import Budget


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Return the folder for temporary files."""
    folder = tmp_path / "temporary files"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


COMMANDS = {
    "solve": ["solve", "matrix_mp", "--method", "cfr+", "--iterations", "2"],
    "learn": ["learn", "matrix_mp", "--episodes", "2"],
    "compare": ["compare", "matrix_mp", "--methods", "cfr,cfr+", "--iterations", "2"],
    "respond": ["respond", "matrix_mp", "uniform"],
    "teams": ["solve", "cooperative_matching_pennies", "--method", "portfolio", "--seconds", "1"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_results_are_saved_elsewhere_if_the_folder_cannot_be_written(
    command, monkeypatch, elsewhere, name
):
    replace = os.replace

    def full(source, target):
        if "here" in str(target):
            raise OSError(28, "No space left on device", str(target))
        replace(source, target)

    monkeypatch.setattr(os, "replace", full)
    done = command(*COMMANDS[name], "--out", "here")
    assert done.code == 0, done.err
    assert "warning: cannot write " in done.err
    assert "to the folder here: No space left on device" in done.err
    [folder] = elsewhere.glob("*/results")
    assert f"saved in {folder}" in done.out
    check_results(folder)
    assert not Path("here").exists()


@pytest.mark.parametrize("name", COMMANDS)
def test_results_are_printed_if_they_cannot_be_saved_anywhere(command, monkeypatch, name):
    saved = command(*COMMANDS[name], "--out", "here", "--json").json
    usual = command(*COMMANDS[name], "--out", "here").out

    def full(source, target):
        raise OSError(28, "No space left on device", str(target))

    monkeypatch.setattr(os, "replace", full)
    done = command(*COMMANDS[name], "--out", "there", "--json")
    assert done.code == 2
    assert "error: cannot write " in done.err
    assert "to the folder there: No space left on device" in done.err
    assert "Traceback" not in done.err
    found = json.loads(done.out)
    assert (found["folder"], found.get("files", {})) == (None, {})
    assert found.keys() == saved.keys()
    shown = command(*COMMANDS[name], "--out", "there")
    assert shown.code == 2
    rows = [line.split("   ")[0] for line in usual.partition("saved in")[0].splitlines()]
    assert [line.split("   ")[0] for line in shown.out.splitlines()] == rows


def test_a_run_goes_on_where_the_folder_of_its_checkpoint_vanishes(command, monkeypatch):
    Path("below").mkdir()
    record = Budget.record

    def vanish(budget, *found, **more):
        shutil.rmtree("below", ignore_errors=True)
        return record(budget, *found, **more)

    monkeypatch.setattr(Budget, "record", vanish)
    done = command(*COMMANDS["solve"], "--checkpoint", "below/run.ckpt")
    assert done.code == 0
    assert done.err.count("warning: cannot write the checkpoint below/run.ckpt (No such file") == 1
    assert "saved in" in done.out
