"""Histories of an infostate or a public state, numbered so that each can be found by its rank."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from infoset.game.hooks import Moves
from infoset.typing import FloatArray


@dataclass(frozen=True)
class RankedHistories:
    """All histories that agree with some information, as `Game.histories_as_seen` lists them."""

    total: float
    """Number of histories; may be rounded above 2⁵³."""
    at_ranks: Callable[[FloatArray], Moves]
    """Function that returns the [K, T, N] histories with [K] given ranks, whole numbers from 0 to
    `total - 1`."""

    def listed(self, max_histories: int) -> Moves | None:
        """Return all histories; None if there are more than `max_histories`."""
        return self.at_ranks(np.arange(self.total)) if self.total <= max_histories else None

    def drawn(self, number: int, rng: np.random.Generator) -> tuple[Moves, FloatArray] | None:
        """Return histories drawn uniformly, and their weights; None if there is no history.

        One history is drawn from each of equally long intervals of ranks, so that few are drawn
        twice.
        """
        if not self.total:
            return None
        places = (np.arange(number) + rng.random(number)) / number
        # Rounding must not lead to the rank after the last one.
        ranks = np.minimum(np.floor(places * self.total), self.total - 1)
        return self.at_ranks(ranks), np.full(number, self.total / number)
