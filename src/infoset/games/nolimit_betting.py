"""No-limit betting between two players with equal stacks, with a few sizes per bet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import NamedTuple

from infoset.typing import Player

__all__ = ["Betting", "BettingRules"]


class Betting(NamedTuple):
    """The betting on a street.

    Attributes
    ----------
    put_in : tuple[int, int]
        Chips that each player has put in since the start of the endgame.
    before : int
        Chips that each player had put in before the street.
    turn : Player or None
        Who acts; None at the end of a street.
    raises : int
        Number of bets and raises in the street.
    last_raise : int
        Chips by which the last bet or raise exceeded the bet before it.
    has_checked : bool
        Whether player 0 has checked.
    folded : Player or None
        Who has folded.
    """

    put_in: tuple[int, int] = (0, 0)
    before: int = 0
    turn: Player | None = 0
    raises: int = 0
    last_raise: int = 0
    has_checked: bool = False
    folded: Player | None = None


@dataclass(frozen=True)
class BettingRules:
    """The rules of no-limit betting; see `NoLimitEndgame` for the sizes.

    Attributes
    ----------
    pot, stack : int
        Chips in the pot, and chips behind of each player, at the start of the endgame.
    bets, raises : tuple[float, ...]
        Sizes, as shares of the pot after a call.
    max_raises : int
        Number of bets and raises on a street.
    min_bet : int
        Smallest bet, and smallest amount of a raise.
    all_in : float
        Share of the chips behind from which on a bet or raise is all-in.
    """

    pot: int
    stack: int
    bets: tuple[float, ...]
    raises: tuple[float, ...]
    max_raises: int
    min_bet: int
    all_in: float
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
            total = highest + max(smallest, floor(_decimal(size) * pot + Fraction(1, 2)))
            if total - betting.put_in[player] < _decimal(self.all_in) * behind:
                totals.add(total)
        return sorted(totals)


def _decimal(share: float) -> Fraction:
    """Return a share as it is written, such as 145/1000 for 0.145."""
    return Fraction(repr(share))


def _with_chips(put_in: tuple[int, int], player: Player, total: int) -> tuple[int, int]:
    return (total, put_in[1]) if player == 0 else (put_in[0], total)
