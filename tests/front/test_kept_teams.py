"""Checkpoints of runs for teams, and resumed runs."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest

import infoset
from infoset.errors import CheckpointMismatchError, SpentTimeWarning
from infoset.runs import read_checkpoint
from infoset.teams import HidingScheme, TeamPoint, regret_matching
from infoset.utils import clocks

GAME = "trade_comm(num_items=3,num_messages=2)"
DRAWN = HidingScheme(visits="path")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def solve(method="progressive-hiding", **options):
    limits = {"iterations": 120, "restarts": 2, "checkpoint": "run.ckpt", **options}
    return infoset.solve_team(GAME, method, **limits)


def interrupt_at(run, iteration):
    def interrupt(point):
        if (point.run, point.iteration) == (run, iteration):
            raise KeyboardInterrupt

    return interrupt


@pytest.mark.parametrize(
    "method", ["progressive-hiding", "minorize-maximize", "progressive-hedging", DRAWN]
)
@pytest.mark.parametrize("moment", [(0, 10), (0, 120), (1, 103), (1, 120)])
def test_the_same_call_goes_on_to_the_same_bits(method, moment):
    whole = solve(method, checkpoint=None)
    assert solve(method, callback=interrupt_at(*moment)).outcome == "interrupted"
    kept = read_checkpoint("run.ckpt", TeamPoint)
    assert (kept.trace[-1].run, kept.trace[-1].iteration) == moment
    seen = []
    again = solve(method, callback=seen.append)
    assert (again.outcome, again.run) == (whole.outcome, whole.run)
    assert again.probability.tobytes() == whole.probability.tobytes()
    assert again.last_probability.tobytes() == whole.last_probability.tobytes()
    assert len(seen) + len(kept.trace) == len(again.trace)
    for mine, theirs in zip(again.trace, whole.trace, strict=True):
        assert vars(mine) == {**vars(theirs), "seconds": mine.seconds}


def test_seconds_count_from_the_very_beginning(monkeypatch):
    """The clock of this test moves on by one second whenever it is read."""
    readings = itertools.count()
    monkeypatch.setattr(clocks, "time", SimpleNamespace(monotonic=lambda: float(next(readings))))
    first = solve(seconds=0)
    assert (first.outcome, len(first.trace)) == ("seconds", 1)
    kept = read_checkpoint("run.ckpt", TeamPoint)
    begin = next(readings)
    with pytest.warns(SpentTimeWarning, match=r"run\.ckpt has run for .* seconds=0 includes"):
        later = solve(seconds=0)
    assert 0 < kept.seconds < later.seconds < kept.seconds + next(readings) - begin
    assert [point.iteration for point in later.trace] == [1, 2]


def test_what_is_finished_is_told_again_and_may_get_more_runs():
    whole = solve()
    again = solve()
    assert again.probability.tobytes() == whole.probability.tobytes()
    assert again.outcome == whole.outcome == "iterations"
    more = solve(restarts=3)
    assert more.num_runs == 3
    assert more.trace[: len(whole.trace)] == whole.trace
    with pytest.raises(CheckpointMismatchError, match="run 3, more than restarts=2"):
        solve()


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("seed 0 there and 1 here", {"seed": 1}),
        ("iterations of a run 120 there and 60 here", {"iterations": 60}),
        ("fingerprint", {"relax": "private_revealed"}),
        ("method progressive-hiding there and minorize", {"method": "minorize-maximize"}),
        ("regret_restarts", {"method": HidingScheme(regret_matching())}),
        ("penalty", {"penalty": 0.1}),
    ],
)
def test_other_runs_are_refused(words, options):
    solve(callback=interrupt_at(0, 3))
    with pytest.raises(CheckpointMismatchError, match=words):
        solve(**options)


def test_a_file_that_is_no_longer_due_is_saved_in_the_end():
    solve(checkpoint_seconds=1000)
    assert read_checkpoint("run.ckpt", TeamPoint).iteration == 240
