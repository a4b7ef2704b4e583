"""The child process that runs subjects, seen from the parent: limits, messages, restarts."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any, Final, TypeAlias

import psutil

from infoset.utils.text import shortened
from infoset.utils.watchdog import available_memory

__all__ = ["ChildEnd", "ChildLimits", "run_in_child"]

PROGRAM: Final = "infoset.benchmark.child_program"

LOOK_SECONDS: Final = 0.1
"""Seconds between two looks at the processor time and the memory of the child."""

EXIT_SECONDS: Final = 10.0
"""Seconds until a child that has closed its output has ended."""

MEMORY_SHARE: Final = 0.7
"""Part of the free memory that the child may use."""

Message: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class ChildLimits:
    """Limits on the parts of a job, each of which begins with a message of the child.

    Attributes
    ----------
    turn_seconds : float
        Processor time of one turn of a run, or of one stage of a trial.
    first_call_seconds : float
        Processor time of the first call of a run, in which kernels are compiled, and of building
        the game.
    patience : float
        Limit on the elapsed time of a part, as a multiple of that on its processor time. It stops
        subjects that sleep or wait.
    memory : int or None
        Bytes of resident memory; by default 70% of the free memory.
    """

    turn_seconds: float
    first_call_seconds: float = 180.0
    patience: float = 3.0
    memory: int | None = None

    def seconds(self, stage: str) -> float:
        """Return the limit on the processor time of a part."""
        return self.first_call_seconds if stage in ("build", "first call") else self.turn_seconds


@dataclass(frozen=True)
class ChildEnd:
    """How a child process ended.

    Attributes
    ----------
    reason : str
        Empty if the job is finished, otherwise what happened, as a sentence.
    is_late : bool
        Whether the child was stopped at a limit on time.
    stage : str
        The last part that began.
    run : int or None
        The run to which it belongs.
    """

    reason: str
    is_late: bool
    stage: str
    run: int | None


def run_in_child(
    job: Mapping[str, Any], limits: ChildLimits, receive: Callable[[Message], object]
) -> ChildEnd:
    """Run a job in a child process, and stop it at a limit.

    Parameters
    ----------
    job : Mapping[str, Any]
        JSON values for `child_program`.
    limits : ChildLimits
    receive : callable
        Called with each message.
    """
    with tempfile.TemporaryFile() as errors, _child(job, errors) as child:
        watch = _Watch(child, limits)
        is_finished = False
        for message in watch.messages():
            if message["kind"] == "stage":
                watch.begin(message["stage"], message["run"])
            elif message["kind"] == "finished":
                is_finished = True
            else:
                receive(message)
        if is_finished or watch.reason:
            _kill(child)
            return watch.ended("" if is_finished else watch.reason)
        with suppress(subprocess.TimeoutExpired):
            child.wait(EXIT_SECONDS)
        return watch.ended(f"its process ended with code {child.returncode}{_last_line(errors)}")


@contextmanager
def _child(job: Mapping[str, Any], errors: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """Start the child, send the job, and end all of its processes afterwards."""
    child = subprocess.Popen(
        [sys.executable, "-P", "-m", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
    )
    try:
        assert child.stdin is not None
        with suppress(BrokenPipeError):
            child.stdin.write(json.dumps(job).encode())
            child.stdin.close()
        yield child
    finally:
        _kill(child)


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Kill the child and the processes that it has started."""
    processes: list[psutil.Process] = []
    with suppress(psutil.Error):
        own = psutil.Process(child.pid)
        processes = [*own.children(recursive=True), own]
    for process in processes:
        with suppress(psutil.Error):
            process.kill()
    child.wait()


def _last_line(errors: IO[bytes]) -> str:
    """Return the last line that the child has written to standard error."""
    errors.seek(0)
    lines = errors.read().decode(errors="replace").split("\n")
    said = [line.strip() for line in lines if line.strip()]
    return f": {shortened(said[-1])}" if said else ""


class _Watch:
    """Reads the messages of a child, and compares its time and memory with the limits."""

    def __init__(self, child: subprocess.Popen[bytes], limits: ChildLimits) -> None:
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._limits = limits
        self._process = psutil.Process(child.pid)
        self._memory = limits.memory or int(MEMORY_SHARE * available_memory())
        self.reason = ""
        self.is_late = False
        self.begin("build", None)
        threading.Thread(target=self._read, args=(child.stdout,), daemon=True).start()

    def _read(self, output: IO[bytes]) -> None:
        with output:
            for line in output:
                self._lines.put(line)
        self._lines.put(None)

    def begin(self, stage: str, run: int | None) -> None:
        """Note that a part of the job begins."""
        self.stage, self.run = stage, run
        self._wall_before, self._processor_before = time.monotonic(), self._processor_seconds()

    def ended(self, reason: str) -> ChildEnd:
        """Return how the child ended."""
        return ChildEnd(reason, self.is_late, self.stage, self.run)

    def messages(self) -> Iterator[Message]:
        """Yield messages until the child ends or reaches a limit."""
        while True:
            try:
                line = self._lines.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                self.reason = self._exceeded()
                if self.reason:
                    return
                continue
            if line is None:
                return
            yield json.loads(line)

    def _processor_seconds(self) -> float:
        with suppress(psutil.Error):
            times = self._process.cpu_times()
            return float(times.user + times.system)
        return 0.0

    def _exceeded(self) -> str:
        """Return which limit the current part exceeds, as a sentence; empty if none."""
        limit = self._limits.seconds(self.stage)
        used = self._processor_seconds() - self._processor_before
        waited = time.monotonic() - self._wall_before
        if used > limit or waited > self._limits.patience * limit + 1:
            self.is_late = True
            what = f"{used:.1f} s of processor time" if used > limit else f"{waited:.1f} s"
            return f"it had not ended after {what}, so its process was stopped"
        with suppress(psutil.Error):
            memory = self._process.memory_info().rss
            if memory > self._memory:
                return f"its process used {memory / 1e9:.1f} GB of memory, so it was stopped"
        return ""
