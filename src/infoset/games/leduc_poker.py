"""Leduc poker, for two to ten players and decks of any size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from infoset.game import Game, Observation, Probability, Step
from infoset.games.cards import SUITS, deals, rank_names, sample_cards, sample_others, with_entry
from infoset.games.parameters import check_parameters, flag, integer, parameter_error
from infoset.typing import Action, JointAction, Player

__all__ = ["LeducPoker"]

ANTE = 1
RAISE_BEFORE_BOARD, RAISE_AFTER_BOARD = 2, 4


class Table(NamedTuple):
    """Chips, cards and betting, and whose turn it is.

    `raises` counts the raises of the betting round, `calls` the calls since the last raise. `turn`
    is None before a deal and at the end.
    """

    put_in: tuple[int, ...]
    folded: tuple[bool, ...]
    cards: tuple[str, ...] = ()
    board: str = ""
    raises: int = 0
    calls: int = 0
    turn: Player | None = None

    @property
    def left(self) -> list[Player]:
        """The players who have not folded."""
        return [player for player, folded in enumerate(self.folded) if not folded]

    @property
    def num_left(self) -> int:
        """Number of players who have not folded."""
        return self.folded.count(False)

    @property
    def is_over(self) -> bool:
        """Whether nothing remains to be dealt or decided."""
        return self.turn is None and (self.board != "" or self.num_left == 1)


@dataclass(frozen=True)
class LeducPoker(Game):
    """Leduc poker: a private card, a round of betting, a public card, another round.

    Everyone antes one chip and gets one card. In each of the two rounds a player folds (only when
    facing a raise), calls, or raises: by 2 chips in the first round, by 4 in the second, at most
    `num_raises` times per round. A pair with the public card beats everything else,
    then the higher card wins; equal hands share the chips.

    Parameters
    ----------
    players : int
        Number of players.
    action_mapping : bool
        Make all three actions legal at every turn: a fold with nothing to call, and a raise
        too many, count and are shown as a call.
    suit_isomorphism : bool
        Show the cards without their suits.
    starting_player : int
        Player who begins each round, or the next one who has not folded.
    num_ranks : int
        Number of ranks in the deck; -1 for one more than there are players.
    num_suits : int
        Number of suits, that is of cards of each rank.
    num_raises : int
        Number of raises allowed in each round, by all players together.

    Notes
    -----
    The default game is worth -0.0856064240780 to player 0.
    Source: Southey et al., "Bayes' bluff: opponent modelling in poker", UAI 2005. Same game as
    OpenSpiel's, with all private cards dealt in one step.
    Differs from OpenSpiel: under `action_mapping` a player remembers which of the actions that
    count as a call it took, as perfect recall requires; OpenSpiel's information states do not.
    """

    name: ClassVar[str] = "leduc_poker"

    players: int = integer(2, low=2, high=10)
    action_mapping: bool = flag(False)
    suit_isomorphism: bool = flag(False)
    starting_player: int = integer(0, low=0)
    num_ranks: int = integer(-1, low=1, special=-1, is_addition=True)
    num_suits: int = integer(2, low=1, high=len(SUITS), is_addition=True)
    num_raises: int = integer(2, low=0, is_addition=True)
    num_players: int = field(init=False, repr=False, compare=False)
    public_actions: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_parameters(self)
        object.__setattr__(self, "num_players", self.players)
        # With the action mapping, several actions are observed as a call.
        object.__setattr__(self, "public_actions", not self.action_mapping)
        if self.starting_player >= self.players:
            rule = f"must be a player, from 0 to {self.players - 1}"
            raise parameter_error(self, "starting_player", rule, 0)
        if len(self.deck) <= self.players:
            rule = f"must leave a card more than the {self.players} players, in all suits together"
            raise parameter_error(self, "num_ranks", rule, self.players + 1)

    @cached_property
    def ranks(self) -> tuple[str, ...]:
        """The ranks, the lowest first."""
        return rank_names(self.players + 1 if self.num_ranks == -1 else self.num_ranks)

    @cached_property
    def deck(self) -> tuple[str, ...]:
        """The cards as players see them, the lowest first."""
        suits = [""] * self.num_suits if self.suit_isomorphism else SUITS[: self.num_suits]
        return tuple(rank + suit for rank in self.ranks for suit in suits)

    @cached_property
    def _strength(self) -> dict[str, int]:
        return {card: index // self.num_suits for index, card in enumerate(self.deck)}

    def initial_world(self) -> Table:
        """Return the table with the antes."""
        return Table(put_in=(ANTE,) * self.players, folded=(False,) * self.players)

    def actors(self, world: Table) -> Sequence[Player]:
        """Return whose turn it is."""
        return () if world.turn is None else (world.turn,)

    def legal_actions(self, world: Table, player: Player) -> Sequence[str]:
        """Return which of `fold`, `call` and `raise` are allowed; `call` is also a check."""
        facing_raise = world.put_in[player] < max(world.put_in)
        return (
            *(("fold",) if facing_raise or self.action_mapping else ()),
            "call",
            *(("raise",) if world.raises < self.num_raises or self.action_mapping else ()),
        )

    def transitions(
        self, world: Table, joint_action: JointAction
    ) -> Iterable[tuple[Table, Probability]]:
        """Return the deals of private or public cards, or the table after a move."""
        if world.turn is not None:
            return [(self._bet(world, joint_action[world.turn]), 1)]
        if world.is_over:
            return []
        stub, count = self._to_deal(world)
        return ((self._deal(world, cards), chance) for cards, chance in deals(stub, count))

    def rewards(
        self, world: Table, joint_action: JointAction, next_world: Table
    ) -> Sequence[float]:
        """Return the chips won at the end."""
        if not next_world.is_over:
            return (0,) * self.players
        winners = self._winners(next_world)
        share = sum(next_world.put_in) / len(winners)
        return tuple(
            (share if player in winners else 0) - chips
            for player, chips in enumerate(next_world.put_in)
        )

    def observe(self, world: Table, joint_action: JointAction, next_world: Table) -> Observation:
        """Show the private cards, the moves, the public card, and the hands at a showdown."""
        if world.turn is None:
            return (
                Observation(public=next_world.board)
                if next_world.board
                else Observation(private=next_world.cards)
            )
        move = self._meaning(world, joint_action[world.turn])
        if not next_world.is_over or next_world.num_left == 1:
            return Observation(public=move)
        hands = zip(next_world.cards, next_world.folded, strict=True)
        return Observation(public=(move, *("-" if folded else card for card, folded in hands)))

    def sample_transition(
        self, world: Table, joint_action: JointAction, rng: np.random.Generator
    ) -> Table:
        """Deal the cards, or make the move."""
        if world.turn is not None:
            return self._bet(world, joint_action[world.turn])
        return self._deal(world, sample_cards(*self._to_deal(world), rng))

    def sample_observed_transition(
        self,
        world: Table,
        joint_action: JointAction,
        player: Player | None,
        step: Step,
        rng: np.random.Generator,
    ) -> tuple[Table, float] | None:
        """Deal the private cards that the player does not observe."""
        if world.cards:
            return None
        known = {} if player is None else {player: step.private}
        found = sample_others(self.deck, self.players, known, rng)
        return found and (self._deal(world, found[0]), found[1])

    def _to_deal(self, world: Table) -> tuple[list[str], int]:
        """Return the cards that are not dealt yet, and how many are dealt next."""
        stub = list(self.deck)
        for card in world.cards:
            stub.remove(card)
        return stub, 1 if world.cards else self.players

    def _deal(self, world: Table, cards: tuple[str, ...]) -> Table:
        dealt = world._replace(board=cards[0]) if world.cards else world._replace(cards=cards)
        turn = self._next_left(dealt, self.starting_player)
        return dealt._replace(raises=0, calls=0, turn=turn)

    def _meaning(self, world: Table, action: Action) -> Action:
        """Return the action that counts: an illegal fold or raise counts as a call."""
        facing_raise = world.put_in[world.turn or 0] < max(world.put_in)
        if action == "fold" and not facing_raise:
            return "call"
        return "call" if action == "raise" and world.raises >= self.num_raises else action

    def _bet(self, world: Table, action: Action) -> Table:
        turn = world.turn or 0
        match self._meaning(world, action):
            case "fold":
                after = world._replace(folded=with_entry(world.folded, turn, True))
            case "call":
                chips = with_entry(world.put_in, turn, max(world.put_in))
                after = world._replace(put_in=chips, calls=world.calls + 1)
            case _:
                size = RAISE_AFTER_BOARD if world.board else RAISE_BEFORE_BOARD
                chips = with_entry(world.put_in, turn, max(world.put_in) + size)
                after = world._replace(put_in=chips, raises=world.raises + 1, calls=0)
        ends = after.num_left == 1 or after.calls == after.num_left - (after.raises > 0)
        return after._replace(turn=None if ends else self._next_left(after, turn + 1))

    def _next_left(self, world: Table, player: Player) -> Player:
        """Return the first player from `player` on who has not folded."""
        order = (turn % self.players for turn in range(player, player + self.players))
        return next(turn for turn in order if not world.folded[turn])

    def _winners(self, world: Table) -> list[Player]:
        def hand(player: Player) -> tuple[bool, int]:
            own = self._strength[world.cards[player]]
            return world.board != "" and own == self._strength[world.board], own

        best = max(hand(player) for player in world.left)
        return [player for player in world.left if hand(player) == best]
