"""The child process: its limits are enforced, and what it has done before counts."""

from __future__ import annotations

from pathlib import Path

import pytest

import infoset
from infoset.benchmark import ChildLimits, Entrant, Race, Trial, run_race, run_trial

pytestmark = pytest.mark.broad

FILE = str(Path(__file__).with_name("sample_subjects.py"))
LIMITS = ChildLimits(turn_seconds=1.0, first_call_seconds=60.0, patience=1.5)


def raced(*names, limits=LIMITS):
    entrants = tuple(
        Entrant(name, name if "+" in name else f"{FILE}:{name}", None) for name in names
    )
    runs = run_race(Race("matrix_rps", entrants, 0.1, 1000, (0,)), limits)
    return {run.entrant.name: run for run in runs}


def test_subjects_that_hang_or_end_the_process_do_not_stop_the_others(tmp_path):
    runs = raced("milder", "sleeps", "dies", "raises", "cfr+")
    assert (runs["milder"].outcome, runs["milder"].is_repeatable) == ("seconds", True)
    assert runs["cfr+"].outcome == "seconds"
    assert runs["dies"].policy == b""
    path = tmp_path / "policy.parquet"
    path.write_bytes(runs["milder"].policy)
    found = infoset.evaluate(infoset.load_policy(path)).exploitability
    assert found == pytest.approx(runs["milder"].exploitability)
    assert runs["cfr+"].exploitability < 1e-3
    assert runs["sleeps"].outcome == "late"
    assert "its process was stopped" in runs["sleeps"].message
    assert "code 3: last words" in runs["dies"].message
    assert runs["raises"].message == "ValueError: a mistake"


def test_memory_is_limited():
    runs = raced("milder", limits=ChildLimits(5.0, memory=10_000_000))
    assert "of memory, so it was stopped" in runs["milder"].message


def test_a_searcher_that_hangs_is_stopped():
    trial = Trial("matrix_rps", f"{FILE}:Sleepy", ("uniform",), 0.2, 32)
    result = run_trial(trial, ChildLimits(1.0, first_call_seconds=4.0, patience=1.0))
    # On a busy machine, building may already take longer than the limit of the first call.
    assert result.failures.keys() <= {"build", "first call"}
    assert all("its process was stopped" in text for text in result.failures.values())
    assert result.failures
    assert result.matches == {}


def test_the_stages_of_a_searcher():
    trial = Trial("kuhn_poker", f"{FILE}:Leaky", ("uniform",), 0.2, 32)
    result = run_trial(trial, LIMITS)
    assert "differ in" in result.leak
    assert set(result.matches) == {"uniform"}
    assert result.exploitability > 0
    assert result.failures == {}
