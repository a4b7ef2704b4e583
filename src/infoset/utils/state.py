"""The state of an iterative algorithm: named arrays that checkpoints save and restore."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.typing import StateArrays


class IterativeState(ABC):
    """Arrays that iterations modify in place, and the number of completed iterations.

    Kernels count iterations in the array `_done` [1], so that the arrays and the count remain
    consistent if a call is interrupted.
    """

    def __init__(self) -> None:
        self._done = np.zeros(1, np.int64)

    @property
    def iteration(self) -> int:
        """Number of completed iterations; each updates every player once."""
        return int(self._done[0])

    @abstractmethod
    def _state_arrays(self) -> StateArrays:
        """Return the arrays that iterations modify, without the count."""

    def state(self) -> StateArrays:
        """Return all arrays that iterations modify, by name, without copying them."""
        return {"done": self._done, **self._state_arrays()}

    def set_state(self, state: StateArrays) -> None:
        """Restore the state from arrays with the names and shapes of `state()`."""
        copy_arrays(self.state(), state)


def copy_arrays(into: StateArrays, saved: StateArrays) -> None:
    """Copy saved arrays into the arrays of the same names.

    Raises
    ------
    ValueError
        As in `check_arrays`; nothing is copied then.
    """
    check_arrays(into, saved)
    for name, array in into.items():
        array[...] = saved[name]


def check_arrays(here: StateArrays, saved: StateArrays) -> None:
    """Raise unless saved arrays have the names, types and shapes of those here.

    Raises
    ------
    ValueError
        If one is missing, or has another type or shape.
    """
    for name, array in here.items():
        there = saved.get(name)
        if there is None or (there.dtype, there.shape) != (array.dtype, array.shape):
            found = "missing" if there is None else f"of type {there.dtype}, {[*there.shape]}"
            raise ValueError(f"the array {name} is {found}")


def name_by_player(**kinds: Sequence[NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays of several kinds in one dictionary, with a key for each kind and player.

    Examples
    --------
    >>> import numpy as np
    >>> list(name_by_player(plans=(np.ones(3), np.ones(2))))
    ['plans.0', 'plans.1']
    """
    return {f"{kind}.{p}": array for kind in kinds for p, array in enumerate(kinds[kind])}
