"""Studies: experiments that are declared, run cell by cell, and can be gone on with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from infoset.errors import UnknownNameError
from infoset.experiments.cells import Cell, CellFolder, CellResult, run_cells
from infoset.experiments.reports import Report, save_report

__all__ = ["CellCallback", "Experiment", "Finished", "RunCells", "Study", "run_study"]

RunCells: TypeAlias = Callable[[Sequence[Cell]], list[CellResult]]
"""Gives the results of cells in order; several calls one after another may build on each other."""

CellCallback: TypeAlias = Callable[[str, int, int], object]
"""Called with an experiment, how many of its cells are there, and how many it asked for so far."""


@dataclass(frozen=True)
class Experiment:
    """An experiment of a study.

    Attributes
    ----------
    name, title : str
    report : callable
        Declares cells by a setting, has them run, and makes the report of their results.
    quick, full : Any
        Settings, of a kind that is the experiment's own.
    quick_time, full_time : str
        What they take, on two cores.
    """

    name: str
    title: str
    report: Callable[[RunCells, Any], Report]
    quick: Any
    full: Any
    quick_time: str
    full_time: str


@dataclass(frozen=True)
class Study:
    """The experiments of a paper or a line of them.

    Attributes
    ----------
    name, title : str
    experiments : tuple[Experiment, ...]
    """

    name: str
    title: str
    experiments: tuple[Experiment, ...]

    def choose(self, names: Sequence[str]) -> tuple[Experiment, ...]:
        """Return some experiments by name, in the order of the study; all, if none is named.

        Raises
        ------
        UnknownNameError
            If there is none of a name.
        """
        known = {experiment.name: experiment for experiment in self.experiments}
        for name in names:
            if name.lower() not in known:
                raise UnknownNameError.of(f"experiment of {self.name}", name, known)
        wanted = {name.lower() for name in names} or known.keys()
        return tuple(experiment for name, experiment in known.items() if name in wanted)


@dataclass(frozen=True)
class Finished:
    """An experiment that is done.

    Attributes
    ----------
    experiment : Experiment
    report : Report
    files : tuple[str, ...]
        What was written, in the folder of the study.
    """

    experiment: Experiment
    report: Report
    files: tuple[str, ...]


def run_study(
    study: Study,
    folder: Path,
    experiments: Sequence[str] = (),
    *,
    is_quick: bool = False,
    workers: int | None = None,
    callback: CellCallback | None = None,
    finished_callback: Callable[[Finished], object] | None = None,
) -> list[Finished]:
    """Run experiments of a study, or go on with them, in a folder.

    Parameters
    ----------
    study : Study
    folder : Path
        Where cells that are done are found, and new ones kept; reports are written there.
    experiments : Sequence[str]
        Names; all, if there is none.
    is_quick : bool
        Whether their quick settings are run.
    workers : int, optional
        As in `run_cells`.
    callback : callable, optional
        Called from several threads, with each cell that is there.
    finished_callback : callable, optional
        Called with each experiment that is done.

    Raises
    ------
    UnknownNameError
        If there is no experiment of a name.
    CheckpointMismatchError
        If the folder is of another study.
    """
    chosen = study.choose(experiments)
    kept = CellFolder(folder, study.name)
    done = []
    for experiment in chosen:
        run = _counted(experiment.name, kept, workers, callback)
        report = experiment.report(run, experiment.quick if is_quick else experiment.full)
        title = f"{experiment.title} ({'quick' if is_quick else 'full'} setting)"
        files = save_report(report, folder, experiment.name, title)
        done.append(Finished(experiment, report, tuple(files)))
        if finished_callback is not None:
            finished_callback(done[-1])
    return done


def _counted(
    name: str, folder: CellFolder, workers: int | None, callback: CellCallback | None
) -> RunCells:
    """Return what runs cells of an experiment, and counts them."""
    there: list[Cell] = []
    asked = 0

    def note(cell: Cell) -> None:
        there.append(cell)
        if callback is not None:
            callback(name, len(there), asked)

    def run(cells: Sequence[Cell]) -> list[CellResult]:
        nonlocal asked
        asked += len({folder.file_of(cell) for cell in cells})
        return run_cells(cells, folder, workers=workers, on_done=note)

    return run
