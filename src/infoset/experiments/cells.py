"""Cells of a study: each cell runs once and is saved in its own file."""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Any, Protocol, TypeAlias

from infoset._version import __version__
from infoset.errors import CheckpointFileError, CheckpointMismatchError, UnsavedWarning
from infoset.experiments.json_values import json_text
from infoset.utils.arguments import check_count, check_path
from infoset.utils.checksums import has_checksum, with_checksum
from infoset.utils.files import write_text
from infoset.utils.interrupts import interrupts_held

__all__ = ["Cell", "CellFolder", "CellInterrupted", "CellResult", "run_cells"]

CellResult: TypeAlias = Mapping[str, Any]
"""The result of a cell: JSON values by name."""

OnDone: TypeAlias = Callable[["Cell"], object]

ABOUT = "study.json"
CELLS = "cells"


class CellInterrupted(Exception):
    """A cell was interrupted before it finished."""


class Cell(Protocol):
    """A run that is small enough to repeat if it is interrupted."""

    @property
    def name(self) -> str:
        """File name prefix: letters, digits, `-` and `_`."""

    def settings(self) -> Mapping[str, Any]:
        """Return the JSON values that determine the result, bit for bit.

        The file name of a cell contains a digest of these values in their order. To keep earlier
        results readable, do not rename or reorder them.
        """

    def run(self, interrupt: Event) -> CellResult:
        """Return the result; raise `CellInterrupted` soon after `interrupt` is set."""


class CellFolder:
    """The folder of a study, in which the results of cells are saved.

    Parameters
    ----------
    path : str or Path
        Created if it does not exist.
    study : str
        The name of the study; a folder belongs to one study.

    Raises
    ------
    CheckpointMismatchError
        If the folder belongs to another study, or contains other files.
    CheckpointFileError
        If the folder cannot be created or read.
    """

    def __init__(self, path: str | Path, study: str) -> None:
        check_path("folder", path)
        self.path = path = Path(path)
        self.study = study
        try:
            if not self._is_started():
                path.mkdir(parents=True, exist_ok=True)
                about = with_checksum({"study": study, "version": __version__})
                write_text(path / ABOUT, json_text(about) + "\n")
            (path / CELLS).mkdir(exist_ok=True)
        except OSError as error:
            raise CheckpointFileError(
                f"cannot use {path} as the folder of a study ({error.strerror}); choose "
                "another folder"
            ) from error

    def _is_started(self) -> bool:
        """Return whether the study was started here; raise if the folder has other contents."""
        about = self.path / ABOUT
        if about.is_file():
            found = _read_json(about).get("study")
            if found != self.study:
                raise CheckpointMismatchError(
                    f"{self.path} is the folder of the study {found!r}, not of {self.study!r}: "
                    "choose another folder"
                )
            return True
        if self.path.exists() and any(path.name[0] != "." for path in self.path.iterdir()):
            raise CheckpointMismatchError(
                f"{self.path} contains files that are not part of a study: choose an empty or a "
                "new folder"
            )
        return False

    def file_of(self, cell: Cell) -> Path:
        """Return the path of the result of a cell.

        The file name contains a digest of the settings and of the version of the library, so that
        results of other versions are neither used nor overwritten.
        """
        digest = sha256(json_text(_identity(cell)).encode()).hexdigest()[:10]
        return self.path / CELLS / f"{cell.name}-{digest}.json"

    def read(self, cell: Cell) -> CellResult | None:
        """Return the saved result of a cell; None if no result is saved.

        Raises
        ------
        CheckpointFileError
            If the file is damaged.
        CheckpointMismatchError
            If the file contains other settings.
        """
        path = self.file_of(cell)
        if not path.exists():
            return None
        saved = _read_json(path)
        identity = json.loads(json_text(_identity(cell)))
        if any(saved.get(name) != value for name, value in identity.items()):
            raise CheckpointMismatchError(
                f"the settings in {path} do not match its name: delete the file to run the "
                "cell again"
            )
        result: CellResult = saved["result"]
        return result

    def write(self, cell: Cell, result: CellResult, seconds: float) -> CellResult:
        """Save the result of a cell atomically, and return what `read` will return.

        If the file cannot be written, for example on a full disk, an `UnsavedWarning` is issued,
        and the result is returned nevertheless.
        """
        saved = {**_identity(cell), "result": result, "seconds": round(seconds, 3)}
        content = json.loads(json_text(saved))
        path = self.file_of(cell)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)  # someone may have deleted it meanwhile
            write_text(path, json_text(with_checksum(content)) + "\n")
        except OSError as error:
            warnings.warn(
                f"cannot write {path} ({error.strerror or error}); the study goes on, but this "
                "cell will run again the next time",
                UnsavedWarning,
                stacklevel=2,
            )
        read: CellResult = content["result"]
        return read


def _identity(cell: Cell) -> Mapping[str, Any]:
    """Return everything that determines the result of a cell."""
    return {"settings": cell.settings(), "version": __version__}


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CheckpointFileError(
            f"{path} cannot be read ({error.strerror or error}): delete it to run the cell again"
        ) from error
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not has_checksum(found):
        raise CheckpointFileError(f"{path} is damaged: delete it to run the cell again")
    return found


def run_cells(
    cells: Sequence[Cell],
    folder: CellFolder,
    *,
    workers: int | None = None,
    on_done: OnDone | None = None,
) -> list[CellResult]:
    """Return the results of cells in order; saved results are read, missing ones run and saved.

    Results do not depend on the number of workers. Ctrl-C or an error in a cell interrupts the
    running cells; the results of finished cells remain saved.

    Parameters
    ----------
    cells : Sequence[Cell]
        A repeated cell is run once.
    folder : CellFolder
    workers : int, optional
        Number of threads; by default the number of cores.
    on_done : callable, optional
        Called with each finished cell, from several threads.
    """
    if workers is not None:
        check_count("workers", workers, minimum=1)
    interrupt = Event()

    def one(cell: Cell) -> CellResult:
        result = folder.read(cell)
        if result is None:
            if interrupt.is_set():
                raise CellInterrupted
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
    """Raise the error of the cell that failed, not those of cells that were then interrupted."""
    for future in futures:
        error = future.exception()
        if error is not None and not isinstance(error, CellInterrupted):
            raise error
