"""What policies that look at the hand and the last bid are worth, exactly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.games.liars_dice import NO_BID
from infoset.search.closed_form._kernels import Room, Table, match, respond
from infoset.search.closed_form.bid_table import BidTable, check_pair, check_table
from infoset.search.models.dice import DiceModel
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_player

__all__ = ["BidResponse", "bid_response", "match_value"]


class BidResponse(NamedTuple):
    """What a best response gets.

    Attributes
    ----------
    value : float
        Its expected utility, from -1 to 1.
    hand_values : FloatArray
        [H] the same with each hand.
    """

    value: float
    hand_values: FloatArray


def bid_response(table: BidTable, player: Player) -> BidResponse:
    """Return what a best response by a player gets, the other one following a table.

    The responder knows the table and remembers the whole bidding, and plays as well as anybody
    can. Nothing is left out of the answer but what the table never does, and nothing is rounded:
    on a tree, `best_response` gives the same number. Here none is built.

    Parameters
    ----------
    table : BidTable
    player : Player
        Who responds; player 0 bids first.

    Raises
    ------
    ParameterError
        If the table is none, or there is no such player.

    Notes
    -----
    By recursion over what is bid in turn. It carries, for each hand of the table, the chance that
    it is held and bids so, and returns, for each hand of the responder, what its best answers get,
    weighted by that chance: a bid is never visited for a single hand. The cost is that of the
    biddings that the table allows for, of which there are few where it is nearly deterministic.

    Examples
    --------
    Even PIMC that sees its own dice alone is far from an equilibrium, of which the responder
    would get 0.03 in this game:

    >>> from infoset.games import LiarsDice
    >>> from infoset.search.closed_form import pimc_table
    >>> round(bid_response(pimc_table(LiarsDice()), player=1).value, 4)
    0.2222
    """
    check_table(table)
    check_player(player, 2, str(table.game))
    dice = DiceModel(table.game).arrays
    num_hands, num_bids = dice.matches.shape
    room = _room(table.game.numdice, num_hands, num_bids)
    room.hands[0], room.reach[0] = np.arange(num_hands), table.prior
    first_bids = range(num_bids) if player == 0 else (NO_BID,)
    values = np.full(num_hands, -np.inf)
    for bid in first_bids:
        respond(dice, _arrays(table), room, 0, bid, 0, num_hands)
        values = np.maximum(values, room.values[0])
    return BidResponse(float(values @ table.prior), values)


def match_value(first: BidTable, second: BidTable) -> float:
    """Return what player 0 gets on average if it follows the first table, and player 1 the second.

    Raises
    ------
    ParameterError
        If one of them is no table, or they are for different games.

    Notes
    -----
    Exact, by going through the last bids for each pair of hands. `(1 + value) / 2` is how often
    player 0 wins.

    Examples
    --------
    >>> from infoset.games import LiarsDice
    >>> from infoset.search.closed_form import pimc_table
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


def _room(num_dice: int, num_hands: int, num_bids: int) -> Room:
    """Return room for a bidding of any length."""
    shape = num_bids + 2, num_hands
    return Room(
        np.empty(shape, np.int64),
        np.empty(shape),
        np.empty(shape),
        np.empty(shape),
        np.empty(num_dice + 2),
    )
