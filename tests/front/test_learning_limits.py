"""Step sizes of `learn` under a time limit, by a clock that counts episodes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import infoset
from infoset.learning.self_play import SelfPlay
from infoset.utils import clocks

pytestmark = pytest.mark.broad

SECONDS_PER_EPISODE = 0.01


@pytest.fixture
def clock(monkeypatch):
    """A clock that moves by a hundredth of a second per episode."""
    now, run = [0.0], SelfPlay.run

    def run_and_count(play, episodes):
        now[0] += episodes * SECONDS_PER_EPISODE
        return run(play, episodes)

    monkeypatch.setattr(clocks, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(SelfPlay, "run", run_and_count)


def test_step_sizes_are_planned_for_the_episodes_that_fit(clock):
    """A trial takes between 5 and 10 percent of the 2,000 episodes that fit into the limit."""
    found = infoset.learn("leduc_poker", "balanced-ftrl", episodes=1_000_000, seconds=20)
    [run] = found.runs
    assert run.outcome == "seconds"
    assert "planned for 1,872 episodes" in found.reason
    assert "depends on the clock" in found.reason
    assert 1872 <= run.iterations <= 1.11 * 1872
    planned = infoset.learn("leduc_poker", "balanced-ftrl", episodes=run.iterations)
    assert run.nash_conv < 1.02 * planned.nash_conv[0]
    slow = infoset.learn("leduc_poker", "balanced-ftrl", episodes=1_000_000, callback=_stop_late)
    assert run.nash_conv < 0.97 * slow.nash_conv[0]


def _stop_late(seed, point):
    return point.iteration >= 1872


@pytest.mark.parametrize(
    ("method", "limits"),
    [
        ("balanced-ftrl", {"episodes": 100, "seconds": 20}),  # all fit
        ("es-mccfr", {"episodes": 10_000, "seconds": 2}),  # no horizon
        ("balanced-ftrl", {"episodes": 1000, "seconds": 2, "checkpoint": "run.ckpt"}),
    ],
)
def test_no_other_run_is_planned_by_the_clock(clock, monkeypatch, tmp_path, method, limits):
    monkeypatch.chdir(tmp_path)
    found = infoset.learn("kuhn_poker", method, **limits)
    assert found.reason is None
    [run] = found.runs
    free = infoset.learn(
        "kuhn_poker",
        method,
        episodes=limits["episodes"],
        callback=lambda seed, point: point.iteration >= run.iterations,
    )
    assert run.policy.probabilities[0].tobytes() == free.runs[0].policy.probabilities[0].tobytes()
