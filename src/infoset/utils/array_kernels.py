"""Loops over whole arrays for kernels; they compile faster than slice assignments."""

from __future__ import annotations

from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import inner_kernel


@inner_kernel
def clear(array: FloatArray) -> None:
    """Set all numbers to 0."""
    for index in range(len(array)):
        array[index] = 0.0


@inner_kernel
def copy(source: FloatArray | LongArray, target: FloatArray | LongArray) -> None:
    """Copy `source` to `target`."""
    for index in range(len(target)):
        target[index] = source[index]
