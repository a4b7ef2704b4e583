"""A trick-taking card game for two players, without trumps or bidding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb, factorial
from typing import ClassVar, NamedTuple

import numpy as np

from infoset.game import Game, Observation, Probability, Step
from infoset.games.cards import SUITS, public_observation, rank_names, sample_others
from infoset.games.parameters import check_parameters, choice, integer, parameter_error
from infoset.typing import NOOP, JointAction, Player

NO_CARD = -1
ALL_CARDS = -1
NO_HANDS = (0, 0)
TRICK_WINNERS = ("player 0 takes the trick", "player 1 takes the trick")


class Table(NamedTuple):
    """The hands as bit sets of card numbers, the card to follow, and the tricks won.

    `led` is the card to follow, or `NO_CARD` between tricks. `player` is the player to move. Played
    cards and cards that were not dealt are not part of the world state.
    """

    hands: tuple[int, int] = NO_HANDS
    led: int = NO_CARD
    player: Player = 0
    tricks: tuple[int, int] = (0, 0)

    @property
    def is_dealt(self) -> bool:
        """Whether the cards have been dealt."""
        return any(self.hands) or any(self.tricks)


@dataclass(frozen=True)
class TrickTaking(Game):
    """Take tricks: follow the suit led if possible; the highest card of that suit wins.

    Both players are dealt a hand in secret. Player 0 leads any card. The other player must follow
    suit if it can; a card of another suit reveals that it cannot. The higher card of the suit led
    takes the trick, and its player leads to the next one. A player who has taken at least half of
    the tricks wins 1; a player with fewer loses 1.

    Parameters
    ----------
    num_cards
        Number of cards in the deck.
    num_suits
        Number of suits.
    hand_size
        Number of cards in each hand; -1 for half of the deck. The remaining cards are hidden.
    layout
        Lengths of the suits if the cards cannot be divided equally. `even`: the lengths differ by
        at most one card, and the first suits are longer (3, 3, 2, 2). `filled`: all suits except
        the last are as long as possible (3, 3, 3, 1).
    tie
        Rewards if each player takes half of the tricks. `both_win`: 1 for both, as the rules
        literally say; `draw`: 0, which makes the game zero-sum for every hand size.

    Notes
    -----
    Source: Arjonilla, Cazenave, Saffidine, "Mixture of public and private distributions in
    imperfect information games", arXiv 2405.14346 (2024), section 4.1.1, with 10 and 20 cards in
    four suits. The paper does not specify the hand size, the layout and the rewards after a tie,
    which are parameters here. By default all cards are dealt, so each hand determines the other
    one.

    Examples
    --------
    >>> from infoset.games import TrickTaking
    >>> TrickTaking().deck
    ('Js', 'Qs', 'Ks', 'Jh', 'Qh', 'Kh', 'Qd', 'Kd', 'Qc', 'Kc')
    """

    name: ClassVar[str] = "trick_taking"
    public_actions = True
    num_players = 2

    num_cards: int = integer(10, low=2, high=1000)
    num_suits: int = integer(4, low=1, high=len(SUITS))
    hand_size: int = integer(ALL_CARDS, low=1, special=ALL_CARDS)
    layout: str = choice("even", "filled")
    tie: str = choice("both_win", "draw")

    def __post_init__(self) -> None:
        check_parameters(self)
        if 2 * self.hand_size > self.num_cards:
            rule = f"must be at most half of num_cards, which is {self.num_cards}"
            raise parameter_error(self, "hand_size", rule, self.num_cards // 2)

    @cached_property
    def suit_lengths(self) -> tuple[int, ...]:
        """The number of cards of each suit."""
        share, rest = divmod(self.num_cards, self.num_suits)
        if self.layout == "even":
            return tuple(share + (suit < rest) for suit in range(self.num_suits))
        longest = share + (rest > 0)
        before = (longest * suit for suit in range(self.num_suits))
        return tuple(min(longest, max(0, self.num_cards - count)) for count in before)

    @cached_property
    def deck(self) -> tuple[str, ...]:
        """All cards in the order of their numbers: by suit, and increasing within each suit."""
        ranks = rank_names(max(self.suit_lengths))
        return tuple(
            rank + suit
            for suit, length in zip(SUITS, self.suit_lengths, strict=False)
            for rank in ranks[len(ranks) - length :]
        )

    @cached_property
    def num_tricks(self) -> int:
        """Number of tricks, equal to the number of cards in a hand."""
        return self.num_cards // 2 if self.hand_size == ALL_CARDS else self.hand_size

    @cached_property
    def suit_sets(self) -> tuple[int, ...]:
        """By card, all cards of its suit as a bit set."""
        # The cards of a suit have consecutive numbers. A shift binds less closely than - does.
        starts = np.cumsum((0, *self.suit_lengths)).tolist()
        return tuple(
            (1 << length) - 1 << start
            for start, length in zip(starts, self.suit_lengths, strict=False)
            for _ in range(length)
        )

    @cached_property
    def _number(self) -> dict[object, int]:
        return {card: number for number, card in enumerate(self.deck)}

    def initial_world(self) -> Table:
        """Return the table before the deal."""
        return Table()

    def actors(self, world: Table) -> Sequence[Player]:
        """Return the player whose turn it is."""
        return (world.player,) if world.hands != NO_HANDS else ()

    def legal_actions(self, world: Table, player: Player) -> Sequence[str]:
        """Return the cards that follow suit; if there are none, or in the lead, the whole hand."""
        hand = world.hands[player]
        following = 0 if world.led == NO_CARD else hand & self.suit_sets[world.led]
        return self._names(following or hand)

    def transitions(
        self, world: Table, joint_action: JointAction
    ) -> Iterable[tuple[Table, Probability]]:
        """Return the deals, or the table after a card is played."""
        card = joint_action[world.player]
        if card is not NOOP:
            return [(self._play(world, self._number[card]), 1)]
        return () if world.is_dealt else self._deals()

    @cached_property
    def utility_range(self) -> tuple[float, float]:
        """Range from -1 for the loser to 1 for the winner."""
        return (-1, 1)

    def rewards(
        self, world: Table, joint_action: JointAction, next_world: Table
    ) -> Sequence[float]:
        """Return 1 for the winner and -1 for the loser after the last trick."""
        if next_world.hands != NO_HANDS:
            return (0, 0)
        first, second = next_world.tricks
        if first == second:
            return (1, 1) if self.tie == "both_win" else (0, 0)
        return (1, -1) if first > second else (-1, 1)

    def observe(self, world: Table, joint_action: JointAction, next_world: Table) -> Observation:
        """Show each player its hand, and everybody the played cards and each trick's winner."""
        card = joint_action[world.player]
        if card is NOOP:
            return Observation(private=tuple(map(self._names, next_world.hands)))
        if world.led == NO_CARD:
            return public_observation(card)
        return public_observation((card, TRICK_WINNERS[next_world.player]))

    def sample_transition(
        self, world: Table, joint_action: JointAction, rng: np.random.Generator
    ) -> Table:
        """Deal the cards, or play the card."""
        if joint_action[world.player] is not NOOP:
            return self._play(world, self._number[joint_action[world.player]])
        cards = rng.permutation(self.num_cards)[: 2 * self.num_tricks].tolist()
        return Table((bit_set(cards[: self.num_tricks]), bit_set(cards[self.num_tricks :])))

    def sample_observed_transition(
        self,
        world: Table,
        joint_action: JointAction,
        player: Player | None,
        step: Step,
        rng: np.random.Generator,
    ) -> tuple[Table, float] | None:
        """Deal the cards that the player does not observe."""
        if world.is_dealt:
            return None
        own = step.private if isinstance(step.private, tuple) else ()
        known = {} if player is None else dict(enumerate(own, start=player * self.num_tricks))
        found = sample_others(self.deck, 2 * self.num_tricks, known, rng)
        if found is None or len(known) not in (0, self.num_tricks):
            return None
        cards, chance = found
        hands = cards[: self.num_tricks], cards[self.num_tricks :]
        first, second = (bit_set(self._number[card] for card in hand) for hand in hands)
        # `chance` is that of the known cards in their order, and a hand has no order.
        return Table((first, second)), chance * factorial(len(known))

    def _deals(self) -> Iterator[tuple[Table, Probability]]:
        """Yield the deals, all equally probable."""
        size, cards = self.num_tricks, range(self.num_cards)
        chance = Fraction(1, comb(self.num_cards, size) * comb(self.num_cards - size, size))
        for hand in combinations(cards, size):
            rest = [card for card in cards if card not in hand]
            for other in combinations(rest, size):
                yield Table((bit_set(hand), bit_set(other))), chance

    def _play(self, world: Table, card: int) -> Table:
        (first_hand, second_hand), led, player, tricks = world
        played = 1 << card
        hands = (
            (first_hand ^ played, second_hand)
            if player == 0
            else (first_hand, second_hand ^ played)
        )
        if led == NO_CARD:
            return Table(hands, card, 1 - player, tricks)
        follows = played & self.suit_sets[led]
        # Within a suit, higher cards have higher numbers.
        winner = player if follows and card > led else 1 - player
        first, second = tricks
        tricks = (first + 1, second) if winner == 0 else (first, second + 1)
        return Table(hands, NO_CARD, winner, tricks)

    @cached_property
    def _known_names(self) -> dict[int, tuple[str, ...]]:
        return {}

    def _names(self, cards: int) -> tuple[str, ...]:
        """Return the names of the cards of a bit set, which many world states share."""
        names = self._known_names.get(cards)
        if names is None:
            names = self._known_names[cards] = tuple(self.deck[card] for card in numbers(cards))
        return names


def bit_set(cards: Iterable[int]) -> int:
    """Return a hand of cards as a bit set."""
    return sum(1 << card for card in cards)


def numbers(cards: int) -> tuple[int, ...]:
    """Return the cards of a bit set, in increasing order."""
    return tuple(card for card in range(cards.bit_length()) if cards >> card & 1)
