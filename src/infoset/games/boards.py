"""Boards as text."""

from __future__ import annotations

from collections.abc import Sequence


def grid_text(
    cells: Sequence[str], shape: tuple[int, int], columns: Sequence[str], first_row: int = 0
) -> str:
    """Return a board as text, with the names of its columns and the numbers of its rows.

    Parameters
    ----------
    cells
        One character for each cell, row by row.
    shape
        Numbers of rows and columns.
    columns
        Names of the columns, of which only as many are used as there are columns.
    first_row
        Number of the first row.

    Examples
    --------
    >>> print(grid_text("x..o", (2, 2), "ab", first_row=1))
      a b
    1 x .
    2 . o
    """
    rows, width = shape
    names = [str(first_row + row) for row in range(rows)]
    margin = max(map(len, names))
    lines = [" ".join([" " * margin, *columns[:width]])]
    for row, name in enumerate(names):
        lines.append(" ".join([name.rjust(margin), *cells[row * width : (row + 1) * width]]))
    return "\n".join(lines)


def beside(left: str, right: str, gap: int = 4) -> str:
    """Return two texts of equally many lines side by side."""
    pairs = zip(left.splitlines(), right.splitlines(), strict=True)
    width = max(map(len, left.splitlines())) + gap
    return "\n".join(f"{one:<{width}}{other}".rstrip() for one, other in pairs)
