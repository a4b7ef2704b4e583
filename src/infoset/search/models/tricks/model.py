"""Searching the trick-taking game with any deal, without exploring it."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import UnsupportedGameError
from infoset.game import Infostate
from infoset.games import TrickTaking
from infoset.games.trick_taking import numbers
from infoset.search.models.model import RootPositions, SearchModel
from infoset.search.models.tricks._kernels import (
    HANDS,
    LED,
    STATE_SIZE,
    TRICKS,
    Tricks,
    number_cards,
)
from infoset.search.models.tricks._solving_kernels import Solved, perfect_information_values
from infoset.search.models.tricks.deals import Deals, find_deals, num_deals
from infoset.search.models.tricks.reading import Seen, read_infostate
from infoset.typing import Action, FloatArray, LongArray, Player
from infoset.utils.arguments import check_type

__all__ = ["TricksModel"]

LONGEST_SUIT: Final = 14
"""Four words of so many bits and one are a number of 64 bits."""

PLACES: Final = 1 << 20
"""How many solved positions are remembered."""


class TricksModel(SearchModel):
    """The trick-taking game as searches read it: hands are bit sets.

    Parameters
    ----------
    game : TrickTaking

    Raises
    ------
    ParameterError
        If it is another game.
    UnsupportedGameError
        If a suit has more than 14 cards.

    Examples
    --------
    >>> from infoset.game import Step
    >>> from infoset.games import TrickTaking
    >>> model = TricksModel(TrickTaking(num_cards=20))
    >>> hand = ("Ts", "Js", "Qs", "Th", "Jh", "Qh", "Td", "Jd", "Qd", "Tc")
    >>> known = Infostate(0, (Step(None, hand, None),))
    >>> rng = np.random.default_rng(0)
    >>> [len(model.roots(known, PublicPrivateBelief(weight), rng).states) for weight in (0.0, 0.5)]
    [1, 184756]
    """

    game: TrickTaking
    state_size = STATE_SIZE

    def __init__(self, game: TrickTaking) -> None:
        check_type("game", game, TrickTaking, 'the card game, such as infoset.load("trick_taking")')
        self.game = game
        if max(game.suit_lengths) > LONGEST_SUIT:
            raise UnsupportedGameError(
                f"{game} has a suit of {max(game.suit_lengths)} cards, and this model holds "
                f"{LONGEST_SUIT}; RulesModel(game) searches it by the rules"
            )
        self.arrays = Tricks(
            np.array(game.suit_sets, np.int64),
            game.num_tricks,
            1.0 if game.tie == "both_win" else 0.0,
        )

    @property
    def utility_range(self) -> tuple[float, float]:
        """From -1 for the loser to 1 for the winner."""
        return (-1.0, 1.0)

    @property
    def is_zero_sum(self) -> bool:
        """Whether one always loses what the other wins: not if both win with half of the tricks."""
        return self.game.tie == "draw" or self.game.num_tricks % 2 == 1

    def legal_actions(self, infostate: Infostate) -> tuple[Action, ...]:
        """Return the cards that may be played."""
        cards = numbers(read_infostate(self.game, infostate).legal_cards())
        return tuple(self.game.deck[card] for card in cards)

    def roots(
        self, infostate: Infostate, belief: PublicPrivateBelief, rng: np.random.Generator
    ) -> RootPositions:
        """Return the deals that a player believes in, one position each.

        All deals that agree with the cards played and the suits not followed, where they are no
        more than the belief lists; else some, drawn uniformly by `rng`. Under policies that
        players are assumed to have, what is believed is found from the rules.
        """
        seen = read_infostate(self.game, infostate)
        if belief.policies is not None:
            held = belief.at(self.game, infostate, rng=rng)
            worlds: Any = held.worlds
            deals = Deals.of(np.array([world.hands for world in worlds], np.int64))
            probability = held.probability
        else:
            deals, probability = _mixed(seen, belief, belief.public_weight_at(infostate), rng)
        states = np.zeros((len(probability), STATE_SIZE), np.int64)
        states[:, HANDS : HANDS + 2] = deals.hands
        states[:, LED : LED + 2] = seen.led, seen.mover
        states[:, TRICKS : TRICKS + 2] = seen.tricks
        rewards_so_far = np.zeros((len(probability), 2))
        return RootPositions(states, rewards_so_far, _own_first(deals, seen), probability)

    def action_indices(self, infostate: Infostate, roots: RootPositions) -> LongArray:
        """Return [K, A] the number, at each root, of each card that is legal at an infostate.

        -1 stands where it is not legal: other hands follow suit with other cards.
        """
        seen = read_infostate(self.game, infostate)
        cards = np.array([1 << card for card in numbers(seen.legal_cards())], np.int64)
        found = np.empty((len(roots.states), len(cards)), np.int64)
        number_cards(self.arrays, roots.states, cards, found)
        return found

    def perfect_information_values(self, states: LongArray, player: Player) -> FloatArray:
        """Return [K, A] what a player can be sure of after each card, all cards being seen.

        Where half of the tricks are enough for both, each is sure of what it gets if the other
        plays against it, not for itself.
        """
        legal = np.bitwise_count(states[:, HANDS : HANDS + 2]).max(initial=0)
        values = np.empty((len(states), int(legal)))
        perfect_information_values(self.arrays, self._solved, states, player, values)
        return values[:, : np.isfinite(values).sum(axis=1).max(initial=0)]

    @cached_property
    def _solved(self) -> Solved:
        """What is remembered of positions: it holds for every deal, and changes no answer."""
        width = max(self.game.suit_lengths) + 1
        return Solved(np.zeros(PLACES, np.int64), np.zeros((PLACES, 2), np.int8), width)


def _mixed(
    seen: Seen, belief: PublicPrivateBelief, public_weight: float, rng: np.random.Generator
) -> tuple[Deals, FloatArray]:
    """Return deals [K] and their probability [K] in a mixture of beliefs."""
    if public_weight == 0.0:
        return _even(_private(seen, belief, rng))
    public = find_deals(seen.unseen_by_all, belief.max_worlds, belief.num_samples, rng)
    if num_deals(seen.unseen_by_all) <= belief.max_worlds:
        is_own = public.hands[:, seen.player] == seen.own
        return public, public_weight / len(is_own) + (1.0 - public_weight) * is_own / is_own.sum()
    if public_weight == 1.0:
        return _even(public)
    own = _private(seen, belief, rng)
    counts = len(own.hands), len(public.hands)
    probability = np.repeat(((1.0 - public_weight) / counts[0], public_weight / counts[1]), counts)
    return Deals.of(np.concatenate([own.hands, public.hands])), probability


def _private(seen: Seen, belief: PublicPrivateBelief, rng: np.random.Generator) -> Deals:
    """Return deals that a player believes in, its own hand being what it is."""
    deals = find_deals(seen.unseen, belief.max_worlds, belief.num_samples, rng)
    hands = deals.hands.copy()
    hands[:, seen.player] = seen.own
    return Deals(hands, deals.numbers)


def _even(deals: Deals) -> tuple[Deals, FloatArray]:
    """Return deals, all equally probable."""
    number = len(deals.hands)
    return deals, np.full(number, 1.0 / number)


def _own_first(deals: Deals, seen: Seen) -> LongArray:
    """Return [K, 2] the numbers of the hands, that of the player's own being 0."""
    numbers = deals.numbers.copy()
    column = numbers[:, seen.player]
    at = np.flatnonzero(deals.hands[:, seen.player] == seen.own)
    own = column[at[0]] if len(at) else -1
    numbers[:, seen.player] = np.where(column == own, 0, column + (column < own) + (own < 0))
    return numbers
