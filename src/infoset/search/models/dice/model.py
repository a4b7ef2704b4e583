"""Searching liar's dice of any size, without exploring it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.game import Infostate
from infoset.games import LiarsDice
from infoset.games.liars_dice import NO_BID, Hand
from infoset.search.models.dice._kernels import NONE, STATE_SIZE, Dice, perfect_information_values
from infoset.search.models.dice.reading import read_infostate
from infoset.search.models.model import RootPositions, SearchModel
from infoset.typing import Action, FloatArray, LongArray, Player
from infoset.utils.arguments import check_type

__all__ = ["DiceModel"]


class DiceModel(SearchModel):
    """Liar's dice as searches read it: the dice are hidden, and all the rest is the last call.

    Parameters
    ----------
    game : LiarsDice

    Attributes
    ----------
    hand_probability : FloatArray
        [H] of each hand, in the order of `LiarsDice.rolls`.

    Raises
    ------
    ParameterError
        If it is another game.

    Examples
    --------
    >>> from infoset.game import Step
    >>> from infoset.games import LiarsDice
    >>> model = DiceModel(LiarsDice(numdice=5))
    >>> known = Infostate(0, (Step(None, (1, 2, 3, 4, 5), None),))
    >>> roots = model.roots(known, PublicPrivateBelief(0.5), np.random.default_rng(0))
    >>> roots.states.shape
    (63504, 5)
    """

    game: LiarsDice
    state_size = STATE_SIZE

    def __init__(self, game: LiarsDice) -> None:
        check_type("game", game, LiarsDice, 'liar\'s dice, such as infoset.load("liars_dice")')
        self.game = game
        self.hand_probability = np.array([float(chance) for _, chance in game.rolls])
        self.arrays = _arrays(game)

    @property
    def utility_range(self) -> tuple[float, float]:
        """From -1 for the loser to 1 for the winner."""
        return (-1.0, 1.0)

    @property
    def is_zero_sum(self) -> bool:
        """True: one wins what the other loses."""
        return True

    def legal_actions(self, infostate: Infostate) -> tuple[Action, ...]:
        """Return the higher calls."""
        call = read_infostate(self.game, infostate).call
        return self.game.calls[call + 1 : -1 if call == NO_BID else None]

    def roots(
        self, infostate: Infostate, belief: PublicPrivateBelief, rng: np.random.Generator
    ) -> RootPositions:
        """Return the rolls that a player believes in, one position each.

        `rng` is asked only where they are more than the belief lists. Under policies that players
        are assumed to have, what is believed is found from the rules.
        """
        own, call, _ = read_infostate(self.game, infostate)
        player, public_weight = infostate.player, belief.public_weight_at(infostate)
        num_hands = len(self.hand_probability)
        if belief.policies is not None or (public_weight and num_hands**2 > belief.max_worlds):
            held = belief.at(self.game, infostate, rng=rng)
            hands = self._numbers([world.hands for world in held.worlds])  # type: ignore[attr-defined]
            probability = held.probability
        else:
            hands, probability = self._rolls(own, player, public_weight)
        infostates = hands.copy()
        column = infostates[:, player]
        infostates[:, player] = np.where(column == own, 0, column + (column < own))
        states = np.full((len(hands), STATE_SIZE), NONE)
        states[:, :2], states[:, 2], states[:, 3] = hands, call, player
        return RootPositions(states, np.zeros((len(hands), 2)), infostates, probability)

    def perfect_information_values(self, states: LongArray, player: Player) -> FloatArray:
        """Return [K, A] the values to a player of the calls at positions, all dice being seen.

        Notes
        -----
        Exact, without search: a bid wins if it is the highest true one, `liar` if the last bid is
        false.
        """
        last = states[:, 2]
        most = (len(self.arrays.quantity) - last - (last == NO_BID)).max(initial=0)
        values = np.empty((len(states), most))
        perfect_information_values(self.arrays, states, player, values)
        return values

    def _rolls(
        self, own: int, player: Player, public_weight: float
    ) -> tuple[LongArray, FloatArray]:
        """Return hands [K, 2], all that have a positive probability, and it [K]."""
        chance = self.hand_probability
        is_own = np.arange(len(chance)) == own
        weight = public_weight * chance + (1.0 - public_weight) * is_own
        weights = (weight, chance) if player == 0 else (chance, weight)
        joint = np.multiply.outer(*weights)
        hands = np.argwhere(joint)
        return hands, joint[tuple(hands.T)]

    def _numbers(self, hands: Sequence[tuple[Hand, Hand]]) -> LongArray:
        """Return [K, 2] the numbers of hands."""
        number = {hand: count for count, (hand, _) in enumerate(self.game.rolls)}
        return np.array([[number[hand] for hand in pair] for pair in hands], np.int64)


def _arrays(game: LiarsDice) -> Dice:
    hands = np.array([hand for hand, _ in game.rolls])
    quantity, face = np.array(game.bids).T
    counts = (hands[:, None] == face[:, None]) | (hands[:, None] == game.dice_sides)
    return Dice(counts.sum(axis=2), quantity.astype(np.int64))
