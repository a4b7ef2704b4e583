"""Keeping runs of learners on disk while they go on, and going on with what was kept."""

from __future__ import annotations

import hashlib

from infoset.errors import CheckpointMismatchError
from infoset.runs import Checkpoint, Checkpointer, Checkpointing, NullCheckpointer, json_settings
from infoset.teams.hiding import RelaxedForm
from infoset.teams.solving.learning_runs import LearningRuns
from infoset.teams.solving.result import TeamPoint

__all__ = ["TeamCheckpointer", "keep_runs"]


class TeamCheckpointer(Checkpointer):
    """Keeps the runs of a learner in one file.

    Parameters
    ----------
    runs : LearningRuns
    method : str
        What the result calls it.
    to : Checkpointing
        Where, and how often.
    """

    def __init__(self, runs: LearningRuns, method: str, to: Checkpointing) -> None:
        super().__init__(to)
        self._runs = runs
        self._method = method

    def resume(self) -> None:
        """Give the state, the trace and the time of the file to the runs and their task.

        Raises
        ------
        CheckpointFileError
            If the file cannot be read.
        CheckpointMismatchError
            If it belongs to other runs, or to more than are asked for.
        """
        kept, task = self.read(TeamPoint), self._runs.task
        begun, asked = int(kept.state["run"]) + 1, task.options.restarts or 1
        if begun > asked:
            raise CheckpointMismatchError(
                f"{self._to.path} is in run {begun}, past the {asked} asked for; ask for at least "
                f"{begun} restarts, or give another file"
            )
        self._runs.set_state(kept.state)
        task.trace.extend(kept.trace)
        task.started -= kept.seconds

    def checkpoint(self) -> Checkpoint:
        """Return the runs as they are now."""
        task = self._runs.task
        return Checkpoint(
            game=task.form.name,
            fingerprint=fingerprint_of(task.relaxed_form),
            method=self._method,
            settings=json_settings(self._runs.settings()),
            iteration=self._runs.iteration,
            seconds=task.elapsed,
            trace=tuple(task.trace),
            state=self._runs.state(),
        )


def keep_runs(runs: LearningRuns, method: str) -> TeamCheckpointer | NullCheckpointer:
    """Go on with the runs in the file that the task names, if it is there, and keep them there.

    Raises
    ------
    CheckpointFileError, CheckpointMismatchError
        As `TeamCheckpointer.resume`.
    """
    to = runs.task.options.checkpoint
    if to is None:
        return NullCheckpointer()
    keeper = TeamCheckpointer(runs, method, to)
    if to.path.exists():
        keeper.resume()
    return keeper


def fingerprint_of(relaxed_form: RelaxedForm) -> str:
    """Return what tells a game, its teams, what they know and what they are lent from others."""
    form, found = relaxed_form.form, hashlib.sha256(repr(relaxed_form.teams).encode())
    cells = relaxed_form.original.cell, relaxed_form.relaxed.cell
    for array in (*form.arrays, *cells, relaxed_form.payoff):
        found.update(array.tobytes())
    return found.hexdigest()
