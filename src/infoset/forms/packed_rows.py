"""Numbers of a public form in 16 bits each, with a scale for each row of hands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from infoset.forms._public_division_kernels import RowNumbers
from infoset.typing import FloatArray, LongArray, ShortArray


@dataclass(frozen=True, eq=False)
class PackedRows:
    """One player's numbers in 16 bits; see `RowNumbers`.

    Indexing and conversion to an array return numbers in double precision.
    """

    packed: ShortArray
    """[Q] of type int16 or uint16, in the order of the layout."""
    scale: FloatArray
    """[rows] in single precision."""
    begins: LongArray
    """[rows] position of the first number of each row."""

    def __len__(self) -> int:
        return len(self.packed)

    def __getitem__(self, positions: int | LongArray) -> FloatArray:
        row = np.searchsorted(self.begins, positions, side="right") - 1
        return self._unpacked(self.packed[positions], self.scale[row])

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """Return [Q] the numbers."""
        sizes = np.diff(self.begins, append=len(self))
        return self._unpacked(self.packed, np.repeat(self.scale, sizes)).astype(dtype, copy=False)

    @staticmethod
    def _unpacked(packed: ShortArray, scale: FloatArray) -> FloatArray:
        number = packed.astype(np.float64)
        unpacked: FloatArray = number * abs(number) * scale
        return unpacked

    def copy(self) -> PackedRows:
        """Return a copy."""
        return PackedRows(self.packed.copy(), self.scale.copy(), self.begins)


PlanWeights: TypeAlias = FloatArray | PackedRows
"""One player's nonnegative weights, in the order of the layout; see `Form.values_of_weights`."""


def row_numbers(numbers: PlanWeights, kind: str = "uint16") -> RowNumbers:
    """Return numbers for kernels; kind: type of the empty array if they are not packed."""
    if isinstance(numbers, PackedRows):
        return RowNumbers(np.zeros(0, np.float32), numbers.packed, numbers.scale)
    return RowNumbers(numbers, np.zeros(0, kind), np.zeros(0, np.float32))
