"""The tokens of Gambit's files: words, numbers, quoted labels and signs."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from fractions import Fraction
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from infoset.efg.exact_numbers import read_number
from infoset.errors import GameFileError
from infoset.utils.arguments import check_path
from infoset.utils.paths import no_such_path
from infoset.utils.text import format_bytes

Kind: TypeAlias = Literal["label", "number", "word", "sign", "end"]

NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:/\d+|[eE][+-]?\d+)?", re.ASCII)

# Possessive quantifiers (++, *+) give nothing back: a damaged text takes linear time.
PATTERN: Final = re.compile(
    rf"""\s*+ (?: (?P<label> "(?:[^"\\]++|\\.)*" )
      | (?P<number> {NUMBER.pattern} )
      | (?P<word> [A-Za-z]+ ) | (?P<sign> [{{}},] ) | (?P<end> \Z ) )""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
SPACE: Final = re.compile(r"\s*+", re.ASCII)
ESCAPE: Final = re.compile(r'\\(["\\])')
GZIP: Final = b"\x1f\x8b"
"""The first bytes of a file compressed by gzip."""

MAX_BYTES: Final = 2**30
"""Maximum size of the text of a game: a small compressed file may expand to any size."""

MAX_SHOWN: Final = 40
MAX_LABEL: Final = 100_000
"""Maximum number of characters of a label, as of those of rules."""

MAX_DIGITS: Final = 18


class Token(NamedTuple):
    """A piece of the text."""

    kind: Kind
    text: str
    """The text itself, including quotes."""
    start: int
    """Position in the text."""


class Tokens:
    """The tokens of a text in order; white space between them is ignored.

    Attributes
    ----------
    current : Token
        The next token.
    """

    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name
        self.current = self._scan(0)

    def take(self, kind: Kind, expected: str, text: str = "") -> Token:
        """Return the current token and advance to the next.

        Parameters
        ----------
        kind
            The required kind.
        expected
            Description of the expected token, for the error message.
        text
            The required text; empty if any text is allowed.

        Raises
        ------
        GameFileError
            If the token is of another kind or has another text.
        """
        token = self.current
        if token.kind != kind or (text and token.text != text):
            raise self.error(expected)
        if kind != "end":
            self.current = self._scan(token.start + len(token.text))
        return token

    def skip(self, sign: str) -> bool:
        """Take a sign if it is the next token, and return whether it is."""
        is_there = self.current.text == sign
        if is_there:
            self.take("sign", sign)
        return is_there

    def label(self, expected: str) -> str:
        """Take a quoted label and return it without its quotes."""
        token = self.take("label", expected)
        if len(token.text) > MAX_LABEL:
            raise self.error(f"{expected}, of at most {MAX_LABEL:,} characters", token)
        return ESCAPE.sub(r"\1", token.text[1:-1])

    def integer(self, expected: str) -> int:
        """Take a nonnegative integer of at most 18 digits."""
        token = self.take("number", expected)
        if not token.text.isdecimal() or len(token.text) > MAX_DIGITS:
            raise self.error(expected, token)
        return int(token.text)

    def number(self, expected: str) -> Fraction:
        """Take an integer, decimal or ratio."""
        token = self.take("number", expected)
        value = read_number(token.text)
        if value is None:
            rule = "with a denominator other than 0, at most 1.8e308 in size"
            raise self.error(f"{expected}, {rule}", token)
        return value

    def error(self, expected: str, token: Token | None = None) -> GameFileError:
        """Return the error for an unexpected token, by default the current one."""
        token = token or self.current
        shown = token.text if len(token.text) <= MAX_SHOWN else f"{token.text[:MAX_SHOWN]}..."
        read = "the end of the file" if token.kind == "end" else shown
        return self.error_at(token.start, f"read {read}, expected {expected}")

    def error_at(self, position: int, problem: str) -> GameFileError:
        """Return the error for a problem at a position in the text."""
        line = self._text.count("\n", 0, position) + 1
        column = position - self._text.rfind("\n", 0, position)
        where = f"{self._name}, line" if self._name else "line"
        return GameFileError(
            f"{where} {line}, column {column}: {problem}", line=line, column=column
        )

    def _scan(self, position: int) -> Token:
        match = PATTERN.match(self._text, position)
        if match is not None:
            kind = match.lastgroup
            return Token(kind, match[kind], match.start(kind))  # type: ignore[arg-type, index]
        start = SPACE.match(self._text, position).end()  # type: ignore[union-attr]
        if self._text[start] == '"':
            raise self.error_at(start, "read a label without a closing quote, expected the quote")
        expected = "a label in quotes, a number, a word or one of { } ,"
        raise self.error_at(start, f"read {self._text[start]!r}, expected {expected}")


def read_text(path: str | Path) -> str:
    """Return the text of a file in UTF-8, which may be compressed by gzip.

    Raises
    ------
    GameFileError
        If the file does not exist, cannot be read, is too large, or is not in UTF-8.
    """
    return decode(read_bytes(path), path)


def read_bytes(path: str | Path) -> bytes:
    """Return the bytes of a file, decompressed if gzip has compressed it.

    Raises
    ------
    GameFileError
        If the file does not exist, cannot be read, or has more than `MAX_BYTES`.
    """
    check_path("path", path)
    try:
        # Wait for a named pipe: whoever names one as a game is about to write to it.
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
            if data.startswith(GZIP):
                with gzip.open(io.BytesIO(data)) as unpacked:
                    data = unpacked.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise GameFileError(no_such_path(path, "give the path of a game file")) from error
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise GameFileError(f"the file {path} cannot be read ({reason})") from error
    if len(data) > MAX_BYTES:
        raise GameFileError(f"{path} has more than {format_bytes(MAX_BYTES)}, the limit for games")
    return data


def decode(data: bytes, path: str | Path) -> str:
    """Return bytes of a file as text.

    Raises
    ------
    GameFileError
        If they are not in UTF-8; the message gives the line.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        raise GameFileError(
            f"{path}, line {line}, byte {column}: {data[error.start]:#04x} is not valid UTF-8; "
            "convert the file to UTF-8",
            line=line,
            column=column,
        ) from error


def quoted(label: str) -> str:
    r"""Return a label in quotes, with its own quotes and backslashes escaped.

    Examples
    --------
    >>> print(quoted('the "nuts"'))
    "the \"nuts\""
    """
    escaped = label.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
