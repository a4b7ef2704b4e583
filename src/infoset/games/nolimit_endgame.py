"""Endgames of no-limit Texas hold'em for two players, from the flop, the turn or the river on."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from infoset.errors import ParameterError
from infoset.game import (
    InitialPot,
    PublicDeal,
    PublicEnd,
    PublicHand,
    PublicRules,
    PublicRulesGame,
)
from infoset.games.bet_sizes import STREETS, BetSize, SizeRule
from infoset.games.cards import SUITS
from infoset.games.holdem_hands import (
    DECK,
    HOLE_CARDS,
    hand_strengths,
    normal_cards,
    parse_cards,
)
from infoset.games.holdem_ranges import ALL_HANDS, parse_range
from infoset.games.nolimit_betting import Betting, BettingRules, PotPayoffs
from infoset.games.nolimit_parameters import (
    check_numbers,
    check_shares,
    joined_sizes,
    listed,
    range_texts,
    size_rules,
    smallest_chip,
    thresholds,
    units,
)
from infoset.games.parameters import (
    integer,
    number,
    parameter_error,
    plain_number,
    real,
    reals,
)
from infoset.typing import Action, Player

BOARD_SIZE = 5
BOARDS = "a board of 3 cards (flop), 4 (turn) or 5 (river); before the flop, use nolimit_preflop"
EXAMPLE_BOARD = "Ks9d8h4s2c"
SMALLER: tuple[dict[str, Any], ...] = (
    {"max_raises": 1},
    {"max_raises": 1, "bets": (1.0,)},
    {"max_raises": 1, "bets": "a"},
    {"max_raises": 1, "bets": "a", "ranges": "top20%"},
)
"""Changes of parameters to propose if a game is too large."""
MIN_PERCENT = 10
"""Smallest number that is likely to be meant as a percentage."""


@dataclass(frozen=True)
class NoLimitEndgame(PublicRulesGame):
    """An endgame of no-limit Texas hold'em for two players.

    Each player has two hidden cards. Player 0 is out of position and acts first on every street.
    Players check, bet, fold, call or raise until both have put in the same amount. Then chance
    deals the next card; after the river, the better five-card hand wins the pot.

    Parameters
    ----------
    board
        The public cards, such as Ks9d8h4s2c: 5 (river), 4 (turn) or 3 (flop).
    pot
        Chips in the pot at the start.
    stack : float or list of float
        Chips that each player has left: one number, or one for each player. Nobody can lose more
        than the smaller one.
    bets, raises : str or list of float
        Sizes in the notation of `bet_sizes.parse_sizes`, such as '33%, 75%; river: 150%, a'. For
        raises, percentages are of the pot after the call. A list of numbers stands for these shares
        of the pot and all-in: [0.5;1] means '50%, 100%, a'.
    max_raises : int or list of int
        Maximum number of bets and raises on a street: one number, or one for each street.
    min_bet : float or list of float
        Smallest bet, and smallest amount of a raise over a bet: one number, or one for each street.
        In a game with blinds, it is the big blind.
    all_in
        A bet or raise becomes all-in if it is at least this share of the player's remaining stack.
    all_in_pot
        A bet or raise becomes all-in if, after a call, the stack that is left is at most this share
        of the pot.
    all_in_above
        A bet or raise becomes all-in if the player has then put in more than this many chips since
        the start; -1 for no such limit.
    add_all_in
        All-in is added to the other sizes if the stack that is left (after the call, for a raise)
        is at most this share of the pot.
    merge
        A size is dropped if the pot plus this size is at least (1 - `merge`) times the pot plus the
        next larger size that stays.
    rake
        Share of the pot that the house takes.
    rake_cap
        Maximum rake in chips; -1 for no maximum.
    dead
        Dead money: chips in the pot at the start that neither player has put in, such as antes and
        blinds of other players. Each player has put in half of the rest.
    chip
        The smallest chip, to which sizes are rounded. 0 stands for 1 if the pot, the stacks, the
        dead money and the smallest bets are whole numbers, and for 0.01 otherwise.
    ranges : list of str
        The range of each player in the notation of `parse_range`, such as ['AA,KQs:0.5','TT+'], or
        one range for both.

    Notes
    -----
    The probability of a pair of hands is proportional to the product of their weights in the
    ranges, or 0 if they share a card. Only the ratios of the weights of a range matter. In Python,
    a range may also be 1,326 numbers of at least 0, in the order of `HOLE_CARDS`. In the text of a
    game, put values with commas in quotes. Hands of weight 0 and hands with a card of the board are
    left out.

    Utilities are chips won or lost. They count half of the initial pot without dead money as put in
    by each player, so they sum to the dead money minus the rake. An uncalled bet is returned; then
    the rake is taken from the pot, at every end of the game. If the pot is split, each player pays
    half of the rake.

    Sizes become actions in this order: sizes are rounded to chips; sizes below the minimum, the
    larger of `min_bet` and the last bet or raise, are set to it; `add_all_in` adds all-in;
    `all_in`, `all_in_pot` and `all_in_above` turn sizes into all-in; equal sizes become one action;
    and `merge` drops sizes close to others. All-in may be below the minimum. The label of an action
    has the total that the player has then put in on the street, as in `bet 50` and `raise 200`, or
    is `all-in`.
    """

    name: ClassVar[str] = "nolimit_endgame"
    advice: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"ante": "use dead= for antes and blinds of other players, which are part of the pot"}
    )
    """What to write instead of parameters that other poker games have."""
    normal_text = staticmethod(normal_cards)

    board: str
    pot: float = number(100, low=0)
    stack: float | tuple[float, float] = number(200, low=0, other="a list with one for each player")
    bets: str | tuple[float, ...] = reals(0.5, 1.0, low=0, other="sizes as text")
    raises: str | tuple[float, ...] = reals(1.0, low=0, other="sizes as text")
    max_raises: int | tuple[int, ...] = integer(3, low=0, other="a list with one for each street")
    min_bet: float | tuple[float, ...] = number(1, low=0, other="a list with one for each street")
    all_in: float = real(0.9, low=0)
    rake: float = real(0.0, low=0)
    rake_cap: float = number(-1, low=0, special=-1)
    ranges: tuple[str, str] = (ALL_HANDS, ALL_HANDS)
    all_in_pot: float = real(0.0, low=0)
    all_in_above: float = number(-1, low=0, special=-1)
    add_all_in: float = real(0.0, low=0)
    merge: float = real(0.0, low=0)
    dead: float = number(0, low=0)
    chip: float = number(0, low=0)

    def __post_init__(self) -> None:
        for name in ("bets", "raises"):
            object.__setattr__(self, name, joined_sizes(self, name, STREETS))
        check_numbers(self)
        object.__setattr__(self, "board", "".join(self._board()))
        check_shares(self)
        if self.dead > self.pot:
            raise parameter_error(self, "dead", "is a part of the pot", 0)
        object.__setattr__(self, "ranges", range_texts(self))
        object.__setattr__(self, "rules", EndgameRules(self))

    @property
    def streets(self) -> tuple[str, ...]:
        """The streets from the board to the river."""
        return STREETS[len(self.board) // 2 - 3 :]

    @property
    def effective_stack(self) -> float:
        """Chips that each player can lose: the smaller stack."""
        first, second = listed(self, "stack", 2, "player")
        return float(min(first, second))

    @property
    def min_bets(self) -> tuple[float, ...]:
        """`min_bet` on each street."""
        return listed(self, "min_bet", len(self.streets), "street")

    @property
    def smallest_chip(self) -> Fraction:
        """`chip`, or the value for which 0 stands."""
        stacks = listed(self, "stack", 2, "player")
        return smallest_chip(self.chip, (self.pot, *stacks, self.dead, *self.min_bets))

    @property
    def initial_pot(self) -> InitialPot:
        """The pot at the start; each player has put in half of it without dead money."""
        half = (self.pot - self.dead) / 2
        return InitialPot(float(self.pot), (half, half))

    @cached_property
    def utility_range(self) -> tuple[float, float]:
        """Range from losing half of the pot and a stack to winning both and the dead money."""
        largest = (self.pot - self.dead) / 2 + self.effective_stack
        return (-largest, largest + self.dead)

    def smaller_games(self) -> Iterator[NoLimitEndgame]:
        """Yield games with fewer raises, then with fewer sizes, and then with narrow ranges."""
        for changes in SMALLER:
            yield replace(self, **changes)

    def _check_shares(self, name: str) -> None:
        """Raise if a share of the pot is not above 0, or looks like a percentage."""
        sizes: Any = getattr(self, name)
        if not all(sizes):
            raise parameter_error(self, name, "has sizes above 0", (0.5, 1.0))
        for size in sizes:
            if size >= MIN_PERCENT:
                raise ParameterError(
                    f"{self.name}: {name} has the size {size:g}, but numbers are shares of the "
                    f"pot: write {size / 100:g}, or {name}='{size:g}%, a', for {size:g}% of it; "
                    f"{name}='{100 * size:g}%, a' is {size:g} times the pot"
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


def _exchange(first: str, second: str) -> Mapping[Hashable, Hashable]:
    """Return where an exchange of two suits moves each card of the deck."""
    other = str.maketrans(first + second, second + first)
    return {card: card[0] + card[1].translate(other) for card in DECK}


class Endgame(NamedTuple):
    """A public state: the betting, and the cards that were dealt after the start."""

    betting: Betting
    dealt: str = ""


class EndgameRules(PublicRules):
    """The rules of an endgame in terms of public states and hands."""

    def __init__(self, game: NoLimitEndgame) -> None:
        self.game = game
        self.board = parse_cards(game.board)
        streets, chip = game.streets, game.smallest_chip
        stacks, smallest = (
            [units(game, name, own, chip, 1) for own in listed(game, name, count, each)]
            for name, count, each in (("stack", 2, "player"), ("min_bet", len(streets), "street"))
        )
        self.betting = BettingRules(
            pot=units(game, "pot", game.pot, chip, 1),
            stack=min(stacks),
            chip=chip,
            streets=streets,
            bets=self._sizes("bets"),
            raises=self._sizes("raises"),
            max_raises=listed(game, "max_raises", len(streets), "street"),
            min_bet=tuple(smallest),
            thresholds=thresholds(game, chip),
        )
        dead = units(game, "dead", game.dead, chip)
        half = Fraction(self.betting.pot - dead, 2)
        self.payoffs = PotPayoffs(chip, (half, half), dead, game.rake, game.rake_cap)
        self._hands = self._hands_of(0), self._hands_of(1)
        if all(set(own.cards) & set(other.cards) for own, other in product(*self._hands)):
            raise ParameterError(
                f"{game.name}: every hand of player 0 shares a card with every hand of player 1; "
                "give ranges with hands that can be dealt together"
            )
        self._by_dealt: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {}

    def _sizes(self, name: str) -> tuple[SizeRule, ...]:
        """Return the rules for the sizes of `bets` or `raises`."""
        given = getattr(self.game, name)
        if isinstance(given, str):
            return size_rules(self.game, name, self.game.streets)
        self.game._check_shares(name)
        shares = (BetSize("%", Decimal(repr(share)) * 100) for share in given)
        return (SizeRule((), (*shares, BetSize("a"))),)

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
            PublicHand(hand, plain_number(weight), (hand[:2], hand[2:]))
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

    def without_cards(self, state: Endgame) -> Betting:
        """Return the betting, which is the same on all boards."""
        return state.betting

    def symmetries(self) -> Sequence[Mapping[Hashable, Hashable]]:
        """Return the exchanges of two suits that change neither the board nor the ranges.

        They generate all permutations of the suits that can be exchanged with each other.
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
        lost, split, won = self.payoffs.outcomes(min(betting.put_in))
        if betting.folded is not None:
            return PublicEnd((lost if betting.folded == 0 else won,))
        if len(self.board) + len(state.dealt) // 2 < BOARD_SIZE:
            return None
        return PublicEnd((lost, split, won), self._strengths(state.dealt))

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
