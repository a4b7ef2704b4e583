"""Tables of text for terminals, pipes and files, in which no number and no word is ever cut."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import Final

from infoset.utils.text import printable_line

READABLE: Final = 24
"""Width below which a column is not wrapped while columns can be stacked instead."""
MAX_STACKED_ROWS: Final = 20
"""Number of rows beyond which columns are stacked only if wrapping is not enough, because the parts
of a row would be far from each other."""
BREAKS: Final = re.compile(r"(?<!±) +(?!±)")
"""Where text may be wrapped: at spaces, but not between a number and its error."""
JOINT: Final = "\N{NO-BREAK SPACE}"
"""A space at which text is not wrapped; it is printed as a usual one."""
NEW_LINE: Final = "\N{LINE SEPARATOR}"
"""Where a new line of a cell begins; line breaks of foreign labels are written as escapes."""


def output_width() -> int | None:
    """Return the width of standard output; None for a pipe or a file, which may be of any width.

    The environment variable `COLUMNS` has precedence.
    """
    if sys.stdout.isatty():
        return shutil.get_terminal_size().columns
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) > 0 else None


class TextTable:
    """Rows of cells in columns of equal width.

    At a width that is too small, text is wrapped at spaces. If that is not enough, columns are
    stacked: they are printed in several blocks below each other, each of which begins with the
    columns that tell the rows apart, or with row numbers. A single word or number that is wider is
    printed whole.

    Parameters
    ----------
    headers
        A header that begins with `>` belongs to a column of numbers, aligned to the right. Without
        headers, the rows are names and values.
    is_plain
        Whether the headers are not underlined, and the table is not indented.
    """

    def __init__(self, *headers: str, is_plain: bool = False) -> None:
        self.headers = [printable_line(header.removeprefix(">")) for header in headers]
        self.is_right = [header.startswith(">") for header in headers]
        self.rows: list[tuple[str, ...]] = []
        # A rule is one character longer than the columns on both sides.
        self._margin, self._end, self._gap = (0, 0, 2) if is_plain else (2, int(bool(headers)), 3)

    def add_row(self, *cells: str) -> None:
        """Add a row, with as many cells as the others."""
        # Before the widths are known: an escape takes more room than its character.
        shown = (printable_line(cell).replace(NEW_LINE, "\n") for cell in cells)
        self.rows.append(tuple(shown))

    def lines(self, width: int | None = None) -> list[str]:
        """Return the lines, within a width if words and numbers allow it."""
        columns = self._columns()
        if width is None or self._total([column.natural for column in columns]) <= width:
            return [*self._block(columns, [column.natural for column in columns])]
        lines: list[str] = []
        for block in self._stacked(columns, width):
            lines += [""] * bool(lines)
            lines += self._block(block, self._fitted(block, width))
        return lines

    def fitting_lines(self, width: int) -> list[str]:
        """Return the lines of the first columns, without those that do not fit."""
        columns = self._columns()
        while len(columns) > 1 and self._total([column.natural for column in columns]) > width:
            columns.pop()
        return [*self._block(columns, [column.natural for column in columns])]

    def _columns(self) -> list[_Column]:
        cells = [*zip(*self.rows, strict=True)] or [()] * len(self.headers)
        headers = self.headers or [""] * len(cells)
        is_right = self.is_right or [False] * len(cells)
        readable = READABLE if len(self.rows) <= MAX_STACKED_ROWS else 1
        return [_Column(*parts, readable) for parts in zip(headers, is_right, cells, strict=True)]

    def _total(self, widths: Sequence[int]) -> int:
        return self._margin + sum(widths) + self._gap * (len(widths) - 1) + self._end

    def _stacked(self, columns: list[_Column], width: int) -> list[list[_Column]]:
        """Return the columns in blocks that fit where wrapping leaves them readable."""
        keys = self._keys(columns, width)
        blocks = [keys[:]]
        for column in columns[len(keys) if keys[0] is columns[0] else 0 :]:
            wanted = [one.readable for one in (*blocks[-1], column)]
            if len(blocks[-1]) > len(keys) and self._total(wanted) > width:
                blocks.append(keys[:])
            blocks[-1].append(column)
        return blocks

    def _keys(self, columns: list[_Column], width: int) -> list[_Column]:
        """Return the first columns that tell all rows apart; row numbers if these are too wide."""
        for number in range(1, len(columns)):
            if len({row[:number] for row in self.rows}) == len(self.rows):
                keys, others = columns[:number], columns[number:]
                # A single key may be wrapped; several may take half of the width.
                widest = max(column.narrowest for column in others)
                wanted = self._total([*(key.narrowest for key in keys), widest])
                if number > 1:
                    wanted = 2 * self._total([key.readable for key in keys])
                if wanted > width:
                    break
                return keys
        numbers = [str(number) for number in range(1, 1 + len(self.rows))]
        return [_Column("", is_right=True, cells=numbers, readable=READABLE)]

    def _fitted(self, columns: list[_Column], width: int) -> list[int]:
        """Return widths of columns that fit together, as far as whole words allow it."""
        least = [column.readable for column in columns]
        if self._total(least) > width:
            least = [column.narrowest for column in columns]
        # The wrapped columns become equally wide: all grow together until the width is used up.
        widths = least
        for level in range(1, width + 1):
            grown = [
                max(low, min(level, column.natural))
                for low, column in zip(least, columns, strict=True)
            ]
            if self._total(grown) > width:
                break
            widths = grown
        return [column.used(width) for column, width in zip(columns, widths, strict=True)]

    def _block(self, columns: Sequence[_Column], widths: Sequence[int]) -> Iterator[str]:
        """Yield the lines of some columns in the given widths."""
        if self.headers:
            heads = [wrapped(c.header, w) for c, w in zip(columns, widths, strict=True)]
            # The last lines of all headers stand side by side, next to the columns.
            height = max(map(len, heads))
            heads = [[""] * (height - len(head)) + head for head in heads]
            yield from self._row(columns, widths, heads)
            if self._margin:
                yield " " + "─" * (self._total(widths) - 1)
        for number in range(len(self.rows)):
            cells = [wrapped(c.cells[number], w) for c, w in zip(columns, widths, strict=True)]
            yield from self._row(columns, widths, cells)

    def _row(
        self, columns: Sequence[_Column], widths: Sequence[int], cells: Sequence[list[str]]
    ) -> Iterator[str]:
        """Yield the lines of one row, whose cells are lists of lines."""
        for line in zip_longest(*cells, fillvalue=""):
            texts = [
                " " * (width - text_width(text)) + text
                if column.is_right
                else text + " " * (width - text_width(text))
                for column, width, text in zip(columns, widths, line, strict=True)
            ]
            joined = " " * self._margin + (" " * self._gap).join(texts)
            yield joined.rstrip().replace(JOINT, " ")


class _Column:
    """A column, and the widths at which it can be printed."""

    def __init__(self, header: str, is_right: bool, cells: Sequence[str], readable: int) -> None:
        self.header, self.is_right, self.cells = header, is_right, cells
        self._readable = readable
        lines = [line for text in (header, *cells) for line in text.split("\n")]
        self.natural = max(map(text_width, lines))
        """Width without wrapping."""

    @cached_property
    def narrowest(self) -> int:
        """Width of the longest word."""
        return max(
            text_width(word)
            for text in (self.header, *self.cells)
            for line in text.split("\n")
            for word in BREAKS.split(line)
        )

    def used(self, width: int) -> int:
        """Return the width of the lines that are wrapped at a width."""
        texts = (self.header, *self.cells)
        return max(text_width(line) for text in texts for line in wrapped(text, width))

    @property
    def readable(self) -> int:
        """Width below which other columns are stacked rather than this one wrapped."""
        return max(self.narrowest, min(self.natural, self._readable))


def wrapped(text: str, width: int) -> list[str]:
    """Return the lines of a text, broken at spaces where it is wider than `width`.

    Examples
    --------
    >>> wrapped("0.25 ± 0.01 (median)", 13)
    ['0.25 ± 0.01', '(median)']
    """
    lines: list[str] = []
    for line in map(str.rstrip, text.split("\n")):
        if text_width(line) <= width:
            lines.append(line)
            continue
        so_far, *words = BREAKS.split(line)
        for gap, word in zip(BREAKS.findall(line), words, strict=True):
            if so_far and text_width(so_far + gap + word) > width:
                lines.append(so_far)
                so_far = word
            else:
                so_far += gap + word
        lines.append(so_far)
    return lines


def text_width(text: str) -> int:
    """Return the width of a text in a terminal, where some characters take two columns or none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)
