"""The search model of liar's dice, for sizes too large to explore."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.game import Infostate
from infoset.games import LiarsDice
from infoset.games.liars_dice import LIAR, NO_BID, Hand
from infoset.runs.searcher import not_acting_error
from infoset.search.models._dice_kernels import NO_CALL, STATE_SIZE, Dice, call_values
from infoset.search.models.model import RootPositions, SearchModel, unreachable_error
from infoset.typing import NOOP, Action, FloatArray, LongArray, Player
from infoset.utils.arguments import check_type


class DiceModel(SearchModel):
    """The search model of liar's dice.

    A position consists of both hands, the last call, and the player to move.

    Attributes
    ----------
    hand_probability : FloatArray
        [H] probability of each hand, in the order of `LiarsDice.rolls`.

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
        self.arrays = _dice_arrays(game)

    @property
    def utility_range(self) -> tuple[float, float]:
        """Bounds on the utilities: those of the game."""
        return self.game.utility_range

    @property
    def is_zero_sum(self) -> bool:
        """Always True: one player wins what the other loses."""
        return True

    def legal_actions(self, infostate: Infostate) -> tuple[Action, ...]:
        """Return the calls higher than the last one."""
        call = parse_dice_infostate(self.game, infostate).call
        return self.game.calls[call + 1 : -1 if call == NO_BID else None]

    def roots(
        self, infostate: Infostate, belief: PublicPrivateBelief, rng: np.random.Generator
    ) -> RootPositions:
        """Return the positions of a belief, one for each pair of hands.

        All pairs are listed if there are at most `belief.max_worlds`; otherwise `rng` samples them.
        With assumed policies, the belief is computed from the rules.
        """
        own, call, _ = parse_dice_infostate(self.game, infostate)
        player, public_weight = infostate.player, belief.public_weight_at(infostate)
        num_hands, model_noise = len(self.hand_probability), 0.0
        if belief.policies is not None or (public_weight and num_hands**2 > belief.max_worlds):
            held = belief.at(self.game, infostate, rng=rng)
            pairs = [world.hands for world in held.worlds]  # type: ignore[attr-defined]
            hands, probability = self._hand_numbers(pairs), held.probability
            model_noise = held.model_noise
        else:
            hands, probability = self._hand_pairs(own, player, public_weight)
        infostates = hands.copy()
        column = infostates[:, player]
        # Renumber: the true hand becomes 0, and the hands before it move up by one.
        infostates[:, player] = np.where(column == own, 0, column + (column < own))
        states = np.full((len(hands), STATE_SIZE), NO_CALL)
        states[:, :2], states[:, 2], states[:, 3] = hands, call, player
        rewards_so_far = np.zeros((len(hands), 2))
        return RootPositions(states, rewards_so_far, infostates, probability, model_noise)

    def perfect_information_values(self, states: LongArray, player: Player) -> FloatArray:
        """Return [K, A] the values to a player of the legal calls when all dice are seen.

        Notes
        -----
        The values have a closed form: a bid wins if and only if it is the highest true bid; `liar`
        wins if and only if the last bid is false.
        """
        last = states[:, 2]
        max_calls = (len(self.arrays.quantity) - last - (last == NO_BID)).max(initial=0)
        values = np.empty((len(states), max_calls))
        call_values(self.arrays, states, player, values)
        return values

    def _hand_pairs(
        self, own: int, player: Player, public_weight: float
    ) -> tuple[LongArray, FloatArray]:
        """Return the pairs of hands [K, 2] in the support of B_λ, and their probabilities [K]."""
        chance = self.hand_probability
        is_own = np.arange(len(chance)) == own
        weight = public_weight * chance + (1.0 - public_weight) * is_own
        weights = (weight, chance) if player == 0 else (chance, weight)
        joint = np.multiply.outer(*weights)
        hands = np.argwhere(joint)
        return hands, joint[tuple(hands.T)]

    def _hand_numbers(self, pairs: Sequence[tuple[Hand, Hand]]) -> LongArray:
        number = {hand: count for count, (hand, _) in enumerate(self.game.rolls)}
        return np.array([[number[hand] for hand in pair] for pair in pairs], np.int64)


def _dice_arrays(game: LiarsDice) -> Dice:
    hands = np.array([hand for hand, _ in game.rolls])
    quantity, face = np.array(game.bids).T
    # The highest face is wild.
    counts = (hands[:, None] == face[:, None]) | (hands[:, None] == game.dice_sides)
    return Dice(counts.sum(axis=2), quantity.astype(np.int64))


class DiceInfostate(NamedTuple):
    """The information of a player who is about to call."""

    hand: int
    """Index of the player's hand in `LiarsDice.rolls`."""
    call: int
    """Number of the last bid; `NO_BID` before the first bid."""
    num_moves: int
    """Number of calls that the player has made."""


def parse_dice_infostate(game: LiarsDice, infostate: Infostate) -> DiceInfostate:
    """Return the hand and the bids that an infostate describes.

    Raises
    ------
    ParameterError
        If its player does not act there.
    UnknownNameError
        If no play leads to the infostate.
    """
    if not infostate.steps:
        raise not_acting_error(infostate)
    dealt, *called = infostate.steps
    hands = [hand for hand, _ in game.rolls]
    if (dealt.action, dealt.public) != (NOOP, None) or dealt.private not in hands:
        raise unreachable_error(game, infostate)
    call, mover = NO_BID, 0
    for action, private, public in called:
        if private is None and isinstance(public, tuple) and public[0] == LIAR:
            raise not_acting_error(infostate)
        later = game.calls[call + 1 : -1]
        own = public if mover == infostate.player else NOOP
        if public not in later or action != own or private is not None:
            raise unreachable_error(game, infostate)
        call, mover = call + 1 + later.index(public), 1 - mover
    if mover != infostate.player:
        raise not_acting_error(infostate)
    num_moves = (len(called) + 1 - infostate.player) // 2
    return DiceInfostate(hands.index(dealt.private), call, num_moves)
