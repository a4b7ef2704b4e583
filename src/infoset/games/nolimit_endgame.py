"""Endgames of no-limit Texas hold'em for two players, from the river, the turn or the flop on."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import floor
from typing import Any, ClassVar, NamedTuple

from infoset.errors import ParameterError, show
from infoset.game import Game, PublicDeal, PublicEnd, PublicHand, PublicRules, PublicRulesGame
from infoset.games.cards import SUITS
from infoset.games.holdem_hands import (
    ALL_HANDS,
    DECK,
    HOLE_CARDS,
    hand_strengths,
    parse_cards,
    parse_range,
    range_text,
)
from infoset.games.parameters import check_parameters, integer, parameter_error, real, reals
from infoset.typing import Action, Player

BOARD_SIZE = 5
BOARDS = "a board of 3 cards (flop), 4 (turn) or 5 (river)"
EXAMPLE_BOARD = "Ks9d8h4s2c"
MIN_PERCENT = 10
"""Smallest size that may be a percentage."""


@dataclass(frozen=True)
class NoLimitEndgame(PublicRulesGame):
    """An endgame of no-limit Texas hold'em for two players with equal stacks.

    Each player has two hidden cards. Player 0 is out of position and acts first on every street.
    Players check, bet, fold, call, or raise, until both have put in the same; then chance deals the
    next card, and after the river the better of two hands of five cards wins the pot.

    Parameters
    ----------
    board
        The public cards, such as Ks9d8h4s2c: 5 (river), 4 (turn) or 3 (flop).
    pot
        Chips in the pot at the start; each player has contributed half of them.
    stack
        Chips that each player has left.
    bets : list of float
        Sizes of bets as shares of the pot.
    raises : list of float
        Sizes of raises as shares of the pot after the call.
    max_raises
        Maximum number of bets and raises on a street.
    min_bet
        Smallest bet, and smallest amount by which a bet is raised. In a game with blinds, it is the
        big blind.
    all_in
        A bet or raise of at least this share of the chips that a player has left is all-in.
    rake
        Share of the pot that the house takes.
    rake_cap
        Maximum rake in chips; -1 for no maximum.
    ranges : list of str
        The range of each player, as `parse_range` reads it, such as ['AA,KQs:0.5','TT+'], or one
        range for both.

    Notes
    -----
    The probability of a pair of hands is proportional to the product of their weights in the
    ranges, or 0 if they share a card. Only the ratios of the weights of a range matter, so they may
    be above 1. In Python, a range may also be 1,326 numbers, in the order of
    `HOLE_CARDS`. In the text of a game, ranges with commas are in quotes. Hands of weight 0 and
    hands with a card of the board are left out.

    Utilities are chips won or lost since the two halves of the pot were put in, so they sum to
    zero, or to minus the rake. The rake is taken from the pot at every end, after a bet that was
    not called is returned. If the pot is split, players pay half of the rake each.

    Chips are whole numbers: sizes are rounded to the nearest. A raise of size s makes the bet
    exceed the bet that it raises by s times the pot after the call. It has at least the amount of
    the last bet or raise, and at least `min_bet`; smaller sizes become this minimum. All-in is
    legal wherever a bet or raise is, even below the minimum. Sizes that lead to the same amount are
    one action. Actions are labeled with the chips that the player then has put in during the
    street, such as `bet 50` and `raise 200`, or `all-in`.
    """

    name: ClassVar[str] = "nolimit_endgame"

    board: str
    pot: int = integer(100, low=1)
    stack: int = integer(200, low=1)
    bets: tuple[float, ...] = reals(0.5, 1.0, low=0)
    raises: tuple[float, ...] = reals(1.0, low=0)
    max_raises: int = integer(3, low=0)
    min_bet: int = integer(1, low=1)
    all_in: float = real(0.9, low=0)
    rake: float = real(0.0, low=0)
    rake_cap: int = integer(-1, low=0, special=-1)
    ranges: tuple[str, str] = (ALL_HANDS, ALL_HANDS)

    def __post_init__(self) -> None:
        for name in ("bets", "raises"):
            self._check_percent(name)
        for name in ("pot", "stack", "min_bet"):
            chips: Any = getattr(self, name)
            if isinstance(chips, float) and not chips.is_integer():
                raise ParameterError(
                    f"{self.name}: {name}={chips:g}, but chips are whole numbers; multiply pot, "
                    f"stack and min_bet by the same number, such as 10 for {name}={10 * chips:g}"
                )
        check_parameters(self)
        object.__setattr__(self, "board", "".join(self._board()))
        for name in ("bets", "raises"):
            self._check_sizes(name)
        if not 0 < self.all_in <= 1:
            raise parameter_error(self, "all_in", "is above 0 and at most 1", 0.9)
        if self.rake >= 1:
            raise parameter_error(self, "rake", "is a share of the pot, below 1", 0.05)
        object.__setattr__(self, "ranges", self._range_texts())
        object.__setattr__(self, "rules", EndgameRules(self))

    @cached_property
    def utility_range(self) -> tuple[float, float]:
        """Range from losing to winning half of the pot and a stack."""
        most = self.pot / 2 + self.stack
        return (-most, most)

    def __str__(self) -> str:
        """Return the game as `load` reads it, omitting parameters with default values."""
        return Game.__str__(self)

    def _check_percent(self, name: str) -> None:
        """Raise if a size is written as a percentage."""
        given = getattr(self, name)
        sizes = [given] if isinstance(given, str) else given
        for size in sizes if isinstance(sizes, Sequence) else ():
            if isinstance(size, str) and size.rstrip().endswith("%"):
                raise ParameterError(
                    f"{self.name}: {name} has the size {show(size)}; sizes are shares of the pot, "
                    "such as 0.5 for 50% of it"
                )

    def _check_sizes(self, name: str) -> None:
        """Raise if a size is not above 0, or looks like a percentage.

        A large size that is all-in from the first bet on can only be meant as one.
        """
        sizes: tuple[float, ...] = getattr(self, name)
        if not all(sizes):
            raise parameter_error(self, name, "has sizes above 0", (0.5, 1.0))
        for size in sizes:
            if size >= MIN_PERCENT and size * self.pot >= self.all_in * self.stack:
                raise ParameterError(
                    f"{self.name}: {name} has the size {size:g}, which is {size:g} times the pot "
                    f"and more than the stack of {self.stack}; sizes are shares of the pot: write "
                    f"{size / 100:g} for {size:g}% of it (all-in is always legal)"
                )

    def _board(self) -> tuple[str, ...]:
        if not isinstance(self.board, str):
            raise parameter_error(self, "board", f"is {BOARDS}", EXAMPLE_BOARD)
        try:
            cards = parse_cards(self.board)
        except ParameterError as error:
            raise ParameterError(f"{self.name}: board={error}") from None
        if not BOARD_SIZE - 2 <= len(cards) <= BOARD_SIZE:
            raise parameter_error(self, "board", f"is {BOARDS}", EXAMPLE_BOARD)
        return cards

    def _range_texts(self) -> tuple[str, str]:
        """Return the ranges in normal form: as texts without spaces, one for each player."""
        given: Any = self.ranges
        if isinstance(given, str):
            given = given, given
        try:
            first, second = given
        except (TypeError, ValueError):
            rule = "has one range for each player, or is one text for both"
            raise parameter_error(self, "ranges", rule, ("AA,KQs:0.5", "TT+")) from None
        return _range_text(first), _range_text(second)


def _range_text(given: Any) -> str:
    """Return a range in normal form; a pair such as 77 may have been read as a number."""
    if isinstance(given, str | int):
        return "".join(str(given).split())
    return range_text(given)


def _exchange(first: str, second: str) -> Mapping[Hashable, Hashable]:
    """Return where an exchange of two suits moves each card of the deck."""
    other = str.maketrans(first + second, second + first)
    return {card: card[0] + card[1].translate(other) for card in DECK}


class Betting(NamedTuple):
    """The betting on a street."""

    put_in: tuple[int, int] = (0, 0)
    """Chips that each player has put in since the start of the endgame."""
    before: int = 0
    """Chips that each player had put in before the street."""
    turn: Player | None = 0
    """The player who acts; None at the end of a street."""
    raises: int = 0
    """Number of bets and raises in the street."""
    last_raise: int = 0
    """Chips by which the last bet or raise exceeded the bet before it."""
    has_checked: bool = False
    """Whether player 0 has checked."""
    folded: Player | None = None
    """The player who has folded."""


@dataclass(frozen=True)
class BettingRules:
    """The rules of no-limit betting; see `NoLimitEndgame` for the sizes."""

    pot: int
    stack: int
    """Chips in the pot, and chips behind of each player, at the start of the endgame."""
    bets: tuple[float, ...]
    raises: tuple[float, ...]
    """Sizes, as fractions of the pot after a call."""
    max_raises: int
    """Number of bets and raises on a street."""
    min_bet: int
    """Smallest bet, and smallest amount of a raise."""
    all_in: float
    """Smallest fraction of the chips behind at which a bet or raise becomes all-in."""
    _known: dict[Betting, dict[str, Betting]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def actions(self, betting: Betting) -> Mapping[str, Betting]:
        """Return the legal actions, and the betting after each.

        The same betting occurs with every card that chance deals, so each result is computed once.
        """
        known = self._known.get(betting)
        if known is None:
            known = self._known[betting] = self._actions(betting)
        return known

    def next_street(self, betting: Betting) -> Betting:
        """Return the betting after a card is dealt; nobody acts if the players are all-in."""
        before = betting.put_in[0]
        return Betting(betting.put_in, before, turn=None if before == self.stack else 0)

    def _actions(self, betting: Betting) -> dict[str, Betting]:
        player = betting.turn
        if player is None:
            return {}
        actions = self._passive(betting, player)
        if betting.raises < self.max_raises and betting.put_in[1 - player] < self.stack:
            highest = betting.put_in[1 - player]
            for total in self._totals(betting, player):
                verb = "bet" if highest == betting.before else "raise"
                label = "all-in" if total == self.stack else f"{verb} {total - betting.before}"
                actions[label] = betting._replace(
                    put_in=_with_chips(betting.put_in, player, total),
                    turn=1 - player,
                    raises=betting.raises + 1,
                    last_raise=total - highest,
                )
        return actions

    def _passive(self, betting: Betting, player: Player) -> dict[str, Betting]:
        """Return the fold and the call, or the check."""
        called = _with_chips(betting.put_in, player, betting.put_in[1 - player])
        closed = betting._replace(put_in=called, turn=None)
        if called != betting.put_in:
            return {"fold": betting._replace(turn=None, folded=player), "call": closed}
        if player == 0:
            return {"check": betting._replace(turn=1, has_checked=True)}
        return {"check": closed}

    def _totals(self, betting: Betting, player: Player) -> list[int]:
        """Return the chips that the player may have put in after a bet or raise, in order."""
        highest, behind = betting.put_in[1 - player], self.stack - betting.put_in[player]
        is_bet = highest == betting.before
        sizes, pot = self.bets if is_bet else self.raises, self.pot + 2 * highest
        smallest = max(self.min_bet, betting.last_raise)
        totals = {self.stack}
        for size in sizes:
            # In exact numbers, since floats would round some halves down.
            total = highest + max(smallest, floor(_decimal(size) * pot + Fraction(1, 2)))
            if total - betting.put_in[player] < _decimal(self.all_in) * behind:
                totals.add(total)
        return sorted(totals)


def _decimal(share: float) -> Fraction:
    """Return the fraction that a decimal number denotes, such as 145/1000 for 0.145."""
    return Fraction(repr(share))


def _with_chips(put_in: tuple[int, int], player: Player, total: int) -> tuple[int, int]:
    return (total, put_in[1]) if player == 0 else (put_in[0], total)


class Endgame(NamedTuple):
    """A public state: the betting, and the cards that were dealt after the start."""

    betting: Betting
    dealt: str = ""


class EndgameRules(PublicRules):
    """The rules of an endgame by public states and hands."""

    def __init__(self, game: NoLimitEndgame) -> None:
        self.game = game
        self.board = parse_cards(game.board)
        self.betting = BettingRules(
            pot=game.pot,
            stack=game.stack,
            bets=game.bets,
            raises=game.raises,
            max_raises=game.max_raises,
            min_bet=game.min_bet,
            all_in=game.all_in,
        )
        self._hands = self._hands_of(0), self._hands_of(1)
        if all(set(own.cards) & set(other.cards) for own, other in product(*self._hands)):
            raise ParameterError(
                f"{game.name}: every hand of player 0 shares a card with every hand of player 1; "
                "give ranges with hands that can be dealt together"
            )
        self._by_dealt: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {}

    def _hands_of(self, player: Player) -> tuple[PublicHand, ...]:
        """Return the hands of positive weight that share no card with the board.

        Raises
        ------
        ParameterError
            If there are none.
        """
        held = set(self.board)
        weighted = zip(HOLE_CARDS, parse_range(self.game.ranges[player]), strict=True)
        hands = tuple(
            # Whole numbers keep the probabilities of pairs exact.
            PublicHand(hand, int(weight) if weight.is_integer() else weight, (hand[:2], hand[2:]))
            for hand, weight in weighted
            if weight and held.isdisjoint((hand[:2], hand[2:]))
        )
        if not hands:
            raise ParameterError(
                f"{self.game.name}: all hands in the range of player {player} have a card of the "
                f"board {self.game.board}; give a range with other hands"
            )
        return hands

    def hands(self, player: Player) -> Sequence[PublicHand]:
        """Return the hands in a player's range that share no card with the board."""
        return self._hands[player]

    def initial_state(self) -> Endgame:
        """Return the state after the hands are dealt."""
        return Endgame(Betting())

    def actor(self, state: Endgame) -> Player | None:
        """Return the player whose turn it is."""
        return state.betting.turn

    def legal_actions(self, state: Endgame) -> Sequence[str]:
        """Return the legal actions: fold, check or call, then bets or raises by size."""
        return tuple(self.betting.actions(state.betting))

    def next_state(self, state: Endgame, action: Action) -> Endgame:
        """Return the state after an action."""
        return Endgame(self.betting.actions(state.betting)[str(action)], state.dealt)

    def deals(self, state: Endgame) -> Sequence[PublicDeal]:
        """Return the next cards of the board, each of which has the same probability."""
        seen = {*self.board, *parse_cards(state.dealt)}
        betting = self.betting.next_street(state.betting)
        # The players hold four cards of the deck.
        chance = Fraction(1, len(DECK) - len(seen) - 4)
        return [
            PublicDeal(Endgame(betting, state.dealt + card), card, chance, (card,))
            for card in DECK
            if card not in seen
        ]

    def symmetries(self) -> Sequence[Mapping[Hashable, Hashable]]:
        """Return the exchanges of two suits that change neither the board nor the ranges.

        They generate all permutations of suits of which each exchange alone changes nothing.
        """
        exchanges = (_exchange(*suits) for suits in combinations(SUITS, 2))
        return [exchange for exchange in exchanges if self._is_invariant(exchange)]

    def _is_invariant(self, exchange: Mapping[Hashable, Hashable]) -> bool:
        """Return whether an exchange of cards changes neither the board nor the ranges."""
        if {exchange[card] for card in self.board} != {*self.board}:
            return False
        for own in self._hands:
            weights = {frozenset(hand.cards): hand.weight for hand in own}
            for cards, weight in weights.items():
                if weights.get(frozenset(exchange[card] for card in cards)) != weight:
                    return False
        return True

    def end(self, state: Endgame) -> PublicEnd | None:
        """Return the chips won or lost after a fold or at the showdown."""
        betting = state.betting
        if betting.turn is not None:
            return None
        # Per player, in the final pot: a bet that was not called is returned.
        chips = self.game.pot / 2 + min(betting.put_in)
        rake = self.game.rake * 2 * chips
        if self.game.rake_cap != -1:
            rake = min(rake, self.game.rake_cap)
        if betting.folded is not None:
            lost, won = -chips, chips - rake
            return PublicEnd(((lost, won) if betting.folded == 0 else (won, lost),))
        if len(self.board) + len(state.dealt) // 2 < BOARD_SIZE:
            return None
        # A difference and not a negative number: without a rake this is 0.0 and not -0.0.
        split = (0.0 - rake / 2, 0.0 - rake / 2)
        outcomes = (-chips, chips - rake), split, (chips - rake, -chips)
        return PublicEnd(outcomes, self._strengths(state.dealt))

    def _strengths(self, dealt: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the strength of each hand of each player with the cards dealt."""
        if dealt in self._by_dealt:
            return self._by_dealt[dealt]
        # The same cards in another order have the same strengths.
        key = "".join(sorted(parse_cards(dealt)))
        if key not in self._by_dealt:
            board = (*self.board, *parse_cards(dealt))
            labels = [tuple(str(hand.label) for hand in own) for own in self._hands]
            # Players with the same range share the strengths.
            found = {own: hand_strengths(board, own) for own in {*labels}}
            self._by_dealt[key] = found[labels[0]], found[labels[1]]
        self._by_dealt[dealt] = self._by_dealt[key]
        return self._by_dealt[key]
