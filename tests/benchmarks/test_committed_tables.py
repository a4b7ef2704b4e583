"""Tables and figures in the documentation are those that the benchmark scripts write.

These tests belong to the default run; the tests of the scripts themselves are marked `benchmarks`.
"""

from __future__ import annotations

import json
import re

import explorer_speed
import first_call
import method_times
import numpy as np
import openspiel_speed
import past_one_machine
import peers
import pytest
import report
import which_solver
from study_page import MISSING, PAGES, files_of, filled

TEXTS = {study: page.read_text(encoding="utf-8") for study, page in PAGES.items()}
PLACES = {
    study: re.findall(r"study_page\.py, (\S+?)(?::[^\n]*)? -->", text)
    for study, text in TEXTS.items()
}
"""What the study script writes on each page: tables by name, figures as files."""


@pytest.mark.parametrize("study", PAGES)
def test_a_study_page_equals_what_the_script_writes(study):
    assert filled(TEXTS[study], files_of(PAGES[study])) == TEXTS[study]


@pytest.mark.parametrize("study", PAGES)
def test_every_file_of_a_study_is_on_its_page(study):
    folder = files_of(PAGES[study])
    links = re.findall(rf"\]\({folder.name}/(\S+\.(?:svg|csv))\)", TEXTS[study])
    figures = {*(name for name in links if name.endswith(".svg")), *PLACES[study]}
    tables = {*PLACES[study], *(name.rpartition(".")[0] for name in (*links, *figures))}
    assert {path.name for path in folder.glob("*.svg")} <= figures
    assert {path.stem for path in folder.glob("*.csv")} <= tables


@pytest.mark.parametrize("study", PAGES)
def test_a_study_page_marks_missing_results(study):
    folder = files_of(PAGES[study])
    names = [name if name.endswith(".svg") else f"{name}.csv" for name in PLACES[study]]
    assert TEXTS[study].count(MISSING) == sum(not (folder / name).exists() for name in names)


def test_solver_comparison_pages_equal_the_curve_files():
    shown = which_solver.sections()
    for page, names in which_solver.PAGES.items():
        for name in names:
            advice = f"{name}: run python benchmarks/which_solver.py --write"
            assert shown[name] in page.read_text(encoding="utf-8"), advice


def test_solver_time_pages_equal_the_stored_measurements():
    shown = method_times.parts(method_times.json.loads(method_times.RESULTS.read_text("utf-8")))
    for page, names in method_times.PAGES.items():
        text = page.read_text("utf-8")
        for name in names:
            assert report.replace_part(text, f"method_times.py: {name}", shown[name]) == text, (
                f"{name}: run python benchmarks/method_times.py --write --tables"
            )


def test_the_times_of_commands_equal_the_stored_measurements():
    page = (report.DOCS / "benchmarks.md").read_text("utf-8")
    part = first_call.page_part(first_call.json.loads(first_call.RESULTS.read_text("utf-8")))
    assert report.replace_part(page, "first_call.py", part) == page, (
        "run python benchmarks/first_call.py --write"
    )


def test_the_peer_page_equals_the_stored_measurements():
    page = (report.DOCS / "benchmarks.md").read_text("utf-8")
    for name, part in peers.tables(peers.load_results()).items():
        assert report.replace_part(page, f"peers.py: {name}", part) == page, (
            f"{name}: run python benchmarks/peers.py --write --tables"
        )


def test_the_table_of_openspiel_s_times_equals_the_stored_measurements():
    found = json.loads(openspiel_speed.RESULTS.read_text("utf-8"))
    text = openspiel_speed.PAGE.read_text("utf-8")
    part = openspiel_speed.page_part(found)
    assert report.replace_part(text, "openspiel_speed.py", part) == text


def test_the_times_of_the_explorer_equal_the_stored_measurements():
    found = json.loads(explorer_speed.RESULTS.read_text("utf-8"))
    text = explorer_speed.PAGE.read_text("utf-8")
    part = explorer_speed.page_part(found)
    assert report.replace_part(text, "explorer_speed.py", part) == text, (
        "run python benchmarks/explorer_speed.py --page --write"
    )


def test_the_tables_of_sweeps_equal_the_stored_measurements():
    found = json.loads(past_one_machine.RESULTS.read_text("utf-8"))
    text = past_one_machine.PAGE.read_text("utf-8")
    for name, part in past_one_machine.parts(found).items():
        assert report.replace_part(text, f"past_one_machine.py: {name}", part) == text, (
            f"{name}: run python benchmarks/past_one_machine.py --write --tables"
        )


def test_a_sweep_without_losses_takes_the_time_of_its_cells(monkeypatch):
    monkeypatch.setattr(past_one_machine, "FAILURES_PER_CORE_HOUR", 1e-12)
    sweep = past_one_machine.simulate([360.0] * 40, cores=10, start=36.0, driver=0.0)
    assert sweep.hours == pytest.approx(0.41)
    assert sweep.core_hours == pytest.approx(4.1)
    assert sweep.wasted == pytest.approx(0.1 / 4.1)
    assert (sweep.losses, sweep.given_up) == (0, 0)


def test_losses_of_a_sweep_are_as_frequent_as_assumed(monkeypatch):
    monkeypatch.setattr(past_one_machine, "FAILURES_PER_CORE_HOUR", 1.0)
    cells = [360.0] * 4000
    sweeps = [past_one_machine.simulate(cells, 10, 0.0, 0.0, seed) for seed in range(6)]
    # A cell of 0.1 hours is lost with probability 1 - exp(-0.1) at each try, up to four times.
    lost = 1 - np.exp(-0.1)
    expected = 4000 * (lost + lost**2 + lost**3 + lost**4)
    assert np.mean([sweep.losses for sweep in sweeps]) == pytest.approx(expected, rel=0.06)
    assert np.mean([sweep.given_up for sweep in sweeps]) == pytest.approx(4000 * lost**4, abs=0.5)
