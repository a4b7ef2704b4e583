"""The state that iterations move: arrays by name, to be kept and given back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.typing import StateArrays

__all__ = ["IterativeState", "name_by_player"]


class IterativeState(ABC):
    """Arrays that iterations move in place, and the number of iterations done.

    Kernels count in `_done` [1], an array, so that a call that is broken off leaves both as they
    then are.
    """

    def __init__(self) -> None:
        self._done = np.zeros(1, np.int64)

    @property
    def iteration(self) -> int:
        """Number of iterations done; in one, every player is updated once."""
        return int(self._done[0])

    @abstractmethod
    def _state_arrays(self) -> StateArrays:
        """Return the arrays that iterations move, besides their number."""

    def state(self) -> StateArrays:
        """Return all that iterations move, by name, in order of position.

        They are the arrays themselves, not copies.
        """
        return {"done": self._done, **self._state_arrays()}

    def set_state(self, state: StateArrays) -> None:
        """Take the values of arrays named and shaped as those of `state`."""
        for name, array in self.state().items():
            array[...] = state[name]


def name_by_player(**kinds: Sequence[NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays of several kinds, one per player each, by kind and player.

    Examples
    --------
    >>> import numpy as np
    >>> list(name_by_player(plans=(np.ones(3), np.ones(2))))
    ['plans.0', 'plans.1']
    """
    return {f"{kind}.{p}": array for kind in kinds for p, array in enumerate(kinds[kind])}
