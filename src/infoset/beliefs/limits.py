"""How many histories are listed, and how others are drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.utils.arguments import check_count, check_generator

__all__ = ["MAX_WORLDS", "NUM_SAMPLES", "Limits"]

MAX_WORLDS = 200_000
"""How many histories are listed, before some are drawn."""

NUM_SAMPLES = 10_000
"""How many are drawn then."""


@dataclass(frozen=True)
class Limits:
    """How many histories are listed, and how others are drawn.

    Attributes
    ----------
    rng : np.random.Generator or None
        None where nothing is to be drawn.
    max_worlds, num_samples : int

    Raises
    ------
    ParameterError
        If one of them is not what it should be.
    """

    rng: np.random.Generator | None = None
    max_worlds: int = MAX_WORLDS
    num_samples: int = NUM_SAMPLES

    def __post_init__(self) -> None:
        if self.rng is not None:
            check_generator(self.rng)
        check_count("max_worlds", self.max_worlds, minimum=1)
        check_count("num_samples", self.num_samples, minimum=1)
