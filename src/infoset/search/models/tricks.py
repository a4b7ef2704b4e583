"""The search model of the trick-taking game, for decks with too many deals to explore."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import UnsupportedGameError
from infoset.game import Infostate, Step
from infoset.games import TrickTaking
from infoset.games.trick_taking import bit_set, numbers
from infoset.runs.searcher import not_acting_error
from infoset.search.models._tricks_kernels import (
    HANDS,
    LED,
    STATE_SIZE,
    TRICKS,
    Tricks,
    card_indices,
)
from infoset.search.models._tricks_solver_kernels import SolvedPositions, card_values
from infoset.search.models.model import RootPositions, SearchModel, unreachable_error
from infoset.search.models.trick_deals import Deals, UnseenCards, find_deals, num_deals
from infoset.typing import NOOP, Action, FloatArray, LongArray, Player
from infoset.utils.arguments import check_type

LONGEST_SUIT: Final = 14
"""Maximum number of cards in a suit: four words of 15 bits each must fit in 64 bits."""

TABLE_SIZE: Final = 1 << 20
"""Size of the table of solved positions."""


class TricksModel(SearchModel):
    """The search model of the trick-taking game, with hands as bit sets.

    Raises
    ------
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
    >>> [
    ...     len(model.roots(known, PublicPrivateBelief(weight), rng).states)
    ...     for weight in (0.0, 0.5)
    ... ]
    [1, 184756]
    """

    game: TrickTaking
    state_size = STATE_SIZE

    def __init__(self, game: TrickTaking) -> None:
        check_type("game", game, TrickTaking, 'the card game, such as infoset.load("trick_taking")')
        self.game = game
        if max(game.suit_lengths) > LONGEST_SUIT:
            raise UnsupportedGameError(
                f"{game} has a suit of {max(game.suit_lengths)} cards, and TricksModel supports "
                f"at most {LONGEST_SUIT}; use RulesModel(game) instead"
            )
        self.arrays = Tricks(
            np.array(game.suit_sets, np.int64),
            game.num_tricks,
            1.0 if game.tie == "both_win" else 0.0,
        )

    @property
    def utility_range(self) -> tuple[float, float]:
        """Bounds on the utilities: those of the game."""
        return self.game.utility_range

    @property
    def is_zero_sum(self) -> bool:
        """Whether one player loses what the other wins. This is False if both win with a tie."""
        return self.game.tie == "draw" or self.game.num_tricks % 2 == 1

    def legal_actions(self, infostate: Infostate) -> tuple[Action, ...]:
        """Return the cards that may be played."""
        cards = numbers(parse_tricks_infostate(self.game, infostate).legal_cards())
        return tuple(self.game.deck[card] for card in cards)

    def roots(
        self, infostate: Infostate, belief: PublicPrivateBelief, rng: np.random.Generator
    ) -> RootPositions:
        """Return the positions of a belief, one for each deal.

        The deals agree with the cards played and with the suits that players failed to follow. All
        are listed if there are at most `belief.max_worlds`; otherwise `rng` samples them uniformly.
        With assumed policies, the belief is computed from the rules.
        """
        known, model_noise = parse_tricks_infostate(self.game, infostate), 0.0
        if belief.policies is not None:
            held = belief.at(self.game, infostate, rng=rng)
            worlds: Any = held.worlds
            deals = Deals.of(np.array([world.hands for world in worlds], np.int64))
            probability, model_noise = held.probability, held.model_noise
        else:
            public_weight = belief.public_weight_at(infostate)
            deals, probability = _mixed_belief(known, belief, public_weight, rng)
        states = np.zeros((len(probability), STATE_SIZE), np.int64)
        states[:, HANDS : HANDS + 2] = deals.hands
        states[:, LED : LED + 2] = known.led, known.mover
        states[:, TRICKS : TRICKS + 2] = known.tricks
        rewards_so_far = np.zeros((len(probability), 2))
        own_first = _own_first(deals, known)
        return RootPositions(states, rewards_so_far, own_first, probability, model_noise)

    def action_indices(self, infostate: Infostate, roots: RootPositions) -> LongArray:
        """Return [K, A] the index, at each root, of each legal card of an infostate.

        The index is -1 if the card is not legal there: the hand may lack it or have to follow suit.
        """
        known = parse_tricks_infostate(self.game, infostate)
        cards = np.array([1 << card for card in numbers(known.legal_cards())], np.int64)
        indices = np.empty((len(roots.states), len(cards)), np.int64)
        card_indices(self.arrays, roots.states, cards, indices)
        return indices

    def perfect_information_values(self, states: LongArray, player: Player) -> FloatArray:
        """Return [K, A] the security level of a player after each card when all cards are seen.

        If a tie wins for both, the game is not zero-sum; the values assume that the opponent plays
        against the player, not for itself.
        """
        max_cards = np.bitwise_count(states[:, HANDS : HANDS + 2]).max(initial=0)
        values = np.empty((len(states), int(max_cards)))
        card_values(self.arrays, self._solved, states, player, values)
        return values[:, : np.isfinite(values).sum(axis=1).max(initial=0)]

    @cached_property
    def _solved(self) -> SolvedPositions:
        """The cache of solved positions, shared by all deals."""
        width = max(self.game.suit_lengths) + 1
        return SolvedPositions(
            np.zeros(TABLE_SIZE, np.int64), np.zeros((TABLE_SIZE, 2), np.int8), width
        )


def _mixed_belief(
    known: TricksInfostate,
    belief: PublicPrivateBelief,
    public_weight: float,
    rng: np.random.Generator,
) -> tuple[Deals, FloatArray]:
    """Return the deals [K] in the support of B_λ and their probabilities [K].

    Private and public deals are mixed as `B_λ = (1 - λ) B_priv + λ B_pub`. If the public deals are
    sampled, the private deals are listed first, then the public ones.
    """
    if public_weight == 0.0:
        return _uniform(_private_deals(known, belief, rng))
    public = find_deals(known.unseen_by_all, belief.max_worlds, belief.num_samples, rng)
    if num_deals(known.unseen_by_all) <= belief.max_worlds:
        is_own = public.hands[:, known.player] == known.own
        uniform = public_weight / len(is_own)
        return public, uniform + (1.0 - public_weight) * is_own / is_own.sum()
    if public_weight == 1.0:
        return _uniform(public)
    own = _private_deals(known, belief, rng)
    counts = len(own.hands), len(public.hands)
    probability = np.repeat(((1.0 - public_weight) / counts[0], public_weight / counts[1]), counts)
    return Deals.of(np.concatenate([own.hands, public.hands])), probability


def _private_deals(
    known: TricksInfostate, belief: PublicPrivateBelief, rng: np.random.Generator
) -> Deals:
    """Return the deals in which the player holds its true hand."""
    deals = find_deals(known.unseen, belief.max_worlds, belief.num_samples, rng)
    hands = deals.hands.copy()
    hands[:, known.player] = known.own
    return Deals(hands, deals.numbers)


def _uniform(deals: Deals) -> tuple[Deals, FloatArray]:
    """Return deals with equal probabilities."""
    number = len(deals.hands)
    return deals, np.full(number, 1.0 / number)


def _own_first(deals: Deals, known: TricksInfostate) -> LongArray:
    """Return the hand numbers [K, 2], renumbered so that the player's true hand is 0."""
    hand_numbers = deals.numbers.copy()
    column = hand_numbers[:, known.player]
    at = np.flatnonzero(deals.hands[:, known.player] == known.own)
    own = column[at[0]] if len(at) else -1
    hand_numbers[:, known.player] = np.where(column == own, 0, column + (column < own) + (own < 0))
    return hand_numbers


class TricksInfostate(NamedTuple):
    """A player's information about a play. Sets of cards are bit sets."""

    game: TrickTaking
    player: Player
    hand: int
    """The cards dealt to the player."""
    played: tuple[int, int] = (0, 0)
    """The cards that each player has played."""
    voids: tuple[int, int] = (0, 0)
    """The suits that each player has failed to follow, as sets of cards."""
    led: int = 0
    """The card led to the current trick; 0 between tricks."""
    mover: Player = 0
    """The player to move."""
    tricks: tuple[int, int] = (0, 0)
    """Tricks taken by each player."""

    @property
    def own(self) -> int:
        """The cards that the player still holds."""
        return self.hand & ~self.played[self.player]

    @property
    def suit_led(self) -> int:
        """The cards of the suit led; empty between tricks."""
        return self.game.suit_sets[self.led.bit_length() - 1] if self.led else 0

    def legal_cards(self) -> int:
        """Return the cards that the mover may play, given the player's information."""
        if self.mover != self.player:
            return self._possible_for_other
        return (self.own & self.suit_led) or self.own

    @property
    def unseen(self) -> UnseenCards:
        """The cards that the player has not seen; the other player holds some of them."""
        size = self._hand_sizes[1 - self.player]
        if self.player == 0:
            return UnseenCards(0, self._possible_for_other, 0, (0, size))
        return UnseenCards(self._possible_for_other, 0, 0, (size, 0))

    @property
    def unseen_by_all(self) -> UnseenCards:
        """The cards not yet played, by the players who may hold them."""
        left = self._deck & ~(self.played[0] | self.played[1])
        return UnseenCards.between(left, self.voids, self._hand_sizes)

    def after(self, card: int) -> TricksInfostate:
        """Return the player's information after one more card."""
        player, suit = self.mover, self.suit_led
        played = _replaced(self.played, player, self.played[player] | card)
        if not self.led:
            return self._replace(played=played, led=card, mover=1 - player)
        voids = self.voids
        if not card & suit:
            voids = _replaced(voids, player, voids[player] | suit)
        winner = player if card & suit and card > self.led else 1 - player
        tricks = _replaced(self.tricks, winner, self.tricks[winner] + 1)
        return self._replace(played=played, voids=voids, led=0, mover=winner, tricks=tricks)

    @property
    def _deck(self) -> int:
        return (1 << self.game.num_cards) - 1

    @property
    def _possible_for_other(self) -> int:
        """The cards that the other player may hold."""
        other = 1 - self.player
        return self._deck & ~(self.hand | self.played[other] | self.voids[other])

    @property
    def _hand_sizes(self) -> tuple[int, int]:
        first, second = (self.game.num_tricks - cards.bit_count() for cards in self.played)
        return first, second


def parse_tricks_infostate(game: TrickTaking, infostate: Infostate) -> TricksInfostate:
    """Return the hand and the play that an infostate describes.

    Raises
    ------
    ParameterError
        If its player does not act there.
    UnknownNameError
        If no play leads to the infostate.
    """
    known = _after_deal(game, infostate)
    for step in infostate.steps[1:]:
        known = _after_step(known, step, infostate)
    if num_deals(known.unseen) == 0:
        raise unreachable_error(game, infostate)
    if known.mover != infostate.player or not known.own:
        raise not_acting_error(infostate)
    return known


def _after_deal(game: TrickTaking, infostate: Infostate) -> TricksInfostate:
    """Return the player's information after the deal."""
    if not infostate.steps:
        raise not_acting_error(infostate)
    shown = infostate.steps[0].private
    hand = shown if isinstance(shown, tuple) else ()
    cards = [number for number, card in enumerate(game.deck) if card in hand]
    dealt = Step(NOOP, tuple(game.deck[card] for card in cards), None)
    if len(cards) != game.num_tricks or infostate.steps[0] != dealt:
        raise unreachable_error(game, infostate)
    return TricksInfostate(game, infostate.player, bit_set(cards))


def _after_step(known: TricksInfostate, step: Step, infostate: Infostate) -> TricksInfostate:
    """Return the player's information after one more step."""
    shown = step.public
    name = shown[0] if isinstance(shown, tuple) and shown else shown
    card = 1 << known.game.deck.index(name) if name in known.game.deck else 0
    if not card & known.legal_cards():
        raise unreachable_error(known.game, infostate)
    after = known.after(card)
    public = (name, f"player {after.mover} takes the trick") if known.led else name
    if step != Step(name if known.mover == known.player else NOOP, None, public):
        raise unreachable_error(known.game, infostate)
    return after


def _replaced(pair: tuple[int, int], player: Player, value: int) -> tuple[int, int]:
    """Return a pair with the entry of one player replaced."""
    return (value, pair[1]) if player == 0 else (pair[0], value)
