"""Dark Hex, the phantom version of Hex."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import ClassVar

from infoset.games.parameters import check_parameters, choice, integer
from infoset.games.phantom import MAX_COLUMNS, PhantomGame

AS_BOARD_SIZE = -1
NEIGHBORS = ((-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1))


@dataclass(frozen=True)
class DarkHex(PhantomGame):
    """Dark Hex: connect two sides of the board without seeing the opponent's stones.

    Players alternately place stones, starting with player 0, and see only their own stones. The
    board consists of hexagons, and each row is shifted half a cell to the right of the row above.
    Player 0 wins with a chain of its stones from the first row to the last, player 1 with a chain
    from the first column to the last. One of them always wins, at the latest when the board is
    full. A player who tries a cell with an opponent's stone observes that the stone is there.

    Parameters
    ----------
    gameversion
        What happens after a failed try. `cdh` (classical): the player tries again until it has
        placed a stone. `adh` (abrupt): its turn ends.
    obstype
        What a player observes of the opponent's failed tries in the classical version.
        `reveal-nothing`: nothing. `reveal-numturns`: their number in each turn. In the abrupt
        version every turn is one try, and this parameter has no effect.
    board_size
        Number of rows and of columns, unless `num_rows` or `num_cols` is given.
    num_cols
        Number of columns; -1 for `board_size`.
    num_rows
        Number of rows; -1 for `board_size`.

    Notes
    -----
    Source: the rules of OpenSpiel's game. Under `reveal-nothing` histories are longer;
    `PhantomGame` explains why. Differs from OpenSpiel in two ways. Its information-state strings
    contain the number of tries even under `reveal-nothing`. On a board with one row or column,
    where a single stone of one player connects its sides, nobody can win in OpenSpiel.

    Examples
    --------
    >>> from infoset.games import DarkHex
    >>> DarkHex(board_size=2).cells
    ('a1', 'b1', 'a2', 'b2')
    """

    name: ClassVar[str] = "dark_hex"

    gameversion: str = choice("cdh", "adh")
    obstype: str = choice("reveal-nothing", "reveal-numturns")
    board_size: int = integer(3, low=1, high=MAX_COLUMNS)
    num_cols: int = integer(AS_BOARD_SIZE, low=1, high=MAX_COLUMNS, special=AS_BOARD_SIZE)
    num_rows: int = integer(AS_BOARD_SIZE, low=1, high=100, special=AS_BOARD_SIZE)

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns of the board."""
        rows, columns = self.num_rows, self.num_cols
        return (
            self.board_size if rows == AS_BOARD_SIZE else rows,
            self.board_size if columns == AS_BOARD_SIZE else columns,
        )

    @cached_property
    def neighbors(self) -> tuple[tuple[int, ...], ...]:
        """For each cell, the positions of the cells that share an edge with it."""
        rows, columns = self.shape
        return tuple(
            tuple(
                (row + down) * columns + column + right
                for down, right in NEIGHBORS
                if 0 <= row + down < rows and 0 <= column + right < columns
            )
            for row, column in product(range(rows), range(columns))
        )

    def is_won(self, board: str, mark: str) -> bool:
        """Return whether a chain of a player's stones connects its two sides."""
        return has_chain(self, board, mark)

    @cached_property
    def sides(self) -> dict[str, tuple[range, range]]:
        """The cells of the two sides that each player connects, by its mark."""
        rows, columns = self.shape
        count = rows * columns
        return {
            "x": (range(columns), range(count - columns, count)),
            "o": (range(0, count, columns), range(columns - 1, count, columns)),
        }


@lru_cache(maxsize=1 << 16)
def has_chain(game: DarkHex, board: str, mark: str) -> bool:
    """Return whether a chain connects the two sides of a player; cached, because boards recur."""
    start, goal = game.sides[mark]
    reached = {cell for cell in start if board[cell] == mark}
    frontier = list(reached)
    while frontier:
        for cell in game.neighbors[frontier.pop()]:
            if board[cell] == mark and cell not in reached:
                reached.add(cell)
                frontier.append(cell)
    return not reached.isdisjoint(goal)
