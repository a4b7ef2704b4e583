"""Tiny bridge: the auction of a bridge game with eight cards, for two partners."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import ClassVar, NamedTuple, TypeAlias

from infoset.game import Game, Observation, Probability
from infoset.games.cards import public_observation
from infoset.games.parameters import check_parameters, flag
from infoset.typing import NOOP, JointAction, Player

RANKS = "JQKA"
DECK = tuple(suit + rank for suit in "HS" for rank in RANKS)
PASS = "Pass"
CALLS = (PASS, "1H", "1S", "1NT", "2H", "2S", "2NT")
LEGAL_CALLS = tuple((PASS, *CALLS[bid + 1 :]) for bid in range(len(CALLS)))
"""The legal calls after each bid."""

Hand: TypeAlias = tuple[str, ...]
"""Two cards; the card that comes later in the deck is listed first."""


class Auction(NamedTuple):
    """The hands of West and East, and the state of the bidding.

    `bid` is the last bid as a position in `CALLS`, or 0 before the first bid. `player` is the
    player to call, or, after the auction, the player who passed.
    """

    hands: tuple[Hand, ...] = ()
    bid: int = 0
    player: Player = 0
    is_over: bool = False


@dataclass(frozen=True)
class TinyBridge2p(Game):
    """Tiny bridge for two players: bid for tricks with a partner whose hand is hidden.

    The deck has jack, queen, king and ace of hearts and spades. West (player 0), North, East
    (player 1) and South get two cards each. West and East alternately pass or bid higher than the
    last bid, from one heart to two no-trump; North and South do not bid. A pass ends the auction,
    unless it is the first call. Both players get the score of the last bid, or 0 if there is no
    bid. This score is an average over the deals of the other four cards, each played optimally with
    all cards face up. Apart from their hands, players observe only the calls.

    Parameters
    ----------
    abstracted
        Whether each player observes only which of 12 kinds its hand belongs to.

    Notes
    -----
    The optimal team value of the abstracted game is 2647/126.
    Source: E. Lockhart et al., "Human-agent cooperation in bridge bidding", 2020. Same game as
    OpenSpiel's, with both hands dealt in one step.

    Examples
    --------
    >>> from infoset.games import TinyBridge2p
    >>> game = TinyBridge2p(abstracted=True)
    >>> game.shown(("SQ", "SJ")), game.shown(("SK", "SJ")), game.shown(("SA", "HJ"))
    ('SQSJ', 'SKSx', 'SAHx')
    """

    name: ClassVar[str] = "tiny_bridge_2p"
    num_players = 2

    abstracted: bool = flag(False)

    def __post_init__(self) -> None:
        check_parameters(self)

    def initial_world(self) -> Auction:
        """Return the auction before the deal."""
        return Auction()

    def actors(self, world: Auction) -> Sequence[Player]:
        """Return the player whose turn it is to call."""
        return (world.player,) if world.hands and not world.is_over else ()

    def legal_actions(self, world: Auction, player: Player) -> Sequence[str]:
        """Return `Pass` and the higher bids."""
        return LEGAL_CALLS[world.bid]

    def transitions(
        self, world: Auction, joint_action: JointAction
    ) -> Iterable[tuple[Auction, Probability]]:
        """Return the deals, or the auction after a call."""
        if not world.hands:
            deals = list(deal_hands())
            chance = Fraction(1, len(deals))
            return [(Auction(hands), chance) for hands in deals]
        call = joint_action[world.player]
        return [] if call is NOOP else [(after(world, call), 1)]

    def rewards(
        self, world: Auction, joint_action: JointAction, next_world: Auction
    ) -> Sequence[float]:
        """Return the score of the last bid when the auction is over."""
        if not next_world.is_over or not next_world.bid:
            return (0, 0)
        dummy = next_world.player
        value = expected_score(next_world.hands[1 - dummy], next_world.hands[dummy], next_world.bid)
        return (value, value)

    def observe(
        self, world: Auction, joint_action: JointAction, next_world: Auction
    ) -> Observation:
        """Show each player its hand or the kind of its hand, and then the calls to both."""
        if not world.hands:
            return Observation(private=tuple(map(self.shown, next_world.hands)))
        return public_observation(joint_action[world.player])

    def shown(self, hand: Hand) -> str:
        """Return what a player observes of its hand.

        In the abstracted game, `x` replaces some ranks. In a hand of two suits, it replaces every
        rank except the ace. In a hand of one suit with an ace or king, it replaces the lower card's
        rank, except in the hand of ace and jack.
        """
        if not self.abstracted:
            return "".join(hand)
        high, low = hand
        if high[0] != low[0]:
            return "".join(card if card[1] == "A" else f"{card[0]}x" for card in hand)
        is_named = low[1] == "J" and high[1] in "AQ"
        return high + (low if is_named else f"{low[0]}x")


def deal_hands() -> Iterator[tuple[Hand, Hand]]:
    """Yield the hands of West and East, all equally likely."""
    for west in combinations(reversed(DECK), 2):
        rest = [card for card in reversed(DECK) if card not in west]
        for east in combinations(rest, 2):
            yield west, east


def after(world: Auction, call: object) -> Auction:
    """Return the auction after a call."""
    hands, bid, player, _ = world
    if call != PASS:
        return Auction(hands, CALLS.index(str(call)), 1 - player)
    is_first = not bid and player == 0
    return Auction(hands, 0, 1) if is_first else Auction(hands, bid, player, True)


def expected_score(declarer: Hand, dummy: Hand, bid: int) -> float:
    """Return the score of a bid, averaged over the hands of the defenders."""
    strain = CALLS[bid][1:]
    results = [score(bid, tricks) for tricks in declarer_tricks(declarer, dummy, strain)]
    return sum(results) / len(results)


@cache
def score(bid: int, tricks: int) -> int:
    """Return the score of a bid if the declarer's side takes a number of tricks."""
    level = int(CALLS[bid][0])
    if tricks < level:
        return -20 * (level - tricks)
    bonus = 0 if level == 1 else 15 if CALLS[bid] == "2NT" else 10
    return 10 * tricks + bonus


@cache
def declarer_tricks(declarer: Hand, dummy: Hand, strain: str) -> tuple[int, ...]:
    """Return the tricks of the declarer's side for each way to split the other cards.

    The defender on the declarer's right leads, and the declarer plays next.
    """
    others = [card for card in DECK if card not in declarer + dummy]
    splits = [(hand, tuple(set(others) - set(hand))) for hand in combinations(others, 2)]
    return tuple(
        2 - leader_tricks((right, declarer, left, dummy), strain) for right, left in splits
    )


def leader_tricks(hands: tuple[Hand, ...], strain: str, played: Hand = ()) -> int:
    """Return the number of tricks of the leading side in optimal play with all cards face up.

    `hands` and the cards `played` to the first trick are in order of play. In the second trick
    nobody has a choice.
    """
    position = len(played)
    if position == 4:
        rest = [
            hand[0] if hand[1] == card else hand[1]
            for hand, card in zip(hands, played, strict=True)
        ]
        first = winner(played, strain)
        # The winner leads, so the other cards are rotated to begin with its own.
        second = (first + winner(rest[first:] + rest[:first], strain)) % 4
        return (first % 2 == 0) + (second % 2 == 0)
    following = [card for card in hands[position] if played and card[0] == played[0][0]]
    outcomes = [
        leader_tricks(hands, strain, (*played, card)) for card in following or hands[position]
    ]
    return max(outcomes) if position % 2 == 0 else min(outcomes)


def winner(trick: Sequence[str], strain: str) -> int:
    """Return the position, in order of play, of the card that takes a trick."""
    led = trick[0][0]
    strength = [
        ((card[0] == strain) + (card[0] in (strain, led)), RANKS.index(card[1])) for card in trick
    ]
    return strength.index(max(strength))
