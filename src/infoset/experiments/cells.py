"""Runs of many cells: each is done once, and kept in a file of its own."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Any, Protocol, TypeAlias

from infoset._version import __version__
from infoset.errors import CheckpointFileError, CheckpointMismatchError
from infoset.experiments.json_values import json_text
from infoset.utils.arguments import check_count
from infoset.utils.files import write_text
from infoset.utils.interrupts import interrupts_held

__all__ = ["BrokenOff", "Cell", "CellFolder", "CellResult", "run_cells"]

CellResult: TypeAlias = Mapping[str, Any]
"""JSON values by name."""

OnDone: TypeAlias = Callable[["Cell"], object]

ABOUT = "study.json"
CELLS = "cells"


class BrokenOff(Exception):
    """Raised by a cell that was asked to end before it was done."""


class Cell(Protocol):
    """A run small enough to be done again if it is broken off."""

    @property
    def name(self) -> str:
        """What its file begins with: letters, digits, `-` and `_`."""

    def settings(self) -> Mapping[str, Any]:
        """Return the JSON values that decide its result, to the bit."""

    def run(self, interrupt: Event) -> CellResult:
        """Return its result; raise `BrokenOff` soon after the event is set."""


class CellFolder:
    """The folder of a study, where results of cells are kept.

    Parameters
    ----------
    path : Path
        Made if it is not there.
    study : str
        The name of the study, which a folder has one of.

    Raises
    ------
    CheckpointMismatchError
        If the folder is there, and is of another study or of none.
    CheckpointFileError
        If it cannot be made or read.
    """

    def __init__(self, path: Path, study: str) -> None:
        self.path = path
        self.study = study
        try:
            if not self._is_ours():
                path.mkdir(parents=True, exist_ok=True)
                about = {"study": study, "version": __version__}
                write_text(path / ABOUT, json_text(about) + "\n")
            (path / CELLS).mkdir(exist_ok=True)
        except OSError as error:
            raise CheckpointFileError(
                f"cannot use {path} as the folder of a study ({error.strerror}); choose another"
            ) from error

    def _is_ours(self) -> bool:
        """Return whether the study has begun here, and refuse what is something else."""
        about = self.path / ABOUT
        if about.is_file():
            found = _read_json(about).get("study")
            if found != self.study:
                raise CheckpointMismatchError(
                    f"{self.path} is the folder of the study {found!r}, and not of {self.study!r}: "
                    "choose another"
                )
            return True
        if self.path.exists() and any(path.name[0] != "." for path in self.path.iterdir()):
            raise CheckpointMismatchError(
                f"{self.path} has files in it, and not those of a study: choose another folder, "
                "or a new one"
            )
        return False

    def file_of(self, cell: Cell) -> Path:
        """Return where the result of a cell is kept.

        By its name, and a digest of its settings and of the version of the library: what another
        version has found is left alone, and not taken for what this one finds.
        """
        digest = sha256(json_text(_identity(cell)).encode()).hexdigest()[:10]
        return self.path / CELLS / f"{cell.name}-{digest}.json"

    def read(self, cell: Cell) -> CellResult | None:
        """Return the result of a cell; None if it is not there.

        Raises
        ------
        CheckpointFileError
            If its file is damaged.
        CheckpointMismatchError
            If it is of other settings.
        """
        path = self.file_of(cell)
        if not path.exists():
            return None
        kept = _read_json(path)
        identity = json.loads(json_text(_identity(cell)))
        if any(kept.get(name) != value for name, value in identity.items()):
            raise CheckpointMismatchError(
                f"{path} has other settings in it than its name says: delete it, to run it again"
            )
        result: CellResult = kept["result"]
        return result

    def write(self, cell: Cell, result: CellResult, seconds: float) -> CellResult:
        """Keep the result of a cell, whole or not at all; return it as it will be read."""
        text = json_text({**_identity(cell), "result": result, "seconds": round(seconds, 3)})
        write_text(self.file_of(cell), text + "\n")
        read: CellResult = json.loads(text)["result"]
        return read


def _identity(cell: Cell) -> Mapping[str, Any]:
    """Return all that decides the result of a cell."""
    return {"settings": cell.settings(), "version": __version__}


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        found = error
    if not isinstance(found, dict):
        raise CheckpointFileError(f"{path} is damaged: delete it, to run it again")
    return found


def run_cells(
    cells: Sequence[Cell],
    folder: CellFolder,
    *,
    workers: int | None = None,
    on_done: OnDone | None = None,
) -> list[CellResult]:
    """Return the results of cells, in order: those kept are read, the others run and kept.

    Results do not depend on the number of workers. Ctrl-C, or an error in a cell, breaks off the
    cells at work; those that are done are kept.

    Parameters
    ----------
    cells : Sequence[Cell]
        A cell may be there several times, and is run once.
    folder : CellFolder
    workers : int, optional
        How many are run at a time, in threads; by default as many as there are cores.
    on_done : callable, optional
        Called with each cell that is there, from several threads.
    """
    if workers is not None:
        check_count("workers", workers, minimum=1)
    interrupt = Event()

    def one(cell: Cell) -> CellResult:
        result = folder.read(cell)
        if result is None:
            if interrupt.is_set():
                raise BrokenOff
            began = time.monotonic()
            result = folder.write(cell, cell.run(interrupt), time.monotonic() - began)
        if on_done is not None:
            on_done(cell)
        return result

    files = {folder.file_of(cell): cell for cell in cells}
    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        futures: dict[Path, Future[CellResult]] = {}
        try:
            with interrupts_held():
                futures.update({path: pool.submit(one, cell) for path, cell in files.items()})
            wait(futures.values(), return_when=FIRST_EXCEPTION)
        finally:
            interrupt.set()
    _raise_first(futures.values())
    return [futures[folder.file_of(cell)].result() for cell in cells]


def _raise_first(futures: Iterable[Future[CellResult]]) -> None:
    """Raise what went wrong, and not that others were broken off because of it."""
    for future in futures:
        error = future.exception()
        if error is not None and not isinstance(error, BrokenOff):
            raise error
