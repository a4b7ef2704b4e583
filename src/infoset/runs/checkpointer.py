"""Saving a run to disk while it continues, and resuming a saved run."""

from __future__ import annotations

import json
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from infoset.errors import (
    CheckpointFileError,
    CheckpointMismatchError,
    ParameterError,
    SpentTimeWarning,
    UnsavedWarning,
)
from infoset.forms import Form
from infoset.runs.budget import Budget
from infoset.runs.checkpoint import (
    Checkpoint,
    Checkpointing,
    check_compatibility,
    read_checkpoint,
    write_checkpoint,
)
from infoset.runs.result import TracePoint
from infoset.typing import StateArrays
from infoset.utils.interrupts import interrupts_held

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@runtime_checkable
class Resumable(Protocol):
    """The attributes of an `IterativeSolver` whose runs can be saved and resumed."""

    @property
    def form(self) -> Form:
        """The game: its sequence form, or its public form."""

    @property
    def iteration(self) -> int:
        """Number of iterations done."""

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that, with the game, determine every iteration, by name."""

    def state(self) -> StateArrays:
        """Return the arrays that iterations change, or copies of them, by name."""

    def set_state(self, state: StateArrays) -> None:
        """Set the state from arrays with the names, types and shapes of `state()`."""


def settings_of(spec: DataclassInstance) -> dict[str, Any]:
    """Return the settings of a method spec: its class, and its fields except name and description.

    Examples
    --------
    >>> from infoset.solvers import RTCFRPlus
    >>> settings_of(RTCFRPlus(period=50))["period"]
    50
    """
    fields = asdict(spec)
    numbers = {name: fields[name] for name in fields if name not in ("name", "description")}
    return {"spec": type(spec).__qualname__, **numbers}


def refuse_checkpoint(checkpoint: Checkpointing | None, method: str) -> None:
    """Raise an error if a checkpoint is given; for methods whose state cannot be saved.

    Raises
    ------
    ParameterError
        If `checkpoint` is not None.
    """
    if checkpoint is not None:
        raise ParameterError(
            f"checkpoint={checkpoint.path} is not supported by {method}, whose state cannot be "
            "saved: leave checkpoint out, or choose a method such as cfr+"
        )


def open_checkpointer(
    solver: object, method: str, budget: Budget, to: Checkpointing
) -> RunCheckpointer:
    """Return a checkpointer for a run, after resuming the run if its file exists.

    Parameters
    ----------
    solver : IterativeSolver
        A solver before its first iteration. Its state is set from the file.
    method
        Name of the method in the result.
    budget
        The budget of the run. Its trace and elapsed time continue those in the file.
    to
        The file, and the time between saves.

    Raises
    ------
    ParameterError
        If the state of the method cannot be saved, or if its settings contain a function that no
        name identifies.
    CheckpointFileError
        If the file cannot be read.
    CheckpointMismatchError
        If the file belongs to another run, or if it has more iterations than the budget allows.
    """
    if not isinstance(solver, Resumable):
        refuse_checkpoint(to, method)
        raise AssertionError("refused above")
    checkpointer = RunCheckpointer(solver, method, budget, to)
    json_settings(solver.settings())  # raises before any work is done
    if to.path.exists():
        checkpointer.resume()
    return checkpointer


class Checkpointer(ABC):
    """Saves one run to one file.

    Parameters
    ----------
    to
        The file, and the time between saves.
    """

    def __init__(self, to: Checkpointing) -> None:
        self._to = to
        self._saved_iteration = -1
        self._saved_at = time.monotonic()
        self._cost = 0.0
        self._has_warned = False

    @abstractmethod
    def checkpoint(self) -> Checkpoint:
        """Return the current state of the run as a checkpoint."""

    def read(self, point: type = TracePoint, limit: float | None = None) -> Checkpoint:
        """Return the checkpoint in the file; its measurements become instances of `point`.

        If the sessions so far have taken `limit` seconds or more, a `SpentTimeWarning` is issued.

        Raises
        ------
        CheckpointFileError
            If the file cannot be read.
        CheckpointMismatchError
            If the file belongs to another run.
        """
        saved = read_checkpoint(self._to.path, point)
        check_compatibility(saved, self.checkpoint(), self._to.path)
        self._saved_iteration = saved.iteration
        if limit is not None and saved.seconds >= limit:
            warnings.warn(
                f"{self._to.path} has run for {saved.seconds:.4g} seconds, and seconds={limit} "
                "includes earlier sessions: the run ends immediately; give more seconds to "
                "continue it",
                SpentTimeWarning,
                stacklevel=3,
            )
        return saved

    def without_interrupts(self) -> AbstractContextManager[object]:
        """Delay Ctrl-C until the block ends, so that iterations are complete."""
        return interrupts_held()

    def save_if_due(self) -> None:
        """Save if it is time to, considering how long the last save took.

        At most half of the time is spent on saving; expensive checkpoints are saved less often.
        """
        # From the beginning of a save to that of the next one; `cost` of it goes to the save.
        wait = max(self._to.seconds - self._cost, 2 * self._cost)
        if time.monotonic() - self._saved_at >= wait:
            self.save()

    def save(self) -> None:
        """Save the run, unless this iteration has already been saved.

        If the file cannot be written, for example on a full disk, the run continues: an
        `UnsavedWarning` is issued once, and the next save tries again.
        """
        began = time.monotonic()
        checkpoint = self.checkpoint()
        if checkpoint.iteration == self._saved_iteration:
            return
        self._saved_at = began
        try:
            write_checkpoint(checkpoint, self._to.path)
        except CheckpointFileError as error:
            self._warn_once(error)
            return
        self._saved_iteration = checkpoint.iteration
        self._cost = time.monotonic() - began

    def _warn_once(self, error: CheckpointFileError) -> None:
        if not self._has_warned:
            self._has_warned = True
            warnings.warn(f"{error}; the run continues", UnsavedWarning, stacklevel=3)


class RunCheckpointer(Checkpointer):
    """Saves one run of a solver to one file.

    Parameters
    ----------
    method
        Name of the method in the result.
    budget
        The budget of the run; its elapsed time and trace are saved, too.
    to
        The file, and the time between saves.
    """

    def __init__(self, solver: Resumable, method: str, budget: Budget, to: Checkpointing) -> None:
        super().__init__(to)
        self._solver = solver
        self._method = method
        self._budget = budget

    def resume(self) -> None:
        """Set the solver and the budget from the state, the trace and the time in the file.

        Raises
        ------
        CheckpointFileError, CheckpointMismatchError
            In the cases that `open_checkpointer` lists.
        """
        saved = self.read(limit=self._budget.seconds)
        planned = self._budget.iterations
        if planned is not None and saved.iteration > planned:
            raise CheckpointMismatchError(
                f"{self._to.path} contains a run of {saved.iteration} iterations, more than "
                f"iterations={planned}: give at least iterations={saved.iteration}, or another file"
            )
        self._solver.set_state(saved.state)
        self._budget.trace.extend(saved.trace)
        self._budget.started -= saved.seconds  # earlier sessions count as elapsed

    def checkpoint(self) -> Checkpoint:
        """Return the current state of the run as a checkpoint."""
        form = self._solver.form
        return Checkpoint(
            game=form.name,
            fingerprint=form.fingerprint,
            method=self._method,
            settings=json_settings(self._solver.settings()),
            iteration=self._solver.iteration,
            seconds=self._budget.elapsed,
            trace=tuple(self._budget.trace),
            state=self._solver.state(),
        )


def json_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as JSON values, with functions and classes replaced by their names.

    A function is identified only by its name, so that a checkpoint does not depend on how Python
    represents code. If you change what a function computes, rename the function.

    Raises
    ------
    ParameterError
        If no name identifies a function in another process, as for a lambda, a function that uses
        variables of an enclosing function, or a callable object without an attribute `name`.
    """
    plain: dict[str, Any] = json.loads(json.dumps(settings, default=_identifying_name))
    return plain


def _identifying_name(value: object) -> str:
    """Return the name of a function or class, or the text of any other value."""
    given = getattr(value, "name", None)
    if isinstance(given, str):
        return given
    function = getattr(value, "py_func", value)  # of a function compiled by Numba
    name = getattr(function, "__qualname__", getattr(function, "__name__", None))
    if name is None and not callable(function):
        return str(value)
    if name is None or name.endswith("<lambda>") or getattr(function, "__closure__", None):
        raise ParameterError(
            f"a checkpoint identifies functions by name, but no name identifies {name or value!r}: "
            "define it with def at the top level of a module, or set its attribute name, as in "
            "function.name = 'my schedule'"
        )
    return str(name)
