"""The command `reproduce`: its output, its files, its exit codes, and resumed runs."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from infoset.experiments import Study, installed_studies, studies
from infoset.utils.registry import Registry
from infoset_studies.balanced import BALANCED, kuhn_theory

TINY = replace(
    BALANCED,
    experiments=(replace(BALANCED.experiments[0], quick=kuhn_theory.Setting((10_000,), 1)),),
)
RUN = ("reproduce", "balanced", "--quick")


def install(monkeypatch, study):
    """Make a study the only installed one."""
    studies = Registry("study", [study], entry_type=Study)
    monkeypatch.setattr(studies, "installed_studies", lambda: studies)


@pytest.fixture(autouse=True)
def _tiny(monkeypatch):
    monkeypatch.setattr(
        studies, "installed_studies", lambda: Registry("study", [TINY], entry_type=Study)
    )


def test_tables_are_printed_and_saved(command, tmp_path):
    ran = command(*RUN)
    assert ran.code == 0
    assert "Kuhn poker" in ran.out
    assert "within 3 sd" in ran.out
    assert ran.err.startswith("kuhn-theory: time on two cores, without runs finished before: half")
    assert "without --quick it takes four minutes" in ran.out
    folder = tmp_path / "runs" / "balanced"
    files = [
        "cells",
        "kuhn-theory-slopes.csv",
        "kuhn-theory.csv",
        "kuhn-theory.md",
        "kuhn-theory.svg",
    ]
    assert sorted(os.listdir(folder)) == [*files, "study.json"]
    assert len(os.listdir(folder / "cells")) == len(kuhn_theory.LEARNERS)


def test_json_is_one_object_and_a_second_start_resumes(command, tmp_path):
    first = command(*RUN, "--json", "--out", "here").json
    times = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "here/cells").iterdir()}
    (row, *_) = first["kuhn-theory"]["tables"]["kuhn-theory"]
    assert (row["learner"], row["prototype"]) == ("ixomd", 0.354)
    assert command(*RUN, "--json", "--out", "here", "--workers", "1").json == first
    after = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "here/cells").iterdir()}
    assert after == times


def test_ctrl_c_is_reported(command, monkeypatch, tmp_path):
    def interrupted(*_):
        raise KeyboardInterrupt

    broken = replace(TINY, experiments=(replace(TINY.experiments[0], report=interrupted),))
    monkeypatch.setattr(
        studies, "installed_studies", lambda: Registry("study", [broken], entry_type=Study)
    )
    ran = command(*RUN)
    assert ran.code == 130
    assert "resumes from there" in ran.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("balancd",), "did you mean balanced?"),
        (("balanced", "--experiment", "kuhn-teory"), "did you mean kuhn-theory?"),
        (("balanced", "--table", "kuhn-teory"), "did you mean kuhn-theory?"),
        (("balanced", "--workers", "0"), "workers=0"),
        (("balanced", "--out", "notes"), "not part of a study"),
    ],
)
def test_mistakes(command, tmp_path, options, words):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("mine")
    assert words in command("reproduce", *options, "--quick").complaint
    assert os.listdir(tmp_path / "notes") == ["mine.txt"]


def test_the_experiments_are_listed(command):
    listed = command("reproduce", "list", "--json").json["experiments"]
    expected = [(s.name, e.name) for s in installed_studies().values() for e in s.experiments]
    assert [(row["study"], row["experiment"]) for row in listed] == expected
    assert "four minutes" in command("reproduce", "list").out


def test_without_studies_the_list_says_how_to_install_them(command, monkeypatch):
    empty = Registry("study", [], entry_type=Study)
    monkeypatch.setattr("infoset.experiments.installed_studies", lambda: empty)
    listed = command("reproduce", "list")
    assert listed.code == 0
    assert "pip install . ./studies" in listed.err
