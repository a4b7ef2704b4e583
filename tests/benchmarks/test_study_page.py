"""Pages of the studies contain all tables and figures of the files."""

from __future__ import annotations

import re

import pytest
import study_page
from study_page import MISSING, PAGES, filled

from infoset.experiments import installed_studies

pytestmark = pytest.mark.benchmarks

TEXTS = {study: page.read_text(encoding="utf-8") for study, page in PAGES.items()}


EXPERIMENTS = [
    (study, experiment.name)
    for study in PAGES
    for experiment in installed_studies()[study].experiments
]


@pytest.mark.parametrize(("study", "experiment"), EXPERIMENTS)
def test_every_experiment_has_its_section(study, experiment):
    assert re.search(
        f"infoset reproduce {study} --(experiment|table) {experiment}\\b", TEXTS[study]
    )


def page_with(place, part):
    begin = f"<!-- made by benchmarks/study_page.py, {place} -->"
    return f"before\n\n{begin}\n{part}<!-- end -->\nafter\n"


def test_a_table_is_put_in_its_place(tmp_path):
    (tmp_path / "gaps.csv").write_text("learner,episodes,gap\nixomd,10000,0.1\n")
    shown = "\n| learner | episodes | gap |\n| --- | --- | --- |\n| ixomd | 10,000 | 0.1 |\n\n"
    assert filled(page_with("gaps", "old\n"), tmp_path) == page_with("gaps", shown)


def test_a_figure_is_put_in_its_place(tmp_path):
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "gaps.svg").touch()
    place, shown = "gaps.svg: Gaps, by game", "\n![Gaps, by game](study/gaps.svg)\n\n"
    assert filled(page_with(place, "old\n"), tmp_path / "study") == page_with(place, shown)


@pytest.mark.parametrize("place", ["gaps", "gaps.svg: Gaps"])
def test_what_is_not_there_is_said_to_be_missing(place, tmp_path):
    assert filled(page_with(place, "old\n"), tmp_path) == page_with(place, f"\n{MISSING}\n\n")


def test_what_a_study_left_is_taken(tmp_path):
    (tmp_path / "runs").mkdir()
    for name in ("a.csv", "a.svg", "a.md", "study.json"):
        (tmp_path / "runs" / name).write_text(name)
    study_page.take(tmp_path / "runs", tmp_path / "docs")
    assert sorted(path.name for path in (tmp_path / "docs").iterdir()) == ["a.csv", "a.svg"]


def test_the_command_takes_and_fills(tmp_path, monkeypatch):
    page = tmp_path / "study.md"
    page.write_text(page_with("gaps", "old\n"))
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "gaps.csv").write_text("gap\n0.1\n")
    monkeypatch.setattr(study_page, "PAGES", {"balanced": page})
    command = ["study_page.py", "balanced", "--take", str(tmp_path / "runs")]
    monkeypatch.setattr("sys.argv", command)
    study_page.main()
    assert page.read_text() == page_with("gaps", "\n| gap |\n| --- |\n| 0.1 |\n\n")
