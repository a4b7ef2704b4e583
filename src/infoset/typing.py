"""Types and constants that the whole library shares.

Docstrings give the shape of an array as `[shape]` before its meaning, with these letters: H
histories, Z terminals, W world states, E edges of the world graph, N players; for player p, S_p
infostates, I_p acting ones, Q_p sequences; P public states.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CHANCE",
    "NOOP",
    "Action",
    "BoolArray",
    "FloatArray",
    "IndexArray",
    "IntArray",
    "JointAction",
    "LongArray",
    "Player",
    "ShortArray",
    "StateArrays",
    "World",
]

Player: TypeAlias = int
"""A player, from 0 to `num_players - 1`."""

World: TypeAlias = Hashable
"""A world state: any immutable, hashable value."""

Action: TypeAlias = Hashable
"""The label of an action."""

JointAction: TypeAlias = tuple[Action, ...]
"""One entry per player; `NOOP` for players who do not act."""

CHANCE: Final[Player] = -1
"""Chance, in place of a player."""

NOOP: Final = None
"""The entry of a joint action for a player who does not act."""

FloatArray: TypeAlias = NDArray[np.float64]
IndexArray: TypeAlias = NDArray[np.uint32]
IntArray: TypeAlias = NDArray[np.int32]
LongArray: TypeAlias = NDArray[np.int64]
ShortArray: TypeAlias = NDArray[np.int16 | np.uint16]
BoolArray: TypeAlias = NDArray[np.bool_]

StateArrays: TypeAlias = Mapping[str, NDArray[Any]]
"""The state of an iterative method: arrays of any type and shape, by name."""
