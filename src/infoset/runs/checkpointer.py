"""Saving a run to disk while it continues, and resuming a saved run."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from infoset.errors import CheckpointMismatchError, ParameterError
from infoset.runs.budget import Budget
from infoset.runs.checkpoint import (
    Checkpoint,
    Checkpointing,
    read_checkpoint,
    write_checkpoint,
)
from infoset.runs.compatibility import check_compatibility
from infoset.runs.result import TracePoint
from infoset.tree import SequenceForm
from infoset.typing import StateArrays
from infoset.utils.interrupts import interrupts_held

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = [
    "Checkpointer",
    "NullCheckpointer",
    "Resumable",
    "RunCheckpointer",
    "json_settings",
    "open_checkpointer",
    "refuse_checkpoint",
    "settings_of",
]


@runtime_checkable
class Resumable(Protocol):
    """What a method needs for resumable runs, in addition to `IterativeSolver`."""

    @property
    def sequence_form(self) -> SequenceForm:
        """The game."""

    @property
    def iteration(self) -> int:
        """Number of iterations done."""

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that, with the game, determine every iteration, by name."""

    def state(self) -> StateArrays:
        """Return the arrays that iterations change, by name: the arrays themselves or copies."""

    def set_state(self, state: StateArrays) -> None:
        """Set the state to arrays with the names, types and shapes of `state()`."""


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
    """Raise if a checkpoint is given for a method whose state cannot be saved.

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
    solver: object, method: str, budget: Budget
) -> RunCheckpointer | NullCheckpointer:
    """Resume the run from the file that the budget names, if it exists, and save it there.

    Parameters
    ----------
    solver : IterativeSolver
        At its start; its state is set from the file.
    method : str
        The method in the result.
    budget : Budget
        Its trace and its clock continue those of the file.

    Raises
    ------
    ParameterError
        If the state of the method cannot be saved, or its settings contain a function without a
        name that identifies it.
    CheckpointFileError
        If the file cannot be read.
    CheckpointMismatchError
        If the file belongs to another run, or has more iterations than the budget allows.
    """
    if budget.checkpoint is None:
        return NullCheckpointer()
    if not isinstance(solver, Resumable):
        refuse_checkpoint(budget.checkpoint, method)
        raise AssertionError("refused above")
    checkpointer = RunCheckpointer(solver, method, budget, budget.checkpoint)
    json_settings(solver.settings())  # raises before any work is done
    if budget.checkpoint.path.exists():
        checkpointer.resume()
    return checkpointer


class NullCheckpointer:
    """A checkpointer that saves nothing, for runs without a checkpoint."""

    def without_interrupts(self) -> AbstractContextManager[None]:
        """Let Ctrl-C interrupt at any time."""
        return nullcontext()

    def save_if_due(self) -> None:
        """Save nothing."""

    def save(self) -> None:
        """Save nothing."""


class Checkpointer(ABC):
    """Saves one run to one file.

    Parameters
    ----------
    to : Checkpointing
        Where, and how often.
    """

    def __init__(self, to: Checkpointing) -> None:
        self._to = to
        self._saved_iteration = -1
        self._saved_at = time.monotonic()
        self._cost = 0.0

    @abstractmethod
    def checkpoint(self) -> Checkpoint:
        """Return the current state of the run as a checkpoint."""

    def read(self, point: type = TracePoint) -> Checkpoint:
        """Return the checkpoint in the file, whose measurements are of the class `point`.

        Raises
        ------
        CheckpointFileError
            If the file cannot be read.
        CheckpointMismatchError
            If it belongs to another run.
        """
        saved = read_checkpoint(self._to.path, point)
        check_compatibility(saved, self.checkpoint(), self._to.path)
        self._saved_iteration = saved.iteration
        return saved

    def without_interrupts(self) -> AbstractContextManager[None]:
        """Hold Ctrl-C back until the block ends, so that iterations are complete."""
        return interrupts_held()

    def save_if_due(self) -> None:
        """Save if a save that starts later would end too late.

        Saving takes at most half of the time; expensive checkpoints are saved less often.
        """
        wait = max(self._to.seconds - self._cost, 2 * self._cost)
        if time.monotonic() - self._saved_at >= wait:
            self.save()

    def save(self) -> None:
        """Save, unless this iteration is saved already.

        Raises
        ------
        CheckpointFileError
            If the file cannot be written.
        """
        began = time.monotonic()
        checkpoint = self.checkpoint()
        if checkpoint.iteration == self._saved_iteration:
            return
        write_checkpoint(checkpoint, self._to.path)
        self._saved_iteration = checkpoint.iteration
        self._saved_at = began
        self._cost = time.monotonic() - began


class RunCheckpointer(Checkpointer):
    """Saves one run of a solver to one file.

    Parameters
    ----------
    solver : Resumable
    method : str
        The method in the result.
    budget : Budget
        The budget of the run, whose clock and trace are saved too.
    to : Checkpointing
        Where, and how often.
    """

    def __init__(self, solver: Resumable, method: str, budget: Budget, to: Checkpointing) -> None:
        super().__init__(to)
        self._solver = solver
        self._method = method
        self._budget = budget

    def resume(self) -> None:
        """Set the solver and the budget to the state, trace and time in the file.

        Raises
        ------
        CheckpointFileError, CheckpointMismatchError
            As `open_checkpointer`.
        """
        saved = self.read()
        planned = self._budget.iterations
        if planned is not None and saved.iteration > planned:
            raise CheckpointMismatchError(
                f"{self._to.path} is a run of {saved.iteration} iterations, more than "
                f"iterations={planned}: give at least {saved.iteration}, or another file"
            )
        self._solver.set_state(saved.state)
        self._budget.trace.extend(saved.trace)
        self._budget.started -= saved.seconds

    def checkpoint(self) -> Checkpoint:
        """Return the current state of the run as a checkpoint."""
        form = self._solver.sequence_form
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

    A function is recognized by name only, so that a checkpoint does not depend on how Python
    represents code. Rename a function when you change what it computes.

    Raises
    ------
    ParameterError
        If a function has no name that identifies it in another process: a lambda, a function that
        encloses values of another function, or a callable object without an attribute `name`.
    """
    plain: dict[str, Any] = json.loads(json.dumps(settings, default=_identifying_name))
    return plain


def _identifying_name(value: object) -> str:
    """Return the name of a function or class, and the text of any other value."""
    given = getattr(value, "name", None)
    if isinstance(given, str):
        return given
    function = getattr(value, "py_func", value)  # of a function compiled by Numba
    name = getattr(function, "__qualname__", getattr(function, "__name__", None))
    if name is None and not callable(function):
        return str(value)
    if name is None or name.endswith("<lambda>") or getattr(function, "__closure__", None):
        raise ParameterError(
            f"a checkpoint identifies functions by name, and {name or value!r} has no name of its "
            "own: define it with def at the top level of a module, or set its attribute name, as "
            "in function.name = 'my schedule'"
        )
    return str(name)
