"""SIGTERM and SIGHUP save what Ctrl-C saves, in real processes that have shown their progress."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from infoset.cli.interrupts import SAME_SECONDS, StopSignals, interrupts_ignored, pipe_signal
from infoset.cli.options import executor_of
from infoset.runs import read_checkpoint
from infoset.utils.interrupts import interrupts_held

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")

HOURS = ("--seconds", "36000")
SOLVE = ("solve", "leduc_poker", "--method=cfr+", "--target=1e-12", *HOURS)
MEASURED = rb"\d +1e-12"
"""What the live display of `SOLVE` shows after a measurement."""

IN_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(2, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, "-m", "infoset", *sys.argv[1:]])
"""
"""Program that makes its standard error the terminal of its session, and becomes infoset."""


@pytest.fixture(autouse=True)
def handled_signals():
    """Let signals have their default actions, although `nohup` may ignore one for all tests."""
    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, signal.SIG_DFL) for number in numbers}
    yield
    for number, action in before.items():
        signal.signal(number, action)


class Program:
    """The command line in its own session, whose standard error is a terminal of this process."""

    def __init__(self, folder, *arguments, ready):
        self.ours, theirs = os.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", IN_TERMINAL, *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
            start_new_session=True,
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


@pytest.mark.broad
def test_a_closed_terminal_saves(tmp_path):
    run = Program(tmp_path, *SOLVE, "--out=run", "--json", ready=MEASURED)
    os.close(run.ours)
    out, _ = run.process.communicate(timeout=200)
    assert run.process.returncode == 129
    assert b'"outcome":"interrupted"' in out.replace(b" ", b"")
    assert "policy.parquet" in os.listdir(tmp_path / "run")


EXITING = """
from infoset.solvers import CustomMethod

def solve(form, budget):
    raise SystemExit(0)

ODD = CustomMethod("odd", "", solve)
"""


def test_code_that_exits_ends_no_command(command, tmp_path):
    (tmp_path / "odd.py").write_text(EXITING)
    ran = command("solve", "kuhn_poker", "--method", "odd.py:ODD")
    assert ran.code == 2
    assert "SystemExit: 0 was raised" in ran.err
    assert "raised in solve, line 5 of " in ran.err
    (tmp_path / "ends.py").write_text("import sys\nsys.exit(0)\n")
    assert "raised SystemExit: 0" in command("solve", "ends.py:Game").complaint


ROW = rb"\n[\d,]+( of 1)? +[-\d.]+"
"""A row of the live display that has numbers."""

VERBS = {
    "learn": ("leduc_poker", "--method=es-mccfr", "--episodes=1e12", "--out=run"),
    "match": ("leduc_poker", "uniform", "uniform", "--deals=1000000000", "--checkpoint=run/match"),
    "solve": (
        "kuhn_poker(players=3)",
        "--teams=0,1/2",
        "--rule=sum",
        "--method=progressive-hiding",
        "--iterations=1000000000",
        "--out=run",
    ),
}


@pytest.mark.broad
@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_saves(tmp_path, verb):
    if verb == "match":
        (tmp_path / "run").mkdir()
    run = Program(tmp_path, verb, *VERBS[verb], ready=ROW)
    run.process.send_signal(signal.SIGTERM)
    assert run.end()[0] == 143
    assert {"policy.parquet", "match"} & set(os.listdir(tmp_path / "run"))


SEARCH = ("tune", "kuhn_poker", "--method=ixomd", "--over=rate=1e-4..1", "--episodes=200000")


@pytest.mark.broad
def test_a_signal_to_all_processes_of_a_study(tmp_path):
    """Batch systems signal the workers, too."""
    folder = tmp_path / "runs" / "kuhn_poker-ixomd-tuning"
    cells = lambda: list(folder.rglob("*.json"))  # noqa: E731
    run = Program(tmp_path, *SEARCH, "--on=processes:2", ready=cells)
    os.killpg(run.process.pid, signal.SIGTERM)
    code, out = run.end()
    assert (code, out) == (143, "")
    assert b"the same command resumes from there" in run.shown
    assert len(cells()) >= 1


def test_a_worker_that_has_ended_does_not_end_the_program():
    reader, writer = os.pipe()
    os.close(reader)
    with pipe_signal(signal.SIG_DFL), executor_of("threads:1"), pytest.raises(BrokenPipeError):
        os.write(writer, b"a task")
    os.close(writer)


@pytest.mark.networks
def test_training_saves(tmp_path):
    limits = ("--steps=1000000000", "--checkpoint=net.ckpt", "--checkpoint-seconds=0.1")
    saved = (tmp_path / "net.ckpt").exists
    run = Program(tmp_path, "train", "kuhn_poker", *limits, "--out=run", ready=saved)
    run.process.send_signal(signal.SIGTERM)
    assert run.end()[0] == 143
    assert "result.json" in os.listdir(tmp_path / "run")


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self):
        return self.now


def test_a_second_signal_is_one_only_after_a_while(monkeypatch):
    ends, clock = [], Clock()
    monkeypatch.setattr("infoset.cli.interrupts.os._exit", ends.append)
    with StopSignals(ends_process=True, clock=clock) as signals:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        clock.now += SAME_SECONDS / 2
        signal.raise_signal(signal.SIGTERM)
        assert ends == []
        clock.now += SAME_SECONDS
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGHUP)
        assert ends == [129]
        assert signals.last == signal.SIGHUP
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_an_interrupt_in_a_callback_of_the_garbage_collector_is_repeated():
    phases = []

    def interrupt(phase, _):
        phases.append(phase)
        if len(phases) == 1:
            signal.raise_signal(signal.SIGTERM)

    gc.callbacks.append(interrupt)
    try:
        with StopSignals(ends_process=True) as signals:
            gc.collect()  # where the interrupt is lost
            assert signals.last == signal.SIGTERM
            with pytest.raises(KeyboardInterrupt):
                time.sleep(20)
    finally:
        gc.callbacks.remove(interrupt)
    assert phases


def test_signals_wait_for_iterations_and_not_for_files():
    done = []

    @interrupts_held()
    def work():
        signal.raise_signal(signal.SIGTERM)
        done.append("all")

    with StopSignals(ends_process=False) as signals:
        with interrupts_ignored():
            signal.raise_signal(signal.SIGTERM)
        assert signals.last is None
        with pytest.raises(KeyboardInterrupt):
            work()
    assert done == ["all"]


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_signals_that_are_ignored_from_the_start_remain_so(name):
    before = signal.signal(getattr(signal, name), signal.SIG_IGN)
    try:
        with StopSignals(ends_process=False) as signals:
            signal.raise_signal(getattr(signal, name))
            assert signals.last is None
            if name == "SIGINT":  # a shell ignores it in the background, and a batch system ends it
                with pytest.raises(KeyboardInterrupt):
                    signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(getattr(signal, name), before)
