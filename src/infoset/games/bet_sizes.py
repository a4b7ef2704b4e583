"""Sizes of bets and raises as text, such as `33%, 75%; river: 150%, a; donk: none`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import product
from types import MappingProxyType
from typing import Final, NamedTuple, NoReturn

from infoset.errors import ParameterError, show
from infoset.typing import Player

STREETS: Final = ("flop", "turn", "river")
POSITIONS: Final = ("oop", "ip")
"""The words for player 0, who is out of position, and player 1, who is in position."""
PREFLOP: Final = "preflop"
BLINDS: Final = ("sb", "bb")
"""The words for player 0, who has put in the small blind, and player 1, before the flop."""
EXCEPTIONS: Final[Mapping[str, str]] = MappingProxyType({"bets": "donk", "raises": "reraise"})
"""By parameter, the word for a bet into the last aggressor, and for a raise of a raise."""
NO_SIZES: Final = "none"
EXAMPLE: Final[Mapping[str, str]] = MappingProxyType(
    {"bets": "33%, 75%; river: 75%, 150%, a", "raises": "60%; reraise: 2.5x, a"}
)
PREFLOP_EXAMPLE: Final = "2.5x, a; bb: 3x, a; sb reraise: a"
MAX_PERCENT: Final = 100_000
"""Maximum size in percent of the pot."""
SIZE: Final = re.compile(r"(\d+\.?\d*|\.\d+)?\s*([a-z%-]*)")


class BetSize(NamedTuple):
    """The size of a bet or raise in the notation of `parse_sizes`."""

    unit: str
    """`%` of the pot after a call, `x` times the bet that is raised, `c` for chips, `e` for
    geometric sizes (the same share of the pot on each street until all-in), `a` for all-in."""
    number: Decimal | None = None
    """The number before the unit; None for `a`, and for `e` if it extends to the river."""

    def __str__(self) -> str:
        return self.unit if self.number is None else f"{self.number.normalize():f}{self.unit}"


class Situation(NamedTuple):
    """A situation in which a player may bet or raise."""

    street: str
    player: Player
    is_exception: bool
    """Whether a bet is a donk bet, or a raise is a reraise."""


class SizeRule(NamedTuple):
    """Sizes, with the words that select the situations in which they apply."""

    words: tuple[str, ...]
    sizes: tuple[BetSize, ...]

    def covers(self, situation: Situation) -> bool:
        """Return whether the rule applies in a situation.

        It may name several streets and positions. If it names no street, it applies on every
        street; if it names no position, it applies to both players.
        """
        known = player_words((situation.street,))
        streets = [word for word in self.words if word in STREETS]
        positions = [word for word in self.words if word in known]
        return (
            (not streets or situation.street in streets)
            and (not positions or known[situation.player] in positions)
            and (situation.is_exception or self.words == (*streets, *positions))
        )

    def __str__(self) -> str:
        sizes = ", ".join(map(str, self.sizes)) or NO_SIZES
        return f"{' '.join(self.words)}: {sizes}" if self.words else sizes


def player_words(streets: Iterable[str]) -> tuple[str, str]:
    """Return the words for the two players on the given streets."""
    return BLINDS if PREFLOP in streets else POSITIONS


def chosen_sizes(rules: Sequence[SizeRule], situation: Situation) -> tuple[BetSize, ...] | None:
    """Return the sizes of the last rule that covers a situation; None if no rule does."""
    return next((rule.sizes for rule in reversed(rules) if rule.covers(situation)), None)


def sizes_text(rules: Sequence[SizeRule]) -> str:
    """Return rules as text that `parse_sizes` can read."""
    return "; ".join(map(str, rules))


def situations(streets: Iterable[str] = STREETS, kind: str = "bets") -> list[Situation]:
    """Return all situations on the given streets.

    Player 1, who acts second, has no donk bets. Before the flop, all raises of player 1 are
    reraises, because player 0 cannot call the big blind.
    """
    every = map(Situation._make, product(streets, range(len(POSITIONS)), (False, True)))
    return [
        one
        for one in every
        if one.player == 0
        or (
            one.is_exception if one.street == PREFLOP else not (kind == "bets" and one.is_exception)
        )
    ]


def parse_sizes(text: str, kind: str, streets: Sequence[str] = STREETS) -> tuple[SizeRule, ...]:
    """Read sizes of bets or raises.

    Semicolons separate rules, and commas separate the sizes of a rule. Words before a colon say
    where a rule applies: streets (`flop`, `turn`, `river`), players (`oop`, `ip`), and `donk` (donk
    bets) or `reraise`. Before the flop, they are players (`sb`, `bb`) and `reraise`. A rule without
    words applies everywhere. If several rules apply, the last one is used.

    Parameters
    ----------
    kind
        "bets" or "raises".
    streets
        The streets after the flop, or ("preflop",).

    Raises
    ------
    ParameterError
        If a rule cannot be read, never applies, or is overridden by later ones.

    Examples
    --------
    >>> sizes_text(parse_sizes("33% ,75%;river:150%,a; Donk: none", "bets"))
    '33%, 75%; river: 150%, a; donk: none'
    """
    source = _Source(text, kind, PREFLOP in streets)
    rules = tuple(_rule(part, source) for part in text.lower().split(";"))
    every = situations((PREFLOP,) if source.is_preflop else STREETS, kind)
    for place, rule in enumerate(rules):
        used = [one for one in every if rule.covers(one)]
        if not used:
            problem = "never applies: player 1 (ip) acts after a check and cannot make a donk bet"
            source.fail(str(rule), problem)
        later = rules[place + 1 :]
        if all(any(other.covers(one) for other in later) for one in used):
            problem = (
                "is overridden by the rules after it; separate sizes with commas, and put more "
                "general rules first"
            )
            source.fail(str(rule), problem)
    return rules


class _Source(NamedTuple):
    """The text of sizes being parsed."""

    text: str
    kind: str
    is_preflop: bool

    def fail(self, item: str, problem: str) -> NoReturn:
        """Raise the error for a part that cannot be read."""
        example = PREFLOP_EXAMPLE if self.is_preflop else EXAMPLE[self.kind]
        raise ParameterError(
            f"cannot read {self.kind}={show(self.text)}: {show(item)} {problem}; for example, "
            f"{self.kind}='{example}'"
        )


def _rule(part: str, source: _Source) -> SizeRule:
    """Parse one rule."""
    where, colon, listed = part.rpartition(":")
    players = BLINDS if source.is_preflop else (*STREETS, *POSITIONS)
    words, known = where.split(), (*players, EXCEPTIONS[source.kind])
    if colon and not words:
        source.fail(part.strip(), f"has nothing before the colon; write {_listed(known)}")
    for word in words:
        if word not in known:
            source.fail(word, f"is not a street, player or situation; use {_listed(known)}")
    sizes = () if listed.strip() == NO_SIZES else tuple(_sizes(listed, source))
    return SizeRule(tuple(word for word in known if word in words), sizes)


def _sizes(listed: str, source: _Source) -> Iterable[BetSize]:
    """Yield the sizes of one rule."""
    for item in map(str.strip, listed.split(",")):
        match = SIZE.fullmatch(item)
        number, unit = match.groups() if match else (None, "")
        unit = "a" if unit in ("all-in", "allin") else unit
        problem = _problem(number, unit, source)
        if problem:
            source.fail(item, problem)
        yield BetSize(unit, None if number is None else Decimal(number))


def _problem(number: str | None, unit: str, source: _Source) -> str:
    """Return the error message for a size; an empty text if it is valid."""
    if unit == "e" and source.is_preflop:
        return (
            "is the same share of the pot on several streets, and before the flop there is only one"
        )
    if number is not None and not unit:
        return f"has no unit: write {number}% of the pot, or {number}c for chips"
    if unit not in ("%", "x", "c", "e", "a"):
        geometric = "" if source.is_preflop else ", e, 2e"
        return (
            f"is not a size: write 33% (of the pot), 2.5x (of a bet), 150c (chips){geometric} or a"
        )
    if unit == "x" and source.kind == "bets":
        return "is a multiple of the previous bet, so it is only valid for raises"
    if unit == "a":
        return "" if number is None else "has a number, but all-in (a) does not take one"
    if number is None:
        return "" if unit == "e" else "has no number"
    if unit == "e":
        return (
            "" if Decimal(number) % 1 == 0 < Decimal(number) else "needs a whole number of streets"
        )
    if unit == "%" and Decimal(number) > MAX_PERCENT:
        return f"is above {MAX_PERCENT:,}% of the pot: write 'a' for all-in"
    lowest = 1 if unit == "x" else 0
    return "" if Decimal(number) > lowest else f"needs a number above {lowest}"


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"
