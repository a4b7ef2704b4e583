"""The hidden bids of two players in goofspiel that agree with given winners of rounds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from infoset.games._goofspiel_kernels import (
    FREE,
    LOSE,
    NEVER,
    TIE,
    WIN,
    KnownResults,
    count_bids,
    write_bids,
)
from infoset.typing import FloatArray, Player

MAX_TABLE = 2_000_000
"""Maximum number of entries of the table of counts."""


class HiddenBids:
    """The bids that agree with the winners of rounds, and with the bids of one player if known.

    Parameters
    ----------
    winners
        The winner of each round; -1 for a tie.
    player
        The player whose bids are known; any, if none are.
    own_bids
        The player's bid in each round.
    """

    def __init__(
        self,
        num_cards: int,
        winners: Sequence[Player],
        player: Player,
        own_bids: Sequence[int] | None,
    ) -> None:
        results = [TIE if winner < 0 else WIN if winner == player else LOSE for winner in winners]
        round_of = np.full(num_cards, FREE if own_bids is None else NEVER)
        for at, bid in enumerate(own_bids or ()):
            round_of[bid - 1] = at
        total = np.bincount(results, minlength=4)
        self._player = player
        self._known = KnownResults(np.array(results, np.int64), total, round_of)

    @property
    def is_countable(self) -> bool:
        """Whether the table of counts has at most `MAX_TABLE` entries."""
        return prod(self._shape) <= MAX_TABLE and self._shape[0] <= 1 << 7

    @cached_property
    def total(self) -> float:
        """Number of ways to bid; rounded above 2⁵³."""
        return count_bids(self._known, self._ways)

    def at_ranks(self, ranks: FloatArray) -> NDArray[np.int8]:
        """Return [K, R, 2] the bids with [K] ranks below the total, as positions in the hands."""
        bids = np.empty((len(ranks), len(self._known.result), 2), np.int8)
        if self.total:
            write_bids(self._known, self._ways, ranks, bids)
        return bids[:, :, ::-1] if self._player == 1 else bids

    @cached_property
    def _ways(self) -> FloatArray:
        return np.empty(self._shape)

    @property
    def _shape(self) -> tuple[int, ...]:
        _, wins, losses, ties = self._known.total.tolist()
        return len(self._known.round_of) + 1, wins + 1, wins + 1, losses + 1, losses + 1, ties + 1
