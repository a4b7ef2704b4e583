"""The page of the study of learning: its tables are those of the files, its figures are there."""

from __future__ import annotations

import re

import pytest
import study_page

from infoset.experiments import STUDIES

PAGE = study_page.PAGE.read_text(encoding="utf-8")


def test_tables_are_those_of_the_files():
    assert study_page.with_tables(PAGE) == PAGE


def test_every_file_is_on_the_page():
    tables = set(re.findall(r"study_page\.py, (\S+) -->", PAGE))
    figures = set(re.findall(r"\]\(study/(\S+)\.svg\)", PAGE))
    assert tables == {path.stem for path in study_page.FILES.glob("*.csv")}
    assert figures == {path.stem for path in study_page.FILES.glob("*.svg")}


@pytest.mark.parametrize("experiment", [e.name for e in STUDIES["balanced"].experiments])
def test_every_experiment_has_its_section(experiment):
    assert f"infoset reproduce balanced --experiment {experiment}" in PAGE


def test_a_table_is_put_in_its_place(tmp_path):
    (tmp_path / "gaps.csv").write_text("learner,episodes,gap\nixomd,10000,0.1\n")
    page = "before\n\n<!-- made by benchmarks/study_page.py, gaps -->\nold\n<!-- end -->\nafter\n"
    found = study_page.with_tables(page, tmp_path)
    assert found == (
        "before\n\n<!-- made by benchmarks/study_page.py, gaps -->\n\n"
        "| learner | episodes | gap |\n|---|---|---|\n| ixomd | 10,000 | 0.1 |\n\n"
        "<!-- end -->\nafter\n"
    ).replace("|---|---|---|", "| --- | --- | --- |")


def test_what_a_study_left_is_taken(tmp_path, monkeypatch):
    (tmp_path / "runs").mkdir()
    for name in ("a.csv", "a.svg", "a.md", "study.json"):
        (tmp_path / "runs" / name).write_text(name)
    monkeypatch.setattr(study_page, "FILES", tmp_path / "docs")
    study_page.take(tmp_path / "runs")
    assert sorted(path.name for path in (tmp_path / "docs").iterdir()) == ["a.csv", "a.svg"]
