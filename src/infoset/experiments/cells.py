"""Cells of a study: each cell runs once and is saved in its own file."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import asdict
from hashlib import sha256
from math import isinf
from pathlib import Path
from typing import Any, Protocol, TypeAlias, get_type_hints

from infoset._version import __version__
from infoset.errors import (
    CheckpointFileError,
    CheckpointMismatchError,
    DifferingMachinesWarning,
    LostWorkersError,
    ParameterError,
    UnsavedWarning,
    show,
)
from infoset.experiments.json_values import exact_json_value, json_text
from infoset.runs import (
    Done,
    Interrupt,
    Machine,
    WorkerPool,
    check_workers,
    differing_machines,
    run_tasks,
    this_machine,
    worker_pool,
)
from infoset.utils.arguments import check_path
from infoset.utils.checksums import has_checksum, with_checksum
from infoset.utils.files import write_text
from infoset.utils.json_fields import read_json, typed_fields

CellResult: TypeAlias = Mapping[str, Any]
"""The result of a cell: JSON values by name."""

OnDone: TypeAlias = Callable[["Cell"], object]

ABOUT = "study.json"
CELLS = "cells"

NAME = re.compile(r"[\w+-][\w.+-]*")
MAX_NAME = 200
"""Maximum number of bytes of a name: a file system allows 255, and a digest is added."""

FIELDS = {"settings": dict, "version": str, "result": dict, "times": dict, "machine": dict}
"""The types of the fields of a file that are read."""

TIMES = ("seconds",)
"""Names of times in results, which are saved with the values but differ from run to run."""


class CellInterrupted(Exception):
    """A cell was interrupted before it finished."""


class Cell(Protocol):
    """A run that is small enough to repeat if it is interrupted.

    A cell is sent to workers, so that it must be possible to pickle it, and its class must be in a
    module that they can import. What is large, such as a game's tree, is made where the cell runs.
    """

    @property
    def name(self) -> str:
        """File name prefix: letters, digits, `-` and `_`."""

    def settings(self) -> Mapping[str, Any]:
        """Return the JSON values that determine the result, bit for bit.

        The file name of a cell contains a digest of these values in their order. To keep earlier
        results readable, do not rename or reorder them.
        """

    def run(self, interrupt: Interrupt) -> CellResult:
        """Return the result; raise `CellInterrupted` soon after `interrupt` is set."""


class CellFolder:
    """The folder of a study, in which the results of cells are saved.

    Parameters
    ----------
    path
        Created if it does not exist.
    study
        The name of the study; a folder belongs to one study.

    Attributes
    ----------
    machines : dict[Path, Machine]
        Where the cells that were read or written ran, by their files.

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
        self.machines: dict[Path, Machine] = {}
        try:
            self._is_new = not self._is_started()
            if self._is_new:
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
            found = _read_json(about, {"study": str})["study"]
            if found != self.study:
                raise CheckpointMismatchError(
                    f"{self.path} is the folder of the study {found!r}, and these parameters are "
                    f"those of {self.study!r}: choose another folder"
                )
            return True
        if (self.path / CELLS).is_dir():
            return False  # someone has deleted a damaged file; cells are checked one by one
        if self.path.exists() and any(path.name[0] != "." for path in self.path.iterdir()):
            raise CheckpointMismatchError(
                f"{self.path} contains files that are not part of a study: choose an empty or a "
                "new folder"
            )
        return False

    def discard_if_empty(self) -> None:
        """Remove what this object has created, if no results were saved."""
        if self._is_new:
            with suppress(OSError):
                (self.path / CELLS).rmdir()  # fails if it has results
                (self.path / ABOUT).unlink()
                self.path.rmdir()

    def file_of(self, cell: Cell) -> Path:
        """Return the path of the result of a cell.

        The file name contains a digest of the settings and of the version of the library, so that
        results of other versions are neither used nor overwritten.

        Raises
        ------
        ParameterError
            If the name of the cell is not part of a file name, or JSON cannot store its settings.
        """
        if not NAME.fullmatch(cell.name) or len(cell.name.encode()) > MAX_NAME:
            raise ParameterError(
                f"{show(cell.name)} cannot begin the name of a file: a cell's name has letters, "
                f"digits, '-' and '_', and at most {MAX_NAME} bytes; run_slug(game, method) makes "
                "one"
            )
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
        saved = _read_json(path, FIELDS)
        self.machines[path] = saved["machine"]
        # As the file has them: tuples of the settings are lists there.
        identity = _identity(cell)
        if any(saved[name] != value for name, value in identity.items()):
            raise CheckpointMismatchError(
                f"the settings in {path} do not match its name: delete the file to run the "
                "cell again"
            )
        return {**saved["result"], **saved["times"]}

    def write(
        self, cell: Cell, result: CellResult, seconds: float, machine: Machine | None = None
    ) -> CellResult:
        """Save the result of a cell atomically, and return what `read` will return.

        Times that the cell measured, its seconds and the machine, by default this one, are saved
        with the values: only they differ between runs.

        If the file cannot be written, for example on a full disk, an `UnsavedWarning` is issued,
        and the result is returned nevertheless.

        Raises
        ------
        ParameterError
            If the result would be read back as another one, such as NaN or an object.
        """
        path = self.file_of(cell)
        self.machines[path] = machine = machine or this_machine()
        place = f"the result of the cell {cell.name}"
        if not isinstance(result, Mapping):
            raise ParameterError(f"{place} is {show(result)}; return values by name: a dictionary")
        result = exact_json_value(result, place)
        times = {name: result[name] for name in result if name in TIMES}
        values = {name: result[name] for name in result if name not in TIMES}
        run = {"times": times, "seconds": round(seconds, 3), "machine": asdict(machine)}
        content = {**_identity(cell), "result": values, **run}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)  # someone may have deleted it meanwhile
            write_text(path, json_text(with_checksum(content)) + "\n")
        except OSError as error:
            warnings.warn(
                f"cannot write {path} ({error.strerror or error}); the study continues, but this "
                "cell will run again the next time",
                UnsavedWarning,
                stacklevel=2,
            )
        return {**values, **times}

    def warn_of_machines(self) -> None:
        """Warn if cells ran on machines whose results may differ in their last bits."""
        lines = differing_machines(self.machines.values())
        if lines:
            warnings.warn(
                f"the cells ran on different machines ({'; '.join(lines)}), whose results may "
                "differ in their last bits; the file of each cell names its machine",
                DifferingMachinesWarning,
                stacklevel=3,
            )


def _identity(cell: Cell) -> dict[str, Any]:
    """Return everything that determines the result of a cell, as JSON values."""
    place = f"the settings of the cell {cell.name}"
    settings = exact_json_value(_with_named_infinities(cell.settings()), place)
    return {"settings": settings, "version": __version__}


def _with_named_infinities(value: Any) -> Any:
    """Return settings in which infinity, which JSON lacks, is text: a limit may be infinite."""
    if isinstance(value, float) and isinf(value):
        return str(value)
    if isinstance(value, Mapping):
        return {name: _with_named_infinities(part) for name, part in value.items()}
    return [*map(_with_named_infinities, value)] if isinstance(value, list | tuple) else value


def _read_json(path: Path, hints: Mapping[str, Any]) -> dict[str, Any]:
    """Return the typed fields of a file with a checksum."""
    try:
        found = read_json(path)
        if not isinstance(found, dict) or not has_checksum(found):
            raise ValueError("its content does not match its checksum")
        fields = typed_fields(found, hints)
        if "machine" in fields:
            machine = typed_fields(fields["machine"], get_type_hints(Machine))
            fields["machine"] = Machine(**machine)
        return fields
    except OSError as error:
        raise CheckpointFileError(
            f"{path} cannot be read ({error.strerror or error}): delete this file, and run "
            "the same command again"
        ) from error
    except ValueError as error:
        raise CheckpointFileError(
            f"{path} is damaged ({error}): delete this file, and run the same command again"
        ) from error


def run_cells(
    cells: Sequence[Cell],
    folder: CellFolder,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    on_done: OnDone | None = None,
) -> list[CellResult]:
    """Return the results of cells in order; saved results are read, missing ones run and saved.

    Results do not depend on where the cells run. This process alone writes files. Ctrl-C or an
    error in a cell interrupts the running cells; the results of finished cells remain saved. A
    cell whose worker is lost runs again, at most three times.

    Parameters
    ----------
    cells
        A repeated cell is run once.
    workers
        Number of threads; by default the number of cores.
    executor
        Where to run instead: any `concurrent.futures.Executor`. Cannot be combined with `workers`.
    on_done : callable, optional
        Called with each finished cell.

    Raises
    ------
    Exception
        That of the first cell that failed.
    LostWorkersError
        If the executor cannot be used any more; the message says how many cells are saved.
    WorkerVersionError
        If a worker has another version of the library.
    ParameterError
        If an argument is invalid, or a cell cannot be sent to other processes.
    """
    check_workers(workers, executor)
    with worker_pool(workers or os.cpu_count() or 1, executor) as pool:
        return run_cells_on(pool, cells, folder, on_done)


def run_cells_on(
    pool: WorkerPool, cells: Sequence[Cell], folder: CellFolder, on_done: OnDone | None = None
) -> list[CellResult]:
    """Return the results of `run_cells` on a pool that remains open."""
    # Equal settings have one file, so a repeated cell runs once.
    files = {folder.file_of(cell): cell for cell in cells}
    found: dict[Path, CellResult] = {}
    for path, cell in files.items():
        result = folder.read(cell)
        if result is not None:
            found[path] = result
            if on_done is not None:
                on_done(cell)
    missing = [cell for path, cell in files.items() if path not in found]

    def save(done: Done) -> None:
        cell = missing[done.position]
        path = folder.file_of(cell)
        found[path] = folder.write(cell, done.result, done.seconds, done.machine)
        if on_done is not None:
            on_done(cell)

    try:
        run_tasks(_run_cell, missing, pool, save)
    except LostWorkersError as error:
        raise LostWorkersError(
            f"{error}; {len(found)} of {len(files)} cells are saved in {folder.path}: the same "
            "command resumes there"
        ) from error
    return [found[folder.file_of(cell)] for cell in cells]


def _run_cell(cell: Cell, interrupt: Interrupt) -> CellResult:
    if interrupt.is_set():
        raise CellInterrupted
    return cell.run(interrupt)
