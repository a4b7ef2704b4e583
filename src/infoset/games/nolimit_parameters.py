"""Parameters shared by the no-limit hold'em games: amounts, sizes, thresholds, ranges."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from fractions import Fraction
from math import inf
from types import MappingProxyType
from typing import Any, Final

from infoset.errors import ParameterError, show
from infoset.game import Game
from infoset.games.bet_sizes import (
    SizeRule,
    chosen_sizes,
    parse_sizes,
    player_words,
    situations,
    sizes_text,
)
from infoset.games.holdem_ranges import normal_range, range_text
from infoset.games.nolimit_betting import Thresholds
from infoset.games.parameters import check_parameters, parameter_error

MAX_AMOUNT: Final = 10**15
"""Maximum number of chips; floats represent whole numbers up to it exactly."""
SHARES: Final = ("all_in", "all_in_pot", "add_all_in", "merge", "rake")
"""Parameters that are shares of the pot or of a stack."""
PERCENTAGE: Final = re.compile(r"\s*(\d+\.?\d*|\.\d+)\s*%\s*", re.ASCII)
MAX_SHARES: Final[Mapping[str, int]] = MappingProxyType({"all_in_pot": 10, "add_all_in": 100})
"""Maximum shares of the pot; larger numbers are taken for percentages."""


def check_numbers(game: Any) -> None:
    """Check declared parameters as `check_parameters` does, and that amounts fit `MAX_AMOUNT`.

    Shares that are given as text with a percent sign, such as '5%', are converted to numbers.
    """
    for name in SHARES:
        given = getattr(game, name)
        found = PERCENTAGE.fullmatch(given) if isinstance(given, str) else None
        if found:
            object.__setattr__(game, name, float(Fraction(found[1]) / 100))
    check_parameters(game)
    for parameter in fields(game):
        domain = parameter.metadata.get("domain")
        # Amounts are the numbers that `number` declares.
        given = getattr(game, parameter.name) if domain and domain.keeps_whole else 0
        for amount in given if isinstance(given, tuple) else (given,):
            if isinstance(amount, int | float) and amount > MAX_AMOUNT:
                rule = f"is at most {MAX_AMOUNT:,}"
                raise parameter_error(game, parameter.name, rule, parameter.default)


def listed(game: Any, name: str, count: int, each: str) -> tuple[Any, ...]:
    """Return a parameter as a list with one value for each street or player."""
    given = getattr(game, name)
    values = given if isinstance(given, tuple) else (given,) * count
    parameter = game.__dataclass_fields__[name]
    domain = replace(parameter.metadata["domain"], other="")
    if len(values) != count or not all(value in domain for value in values):
        rule = f"is {domain}, or a list of {count}, one for each {each}"
        raise parameter_error(game, name, rule, (parameter.default,) * count)
    return values


def smallest_chip(chip: float, amounts: Iterable[float]) -> Fraction:
    """Return the smallest chip; 0 stands for 1 if all amounts are whole numbers, else for 0.01."""
    if chip:
        return decimal(chip)
    return Fraction(1) if all(isinstance(one, int) for one in amounts) else Fraction(1, 100)


def units(game: Game, name: str, amount: float, chip: Fraction, lowest: float = -inf) -> int:
    """Convert the amount in a parameter to units of the smallest chip.

    Raises
    ------
    ParameterError
        If the amount is not a multiple of the smallest chip, or is below `lowest` chips.
    """
    found = decimal(amount) / chip
    if found < lowest:
        largest = max(100, float(chip))
        raise parameter_error(
            game, name, f"is at least the smallest chip, {float(chip):g}", largest
        )
    if found.denominator != 1:
        raise ParameterError(
            f"{game.name}: {name}={amount:g} is not a multiple of the smallest chip, "
            f"{float(chip):g}; for example, give chip={_chip_of(amount):g}"
        )
    return int(found)


def decimal(number: float) -> Fraction:
    """Return the fraction that a decimal number denotes, such as 145/1000 for 0.145."""
    return Fraction(repr(number))


def _chip_of(amount: float) -> float:
    """Return the largest of 1, 0.1, 0.01 and so on of which an amount is a multiple."""
    chip = Fraction(1)
    while (decimal(amount) / chip).denominator != 1:
        chip /= 10
    return float(chip)


def joined_sizes(game: Game, name: str, streets: tuple[str, ...]) -> Any:
    """Return sizes in normal form: lists of texts are joined, lists of numbers unchanged."""
    given: Any = getattr(game, name)
    if isinstance(given, list | tuple) and given and all(isinstance(one, str) for one in given):
        given = ", ".join(given)
    return sizes_text(parse_sizes(given, name, streets)) if isinstance(given, str) else given


def size_rules(game: Game, name: str, streets: tuple[str, ...]) -> tuple[SizeRule, ...]:
    """Return the rules for sizes given as text.

    Raises
    ------
    ParameterError
        If a size is invalid, or a situation has no rule.
    """
    given = getattr(game, name)
    rules = parse_sizes(given, name, streets)
    for situation in situations(streets, name):
        if chosen_sizes(rules, situation) is None:
            player = player_words(streets)[situation.player]
            raise ParameterError(
                f"{game.name}: {name}={show(given)} has no sizes on the {situation.street} for "
                f"player {situation.player} ({player}); start with sizes for all situations, "
                f"as in '75%; {given}' or 'none; {given}'"
            )
    return rules


def thresholds(game: Any, chip: Fraction) -> Thresholds:
    """Return the thresholds among the parameters of a game."""
    above = game.all_in_above
    return Thresholds(
        add_all_in=decimal(game.add_all_in),
        all_in=decimal(game.all_in),
        all_in_above=None if above == -1 else decimal(above) / chip,
        all_in_pot=decimal(game.all_in_pot),
        merge=decimal(game.merge),
    )


def check_shares(game: Any) -> None:
    """Raise an error if a parameter that is a share is out of its range."""
    if not 0 < game.all_in <= 1:
        suggested = _suggested(game.all_in, 0.9)
        raise parameter_error(game, "all_in", "is above 0 and at most 1", suggested)
    for name in ("rake", "merge"):
        given = getattr(game, name)
        if given >= 1:
            rule = "is a share of the pot, below 1"
            raise parameter_error(game, name, rule, _suggested(given, 0.05))
    for name, maximum in MAX_SHARES.items():
        given = getattr(game, name)
        if given > maximum:
            rule = f"is a share of the pot, at most {maximum}"
            raise parameter_error(game, name, rule, given / 100)


def _suggested(share: float, usual: float) -> float:
    """Return a valid share for an error: a number above 1 is read as a percentage."""
    return share / 100 if 1 < share < 100 else usual


def range_texts(game: Any) -> tuple[str, str]:
    """Return the parameter `ranges` in normal form, one range for each player."""
    given: Any = game.ranges
    if isinstance(given, str):
        given = given, given
    try:
        first, second = given
    except (TypeError, ValueError):
        rule = "has one range for each player, or is one text for both"
        raise parameter_error(game, "ranges", rule, ("AA,KQs:0.5", "TT+")) from None
    return _range_text(first), _range_text(second)


def _range_text(given: Any) -> str:
    """Return a range in normal form; a pair such as 77 may have been parsed as a number."""
    if isinstance(given, str | int):
        return normal_range(str(given))
    return range_text(given)
