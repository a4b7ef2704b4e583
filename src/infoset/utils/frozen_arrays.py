"""Read-only arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def freeze(holder: object) -> None:
    """Make every array attribute of `holder` read-only."""
    for value in vars(holder).values():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)


def freeze_arrays(*arrays: NDArray[Any]) -> None:
    """Make arrays read-only."""
    for array in arrays:
        array.setflags(write=False)
