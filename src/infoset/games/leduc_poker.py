"""Leduc poker, for two to ten players and decks of any size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import ClassVar, NamedTuple

import numpy as np

from infoset.game import (
    Game,
    Observation,
    Probability,
    PublicDeal,
    PublicEnd,
    PublicHand,
    PublicRules,
    Step,
)
from infoset.games.cards import (
    SUITS,
    deals,
    public_observation,
    rank_names,
    sample_cards,
    sample_others,
    with_entry,
)
from infoset.games.parameters import check_parameters, flag, integer, parameter_error
from infoset.typing import Action, JointAction, Player

ANTE = 1
RAISE_BEFORE_BOARD, RAISE_AFTER_BOARD = 2, 4


class Betting(NamedTuple):
    """The betting, which is the public part of a table without the cards.

    `has_board` is True after the public card is dealt. `raises` is the number of raises in the
    betting round, and `calls` the number of calls since the last raise. `turn` is None before a
    deal and at the end.
    """

    put_in: tuple[int, ...]
    folded: tuple[bool, ...]
    has_board: bool = False
    raises: int = 0
    calls: int = 0
    turn: Player | None = None
    is_over: bool = False

    @property
    def num_left(self) -> int:
        """Number of players who have not folded."""
        return self.folded.count(False)


class Table(NamedTuple):
    """The betting, the private cards by player, and the public card."""

    betting: Betting
    cards: tuple[str, ...] = ()
    board: str = ""


@dataclass(frozen=True)
class LeducPoker(Game):
    """Leduc poker: a private card, a round of betting, a public card, and another round.

    Every player antes one chip and gets one card. In each of the two rounds a player folds (only
    when facing a raise), calls, or raises. A raise is 2 chips in the first round and 4 in the
    second, and there are at most `num_raises` raises per round. A pair with the public card beats
    everything else. Otherwise the higher card wins; equal hands split the pot.

    Parameters
    ----------
    players
        Number of players.
    action_mapping
        Make all three actions legal at every turn. A fold with nothing to call, or a raise beyond
        the limit, counts as a call and is shown as one.
    suit_isomorphism
        Show the cards without their suits.
    starting_player
        Player who begins each round, or the next player in the hand if that player has folded.
    num_ranks
        Number of ranks in the deck; -1 for one more than there are players.
    num_suits
        Number of suits, that is, the number of cards of each rank.
    num_raises
        Number of raises allowed in each round, by all players together.

    Notes
    -----
    The value of the default game to player 0 is -0.0856064240780.
    Source: Southey et al., "Bayes' bluff: opponent modelling in poker", UAI 2005. Same game as
    OpenSpiel's, with all private cards dealt in one step.
    Differs from OpenSpiel: under `action_mapping` several actions count as a call, and a player
    remembers which of them it took, as perfect recall requires. OpenSpiel's information states do
    not contain this.
    """

    name: ClassVar[str] = "leduc_poker"

    players: int = integer(2, low=2, high=10)
    action_mapping: bool = flag(False)
    suit_isomorphism: bool = flag(False)
    starting_player: int = integer(0, low=0)
    num_ranks: int = integer(-1, low=1, high=1000, special=-1, is_addition=True)
    num_suits: int = integer(2, low=1, high=len(SUITS), is_addition=True)
    num_raises: int = integer(2, low=0, is_addition=True)
    num_players: int = field(init=False, repr=False, compare=False)
    public_actions: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_parameters(self)
        object.__setattr__(self, "num_players", self.players)
        # With the action mapping, several actions are observed as a call, so observations do not
        # determine actions.
        object.__setattr__(self, "public_actions", not self.action_mapping)
        if self.starting_player >= self.players:
            rule = f"must be a player, from 0 to {self.players - 1}"
            raise parameter_error(self, "starting_player", rule, 0)
        if len(self.deck) <= self.players:
            rule = f"must be so large that the deck has more than {self.players} cards"
            raise parameter_error(self, "num_ranks", rule, self.players + 1)

    @cached_property
    def ranks(self) -> tuple[str, ...]:
        """The ranks, in increasing order."""
        return rank_names(self.players + 1 if self.num_ranks == -1 else self.num_ranks)

    @cached_property
    def deck(self) -> tuple[str, ...]:
        """The cards as players see them, in increasing order."""
        suits = [""] * self.num_suits if self.suit_isomorphism else SUITS[: self.num_suits]
        return tuple(rank + suit for rank in self.ranks for suit in suits)

    @cached_property
    def _strength(self) -> dict[str, int]:
        return {card: index // self.num_suits for index, card in enumerate(self.deck)}

    # The dictionaries below cache results of the rules, because the same betting occurs with every
    # deal of the cards, and the same showdown after many ways of betting.

    @cached_property
    def _legal(self) -> dict[Betting, tuple[str, ...]]:
        """The legal actions at each betting state."""
        return {}

    @cached_property
    def _after(self) -> dict[tuple[Betting, Action], Betting]:
        """The betting state after an action at a betting state."""
        return {}

    @cached_property
    def _payoffs(self) -> dict[tuple[tuple[int, ...], tuple[Player, ...]], tuple[float, ...]]:
        """The chips won or lost at the end, by chips put in and winners."""
        return {}

    @cached_property
    def _best_hands(
        self,
    ) -> dict[tuple[tuple[str, ...], str, tuple[bool, ...]], tuple[Player, ...]]:
        """The players with the best hand, by private cards, public card and who has folded."""
        return {}

    def initial_world(self) -> Table:
        """Return the table with the antes."""
        return Table(Betting(put_in=(ANTE,) * self.players, folded=(False,) * self.players))

    def actors(self, world: Table) -> Sequence[Player]:
        """Return the player whose turn it is."""
        turn = world.betting.turn
        return () if turn is None else (turn,)

    def legal_actions(self, world: Table, player: Player) -> Sequence[str]:
        """Return the legal actions among `fold`, `call` and `raise`; a check is also a `call`."""
        betting = world.betting
        legal = self._legal.get(betting)
        if legal is None:
            facing_raise = betting.put_in[player] < max(betting.put_in)
            may_raise = betting.raises < self.num_raises
            legal = self._legal[betting] = (
                *(("fold",) if facing_raise or self.action_mapping else ()),
                "call",
                *(("raise",) if may_raise or self.action_mapping else ()),
            )
        return legal

    def transitions(
        self, world: Table, joint_action: JointAction
    ) -> Iterable[tuple[Table, Probability]]:
        """Return the deals of private or public cards, or the table after a move."""
        betting, cards, board = world
        if betting.turn is not None:
            return [(Table(self._bet(betting, joint_action[betting.turn]), cards, board), 1)]
        if betting.is_over:
            return []
        if not cards:
            dealt = deals(self.deck, self.players)
            return ((self._deal(world, hands), chance) for hands, chance in dealt)
        boards = single_deals(self._stub(cards))
        return [(self._deal(world, board), chance) for board, chance in boards]

    @cached_property
    def utility_range(self) -> tuple[float, float]:
        """Range from losing the most chips that a player puts in to winning those of all others."""
        most = ANTE + self.num_raises * (RAISE_BEFORE_BOARD + RAISE_AFTER_BOARD)
        return (-most, most * (self.players - 1))

    def rewards(
        self, world: Table, joint_action: JointAction, next_world: Table
    ) -> Sequence[float]:
        """Return the chips won or lost at the end."""
        if not next_world.betting.is_over:
            return (0,) * self.players
        return self._earned(next_world.betting.put_in, self._winners(next_world))

    def _earned(self, put_in: tuple[int, ...], winners: tuple[Player, ...]) -> tuple[float, ...]:
        """Return the chips that each player wins or loses at the end."""
        payoffs = self._payoffs.get((put_in, winners))
        if payoffs is None:
            share = sum(put_in) / len(winners)
            payoffs = self._payoffs[put_in, winners] = tuple(
                (share if player in winners else 0) - chips for player, chips in enumerate(put_in)
            )
        return payoffs

    def observe(self, world: Table, joint_action: JointAction, next_world: Table) -> Observation:
        """Show the private cards, the moves, the public card, and the hands at a showdown."""
        turn = world.betting.turn
        if turn is None:
            return (
                public_observation(next_world.board)
                if next_world.board
                else Observation(private=next_world.cards)
            )
        move = joint_action[turn]
        if self.action_mapping:
            move = self._meaning(world.betting, move)
        after = next_world.betting
        if not after.is_over or after.num_left == 1:
            return public_observation(move)
        hands = zip(next_world.cards, after.folded, strict=True)
        return Observation(public=(move, *["-" if folded else card for card, folded in hands]))

    def sample_transition(
        self, world: Table, joint_action: JointAction, rng: np.random.Generator
    ) -> Table:
        """Deal the cards, or make the move."""
        betting, cards, board = world
        if betting.turn is not None:
            return Table(self._bet(betting, joint_action[betting.turn]), cards, board)
        count = 1 if cards else self.players
        return self._deal(world, sample_cards(self._stub(cards), count, rng))

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

    def public_rules(self) -> PublicRules | None:
        """Return the rules by public states and hands, for two players who see all actions."""
        is_public = self.players == 2 and not self.action_mapping and not self.suit_isomorphism
        return LeducPublicRules(self) if is_public else None

    def _stub(self, cards: tuple[str, ...]) -> tuple[str, ...]:
        """Return the deck without the given cards."""
        stub = list(self.deck)
        for card in cards:
            stub.remove(card)
        return tuple(stub)

    def _deal(self, world: Table, dealt: tuple[str, ...]) -> Table:
        """Return the table after the next deal: the private cards, then the public card."""
        betting, cards, _ = world
        turn = self._next_left(betting.folded, self.starting_player)
        opened = Betting(betting.put_in, betting.folded, bool(cards), turn=turn)
        return Table(opened, cards, dealt[0]) if cards else Table(opened, dealt)

    def _meaning(self, betting: Betting, action: Action) -> Action:
        """Return the effective action; an illegal fold or raise counts as a call."""
        if action == "fold" and betting.put_in[betting.turn or 0] == max(betting.put_in):
            return "call"
        return "call" if action == "raise" and betting.raises >= self.num_raises else action

    def _bet(self, betting: Betting, action: Action) -> Betting:
        """Return the betting after an action of the player whose turn it is."""
        after = self._after.get((betting, action))
        if after is None:
            after = self._after[betting, action] = self._next_betting(betting, action)
        return after

    def _next_betting(self, betting: Betting, action: Action) -> Betting:
        turn, highest = betting.turn or 0, max(betting.put_in)
        match self._meaning(betting, action):
            case "fold":
                after = betting._replace(folded=with_entry(betting.folded, turn, True))
            case "call":
                chips = with_entry(betting.put_in, turn, highest)
                after = betting._replace(put_in=chips, calls=betting.calls + 1)
            case _:
                size = RAISE_AFTER_BOARD if betting.has_board else RAISE_BEFORE_BOARD
                chips = with_entry(betting.put_in, turn, highest + size)
                after = betting._replace(put_in=chips, raises=betting.raises + 1, calls=0)
        # Nobody calls its own raise: after one, all other players who are left have to call.
        if after.num_left == 1 or after.calls == after.num_left - (after.raises > 0):
            return after._replace(turn=None, is_over=after.has_board or after.num_left == 1)
        return after._replace(turn=self._next_left(after.folded, turn + 1))

    def _next_left(self, folded: tuple[bool, ...], player: Player) -> Player:
        """Return the first player from `player` on who has not folded."""
        order = (turn % self.players for turn in range(player, player + self.players))
        return next(turn for turn in order if not folded[turn])

    def _hand_strength(self, card: str, board: str) -> int:
        """Return the rank of a private card, or a number above all ranks if it pairs."""
        rank = self._strength[card]
        return len(self.deck) if rank == self._strength.get(board, -1) else rank

    def _winners(self, world: Table) -> tuple[Player, ...]:
        """Return the players with the best hand among those who have not folded."""
        key = world.cards, world.board, world.betting.folded
        winners = self._best_hands.get(key)
        if winners is None:
            hands = [
                -1 if folded else self._hand_strength(card, world.board)
                for card, folded in zip(world.cards, world.betting.folded, strict=True)
            ]
            best = max(hands)
            winners = tuple([player for player, hand in enumerate(hands) if hand == best])
            self._best_hands[key] = winners
        return winners


class PublicTable(NamedTuple):
    """The public part of a table: the betting and the public card."""

    betting: Betting
    board: str = ""


class LeducPublicRules(PublicRules):
    """The rules of Leduc poker for two players by public states and hands."""

    def __init__(self, game: LeducPoker) -> None:
        self.game = game
        self._by_board: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {}

    def hands(self, player: Player) -> Sequence[PublicHand]:
        """Return the cards of the deck, each of which may be a private card."""
        return [PublicHand(card, cards=(card,)) for card in self.game.deck]

    def initial_state(self) -> PublicTable:
        """Return the state after the private cards are dealt."""
        dealt = self.game._deal(self.game.initial_world(), self.game.deck[:2])
        return PublicTable(dealt.betting)

    def actor(self, state: PublicTable) -> Player | None:
        """Return the player whose turn it is."""
        return state.betting.turn

    def legal_actions(self, state: PublicTable) -> Sequence[str]:
        """Return the legal actions among `fold`, `call` and `raise`."""
        return self.game.legal_actions(Table(state.betting), state.betting.turn or 0)

    def next_state(self, state: PublicTable, action: Action) -> PublicTable:
        """Return the state after an action."""
        return PublicTable(self.game._bet(state.betting, action), state.board)

    def deals(self, state: PublicTable) -> Sequence[PublicDeal]:
        """Return the public cards; the two private cards are not in the stub."""
        opened = self.game._deal(Table(state.betting, self.game.deck[:2]), self.game.deck[2:3])
        chance = Fraction(1, len(self.game.deck) - 2)
        return [
            PublicDeal(PublicTable(opened.betting, card), card, chance, (card,))
            for card in self.game.deck
        ]

    def without_cards(self, state: PublicTable) -> Betting:
        """Return the betting, which is the same with all public cards."""
        return state.betting

    def end(self, state: PublicTable) -> PublicEnd | None:
        """Return the chips won or lost after a fold or at a showdown."""
        betting = state.betting
        if not betting.is_over:
            return None
        if betting.num_left == 1:
            return PublicEnd((self._utilities(betting, (betting.folded.index(False),)),))
        outcomes = [self._utilities(betting, winners) for winners in ((1,), (0, 1), (0,))]
        return PublicEnd(tuple(outcomes), self._strengths(state.board))

    def _utilities(self, betting: Betting, winners: tuple[Player, ...]) -> tuple[float, float]:
        first, second = self.game._earned(betting.put_in, winners)
        return first, second

    def _strengths(self, board: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the strength of each private card: its rank, or above all if it pairs."""
        if board not in self._by_board:
            own = tuple(self.game._hand_strength(card, board) for card in self.game.deck)
            self._by_board[board] = (own, own)
        return self._by_board[board]


@lru_cache(maxsize=1 << 10)
def single_deals(deck: tuple[str, ...]) -> tuple[tuple[tuple[str, ...], Probability], ...]:
    """Return every way to deal one card of a deck, with its probability."""
    return tuple(deals(deck, 1))
