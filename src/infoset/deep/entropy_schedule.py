"""The schedule by which R-NaD replaces its regularizer."""

from __future__ import annotations

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from jax import Array

from infoset.errors import ParameterError
from infoset.typing import LongArray
from infoset.utils.arguments import check_count


@dataclass(frozen=True)
class EntropySchedule:
    """Lengths of the iterations of R-NaD in learner steps; each has one regularizer.

    Examples
    --------
    >>> schedule = EntropySchedule(sizes=(3, 5, 10), repeats=(2, 4, 1))
    >>> schedule.starts.tolist()
    [0, 3, 6, 11, 16, 21, 26]
    >>> int(schedule.iteration(35)), int(schedule.iteration(36))
    (6, 7)
    >>> handover, is_last = schedule.at(35)
    >>> float(handover), bool(is_last)
    (1.0, True)
    """

    sizes: tuple[int, ...] = (1000,)
    """Lengths of iterations."""
    repeats: tuple[int, ...] = (1,)
    """How many consecutive iterations have each length. The last entry must be 1; the last length
    repeats forever."""

    def __post_init__(self) -> None:
        for name in ("sizes", "repeats"):
            values = getattr(self, name)
            if not isinstance(values, tuple):
                raise ParameterError(
                    f"{name}={values!r} of the schedule must be a tuple, such as (1000,)"
                )
            for value in values:
                check_count(f"an entry of {name}", value, minimum=1)
        if len(self.sizes) != len(self.repeats) or not self.sizes:
            raise ParameterError(
                f"the schedule has {len(self.sizes)} sizes and {len(self.repeats)} repeats; give "
                "one repeat for each size, such as sizes=(500, 10000), repeats=(200, 1)"
            )
        if self.repeats[-1] != 1:
            raise ParameterError(
                f"the last repeat of the schedule is {self.repeats[-1]}, but the last size repeats "
                f"forever: give repeats={(*self.repeats[:-1], 1)}"
            )

    @property
    def starts(self) -> LongArray:
        """First steps of the iterations up to the first one of the last size."""
        lengths = np.repeat(self.sizes[:-1], self.repeats[:-1]).astype(np.int64)
        return np.concatenate([[0], np.cumsum(lengths)])

    def iteration(self, step: Array | int) -> Array:
        """Return the number of the iteration to which a step belongs, from 0."""
        starts = jnp.asarray(self.starts, jnp.int32)
        number = jnp.searchsorted(starts, step, side="right") - 1
        # Each of the iterations after the last start has the last size.
        later = (step - starts[-1]) // self.sizes[-1]
        return jnp.where(number < len(starts) - 1, number, len(starts) - 1 + later)

    def at(self, step: Array | int) -> tuple[Array, Array]:
        """Return α and whether the regularizer is replaced after a step.

        α = min(1, 2 (step - start) / size) is the weight of the current regularizer; the previous
        one has the rest. The regularizer is replaced after the last step of an iteration, but never
        after step 0.
        """
        starts = self.starts
        lengths = np.append(np.diff(starts), self.sizes[-1])
        number = jnp.searchsorted(jnp.asarray(starts, jnp.int32), step, side="right") - 1
        size = jnp.asarray(lengths, jnp.int32)[number]
        # The remainder matters only from the first iteration of the last size on.
        position = (step - jnp.asarray(starts, jnp.int32)[number]) % size
        handover = jnp.minimum(1.0, 2.0 * position / size).astype(jnp.float32)
        return handover, (position == size - 1) & (jnp.asarray(step) > 0)
