"""The state of an iterative algorithm: named arrays that checkpoints save and restore."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.typing import StateArrays

__all__ = ["IterativeState", "name_by_player"]


class IterativeState(ABC):
    """Arrays that iterations modify in place, and the number of completed iterations.

    Kernels count iterations in the array `_done` [1], so that an interrupted call leaves the
    arrays and the count consistent.
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
        """Return all arrays that iterations modify, by name; they are not copies."""
        return {"done": self._done, **self._state_arrays()}

    def set_state(self, state: StateArrays) -> None:
        """Copy values from arrays with the names and shapes of `state()`."""
        for name, array in self.state().items():
            array[...] = state[name]


def name_by_player(**kinds: Sequence[NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays of several kinds, each with one array per player, by kind and player.

    Examples
    --------
    >>> import numpy as np
    >>> list(name_by_player(plans=(np.ones(3), np.ones(2))))
    ['plans.0', 'plans.1']
    """
    return {f"{kind}.{p}": array for kind in kinds for p, array in enumerate(kinds[kind])}
