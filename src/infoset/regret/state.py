"""The state of a minimiser as arrays by name, to be kept and given back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from numpy.typing import NDArray

__all__ = ["StateArrays", "fill_arrays", "name_by_player"]

StateArrays: TypeAlias = Mapping[str, NDArray[Any]]
"""The state of a minimiser or solver: arrays of any type and shape, by name."""


def name_by_player(**kinds: Sequence[NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays of several kinds, one per player each, by kind and player.

    Examples
    --------
    >>> import numpy as np
    >>> list(name_by_player(plans=(np.ones(3), np.ones(2))))
    ['plans.0', 'plans.1']
    """
    return {f"{kind}.{p}": array for kind in kinds for p, array in enumerate(kinds[kind])}


def fill_arrays(arrays: StateArrays, values: StateArrays) -> None:
    """Set arrays, in place, to values named and shaped as they are."""
    for name, array in arrays.items():
        array[...] = values[name]
