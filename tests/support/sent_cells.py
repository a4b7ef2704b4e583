"""Cells that are sent to workers: ones that draw numbers, fail, or kill the process they run in."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from infoset.experiments import CellInterrupted


@dataclass(frozen=True)
class DrawnCell:
    """Draws numbers from its seed, and takes a while, which does not change the result."""

    seed: int
    seconds: float = 0.0

    @property
    def name(self):
        return "drawn"

    def settings(self):
        return {name: value for name, value in asdict(self).items() if name != "seconds"}

    def run(self, interrupt):
        ends = time.monotonic() + self.seconds
        while time.monotonic() < ends:
            if interrupt.is_set():
                raise CellInterrupted
            time.sleep(0.01)
        return {"numbers": np.random.default_rng(self.seed).normal(size=3), "none": None}


@dataclass(frozen=True)
class FailingCell(DrawnCell):
    """Fails, and counts in a file how often it ran."""

    file: str = ""

    def run(self, interrupt):
        with Path(self.file).open("a") as runs:
            runs.write("x")
        raise ValueError(f"no luck with {self.seed}")


@dataclass(frozen=True)
class ExitingCell(DrawnCell):
    """Tries to end the process it runs in."""

    def run(self, interrupt):
        raise SystemExit(4)


@dataclass(frozen=True)
class DeadlyCell(DrawnCell):
    """Kills its process until a file says that it has done so `deaths` times."""

    file: str = ""
    deaths: int = 1

    def run(self, interrupt):
        path = Path(self.file)
        if (path.stat().st_size if path.exists() else 0) < self.deaths:
            with path.open("a") as runs:
                runs.write("x")
            os.kill(os.getpid(), signal.SIGKILL)
        return super().run(interrupt)


@dataclass(frozen=True)
class UnsendableResultCell(DrawnCell):
    """Returns something that cannot be pickled."""

    def run(self, interrupt):
        return {"function": lambda: None}


def contents(folder):
    """Return the names of the files of cells, and what they say without times and machines."""
    import json

    from infoset.experiments.json_values import json_text

    found = {}
    for path in sorted((folder.path / "cells").iterdir()):
        saved = json.loads(path.read_text())
        assert {"seconds", "machine"} < saved.keys()
        found[path.name] = json_text({k: saved[k] for k in ("settings", "version", "result")})
    return found
