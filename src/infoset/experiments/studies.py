"""Studies: named experiments that run cells, save reports, and resume in the same folder.

Installed studies are found through their entry points, also those of other packages.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeAlias

from infoset.errors import UnknownNameError, UnsavedWarning
from infoset.experiments.cells import Cell, CellFolder, CellResult, run_cells_on
from infoset.experiments.reports import Report, save_report
from infoset.runs import WorkerPool, check_workers, worker_pool
from infoset.utils.arguments import check_type
from infoset.utils.registry import Registry

ENTRY_POINT_GROUP = "infoset.studies"
"""The entry-point group in which packages register their studies."""
NO_STUDIES = (
    "no studies are installed; in a clone of the repository, `pip install . ./studies` installs "
    "the studies of the papers"
)

RunCells: TypeAlias = Callable[[Sequence[Cell]], list[CellResult]]
"""Returns the results of cells in order. The cells of a later call may use earlier results."""

CellCallback: TypeAlias = Callable[[str, int, int], object]
"""Called with an experiment, its number of finished cells, and its number of requested cells."""


@dataclass(frozen=True)
class Experiment:
    """An experiment of a study."""

    name: str
    title: str
    report: Callable[[RunCells, Any], Report]
    """Builds the cells of a setting, runs them with the given `RunCells`, and returns the report.
    """
    quick: Any
    full: Any
    """Settings, whose type the experiment defines; the same object if there is only one setting."""
    quick_time: str
    full_time: str
    """Duration of the settings on two cores."""


@dataclass(frozen=True)
class Study:
    """The experiments of a paper or of several related papers."""

    name: str
    title: str
    experiments: tuple[Experiment, ...]
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Names of experiments by alternative names, such as former names and table numbers."""

    def choose(self, names: Sequence[str]) -> tuple[Experiment, ...]:
        """Return the named experiments in the order of the study; all if `names` is empty."""
        known = {experiment.name: experiment for experiment in self.experiments}
        wanted = {self.aliases.get(name.lower(), name.lower()) for name in names}
        for name in wanted:
            if name not in known:
                raise UnknownNameError.of(f"experiment of {self.name}", name, known)
        return tuple(known[name] for name in known if name in wanted or not wanted)


@dataclass(frozen=True)
class Finished:
    """A finished experiment."""

    experiment: Experiment
    report: Report
    files: tuple[str, ...]
    """Names of the files written to the folder of the study."""


def run_study(
    study: Study,
    folder: Path,
    experiments: Sequence[str] = (),
    *,
    is_quick: bool = False,
    workers: int | None = None,
    executor: Executor | None = None,
    callback: CellCallback | None = None,
    started_callback: Callable[[Experiment], object] | None = None,
    finished_callback: Callable[[Finished], object] | None = None,
) -> list[Finished]:
    """Run or resume experiments of a study in a folder.

    Parameters
    ----------
    folder
        Folder from which finished cells are read, and to which new cells and reports are written.
    experiments
        Names of experiments; all if empty.
    is_quick
        Whether the quick settings are run.
    workers, executor
        As in `run_cells`.
    callback : callable, optional
        Called after each finished cell.
    started_callback : callable, optional
        Called with each experiment before it runs.
    finished_callback : callable, optional
        Called with each finished experiment.

    Raises
    ------
    UnknownNameError
        If the study has no experiment with one of the names.
    CheckpointMismatchError
        If the folder belongs to another study.
    LostWorkersError, WorkerVersionError, ParameterError
        As raised by `run_cells`.

    Warns
    -----
    DifferingMachinesWarning
        If cells ran on machines with different processors, or versions of Python, Numba or NumPy.
    """
    chosen = study.choose(experiments)
    check_workers(workers, executor)
    cells = CellFolder(folder, study.name)
    finished = []
    try:
        with worker_pool(workers or os.cpu_count() or 1, executor) as pool:
            for experiment in chosen:
                if started_callback is not None:
                    started_callback(experiment)
                run = _counted(experiment.name, cells, pool, callback)
                report = experiment.report(run, experiment.quick if is_quick else experiment.full)
                title = experiment.title
                if experiment.quick is not experiment.full:
                    title += f" ({'quick' if is_quick else 'full'} setting)"
                files = _saved(report, folder, experiment.name, title)
                finished.append(Finished(experiment, report, tuple(files)))
                if finished_callback is not None:
                    finished_callback(finished[-1])
    except BaseException:
        cells.discard_if_empty()
        raise
    cells.warn_of_machines()
    return finished


def _saved(report: Report, folder: Path, name: str, title: str) -> list[str]:
    """Write a report, and return the names of its files; none if they cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return save_report(report, folder, name, title)
    except OSError as error:
        warnings.warn(
            f"cannot write the report of {name}: {error.filename}: {error.strerror or error}",
            UnsavedWarning,
            stacklevel=3,
        )
        return []


def _counted(
    name: str, folder: CellFolder, pool: WorkerPool, callback: CellCallback | None
) -> RunCells:
    """Return a function that runs cells of an experiment, and reports their number."""
    finished: list[Cell] = []
    requested = 0

    def count(cell: Cell) -> None:
        finished.append(cell)
        if callback is not None:
            callback(name, len(finished), requested)

    def run(cells: Sequence[Cell]) -> list[CellResult]:
        nonlocal requested
        requested += len({folder.file_of(cell) for cell in cells})
        return run_cells_on(pool, cells, folder, count)

    return run


@cache
def installed_studies() -> Registry[Study]:
    """Return the installed studies by name, including those of other packages.

    A package registers a study by an entry point in the group `infoset.studies` whose value is a
    `Study`. The studies of the papers are the package `infoset-studies` in `studies/`.
    """
    studies = []
    for entry in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda entry: entry.name):
        study = entry.load()
        check_type(f"the entry point {entry.value} of {entry.name}", study, Study, "a Study")
        studies.append(study)
    return Registry("study", studies, entry_type=Study)


def get_study(name: str) -> Study:
    """Return an installed study by its name, which is case-insensitive.

    Raises
    ------
    UnknownNameError
        If no installed study has that name.
    """
    studies = installed_studies()
    if not studies:
        raise UnknownNameError(NO_STUDIES)
    return studies.resolve(name)
