"""Policies for liar's dice that look at the own hand and the last bid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from infoset.errors import ParameterError, UnknownNameError
from infoset.game import Infostate
from infoset.games import LiarsDice
from infoset.games.liars_dice import NO_BID
from infoset.search.models.dice.reading import read_infostate
from infoset.typing import Action, BoolArray, FloatArray, Player
from infoset.utils.arguments import SUM_TOLERANCE, check_player, check_type

__all__ = ["BidTable"]


@dataclass(frozen=True, eq=False)
class BidTable:
    """A policy for liar's dice that looks at the own hand, the last bid, and the own moves so far.

    It knows no more of the bidding, and so stays small where the tree cannot be built.

    Attributes
    ----------
    game : LiarsDice
    probability : FloatArray
        [M, H, L, C] by own move, the last row standing for all later ones; by hand, in the order
        of `LiarsDice.rolls`; by last bid, 0 for none and then the bids; of each call, `liar` last.

    Raises
    ------
    ParameterError
        If the array has another shape, gives a call that is not legal a probability, or the
        probabilities of legal calls are negative or do not sum to 1.

    Examples
    --------
    With one die of two sides, the second of which is wild, and nothing bid yet:

    >>> from infoset.search.closed_form import pimc_table
    >>> table = pimc_table(LiarsDice(dice_sides=2))
    >>> table.game.calls
    ('1-1', '1-2', '2-1', '2-2', 'liar')
    >>> table.probability[0, :, 0].tolist()
    [[0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5, 0.0]]
    """

    game: LiarsDice
    probability: FloatArray = field(repr=False)

    def __post_init__(self) -> None:
        check_type("game", self.game, LiarsDice, 'liar\'s dice, such as infoset.load("liars_dice")')
        probability = np.array(self.probability, np.float64)
        self._check(probability)
        probability.flags.writeable = False
        object.__setattr__(self, "probability", probability)

    def _check(self, probability: FloatArray) -> None:
        hands, bids = len(self.game.rolls), len(self.game.bids)
        shape = (hands, bids + 1, bids + 1)
        if probability.ndim != 4 or probability.shape[1:] != shape or not len(probability):
            raise ParameterError(
                f"probability has shape {probability.shape}; for {self.game} it is [M, "
                f"{', '.join(map(str, shape))}]: own move, hand, last bid, call"
            )
        wrong = probability[..., ~legal_calls(self.game)].any()
        if wrong or not (probability >= 0).all():
            raise ParameterError(
                "a probability is negative, NaN or that of a call that is not legal; legal are "
                "higher bids, and liar once there is a bid"
            )
        off = abs(probability.sum(axis=-1) - 1) > SUM_TOLERANCE
        if off.any():
            move, hand, last = np.argwhere(off)[0].tolist()
            raise ParameterError(
                f"the probabilities of own move {move}, hand {self.game.rolls[hand][0]} and last "
                f"bid {last} sum to {probability[move, hand, last].sum()}, not 1"
            )

    @cached_property
    def prior(self) -> FloatArray:
        """[H] probability of each hand."""
        return np.array([float(chance) for _, chance in self.game.rolls])

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return the probability of each legal call, in order.

        Raises
        ------
        UnknownNameError
            If no play leads to the infostate.
        ParameterError
            If its player does not act there.
        """
        hand, bid, num_moves = read_infostate(self.game, infostate)
        move = min(num_moves, len(self.probability) - 1)
        row = self.probability[move, hand, bid + 1, bid + 1 :]
        return row[: len(legal_actions)].copy()

    def own_reach(self, calls: Sequence[str], player: Player) -> FloatArray:
        """Return [H] the probability, for each hand of a player, of its calls in a play.

        Parameters
        ----------
        calls : Sequence[str]
            Those of both players, from the first on.
        player : Player

        Raises
        ------
        ParameterError
            If there is no such player.
        UnknownNameError
            If a call is none, or not higher than the last one.

        Examples
        --------
        >>> from infoset.search.closed_form import pimc_table
        >>> pimc_table(LiarsDice(dice_sides=2)).own_reach(["2-1"], player=0).tolist()
        [1.0, 0.5]
        """
        check_player(player, 2, str(self.game))
        reach, last = np.ones(len(self.prior)), NO_BID
        for number, name in enumerate(calls):
            later = self.game.calls[last + 1 : -1 if last == NO_BID else None]
            if name not in later:
                raise UnknownNameError.of("call", name, later)
            call = last + 1 + later.index(name)
            if number % 2 == player:
                move = min(number // 2, len(self.probability) - 1)
                reach = reach * self.probability[move, :, last + 1, call]
            last = call
        return reach


def legal_calls(game: LiarsDice) -> BoolArray:
    """Return [L, C] whether each call is legal after each last bid."""
    num_bids = len(game.bids)
    legal = np.arange(num_bids + 1) >= np.arange(num_bids + 1)[:, None]
    legal[0, num_bids] = False
    return legal


def check_table(table: object) -> None:
    """Raise unless something is a table."""
    check_type("table", table, BidTable, "a BidTable, such as pimc_table makes")


def check_pair(first: BidTable, second: BidTable) -> None:
    """Raise unless two tables are for one game."""
    check_table(first)
    check_table(second)
    if first.game != second.game:
        raise ParameterError(
            f"one table is for {first.game}, the other for {second.game}; give two for one game"
        )
