"""SIGTERM and SIGHUP save what Ctrl-C saves, in real processes that have shown their progress."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from infoset.cli import app
from infoset.cli.interrupts import SAME_SECONDS, StopSignals, interrupts_ignored
from infoset.runs import read_checkpoint
from infoset.utils.interrupts import interrupts_held

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")

HOURS = ("--seconds", "36000")
SOLVE = ("solve", "leduc_poker", "--method=cfr+", "--target=1e-12", *HOURS)
MEASURED = rb"\d +1e-12"
"""What the live display of `SOLVE` shows after a measurement."""


def _control(terminal):
    import fcntl
    import termios

    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)


class Program:
    """The command line in its own session, whose standard error is a terminal of this process."""

    def __init__(self, folder, *arguments, ready):
        self.ours, theirs = os.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "infoset", *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
            preexec_fn=lambda: _control(theirs),
        )
        os.close(theirs)
        self.shown = b""
        while not (ready() if callable(ready) else re.search(ready, self.shown)):
            assert self.process.poll() is None, self.shown
            os.set_blocking(self.ours, not callable(ready))
            with suppress(BlockingIOError):
                self.shown += os.read(self.ours, 4096)
            time.sleep(0.01)

    def end(self):
        """Wait for the end; return the exit code and standard output."""
        os.set_blocking(self.ours, True)
        with suppress(OSError):  # the other side is closed
            while shown := os.read(self.ours, 4096):
                self.shown += shown
        out, _ = self.process.communicate(timeout=200)
        os.close(self.ours)
        assert b"Traceback" not in self.shown
        return self.process.returncode, out.decode()


def test_sigterm_saves_and_says_so(tmp_path):
    run = Program(tmp_path, *SOLVE, "--out=run", "--checkpoint=run.ckpt", ready=MEASURED)
    for _ in range(2):  # as `timeout` does it
        run.process.send_signal(signal.SIGTERM)
    code, out = run.end()
    assert code == 143
    assert run.shown.endswith(b"ended by SIGTERM\r\n")
    assert "interrupted; results so far" in out
    assert "policy.parquet" in os.listdir(tmp_path / "run")
    assert read_checkpoint(tmp_path / "run.ckpt").iteration > 0


def test_a_closed_terminal_saves(tmp_path):
    run = Program(tmp_path, *SOLVE, "--out=run", "--json", ready=MEASURED)
    os.close(run.ours)
    out, _ = run.process.communicate(timeout=200)
    assert run.process.returncode == 129
    assert b'"outcome":"interrupted"' in out.replace(b" ", b"")
    assert "policy.parquet" in os.listdir(tmp_path / "run")


EXITING = """
class Odd:
    def solve(self, form, budget):
        raise SystemExit(0)
"""


def test_code_that_exits_ends_no_command(command, tmp_path):
    (tmp_path / "odd.py").write_text(EXITING)
    ran = command("solve", "kuhn_poker", "--method", "odd.py:Odd")
    assert ran.code == 2
    assert "SystemExit: 0 was raised" in ran.err
    assert "raised in solve, line 4 of " in ran.err
    (tmp_path / "ends.py").write_text("import sys\nsys.exit(0)\n")
    assert "raised SystemExit: 0" in command("solve", "ends.py:Game").complaint


@pytest.mark.broad
@pytest.mark.parametrize(
    ("arguments", "ready", "saved"),
    [
        (("learn", "leduc_poker", "--method=es-mccfr", *HOURS), rb"\d +episode", "policy.parquet"),
        (("match", "leduc_poker", "uniform", "uniform", "--checkpoint=run/m"), rb"deals +\d", "m"),
        (
            ("solve", "leduc_poker(players=3)", "--teams=0,1/2", "--method=tmecor-cfr+", *HOURS),
            rb"iteration +\d",
            "policy.parquet",
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_every_verb_saves(tmp_path, arguments, ready, saved):
    if "--checkpoint=run/m" in arguments:
        (tmp_path / "run").mkdir()
        arguments = (*arguments, "--deals=1000000000")
    else:
        arguments = (*arguments, "--out=run")
    run = Program(tmp_path, *arguments, ready=ready)
    run.process.send_signal(signal.SIGTERM)
    assert run.end()[0] == 143
    assert saved in os.listdir(tmp_path / "run")
