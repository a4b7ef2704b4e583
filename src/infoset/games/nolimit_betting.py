"""No-limit betting for two players: legal actions, their sizes, and the betting after each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import Final, NamedTuple

from infoset.games.bet_sizes import EXCEPTIONS, BetSize, Situation, SizeRule, chosen_sizes
from infoset.games.parameters import plain_number
from infoset.typing import Player

MAX_ROUNDING: Final = Fraction(5, 100)
"""Relative change of a bet size by rounding to chips, above which it is reported."""


class Betting(NamedTuple):
    """The betting on a street, in units of the smallest chip."""

    put_in: tuple[int, int] = (0, 0)
    """What each player has put in since the start of the endgame."""
    before: int = 0
    """What each player had put in before the street."""
    turn: Player | None = 0
    """The player who acts; None at the end of a street."""
    raises: int = 0
    """Number of bets and raises on the street."""
    last_raise: int = 0
    """Excess of the last bet or raise over the previous bet."""
    has_checked: bool = False
    """Whether player 0 has checked."""
    folded: Player | None = None
    """The player who has folded."""
    street: int = 0
    """Number of streets before this one."""
    aggressor: Player | None = None
    """The player who bet or raised last: on this street, or before its first bet, on the previous
    street."""


class Thresholds(NamedTuple):
    """Thresholds for all-in and for merging sizes; see `NoLimitEndgame`."""

    add_all_in: Fraction
    all_in: Fraction
    all_in_above: Fraction | None
    """In units of the smallest chip; None means no threshold."""
    all_in_pot: Fraction
    merge: Fraction


@dataclass(frozen=True)
class PotPayoffs:
    """Utilities of the players at the ends."""

    chip: Fraction
    """The smallest chip."""
    before: tuple[Fraction, Fraction]
    """Contribution of each player before the start, in units of `chip`."""
    dead: int
    """Dead money, in units of `chip`."""
    rake: float
    rake_cap: float
    """Share of the pot that the house takes, and its maximum in chips; -1 for no maximum."""

    def outcomes(
        self, matched: int, is_raked: bool = True
    ) -> tuple[tuple[float, float], tuple[float, float], tuple[float, float]]:
        """Return the utilities if player 0 loses, if the pot is split, and if player 0 wins.

        matched: chips that each player has put in since the start, in units of `chip`, without an
        uncalled bet, which is returned.
        """
        first, second = (-float((own + matched) * self.chip) for own in self.before)
        dead = float(self.dead * self.chip)
        pot = (sum(self.before) + self.dead + 2 * matched) * self.chip
        rake = self.rake * float(pot) if is_raked else 0.0
        if self.rake_cap != -1:
            rake = min(rake, self.rake_cap)
        lost, won = (first, dead - first - rake), (dead - second - rake, second)
        half = dead / 2 - rake / 2
        split = half + (first - second) / 2, half + (second - first) / 2
        return lost, split, won


@dataclass(frozen=True)
class BettingRules:
    """The rules of no-limit betting; see `NoLimitEndgame`. Amounts are in units of `chip`."""

    pot: int
    stack: int
    """The pot, and the stack of each player, at the start of the endgame."""
    chip: Fraction
    """The smallest chip."""
    streets: tuple[str, ...]
    bets: tuple[SizeRule, ...]
    raises: tuple[SizeRule, ...]
    max_raises: tuple[int, ...]
    """[streets] maximum number of bets and raises."""
    min_bet: tuple[int, ...]
    """[streets] smallest bet, and smallest amount of a raise over a bet."""
    thresholds: Thresholds
    _known: dict[Betting, dict[str, Betting]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def actions(self, betting: Betting) -> Mapping[str, Betting]:
        """Return the legal actions, with the betting after each.

        The same betting recurs after every card that chance may deal, so each result is cached.
        """
        known = self._known.get(betting)
        if known is None:
            known = self._known[betting] = self._actions(betting)
        return known

    def next_street(self, betting: Betting) -> Betting:
        """Return the betting after a card is dealt; nobody acts if the players are all-in."""
        before = betting.put_in[0]
        return Betting(
            betting.put_in,
            before,
            turn=None if before == self.stack else 0,
            street=betting.street + 1,
            # Without separate donk bet sizes, lines with the same pot lead to the same state.
            aggressor=betting.aggressor if betting.raises and self._has_donks else None,
        )

    @cached_property
    def _has_donks(self) -> bool:
        """Whether a rule has separate sizes for donk bets."""
        return any(EXCEPTIONS["bets"] in rule.words for rule in self.bets)

    def rounded_bets(self) -> list[str]:
        """Describe sizes that rounding changes by more than 5%, as in '33% of 5 becomes 2'.

        Only percentages of the first bet of each player on the first street are checked.
        """
        found: dict[str, None] = {}
        for player in range(2):
            start = Betting(turn=player, has_checked=player == 1)
            legal = self.actions(start)
            for size in self._sizes(start, player):
                exact = Fraction(size.number or 0) / 100 * self.pot
                amount = self.label(self._amount(size, start)) if size.unit == "%" else ""
                # Sizes below the minimum and those turned into all-in do not depend on rounding.
                if exact >= self.min_bet[0] and f"bet {amount}" in legal:
                    change = abs(self._amount(size, start) - exact)
                    if change > MAX_ROUNDING * exact:
                        found[f"{size} of {self.label(self.pot)} becomes {amount}"] = None
        return [*found]

    def label(self, amount: int) -> str:
        """Return an amount in chips, such as 250 or 2.15."""
        return str(plain_number(amount * self.chip))

    def _actions(self, betting: Betting) -> dict[str, Betting]:
        player = betting.turn
        if player is None:
            return {}
        actions = self._passive(betting, player)
        highest = betting.put_in[1 - player]
        if betting.raises < self.max_raises[betting.street] and highest < self.stack:
            verb = "bet" if highest == betting.before else "raise"
            for total in self._totals(betting, player):
                is_all_in = total == self.stack
                label = "all-in" if is_all_in else f"{verb} {self.label(total - betting.before)}"
                actions[label] = betting._replace(
                    put_in=_with_chips(betting.put_in, player, total),
                    turn=1 - player,
                    raises=betting.raises + 1,
                    last_raise=total - highest,
                    aggressor=player,
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
        """Return the player's possible totals after a bet or raise, in increasing order."""
        highest, limits = betting.put_in[1 - player], self.thresholds
        pot, behind = self.pot + 2 * highest, self.stack - betting.put_in[player]
        smallest = max(self.min_bet[betting.street], betting.last_raise)
        totals = {
            # All-in is legal even below the minimum.
            self.stack if size.unit == "a" else highest + max(smallest, self._amount(size, betting))
            for size in self._sizes(betting, player)
        }
        if totals and self.stack - highest <= limits.add_all_in * pot:
            totals.add(self.stack)
        replaced = {
            self.stack
            if total - betting.put_in[player] >= limits.all_in * behind
            or self.stack - total <= limits.all_in_pot * (self.pot + 2 * total)
            or (limits.all_in_above is not None and total > limits.all_in_above)
            else total
            for total in totals
        }
        # From the largest down: a size stays if it is far enough below the last one that stayed.
        kept: list[int] = []
        for total in sorted(replaced, reverse=True):
            size = pot + total - highest
            if not kept or size < (1 - limits.merge) * (pot + kept[-1] - highest):
                kept.append(total)
        return kept[::-1]

    def _sizes(self, betting: Betting, player: Player) -> tuple[BetSize, ...]:
        """Return the sizes for the situation."""
        if betting.raises:
            rules, is_exception = self.raises, betting.raises > 1
        else:
            rules, is_exception = self.bets, player == 0 and betting.aggressor == 1
        situation = Situation(self.streets[betting.street], player, is_exception)
        return chosen_sizes(rules, situation) or ()

    def _amount(self, size: BetSize, betting: Betting) -> int:
        """Return the excess of a size over the previous bet, rounded half up to chips."""
        highest = max(betting.put_in)
        pot, bet = self.pot + 2 * highest, highest - betting.before
        if size.unit == "e":
            return self._equal_share(size, betting, pot, self.stack - highest)
        # Exact arithmetic, because floats would round some halves down.
        number = Fraction(size.number or 0)
        amount = {"%": number / 100 * pot, "x": (number - 1) * bet, "c": number / self.chip - bet}
        return floor(amount[size.unit] + Fraction(1, 2))

    def _equal_share(self, size: BetSize, betting: Betting, pot: int, left: int) -> int:
        """Return the geometric bet: the same share of the pot on each street ends all-in.

        pot, left: pot and remaining stack after a call.
        """
        streets = len(self.streets) - betting.street if size.number is None else int(size.number)
        # A called bet of a share r of the pot multiplies the pot by 1 + 2 r.
        growth = (1 + 2 * left / pot) ** (1 / streets)
        return left if streets == 1 else floor((growth - 1) / 2 * pot + 0.5)


def _with_chips(put_in: tuple[int, int], player: Player, total: int) -> tuple[int, int]:
    return (total, put_in[1]) if player == 0 else (put_in[0], total)
