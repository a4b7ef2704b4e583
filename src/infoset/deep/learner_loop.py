"""Learner steps in chunks, until a limit, the callback or Ctrl-C ends them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from infoset.errors import NumericalError
from infoset.runs import Outcome
from infoset.utils.arguments import check_count, check_number
from infoset.utils.clocks import compiling, working_seconds

DEFAULT_STEPS = 10_000
CHUNK = 50
"""Learner steps between checks of the time limit."""

State = TypeVar("State", bound=tuple[Any, ...])


class Learned(NamedTuple, Generic[State]):
    """The result of a number of learner steps."""

    state: State
    outcome: Outcome
    """Why they ended: `iterations`, `seconds`, `stopped` or `interrupted`."""
    seconds: float
    """Duration of the steps, without compilation."""


def check_limits(steps: int | None, seconds: float | None, seed: int) -> None:
    """Raise unless the limits of training and its seed are valid."""
    for name, limit in (("steps", steps), ("seconds", seconds)):
        if limit is not None:
            (check_count if name == "steps" else check_number)(name, limit)
    check_count("seed", seed)


def run_learner_steps(
    name: str,
    start: Callable[[], State],
    advance: Callable[[State, int], State],
    *,
    steps: int | None,
    seconds: float | None,
    callback: Callable[[int, float], object] | None,
) -> Learned[State]:
    """Do learner steps until a limit is reached, the callback stops them, or Ctrl-C is pressed.

    Parameters
    ----------
    name
        Name of the learner, for the error message.
    start
        Returns the state before the first step: a NamedTuple with the fields `step` and `loss`.
    advance
        Returns the state after a number of further steps.
    steps, seconds
        Limits of steps and of time without compilation; `DEFAULT_STEPS` steps if both are None.
    callback
        Called with the number of steps and the last loss after every `CHUNK` steps.

    Raises
    ------
    NumericalError
        If a loss is not finite.
    """
    last = DEFAULT_STEPS if steps is None and seconds is None else steps
    with compiling():
        # A call with zero steps compiles them, which the time limit does not include.
        state: Any = advance(start(), 0)
    began = working_seconds()
    outcome: Outcome | None = None
    try:
        while outcome is None:
            if last is not None and int(state.step) >= last:
                outcome = "iterations"
            elif seconds is not None and working_seconds() - began >= seconds:
                outcome = "seconds"
            else:
                missing = CHUNK if last is None else min(CHUNK, last - int(state.step))
                state = advance(state, missing)
                _check_finite(name, state)
                if callback is not None and callback(int(state.step), float(state.loss)):
                    outcome = "stopped"
    except KeyboardInterrupt:
        outcome = "interrupted"
    return Learned(state, outcome, working_seconds() - began)


def _check_finite(name: str, state: Any) -> None:
    if not np.isfinite(state.loss):
        raise NumericalError(
            f"{name} broke down at learner step {int(state.step)}: the loss is "
            f"{float(state.loss)}. Train with a lower learning_rate"
        )
