"""Exact values of liar's dice between bid tables, for sizes whose tree cannot be built.

Values of two tables against each other, of a best response to a table, and the reach of bid
sequences are sums over hands and last bids.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from infoset.games.liars_dice import NO_BID
from infoset.search.models import DiceModel
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_player
from infoset_studies._liars_dice_kernels import Table, Workspace, match, respond
from infoset_studies.liars_dice_policies import BidTable, check_pair, check_table

__all__ = ["BidResponse", "bid_response", "bidding_reach", "match_value"]


class BidResponse(NamedTuple):
    """The value of a best response.

    Attributes
    ----------
    value : float
        Expected utility of the responder, from -1 to 1.
    hand_values : FloatArray
        [H] expected utility for each hand of the responder.
    """

    value: float
    hand_values: FloatArray


def bid_response(table: BidTable, player: Player) -> BidResponse:
    """Return the value of an exact best response of a player to a table.

    The responder knows the table and remembers all bids. On a tree `best_response` gives
    the same value; here no tree is built.

    Parameters
    ----------
    table : BidTable
    player : Player
        The responder; player 0 bids first.

    Raises
    ------
    ParameterError
        If `table` is not a `BidTable`, or the player is not 0 or 1.

    Notes
    -----
    The algorithm is a recursion over the bids. It carries the reach of each hand of the table, and
    returns the value of the best answers of each hand of the responder, weighted by that reach, so
    that one visit of a bid covers all hands. The cost grows with the number of bid sequences to
    which the table gives positive probability. A nearly deterministic table has few.

    Examples
    --------
    PIMC with its private belief is far from an equilibrium. Against an equilibrium the responder
    would get 0.03 in this game:

    >>> from infoset.games import LiarsDice
    >>> from infoset_studies.liars_dice_policies import pimc_table
    >>> round(bid_response(pimc_table(LiarsDice()), player=1).value, 4)
    0.2222
    """
    check_table(table)
    check_player(player, 2, str(table.game))
    dice = DiceModel(table.game).arrays
    num_hands, num_bids = dice.matches.shape
    work = _workspace(table.game.numdice, num_hands, num_bids)
    work.hands[0], work.reach[0] = np.arange(num_hands), table.prior
    first_bids = range(num_bids) if player == 0 else (NO_BID,)
    values = np.full(num_hands, -np.inf)
    for bid in first_bids:
        respond(dice, _arrays(table), work, 0, bid, 0, num_hands)
        values = np.maximum(values, work.values[0])
    return BidResponse(float(values @ table.prior), values)


def match_value(first: BidTable, second: BidTable) -> float:
    """Return the expected utility of player 0 when the players follow two tables.

    Raises
    ------
    ParameterError
        If an argument is not a `BidTable`, or the tables are for different games.

    Notes
    -----
    The value is exact, computed by one forward pass over the last bids for each pair of hands.
    Player 0 wins with probability `(1 + value) / 2`.

    Examples
    --------
    >>> from infoset.games import LiarsDice
    >>> from infoset_studies.liars_dice_policies import pimc_table
    >>> dice = LiarsDice(numdice=5)
    >>> round(match_value(pimc_table(dice), pimc_table(dice)), 4)
    -0.0647
    """
    check_pair(first, second)
    dice = DiceModel(first.game).arrays
    num_times = 2 * max(len(first.probability), len(second.probability))
    reach = np.empty((num_times, len(dice.quantity) + 1))
    return float(match(dice, (_arrays(first), _arrays(second)), first.prior, reach))


def _arrays(table: BidTable) -> Table:
    return Table(table.probability, np.any(table.probability > 0, axis=1))


def _workspace(num_dice: int, num_hands: int, num_bids: int) -> Workspace:
    """Return a workspace for bid sequences of any length."""
    shape = num_bids + 2, num_hands
    return Workspace(
        np.empty(shape, np.int64),
        np.empty(shape),
        np.empty(shape),
        np.empty(shape),
        np.empty(num_dice + 2),
    )


class _Bidding(NamedTuple):
    """A sequence of bids without `liar`.

    Attributes
    ----------
    bid : int
        The last bid, `NO_BID` at first.
    length : int
    reach : tuple[FloatArray, FloatArray]
        For each player [H], its own reach with each hand.
    """

    bid: int
    length: int
    reach: tuple[FloatArray, FloatArray]


def bidding_reach(first: BidTable, second: BidTable, player: Player) -> FloatArray:
    """Return [O, H] the probability of each bid sequence with each hand of a player.

    The bid sequences are all those that are reached under both tables and end with a bid of the
    player. From them `mean_true_state_sampling_ratio(reach, prior)` of `infoset.evaluation`
    computes the information leakage, averaged over the moments of play at which the player has just
    bid.

    Parameters
    ----------
    first, second : BidTable
        The policies of player 0 and player 1.
    player : Player
        The player whose hand is hidden.

    Raises
    ------
    ParameterError
        If an argument is not a `BidTable`, the tables are for different games, or the player is
        not 0 or 1.

    Notes
    -----
    The bid sequences are listed one by one. Nearly deterministic tables, such as those of PIMC,
    have few of them; other tables have too many.

    Examples
    --------
    >>> from infoset.evaluation import mean_true_state_sampling_ratio
    >>> from infoset.games import LiarsDice
    >>> from infoset_studies.liars_dice_policies import pimc_table
    >>> table = pimc_table(LiarsDice(numdice=2), public_weight=0.5)
    >>> round(
    ...     mean_true_state_sampling_ratio(bidding_reach(table, table, 0), table.prior),
    ...     1,
    ... )
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
    """Yield every bid sequence that is reached under two tables, without `liar`."""
    ones = np.ones(len(tables[0].prior))
    open_ones = [_Bidding(NO_BID, 0, (ones, ones))]
    while open_ones:
        bidding = open_ones.pop()
        for after in _extended(bidding, tables[bidding.length % 2]):
            yield after
            open_ones.append(after)


def _extended(bidding: _Bidding, table: BidTable) -> Iterator[_Bidding]:
    """Yield the bid sequences that are one bid longer."""
    bid, length, reach = bidding
    mover = length % 2
    move = min(length // 2, len(table.probability) - 1)
    bids = table.probability[move, :, bid + 1, :-1] * reach[mover][:, None]
    for call in np.flatnonzero(np.any(bids > 0, axis=0)).tolist():
        own = bids[:, call]
        yield _Bidding(call, length + 1, (own, reach[1]) if mover == 0 else (reach[0], own))
