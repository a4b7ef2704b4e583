"""No-limit Texas hold'em for two players before the flop: every end is a fold or an all-in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Final

from infoset.errors import GameTooLargeError, ParameterError, show
from infoset.game import InitialPot, PublicEnd, PublicHand, PublicRules, PublicRulesGame
from infoset.games.bet_sizes import BLINDS, PREFLOP
from infoset.games.cards import RANKS
from infoset.games.holdem_classes import (
    CLASSES,
    HANDS_OF_CLASS,
    class_equities,
    class_pairs,
)
from infoset.games.holdem_hands import normal_cards
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
from infoset.games.parameters import number, parameter_error, plain_number, real
from infoset.typing import Action, Player

STREETS: Final = (PREFLOP,)
MAX_STATES: Final = 20_000
"""Maximum number of betting states."""

NAMED_CLASS: Final = re.compile(rf"(?<!\w)([{RANKS}])([{RANKS}])([so]?)(?!\w)", re.I | re.ASCII)
NAMED_HAND: Final = re.compile(r"(?<!\w)\w{4}(?!\w)")
NAMES: Final = frozenset(map(str, CLASSES))
CLASS_OF_HAND: Final = {hand: str(one) for one in CLASSES for hand in one.hands()}


def normal_classes(text: str) -> str:
    """Return a text with hands replaced by their classes: AA, AKs, AKo.

    Hands may be given as two cards, and ranks in any order.

    Examples
    --------
    >>> normal_classes("[kas] / raise 2.5"), normal_classes("[AhKd]")
    ('[AKs] / raise 2.5', '[AKo]')
    """
    of_hands = NAMED_HAND.sub(
        lambda found: CLASS_OF_HAND.get(found[0], found[0]), normal_cards(text)
    )
    return NAMED_CLASS.sub(_named_class, of_hands)


def _named_class(found: re.Match[str]) -> str:
    """Return a class with its higher rank first, or the text if it is not a class."""
    high, low = sorted((found[1].upper(), found[2].upper()), key=RANKS.index, reverse=True)
    name = high + low + found[3].lower()
    return name if name in NAMES else found[0]


@dataclass(frozen=True)
class NoLimitPreflop(PublicRulesGame):
    """No-limit Texas hold'em for two players before the flop: fold, raise, or all-in.

    Player 0 posts the small blind and acts first: it folds or raises. Then the players fold, raise
    again, or call all-in, until one has folded or both are all-in. A call is legal only if it is
    all-in: a call that leaves chips behind would need a flop, and so would a call of the big blind.

    Hands are the 169 classes, such as AA, AKs and AKo.

    Parameters
    ----------
    stack : float or list of float
        Chips of each player before antes and blinds: one number, or one for each player. Nobody can
        lose more than the smaller one after the antes.
    raises
        Sizes in the notation of `bet_sizes.parse_sizes`, such as '2.5x, a; bb: 3x, a; sb reraise:
        a'. The first raise is one of the big blind. Percentages are of the pot after the call.
    small_blind
        Chips that player 0 must put in.
    big_blind
        Chips that player 1 must put in, and the smallest amount of a raise over a bet.
    ante : float or list of float
        Chips that each player puts in before the blinds: one number, or one for each player.
    dead
        Dead money: chips in the pot at the start that neither player has put in, such as blinds of
        players who have folded.
    all_in
        A raise becomes all-in if it is at least this share of the player's remaining stack.
    all_in_pot
        A raise becomes all-in if, after a call, the stack that is left is at most this share of the
        pot.
    all_in_above
        A raise becomes all-in if the player has then put in more than this many chips without the
        ante; -1 for no such limit.
    add_all_in
        All-in is added to the other sizes if the stack that is left after the call is at most this
        share of the pot.
    merge
        A size is dropped if the pot plus this size is at least (1 - `merge`) times the pot plus the
        next larger size that stays.
    rake
        Share of the pot that the house takes if both players are all-in.
    rake_cap
        Maximum rake in chips; -1 for no maximum.
    chip
        The smallest chip, to which sizes are rounded. 0 stands for 1 if all amounts are whole
        numbers, and for 0.01 otherwise.
    ranges : list of str
        The range of each player in the notation of `parse_range`, such as ['top40%','22+,A2+'], or
        one range for both. All hands of a class must have the same weight.

    Raises
    ------
    GameTooLargeError
        If there are more than 20,000 betting states.

    Notes
    -----
    The probability of a pair of classes is proportional to the product of their weights and the
    number of disjoint pairs of hands.

    Utilities are chips won or lost. If both players are all-in, they earn the expected value over
    all boards: the exact equity of one class against the other, stored with the library, times the
    pot. The rake is taken only then ("no flop, no drop"). An uncalled bet is returned.

    In the heads-up game, the small blind is on the button.
    """

    name: ClassVar[str] = "nolimit_preflop"
    normal_text = staticmethod(normal_classes)

    stack: float | tuple[float, float] = number(
        10, low=None, other="a list with one for each player"
    )
    raises: str = "a"
    small_blind: float = number(0.5, low=0)
    big_blind: float = number(1, low=0)
    ante: float | tuple[float, float] = number(0, low=0, other="a list with one for each player")
    dead: float = number(0, low=0)
    all_in: float = real(0.9, low=0)
    all_in_pot: float = real(0.0, low=0)
    all_in_above: float = number(-1, low=0, special=-1)
    add_all_in: float = real(0.0, low=0)
    merge: float = real(0.0, low=0)
    rake: float = real(0.0, low=0)
    rake_cap: float = number(-1, low=0, special=-1)
    chip: float = number(0, low=0)
    ranges: tuple[str, str] = (ALL_HANDS, ALL_HANDS)
    rules: PreflopRules = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "raises", joined_sizes(self, "raises", STREETS))
        check_numbers(self)
        if not isinstance(self.raises, str):
            raise parameter_error(self, "raises", "is text with units", "2.5x, a")
        check_shares(self)
        object.__setattr__(self, "ranges", range_texts(self))
        object.__setattr__(self, "rules", PreflopRules(self))

    @property
    def smallest_chip(self) -> Fraction:
        """`chip`, or the value for which 0 stands."""
        lists = *listed(self, "stack", 2, "player"), *listed(self, "ante", 2, "player")
        return smallest_chip(self.chip, (*lists, self.small_blind, self.big_blind, self.dead))

    @property
    def initial_pot(self) -> InitialPot:
        """The pot after antes and blinds."""
        return self.rules.initial_pot

    @cached_property
    def utility_range(self) -> tuple[float, float]:
        """Range from losing an ante and a stack to winning the opponent's and the dead money."""
        rules = self.rules
        largest = float((max(rules.antes) + rules.betting.stack) * rules.betting.chip)
        return (-largest, largest + self.dead)


class PreflopRules(PublicRules):
    """The rules before the flop in terms of the betting and classes of hands."""

    def __init__(self, game: NoLimitPreflop) -> None:
        self.game, chip = game, game.smallest_chip
        antes = [units(game, "ante", own, chip) for own in listed(game, "ante", 2, "player")]
        stacks = [units(game, "stack", own, chip) for own in listed(game, "stack", 2, "player")]
        left = min(stack - ante for stack, ante in zip(stacks, antes, strict=True))
        small = units(game, "small_blind", game.small_blind, chip)
        big = units(game, "big_blind", game.big_blind, chip, 1)
        if small >= big:
            rule = "is smaller than the big blind"
            raise parameter_error(game, "small_blind", rule, game.big_blind / 2)
        if left <= small:
            rule = "exceeds the ante plus the small blind; otherwise, nobody has a decision"
            enough = plain_number(chip * (max(antes) + 10 * big))
            raise parameter_error(game, "stack", rule, enough)
        dead = units(game, "dead", game.dead, chip)
        self.antes = antes[0], antes[1]
        self.blinds = small, min(big, left)
        self.betting = BettingRules(
            pot=sum(antes) + dead,
            stack=left,
            chip=chip,
            streets=STREETS,
            bets=(),
            raises=size_rules(game, "raises", STREETS),
            max_raises=(left + 1,),  # never reached, because each raise is at least one chip
            min_bet=(big,),
            thresholds=thresholds(game, chip),
        )
        before = Fraction(antes[0]), Fraction(antes[1])
        self.payoffs = PotPayoffs(chip, before, dead, game.rake, game.rake_cap)
        self._legal: dict[Betting, dict[str, Betting]] = {}
        self._ends: dict[Betting, PublicEnd] = {}
        self._check_ends()
        weights = self._class_weights(0), self._class_weights(1)
        self._places = tuple(
            [place for place, weight in enumerate(own) if weight] for own in weights
        )
        self._weights = [
            [
                weights[0][first] * weights[1][second] * pairs
                for second, pairs in zip(self._places[1], row, strict=True)
            ]
            for first, row in zip(self._places[0], self._between(class_pairs()), strict=True)
        ]
        self._equities = tuple(map(tuple, self._between(class_equities())))

    def _between(self, table: Any) -> list[list[Any]]:
        """Return the entries of a table [169, 169] for the classes of both players."""
        rows: list[list[Any]] = table[self._places[0]][:, self._places[1]].tolist()
        return rows

    def _class_weights(self, player: Player) -> list[float]:
        """Return the weight of each class in a player's range; whole numbers are integers.

        Raises
        ------
        ParameterError
            If the hands of a class differ in weight.
        """
        weights = parse_range(self.game.ranges[player])
        found = []
        for one, hands in zip(CLASSES, HANDS_OF_CLASS, strict=True):
            given = {weights[hand] for hand in hands}
            if len(given) > 1:
                raise ParameterError(
                    f"{self.game.name}: the range of player {player}, "
                    f"{show(self.game.ranges[player])}, has hands of {one} with different weights; "
                    f"before the flop they are one class: give {one} one weight, as in '{one}:0.5'"
                )
            (weight,) = given
            # With integers, the probabilities of pairs are exact.
            found.append(plain_number(weight))
        return found

    def _check_ends(self) -> None:
        """Visit all betting states, and check that no player is forced to fold.

        Raises
        ------
        ParameterError
            If folding is the only legal action, because a call would leave chips behind.
        GameTooLargeError
            If there are more than `MAX_STATES` states.
        """
        lines = {self.initial_state(): ""}
        waiting = [*lines]
        while waiting:
            state = waiting.pop()
            if state.turn is not None and [*self._actions(state)] == ["fold"]:
                self._refuse(state, lines[state])
            for action, after in self._actions(state).items():
                if after not in lines:
                    lines[after] = f"{lines[state]} / {action}".removeprefix(" / ")
                    waiting.append(after)
            if len(lines) > MAX_STATES:
                raise GameTooLargeError(
                    f"{self.game} has more than {MAX_STATES:,} betting states; use fewer or larger "
                    "raise sizes, or smaller stacks",
                    {"public_states": len(lines)},
                )

    def _refuse(self, state: Betting, line: str) -> None:
        """Raise the error for a state in which folding is the only legal action."""
        player = state.turn or 0
        called = state.put_in[1 - player]
        amount, left = map(self.betting.label, (called, self.betting.stack - called))
        raise ParameterError(
            f"{self.game.name}: {f'after {line}' if line else 'at the start'}, player {player} "
            f"({BLINDS[player]}) cannot raise, and a call to {amount} would leave {left} chips "
            f"behind and need a flop; add raise sizes, as in raises='2.5x; reraise: a'"
        )

    def _actions(self, state: Betting) -> Mapping[str, Betting]:
        """Return the betting after each legal action; calls that leave chips behind are illegal."""
        if state not in self._legal:
            self._legal[state] = {
                action: after
                for action, after in self.betting.actions(state).items()
                if action != "call" or after.put_in[0] == self.betting.stack
            }
        return self._legal[state]

    @property
    def initial_pot(self) -> InitialPot:
        """The pot after antes and blinds."""
        chip, pairs = self.betting.chip, zip(self.antes, self.blinds, strict=True)
        first, second = (float((ante + blind) * chip) for ante, blind in pairs)
        return InitialPot(first + second + self.game.dead, (first, second))

    def hands(self, player: Player) -> Sequence[PublicHand]:
        """Return the classes in a player's range."""
        return [PublicHand(str(CLASSES[place])) for place in self._places[player]]

    def pair_weights(self) -> Sequence[Sequence[float | Fraction]]:
        """Return products of weights and numbers of disjoint pairs of hands."""
        return self._weights

    def initial_state(self) -> Betting:
        """Return the betting after the blinds."""
        return Betting(self.blinds, raises=1)

    def actor(self, state: Betting) -> Player | None:
        """Return the player who acts."""
        return state.turn

    def legal_actions(self, state: Betting) -> Sequence[str]:
        """Return the legal actions: fold, call if it is all-in, then raises by size."""
        return tuple(self._actions(state))

    def next_state(self, state: Betting, action: Action) -> Betting:
        """Return the betting after an action."""
        return self._actions(state)[str(action)]

    def end(self, state: Betting) -> PublicEnd | None:
        """Return the chips won or lost after a fold, or when both players are all-in."""
        if state.turn is not None:
            return None
        # Each end recurs with all pairs of classes.
        if state not in self._ends:
            self._ends[state] = self._end(state)
        return self._ends[state]

    def _end(self, state: Betting) -> PublicEnd:
        is_fold = state.folded is not None
        lost, _, won = self.payoffs.outcomes(min(state.put_in), is_raked=not is_fold)
        if is_fold:
            return PublicEnd((lost if state.folded == 0 else won,))
        return PublicEnd((lost, won), equities=self._equities)
