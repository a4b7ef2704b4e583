"""Kuhn poker, for two to ten players and decks of any size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import ClassVar, NamedTuple

import numpy as np

from infoset.game import Game, Observation, Probability, PublicEnd, PublicHand, PublicRules, Step
from infoset.games.cards import (
    deals,
    public_observation,
    rank_names,
    sample_cards,
    sample_others,
)
from infoset.games.parameters import check_parameters, integer, parameter_error
from infoset.typing import NOOP, Action, JointAction, Player


class Table(NamedTuple):
    """The cards by player (empty before the deal), and the moves so far."""

    cards: tuple[str, ...] = ()
    moves: tuple[str, ...] = ()


class Betting(NamedTuple):
    """The public part of a table: whose turn it is, who has bet, and who has not folded.

    `turn` is None at the end.
    """

    turn: Player | None
    bettors: tuple[Player, ...] = ()
    left: tuple[Player, ...] = ()


@dataclass(frozen=True)
class KuhnPoker(Game):
    """Kuhn poker: each player has one card and may bet one chip.

    Every player antes one chip and gets one card. All cards of the deck have different ranks.
    Players act in order: each bets one chip or passes. After a bet all other players act once more;
    then a bet is a call and a pass is a fold. The highest card among the players who bet, or among
    all players if nobody bet, wins the chips.

    Parameters
    ----------
    players
        Number of players.
    num_cards
        Number of cards in the deck; -1 for one more than there are players.

    Notes
    -----
    The value of the two-player game to player 0 is -1/18.
    Source: H. W. Kuhn, "A simplified two-person poker", Contributions to the Theory of Games 1
    (1950). Same game as OpenSpiel's, with all cards dealt in one step.

    Examples
    --------
    >>> from infoset.games import KuhnPoker
    >>> KuhnPoker(players=3).deck
    ('J', 'Q', 'K', 'A')
    """

    name: ClassVar[str] = "kuhn_poker"
    public_actions = True

    players: int = integer(2, low=2, high=10)
    num_cards: int = integer(-1, low=2, high=1000, special=-1, is_addition=True)
    num_players: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_parameters(self)
        object.__setattr__(self, "num_players", self.players)
        if len(self.deck) < self.players:
            rule = f"must be at least the number of players, {self.players}"
            raise parameter_error(self, "num_cards", rule, self.players + 1)

    @cached_property
    def deck(self) -> tuple[str, ...]:
        """The cards, in increasing order."""
        return rank_names(self.players + 1 if self.num_cards == -1 else self.num_cards)

    def initial_world(self) -> Table:
        """Return the table before the deal."""
        return Table()

    def actors(self, world: Table) -> Sequence[Player]:
        """Return the player whose turn it is."""
        turn = betting_after(world.moves, self.players).turn if world.cards else None
        return () if turn is None else (turn,)

    def legal_actions(self, world: Table, player: Player) -> Sequence[str]:
        """Return `pass` and `bet`, which after a bet mean fold and call."""
        return ("pass", "bet")

    def transitions(
        self, world: Table, joint_action: JointAction
    ) -> Iterable[tuple[Table, Probability]]:
        """Return the deals, or the table after a move."""
        if not world.cards:
            return ((Table(cards), chance) for cards, chance in deals(self.deck, self.players))
        move = joint_action[len(world.moves) % self.players]
        return [] if move is NOOP else [(Table(world.cards, (*world.moves, str(move))), 1)]

    @cached_property
    def utility_range(self) -> tuple[float, float]:
        """Range from losing the ante and a bet to winning those of all others."""
        return (-2, 2 * (self.players - 1))

    def rewards(
        self, world: Table, joint_action: JointAction, next_world: Table
    ) -> Sequence[float]:
        """Return the chips won or lost at the end of the betting."""
        betting = betting_after(next_world.moves, self.players)
        if betting.turn is not None or not world.cards:
            return (0,) * self.players
        winner = winner_among(betting.left, next_world.cards, self.deck)
        return payoffs(winner, betting.bettors, self.players)

    def observe(self, world: Table, joint_action: JointAction, next_world: Table) -> Observation:
        """Show each player its card, and everybody the moves and, at a showdown, the cards."""
        if not world.cards:
            return Observation(private=next_world.cards)
        moves = next_world.moves
        betting = betting_after(moves, self.players)
        if betting.turn is not None or len(betting.left) == 1:
            return public_observation(moves[-1])
        return showdown(moves[-1], next_world.cards, betting.left)

    def sample_transition(
        self, world: Table, joint_action: JointAction, rng: np.random.Generator
    ) -> Table:
        """Deal the cards, or make the move."""
        if not world.cards:
            return Table(sample_cards(self.deck, self.players, rng))
        move = joint_action[len(world.moves) % self.players]
        return Table(world.cards, (*world.moves, str(move)))

    def sample_observed_transition(
        self,
        world: Table,
        joint_action: JointAction,
        player: Player | None,
        step: Step,
        rng: np.random.Generator,
    ) -> tuple[Table, float] | None:
        """Deal the cards that the player does not observe."""
        if world.cards:
            return None
        known = {} if player is None else {player: step.private}
        found = sample_others(self.deck, self.players, known, rng)
        return found and (Table(found[0]), found[1])

    def public_rules(self) -> PublicRules | None:
        """Return the rules by public states and hands, for two players."""
        return KuhnPublicRules(self.deck) if self.players == 2 else None


class KuhnPublicRules(PublicRules):
    """The rules of Kuhn poker for two players; a public state is the moves so far."""

    def __init__(self, deck: tuple[str, ...]) -> None:
        self._hands = [PublicHand(card, cards=(card,)) for card in deck]
        self._strengths = (tuple(range(len(deck))),) * 2

    def hands(self, player: Player) -> Sequence[PublicHand]:
        """Return the cards of the deck."""
        return self._hands

    def initial_state(self) -> tuple[str, ...]:
        """Return the state after the deal."""
        return ()

    def actor(self, state: tuple[str, ...]) -> Player | None:
        """Return the player whose turn it is."""
        return betting_after(state, 2).turn

    def legal_actions(self, state: tuple[str, ...]) -> Sequence[str]:
        """Return `pass` and `bet`."""
        return ("pass", "bet")

    def next_state(self, state: tuple[str, ...], action: Action) -> tuple[str, ...]:
        """Return the state after a move."""
        return (*state, str(action))

    def end(self, state: tuple[str, ...]) -> PublicEnd | None:
        """Return the chips won or lost after a fold or at a showdown."""
        betting = betting_after(state, 2)
        if betting.turn is not None:
            return None
        second, first = (_pair(payoffs(winner, betting.bettors, 2)) for winner in (1, 0))
        if len(betting.left) == 1:
            return PublicEnd((first if betting.left == (0,) else second,))
        return PublicEnd((second, (0, 0), first), self._strengths)


def _pair(earned: tuple[int, ...]) -> tuple[int, int]:
    return earned[0], earned[1]


# The same moves are made with every deal of the cards: the results of these functions are cached.


@lru_cache(maxsize=1 << 14)
def betting_after(moves: tuple[str, ...], players: int) -> Betting:
    """Return the betting after the given moves."""
    bettors = tuple(sorted(turn % players for turn, move in enumerate(moves) if move == "bet"))
    # Until somebody bets, everybody moves once; after a bet all other players move once more.
    num_moves = players + (moves.index("bet") if bettors else 0)
    turn = len(moves) % players if len(moves) < num_moves else None
    return Betting(turn, bettors, bettors or tuple(range(players)))


@lru_cache(maxsize=1 << 14)
def winner_among(left: tuple[Player, ...], cards: tuple[str, ...], deck: tuple[str, ...]) -> Player:
    """Return the player with the highest card among the given ones."""
    return max(left, key=lambda player: deck.index(cards[player]))


@lru_cache(maxsize=1 << 14)
def showdown(move: str, cards: tuple[str, ...], left: tuple[Player, ...]) -> Observation:
    """Return the observation of the last move and the cards of the players who have not folded."""
    shown = [card if player in left else "-" for player, card in enumerate(cards)]
    return Observation((move, *shown))


@lru_cache(maxsize=1 << 14)
def payoffs(winner: Player, bettors: tuple[Player, ...], players: int) -> tuple[int, ...]:
    """Return the chips that each player wins or loses."""
    pot = players + len(bettors)
    return tuple(
        (pot if player == winner else 0) - 1 - (player in bettors) for player in range(players)
    )
