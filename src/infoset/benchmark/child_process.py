"""The child process that runs subjects, seen from the parent: limits, messages, restarts."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from math import inf
from typing import IO, Any, Final, TypeAlias

import psutil

from infoset.benchmark.child_messages import ASKS
from infoset.benchmark.processor_clock import ProcessorClock
from infoset.errors import InfosetError
from infoset.tree import allowed_memory
from infoset.utils.text import shortened

PROGRAM: Final = "infoset.benchmark.child_program"

LOOK_SECONDS: Final = 0.1
"""Seconds between two looks at the processor time and the memory of the child."""

EXIT_SECONDS: Final = 10.0
"""Seconds until a child that has closed its output has ended."""

MAX_MESSAGES: Final = 10_000
"""Maximum number of messages of a child; each of its parts begins with one."""

Message: TypeAlias = Mapping[str, Any]
Receive: TypeAlias = Callable[[Message, float], object]


@dataclass(frozen=True)
class ChildLimits:
    """Limits on the parts of a job, each of which begins with a message of the child."""

    turn_seconds: float
    """Processor time of one turn of a run, or of one stage of a trial."""
    first_call_seconds: float = 180.0
    """Processor time of the first call of a run, in which kernels are compiled, and of building the
    game."""
    patience: float = 3.0
    """Limit on the elapsed time of a part, as a multiple of that on its processor time. It stops
    subjects that sleep or wait."""
    memory: int | None = None
    """Bytes of resident memory; by default 70% of the free memory."""

    def seconds(self, stage: str) -> float:
        """Return the limit on the processor time of a part."""
        return self.first_call_seconds if stage in ("build", "first call") else self.turn_seconds


@dataclass(frozen=True)
class ChildEnd:
    """How a child process ended."""

    reason: str
    """Empty if the job is finished, otherwise what happened, as a sentence."""
    is_late: bool
    """Whether the child was stopped at a limit on time."""
    stage: str
    """The last part that began."""
    run: int | None
    """The run to which it belongs."""


@dataclass(frozen=True)
class ChildJob:
    """A job of a child process."""

    job: Mapping[str, Any]
    """JSON values for `child_program`."""
    receive: Receive
    """Called with each message and with the processor time of its run in seconds, as measured from
    outside. If it raises an `InfosetError`, the child is stopped."""
    max_bytes: int = 1_000_000
    """Maximum length of a message."""
    is_trusted: bool = False
    """Whether only code of the library runs in the child. Otherwise, the processor time of all
    processes that it has started counts."""


def run_children(
    jobs: Sequence[ChildJob], limits: ChildLimits, slice_seconds: float = inf
) -> list[ChildEnd]:
    """Run jobs in child processes, of which one works at a time, and stop them at their limits.

    Parameters
    ----------
    slice_seconds
        Seconds of processor time after which the next child works; the others are suspended.
    """
    with ExitStack() as stack:
        children = [stack.enter_context(_child(job, limits)) for job in jobs]
        if len(children) > 1:
            for child in children:
                child.suspend()
        while working := [child for child in children if child.end is None]:
            for child in working:
                child.work(slice_seconds if len(working) > 1 else inf)
        return [child.end for child in children if child.end is not None]


@contextmanager
def _child(job: ChildJob, limits: ChildLimits) -> Iterator[_Child]:
    """Start a child, send its job, and end all of its processes afterwards."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        try:
            yield _Child(process, job, limits, errors)
        finally:
            _kill(process)


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
    if child.stdin is not None:
        with suppress(OSError):
            child.stdin.close()


def _last_line(errors: IO[bytes]) -> str:
    """Return the last line that the child has written to standard error."""
    errors.seek(0)
    lines = errors.read().decode(errors="replace").split("\n")
    said = [line.strip() for line in lines if line.strip()]
    return f": {shortened(said[-1])}" if said else ""


class _Child:
    """A child process: its messages, its clocks and its limits."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        job: ChildJob,
        limits: ChildLimits,
        errors: IO[bytes],
    ) -> None:
        self.end: ChildEnd | None = None
        self._popen, self._job, self._limits, self._errors = process, job, limits, errors
        self._process = psutil.Process(process.pid)
        self._memory = limits.memory or allowed_memory(None)
        self._clock = ProcessorClock(self._process, with_children=not job.is_trusted)
        self._turns = _TurnTimes(is_alone=len(job.job.get("rows", ())) == 1)
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._num_messages = 0
        self._suspended: float | None = None
        self._begin("build", None)
        self._send(json.dumps(job.job))
        threading.Thread(target=self._read, args=(process.stdout,), daemon=True).start()

    def _send(self, line: str) -> None:
        assert self._popen.stdin is not None
        with suppress(OSError):
            self._popen.stdin.write(line.encode() + b"\n")
            self._popen.stdin.flush()

    def _read(self, output: IO[bytes]) -> None:
        with output, suppress(ValueError):
            # Bounded, so that a subject cannot fill the memory with one line.
            while line := output.readline(self._job.max_bytes):
                self._lines.put(line)
        self._lines.put(None)

    def suspend(self) -> None:
        """Stop the process until its next work; its clocks stop, too."""
        with suppress(psutil.Error):
            self._process.suspend()
        self._suspended = time.monotonic()

    def work(self, seconds: float) -> None:
        """Let the process work for some seconds of processor time, or until it ends."""
        if self._suspended is not None:
            # The limit on elapsed time counts from `_wall_before`, without suspended time.
            self._wall_before += time.monotonic() - self._suspended
            self._suspended = None
            with suppress(psutil.Error):
                self._process.resume()
        processor, wall = self._clock.own() + seconds, self._limits.patience * seconds
        until = time.monotonic() + max(wall, LOOK_SECONDS)
        while self.end is None:
            try:
                # A thread reads the lines, because a read of a pipe could not be given up.
                line = self._lines.get(timeout=min(LOOK_SECONDS, max(seconds / 2, 0.005)))
            except queue.Empty:
                self._look()
            else:
                self._hear(line)
            if self.end is None and (self._clock.own() >= processor or time.monotonic() >= until):
                self.suspend()
                return

    def _hear(self, line: bytes | None) -> None:
        """Deal with a line of output; None is its end."""
        if line is None:
            with suppress(subprocess.TimeoutExpired):
                self._popen.wait(EXIT_SECONDS)
            code = self._popen.returncode
            self._stop(f"its process ended with code {code}{_last_line(self._errors)}")
            return
        began = time.monotonic()
        try:
            self._receive(_parsed(line))
        except InfosetError as error:
            self._stop(str(error))
        self._wall_before += time.monotonic() - began  # it waits for what is done here

    def _receive(self, message: Message) -> None:
        self._num_messages += 1
        if self._num_messages > MAX_MESSAGES:
            raise ChildMessageError(f"its process sent more than {MAX_MESSAGES:,} messages")
        kind, run = message["kind"], message.get("run")
        now = self._clock()
        if kind == "finished":
            self._stop("")
        elif kind == "stage":
            stage = str(message.get("stage"))
            self._begin(stage, run if isinstance(run, int) else None)
            if self._turns.begin(self.run if stage == "turn" else None, now):
                self._job.receive({"kind": "begins", "run": self.run}, now)
        else:
            self._job.receive(message, self._turns.seconds(run, now))
        if message.get(ASKS):
            self._send("")

    def _begin(self, stage: str, run: int | None) -> None:
        """Note that a part of the job begins."""
        self.stage, self.run = stage, run
        self._wall_before, self._processor_before = time.monotonic(), self._clock.own()

    def _stop(self, reason: str, *, is_late: bool = False) -> None:
        """End the process, and note the reason, which is empty if its job is finished."""
        self.end = ChildEnd(reason, is_late, self.stage, self.run)
        _kill(self._popen)

    def _look(self) -> None:
        """Stop the process if the current part exceeds a limit."""
        limit = self._limits.seconds(self.stage)
        used = self._clock.own() - self._processor_before
        waited = time.monotonic() - self._wall_before
        if used > limit or waited > self._limits.patience * limit + 1:
            what = f"{used:.1f} s of processor time" if used > limit else f"{waited:.1f} s"
            self._stop(f"it had not ended after {what}, so its process was stopped", is_late=True)
            return
        with suppress(psutil.Error):
            memory = self._process.memory_info().rss
            if memory > self._memory:
                self._stop(f"its process used {memory / 1e9:.1f} GB of memory, so it was stopped")


class ChildMessageError(InfosetError):
    """A message of a child process that is not one."""


def _parsed(line: bytes) -> Message:
    """Return a message, which may have been written by a subject."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict) or not isinstance(message.get("kind"), str):
        raise ChildMessageError("its process sent a message that cannot be read")
    return message


class _TurnTimes:
    """Processor time of the runs of a child, by its messages that a turn begins.

    Parameters
    ----------
    is_alone
        Whether the child has one run only. All time since its first turn then counts for it, so
        that no message can stop its clock.
    """

    def __init__(self, *, is_alone: bool) -> None:
        self._is_alone = is_alone
        self._used: dict[int, float] = {}
        self._turn: int | None = None
        self._began = 0.0

    def begin(self, run: int | None, now: float) -> bool:
        """Note that the turn of a run begins, or of none; return whether it is its first."""
        if self._is_alone and self._used:
            return False  # its only run has begun, and nothing pauses its clock
        if self._turn is not None:
            self._used[self._turn] += now - self._began
        self._turn, self._began = run, now
        is_first = run is not None and run not in self._used
        if run is not None and is_first:
            self._used[run] = 0.0
        return is_first

    def seconds(self, run: object, now: float) -> float:
        """Return the processor time of a run; that of the process before its first turn."""
        if not isinstance(run, int) or run not in self._used:
            return now
        return self._used[run] + (now - self._began if run == self._turn else 0.0)
