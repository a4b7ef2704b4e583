"""The root positions of a search with a time limit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Final

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import UnsupportedGameError
from infoset.game import Infostate
from infoset.search.models import RootPositions, SearchModel

__all__ = ["timed_roots"]

SAMPLES_PER_SECOND: Final = 50
"""Number of sampled histories for each second of a time limit, if the rules run uncompiled."""

MIN_SAMPLES: Final = 10

GROWTH: Final = 10
"""Factor by which the number grows if no sampled history agrees with the infostate. It is also the
number of histories that are listed in place of one sample."""


def timed_roots(
    model: SearchModel,
    infostate: Infostate,
    belief: PublicPrivateBelief,
    rng: np.random.Generator,
    seconds: float | None,
) -> RootPositions:
    """Return the positions of a belief; of a smaller sample if the rules run within a time limit.

    Such a search evaluates few worlds, and listing many would take longer than the search itself.
    The limits of the belief remain upper bounds.

    Parameters
    ----------
    model, infostate, belief, rng
        As in `SearchModel.roots`.
    seconds : float or None
        The time limit of the search.

    Raises
    ------
    UnknownNameError, UnsupportedGameError
        As in `SearchModel.roots`.
    """
    if seconds is not None and not model.is_compiled:
        for smaller in _smaller_beliefs(belief, seconds):
            with suppress(UnsupportedGameError):
                return model.roots(infostate, smaller, rng)
    return model.roots(infostate, belief, rng)


def _smaller_beliefs(belief: PublicPrivateBelief, seconds: float) -> Iterator[PublicPrivateBelief]:
    number = max(MIN_SAMPLES, int(SAMPLES_PER_SECOND * seconds))
    while number < belief.num_samples:
        max_worlds = min(GROWTH * number, belief.max_worlds)
        yield replace(belief, num_samples=number, max_worlds=max_worlds)
        number *= GROWTH
