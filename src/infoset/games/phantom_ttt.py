"""Phantom tic-tac-toe."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

from infoset.games.parameters import check_parameters, choice, integer, parameter_error
from infoset.games.phantom import MAX_COLUMNS, PhantomGame

STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))


@dataclass(frozen=True)
class PhantomTicTacToe(PhantomGame):
    """Phantom tic-tac-toe: get three in a row without seeing the opponent's stones.

    Players alternately place stones, starting with player 0, and see only their own stones. The
    first player with `line_length` stones in a row, in a column or on a diagonal wins; a full board
    without such a line is a draw. A player who tries a cell with an opponent's stone observes that
    the stone is there.

    Parameters
    ----------
    gameversion
        What happens after a failed try. `classical`: the player tries again until it has placed a
        stone. `abrupt`: its turn ends.
    obstype
        What a player observes of the opponent's failed tries in the classical version.
        `reveal-nothing`: nothing. `reveal-numturns`: their number in each turn. In the abrupt
        version every turn is one try, and this parameter has no effect.
    num_rows
        Number of rows.
    num_cols
        Number of columns.
    line_length
        Number of stones in a line that wins; at most the length of the longer side of the board.

    Notes
    -----
    Source: M. Lanctot, "Monte Carlo sampling and regret minimization for equilibrium computation
    and decision-making in large extensive form games", PhD thesis, 2013, Chapter 3. Same game as
    OpenSpiel's: the acting players' infostates are its information states. Under `reveal-nothing`
    histories are longer; `PhantomGame` explains why.

    Examples
    --------
    >>> from infoset.games import PhantomTicTacToe
    >>> PhantomTicTacToe().cells[:4], len(PhantomTicTacToe().lines)
    (('a1', 'b1', 'c1', 'a2'), 8)
    """

    name: ClassVar[str] = "phantom_ttt"

    gameversion: str = choice("classical", "abrupt")
    obstype: str = choice("reveal-nothing", "reveal-numturns")
    num_rows: int = integer(3, low=1, high=100, is_addition=True)
    num_cols: int = integer(3, low=1, high=MAX_COLUMNS, is_addition=True)
    line_length: int = integer(3, low=1, is_addition=True)

    def __post_init__(self) -> None:
        check_parameters(self)
        longest = max(self.shape)
        if self.line_length > longest:
            rule = f"must be at most {longest} on a {self.num_rows} x {self.num_cols} board"
            raise parameter_error(self, "line_length", rule, longest)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns of the board."""
        return self.num_rows, self.num_cols

    @cached_property
    def lines(self) -> tuple[tuple[int, ...], ...]:
        """The winning lines, as positions of their cells."""
        rows, columns = range(self.num_rows), range(self.num_cols)
        steps = range(self.line_length)
        lines = (
            [(row + down * step, column + right * step) for step in steps]
            for row in rows
            for column in columns
            for down, right in STEPS
        )
        return tuple(
            tuple(row * self.num_cols + column for row, column in line)
            for line in lines
            if line[-1][0] in rows and line[-1][1] in columns
        )

    def is_won(self, board: str, mark: str) -> bool:
        """Return whether all cells of a line have the mark."""
        return has_line(self, board, mark)


@lru_cache(maxsize=1 << 16)
def has_line(game: PhantomTicTacToe, board: str, mark: str) -> bool:
    """Return whether all cells of a line have the mark; cached, because boards recur."""
    return any(all(board[cell] == mark for cell in line) for line in game.lines)
