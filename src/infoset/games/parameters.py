"""Parameters of games: declarations, domains, checks, and the text `name(parameter=value,…)`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

from infoset.errors import ParameterError, UnknownNameError, show
from infoset.game import Game, parameter_text

EXACT_IN_FLOAT = 2**53


def plain_number(number: float | Decimal | Fraction) -> float:
    """Return a number as an integer if it is whole, and otherwise as a float."""
    return int(number) if number % 1 == 0 else float(number)


@dataclass(frozen=True)
class Domain:
    """The values that a parameter may have.

    Examples
    --------
    >>> 11 in Domain(int, low=2, high=10), str(Domain(int, low=2, high=10))
    (False, 'a whole number from 2 to 10')
    """

    kind: type
    """`int`, `float`, `bool` or `str`; `float` includes whole numbers."""
    low: int | None = None
    high: int | None = None
    """Inclusive bounds of a number; None for no bound."""
    special: int | None = None
    """A number outside the bounds that has a special meaning."""
    options: tuple[str, ...] = ()
    """The allowed values of a string."""
    is_list: bool = False
    """Whether the parameter is a nonempty tuple of such values."""
    is_addition: bool = False
    """Whether the parameter is an addition that OpenSpiel's game does not have."""
    keeps_whole: bool = False
    """Whether whole numbers of the kind `float` are stored as integers."""
    other: str = ""
    """Description of texts accepted in place of a list, or of lists accepted in place of a number;
    the game itself checks them."""

    def __contains__(self, value: object) -> bool:
        if self.other and isinstance(value, str if self.is_list else tuple):
            return len(value) > 0
        if self.is_list:
            return isinstance(value, tuple) and value != () and all(map(self._allows, value))
        return self._allows(value)

    def _allows(self, value: object) -> bool:
        if type(value) is not self.kind and not (self.keeps_whole and type(value) is int):
            return False
        if isinstance(value, str):
            return value in self.options
        if isinstance(value, bool) or not isinstance(value, int | float):
            return True
        above = self.low is None or value >= self.low
        below = self.high is None or value <= self.high
        is_number = isinstance(value, int) or isfinite(value)
        return (above and below and is_number) or value == self.special

    def normal_form(self, value: object) -> object:
        """Return a value in normal form: lists become tuples, and integers become floats if needed.

        Examples
        --------
        >>> Domain(float, is_list=True).normal_form([1, 2.5])
        (1.0, 2.5)
        """
        if isinstance(value, list | tuple):
            return tuple(map(self.normal_form, value))
        if self.keeps_whole:
            return plain_number(value) if isinstance(value, float) else value
        if self.kind is float and type(value) is int and abs(value) <= EXACT_IN_FLOAT:
            return float(value)
        return value

    def __str__(self) -> str:
        if self.kind is bool:
            return "True or False"
        if self.kind is str:
            return f"one of {', '.join(self.options)}"
        if self.low is not None and self.low == self.high:
            return str(self.low)
        noun = "whole number" if self.kind is int else "number"
        text = f"a list of {noun}s" if self.is_list else f"a {noun}"
        if self.low is not None:
            has_high = self.high is not None
            text += f" from {self.low} to {self.high}" if has_high else f" of at least {self.low}"
        text = text if self.special is None else f"{self.special} or {text}"
        return f"{text}, or {self.other}" if self.other else text


def integer(
    default: int,
    *,
    low: int,
    high: int | None = None,
    special: int | None = None,
    is_addition: bool = False,
    other: str = "",
) -> Any:
    """Declare a dataclass field for a whole number with inclusive bounds."""
    domain = Domain(int, low, high, special, is_addition=is_addition, other=other)
    return field(default=default, metadata={"domain": domain})


def flag(default: bool) -> Any:
    """Declare a dataclass field for True or False."""
    return field(default=default, metadata={"domain": Domain(bool)})


def integers(*default: int, low: int, high: int | None = None) -> Any:
    """Declare a dataclass field for a list of whole numbers with inclusive bounds."""
    return field(default=default, metadata={"domain": Domain(int, low, high, is_list=True)})


def real(default: float, *, low: int | None = None) -> Any:
    """Declare a dataclass field for a number."""
    return field(default=default, metadata={"domain": Domain(float, low)})


def number(default: float, *, low: int | None, special: int | None = None, other: str = "") -> Any:
    """Declare a dataclass field for a number, which is stored as an integer if it is whole."""
    domain = Domain(float, low, special=special, keeps_whole=True, other=other)
    return field(default=default, metadata={"domain": domain})


def reals(*default: float, low: int | None = None, other: str = "") -> Any:
    """Declare a dataclass field for a list of numbers."""
    domain = Domain(float, low, is_list=True, other=other)
    return field(default=default, metadata={"domain": domain})


def choice(default: str, *options: str, is_addition: bool = False) -> Any:
    """Declare a dataclass field for one of a few strings, which include the default."""
    domain = Domain(str, options=(default, *options), is_addition=is_addition)
    return field(default=default, metadata={"domain": domain})


def check_parameters(game: Game) -> None:
    """Check all declared parameters of a dataclass game and store their normal forms.

    Raises
    ------
    ParameterError
        If a value is not in the domain of its parameter.
    """
    this: Any = game
    for parameter in fields(this):
        domain = parameter.metadata.get("domain")
        if domain is None:
            continue
        value = domain.normal_form(getattr(game, parameter.name))
        if value not in domain:
            raise parameter_error(game, parameter.name, f"must be {domain}", parameter.default)
        # Games are frozen dataclasses, so their fields can be set only in this way during
        # construction.
        object.__setattr__(game, parameter.name, value)


def parameter_error(game: Game, parameter: str, rule: str, instead: object) -> ParameterError:
    """Return the error for a parameter that violates `rule`; it suggests a valid value."""
    value = getattr(game, parameter)
    return ParameterError(
        f"{game.name}: {parameter}={show(value)} is not allowed; {parameter} {rule}, "
        f"for example {game.name}({parameter}={parameter_text(instead)})"
    )


def unknown_parameter(
    loader: object, game: str, name: str, known: Iterable[str]
) -> UnknownNameError:
    """Return the error for a parameter that a game does not have.

    The error has the `advice` of the game's class on that name, or else the nearest names.
    """
    advice = getattr(loader, "advice", {}).get(name)
    if advice:
        return UnknownNameError(f"{game} has no parameter {name!r}; {advice}")
    return UnknownNameError.of(f"parameter of {game}", name, known)


Value: TypeAlias = "bool | int | float | str | tuple[Value, ...] | None"
"""The value of a parameter; lists in brackets become tuples."""

EXAMPLE = "write it as name(parameter=value,...), for example leduc_poker(players=2,num_ranks=4)"
CALL = re.compile(r"\s*([\w.+-]+)\s*(?:\((.*)\)\s*)?", re.DOTALL)
WORDS: dict[str, Value] = {
    "True": True,
    "true": True,
    "False": False,
    "false": False,
    "None": None,
}
CLOSING = {"(": ")", "[": "]"}
MAX_DEPTH = 20


class Source(NamedTuple):
    """A text to parse, with a noun and an example for error messages."""

    text: str
    kind: str = "game"
    example: str = EXAMPLE

    def malformed(self, problem: str) -> ParameterError:
        """Return the error for a text that cannot be parsed."""
        return ParameterError(
            f"cannot read the {self.kind} {self.text!r}: {problem}; {self.example}"
        )


def parse_spec(
    spec: str, *, kind: str = "game", example: str = EXAMPLE
) -> tuple[str, dict[str, Value]]:
    """Split the text of a game into its name and its parameters.

    Values are read as in OpenSpiel: True and False, integers and decimal numbers, lists in brackets
    with semicolons, and words. Additions to OpenSpiel's notation are lists with commas, nested
    lists, None, and words in quotes.

    Parameters
    ----------
    kind, example
        A noun for the text and an example, for error messages.

    Raises
    ------
    ParameterError
        If the text does not have that form, or gives a parameter twice.

    Examples
    --------
    >>> parse_spec("goofspiel(num_cards=5, points_order=descending)")
    ('goofspiel', {'num_cards': 5, 'points_order': 'descending'})
    >>> parse_spec("battleship(ship_sizes=[2;3])")[1]
    {'ship_sizes': (2, 3)}
    >>> parse_spec("matrix_game(row_payoffs=[[0,2.5],[1,'a b']])")[1]
    {'row_payoffs': ((0, 2.5), (1, 'a b'))}
    """
    source = Source(spec, kind, example)
    match = CALL.fullmatch(spec)
    if match is None:
        raise source.malformed("it is not a name with parameters in parentheses")
    parameters: dict[str, Value] = {}
    for part in split_list(match[2] or "", source):
        key, equals, value = (text.strip() for text in part.partition("="))
        if not equals or not key.isidentifier() or not value:
            raise source.malformed(
                f"{part.strip()!r} is not of the form parameter=value; put values with commas in "
                "quotes"
            )
        if key in parameters:
            raise source.malformed(f"{key} is given twice")
        parameters[key] = parse_value(value, source)
    return match[1], parameters


def parse_value(text: str, source: Source) -> Value:
    """Parse one value."""
    if text[0] in CLOSING:
        if len(text) < 2 or text[-1] != CLOSING[text[0]]:
            raise source.malformed(f"{text!r} is not a list")
        parts = split_list(text[1:-1], source, separators=",;")
        return tuple(parse_value(part.strip(), source) for part in parts)
    if text[0] in "'\"":
        if len(text) < 2 or text[-1] != text[0]:
            raise source.malformed(f"{text} has no closing quote")
        return text[1:-1]
    if text in WORDS:
        return WORDS[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def split_list(text: str, source: Source, separators: str = ",") -> list[str]:
    """Split at separators outside brackets and quotes."""
    if not text.strip():
        return []
    ends = [*top_level(separators, text, source), len(text)]
    starts = [0, *(end + 1 for end in ends)]
    parts = [text[start:end] for start, end in zip(starts, ends, strict=False)]
    if not all(part.strip() for part in parts):
        signs = " or ".join({",": "comma", ";": "semicolon"}[sign] for sign in separators)
        raise source.malformed(f"an item is missing before or after a {signs}")
    return parts


def top_level(separators: str, text: str, source: Source) -> Iterator[int]:
    """Yield the positions of separators outside brackets and quotes."""
    open_brackets: list[str] = []
    quote = ""
    for position, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in CLOSING:
            open_brackets.append(CLOSING[character])
            if len(open_brackets) > MAX_DEPTH:
                raise source.malformed(f"brackets are nested more than {MAX_DEPTH} deep")
        elif character in CLOSING.values():
            if not open_brackets or open_brackets.pop() != character:
                raise source.malformed(f"there is no opening bracket for {character!r}")
        elif character in separators and not open_brackets:
            yield position
    if open_brackets or quote:
        raise source.malformed(f"a {(quote or open_brackets[-1])!r} is missing")
