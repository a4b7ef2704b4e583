"""Kuhn poker move by move: antes, cards dealt one by one, and a showdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

from infoset.game import Game, Observation, Probability
from infoset.games.cards import rank_names
from infoset.typing import CHANCE, JointAction, Player

CHIPS = 2
UNDEALT = ""


class Table(NamedTuple):
    """The cards and the remaining chips by player, and who moves: a player, chance, or None.

    The pot holds the chips that the players have put in.
    """

    cards: tuple[str, str] = (UNDEALT, UNDEALT)
    chips: tuple[int, int] = (CHIPS, CHIPS)
    mover: Player | None = 0

    @property
    def pot(self) -> int:
        """The chips put in by both."""
        return 2 * CHIPS - sum(self.chips)


@dataclass(frozen=True)
class KuhnPokerLong(Game):
    """Two-player Kuhn poker with a separate transition for every event.

    Both players have two chips. First player 0 and then player 1 antes one chip, which is the only
    legal action. Player 0 is dealt one of three cards, then player 1 one of the other two. It is
    public that a card is dealt, but the card is private. Player 0 checks or bets its other chip.
    After a check, player 1 also checks or bets. A player who faces a bet calls or folds. After a
    fold the other player takes the pot. Otherwise a chance move shows both cards, and the higher
    card takes the pot. Rewards are the changes of the players' chips at each transition.

    Notes
    -----
    The game is strategically equivalent to `kuhn_poker`, so its value to player 0 is -1/18.
    Source: Kovařík, Schmid, Burch, Bowling, Lisý, "Rethinking formal models of partially
    observable multiagent decision making", Artificial Intelligence 303 (2022), Example 2.2.
    Differs from the paper: players are numbered 0 and 1, and a fold ends the game immediately,
    which the paper does not specify.

    Examples
    --------
    >>> from infoset.games import KuhnPokerLong
    >>> game = KuhnPokerLong()
    >>> game.legal_actions(game.initial_world(), 0)
    ('ante',)
    """

    name: ClassVar[str] = "kuhn_poker_long"
    public_actions = True
    num_players = 2
    deck: ClassVar[tuple[str, ...]] = rank_names(3)
    """The cards, in increasing order."""

    def initial_world(self) -> Table:
        """Return the table before the antes."""
        return Table()

    def actors(self, world: Table) -> Sequence[Player]:
        """Return the player whose turn it is."""
        return () if world.mover is None or world.mover == CHANCE else (world.mover,)

    def legal_actions(self, world: Table, player: Player) -> Sequence[str]:
        """Return `ante` before the deal; then `check` and `bet`, or `call` and `fold`."""
        if UNDEALT in world.cards:
            return ("ante",)
        faces_bet = world.chips[player] > world.chips[1 - player]
        return ("call", "fold") if faces_bet else ("check", "bet")

    def transitions(
        self, world: Table, joint_action: JointAction
    ) -> Iterable[tuple[Table, Probability]]:
        """Return the table after a move, a deal of one card, or the showdown."""
        if world.mover is None:
            return []
        if world.mover != CHANCE:
            return [(after_move(world, world.mover, joint_action[world.mover]), 1)]
        if UNDEALT not in world.cards:
            best = max(world.cards, key=self.deck.index)
            return [(take_pot(world, world.cards.index(best)), 1)]
        left = [card for card in self.deck if card not in world.cards]
        return [(after_deal(world, card), Fraction(1, len(left))) for card in left]

    def rewards(
        self, world: Table, joint_action: JointAction, next_world: Table
    ) -> Sequence[float]:
        """Return the change of each player's chips."""
        return [now - before for before, now in zip(world.chips, next_world.chips, strict=True)]

    def observe(self, world: Table, joint_action: JointAction, next_world: Table) -> Observation:
        """Show moves, deals and the showdown publicly, and each card privately to its holder."""
        if world.mover is not None and world.mover != CHANCE:
            return Observation(public=joint_action[world.mover])
        if UNDEALT not in world.cards:
            return Observation(public=next_world.cards)
        receiver = world.cards.index(UNDEALT)
        return Observation(f"card to player {receiver}", {receiver: next_world.cards[receiver]})


def after_deal(world: Table, card: str) -> Table:
    """Return the table after the next card is dealt; betting starts after the second card."""
    first, _ = world.cards
    if first == UNDEALT:
        return world._replace(cards=(card, UNDEALT))
    return world._replace(cards=(first, card), mover=0)


def after_move(world: Table, player: Player, move: object) -> Table:
    """Return the table after a move of a player."""
    if move == "fold":
        return take_pot(world, 1 - player)
    if move == "check":
        return world._replace(mover=1 if player == 0 else CHANCE)
    ends_round = move == "call" or (move == "ante" and player == 1)
    chips = received(world.chips, player, -1)
    return world._replace(chips=chips, mover=CHANCE if ends_round else 1 - player)


def take_pot(world: Table, winner: Player) -> Table:
    """Return the table at the end of the game, after the winner has received the pot."""
    return world._replace(chips=received(world.chips, winner, world.pot), mover=None)


def received(chips: tuple[int, int], player: Player, number: int) -> tuple[int, int]:
    """Return the chips after a player received `amount`, which is negative for a payment."""
    first, second = chips
    return (first + number, second) if player == 0 else (first, second + number)
