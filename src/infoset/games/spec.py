"""The text form of a game: `name(parameter=value,...)`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from infoset.errors import ParameterError

__all__ = ["Value", "parse_spec"]

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
    spec : str
    kind, example : str
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
            raise source.malformed(f"{part.strip()!r} is not of the form parameter=value")
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
