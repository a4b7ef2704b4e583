"""The command `solve` with a checkpoint."""

from __future__ import annotations

import infoset
from infoset.cli.progress import Progress
from infoset.runs import Budget, TracePoint, read_checkpoint

LIMITS = ("leduc_poker", "--method", "pcfr+", "--iterations")


def test_a_command_resumes_a_run_of_the_library(command):
    infoset.solve("leduc_poker", "pcfr+", iterations=20, checkpoint="run.ckpt")
    every = ("--checkpoint", "run.ckpt", "--checkpoint-seconds", "5", "--json")
    found = command("solve", *LIMITS, "30", *every).json
    assert read_checkpoint("run.ckpt").iteration == found["iterations"] == 30
    assert found["nash_conv"] == infoset.solve("leduc_poker", "pcfr+", iterations=30).nash_conv


def test_checkpoint_seconds_without_a_checkpoint_is_refused(command):
    ran = command("solve", "kuhn_poker", "--checkpoint-seconds", "5")
    assert "needs --checkpoint FILE" in ran.complaint


def test_what_is_wrong_is_said_in_a_line(command):
    ran = command("solve", "kuhn_poker", "--checkpoint", "nowhere/run.ckpt")
    assert "checkpoint=nowhere/run.ckpt cannot be written" in ran.complaint
    assert command("solve", *LIMITS, "30", "--checkpoint", "run.ckpt").code == 0
    ran = command("solve", *LIMITS, "20", "--checkpoint", "run.ckpt")
    assert "a run of 30 iterations, more than iterations=20" in ran.complaint


def test_the_time_shown_is_that_of_all_sittings():
    progress = Progress("leduc_poker")
    progress.solving("cfr+", Budget(seconds=4000.0))
    progress.measured(TracePoint(100, 1000.0, (0.0, 0.0), 0.2, 0.1))
    assert 1000 <= progress.elapsed < 1100
    assert 0.25 <= progress.fraction_done < 0.3
