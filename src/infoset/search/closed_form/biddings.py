"""What hands are behind each bidding, where both players look at the hand and the last bid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from infoset.games.liars_dice import NO_BID
from infoset.search.closed_form.bid_table import BidTable, check_pair
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_player

__all__ = ["bidding_reach"]


class _Bidding(NamedTuple):
    """A bidding that goes on.

    Attributes
    ----------
    bid : int
        The last one, `NO_BID` at first.
    length : int
    reach : tuple[FloatArray, FloatArray]
        For each player [H], the probability of its bids with each hand.
    """

    bid: int
    length: int
    reach: tuple[FloatArray, FloatArray]


def bidding_reach(first: BidTable, second: BidTable, player: Player) -> FloatArray:
    """Return [O, H] the probability of each bidding with each hand of a player.

    The biddings are all that end with a bid of the player, of any length, that both tables lead
    to. How much of the hand they leak is `mean_true_state_sampling_ratio(reach, prior)` of
    `evaluation`: the mean over play of all moments at which the player has just bid.

    Parameters
    ----------
    first, second : BidTable
        The policies of player 0 and player 1.
    player : Player
        Whose hand is not known.

    Raises
    ------
    ParameterError
        If one of them is no table, they are for different games, or there is no such player.

    Notes
    -----
    They are listed one by one: few where a table is nearly deterministic, as PIMC is, and too many
    to wait for between players who may bid anything.

    Examples
    --------
    >>> from infoset.evaluation import mean_true_state_sampling_ratio
    >>> from infoset.games import LiarsDice
    >>> from infoset.search.closed_form import pimc_table
    >>> table = pimc_table(LiarsDice(numdice=2), public_weight=0.5)
    >>> round(mean_true_state_sampling_ratio(bidding_reach(table, table, 0), table.prior), 1)
    8.8
    """
    check_pair(first, second)
    check_player(player, 2, str(first.game))
    prior = first.prior
    rows = [
        (bidding.reach[1 - player] @ prior) * bidding.reach[player]
        for bidding in _biddings((first, second))
        if bidding.length % 2 != player
    ]
    return np.array(rows).reshape(-1, len(prior))


def _biddings(tables: tuple[BidTable, BidTable]) -> Iterator[_Bidding]:
    """Yield every bidding, without `liar`, that two tables lead to."""
    ones = np.ones(len(tables[0].prior))
    open_ones = [_Bidding(NO_BID, 0, (ones, ones))]
    while open_ones:
        bidding = open_ones.pop()
        for after in _extended(bidding, tables[bidding.length % 2]):
            yield after
            open_ones.append(after)


def _extended(bidding: _Bidding, table: BidTable) -> Iterator[_Bidding]:
    """Yield the biddings one bid longer."""
    bid, length, reach = bidding
    mover = length % 2
    move = min(length // 2, len(table.probability) - 1)
    bids = table.probability[move, :, bid + 1, :-1] * reach[mover][:, None]
    for call in np.flatnonzero(np.any(bids > 0, axis=0)).tolist():
        own = bids[:, call]
        yield _Bidding(call, length + 1, (own, reach[1]) if mover == 0 else (reach[0], own))
