"""One-hot encodings, on the device and back on the host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from infoset.errors import ParameterError

Label = TypeVar("Label")


def one_hot(numbers: Array, size: int) -> Array:
    """Return [..., size] one-hot encodings of numbers; zeros for negative ones."""
    return (numbers[..., None] == jnp.arange(size)).astype(jnp.float32)


def label_of(row: NDArray[np.float32], labels: Sequence[Label]) -> Label:
    """Return the label of a one-hot encoding."""
    ones = np.flatnonzero(row)
    if len(ones) != 1 or row[ones[0]] != 1:
        raise ParameterError(
            f"{row.tolist()} must be a one-hot encoding of one of {list(labels)}; decode only "
            "observations of this game"
        )
    return labels[int(ones[0])]
