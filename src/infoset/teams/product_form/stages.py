"""The stages of play: as few as there can be, with every cell in one of them."""

from __future__ import annotations

import numpy as np

from infoset.errors import UnsupportedGameError
from infoset.typing import IntArray, LongArray

__all__ = ["stage_of_cells"]


def stage_of_cells(
    cell: LongArray | IntArray, parent: LongArray, max_stages: int, name: str
) -> LongArray:
    """Return [M] the stage of each cell, from 0: the first after all that may come before.

    Where each agent always acts after the same number of actions of all, that is the stage.

    Parameters
    ----------
    cell : IntArray
        [N] cell of each node, from 0 to M - 1.
    parent : LongArray
        [N] the node before; -1 at roots.
    max_stages : int
    name : str
        Of the game.

    Raises
    ------
    UnsupportedGameError
        If there are more than `max_stages` stages, or no order of stages, since an agent may come
        to one cell before and after another.
    """
    stage = np.zeros(int(cell.max()) + 1, np.int64)
    inner = np.flatnonzero(parent >= 0)
    before, after = cell[parent[inner]], cell[inner]
    for _ in range(max_stages):
        earliest = np.zeros_like(stage)
        np.maximum.at(earliest, after, stage[before] + 1)
        if (earliest == stage).all():
            return stage
        stage = earliest
    raise UnsupportedGameError(
        f"{name} has more than {max_stages} stages, or no stages at all: what an agent knows must "
        "tell it the stage, so that no information set comes both before and after another; give "
        "a game that tells the time, or a larger max_stages"
    )
