"""Phantom games: board games for two in which nobody sees the other's stones."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from string import ascii_lowercase
from typing import Final, NamedTuple

from infoset.game import Game, Observation, Probability
from infoset.typing import JointAction, Player

__all__ = ["EMPTY", "MAX_COLUMNS", "PhantomGame", "Position"]

EMPTY: Final = "."
MARKS: Final = ("x", "o")
DRAW: Final = "draw"
MAX_COLUMNS: Final = len(ascii_lowercase)


class Position(NamedTuple):
    """The board, and what everyone knows of it.

    Attributes
    ----------
    board : str
        The cells, row after row: `x` a stone of player 0, `o` one of player 1, `.` empty.
    views : tuple[str, str]
        The cells as each player knows them: its own stones, and those it ran into.
    player : Player
        Whose turn it is.
    spare : int
        How many more transitions the turn can take than the next one; 0 where turns end when
        they are done.
    is_placed : bool
        Whether the stone of this turn is placed, and the turn only waits for its time to pass.
    result : str
        How the game ended; empty while it goes on.
    """

    board: str
    views: tuple[str, str]
    player: Player = 0
    spare: int = 0
    is_placed: bool = False
    result: str = ""


class PhantomGame(Game):
    """The rules that phantom games share; a game adds its board and what wins on it.

    In turn, a player tries a cell that, for all it knows, is empty. If it is, its stone stays
    there and the turn ends. If the other's stone is there, the player sees that, and no more
    happens: in the classical version it tries again, in the abrupt version its turn is over.

    How often the other one tried in vain is shown or hidden in the classical version. To hide it
    from players who notice every transition, a turn takes as many transitions as it could ever
    need, one more than the other has stones: after an early success nothing happens in the rest.
    In the abrupt version every turn is one transition, and there is nothing to hide.
    """

    num_players = 2

    obstype: str
    gameversion: str

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns of the board."""

    @abstractmethod
    def is_won(self, board: str, mark: str) -> bool:
        """Return whether the stones of one kind win."""

    @property
    def is_abrupt(self) -> bool:
        """Whether a try in vain ends the turn."""
        return self.gameversion in ("abrupt", "adh")

    @property
    def hides_tries(self) -> bool:
        """Whether the other's tries in vain are a secret, and turns take a time of their own."""
        return self.obstype == "reveal-nothing" and not self.is_abrupt

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """The actions: the cells, row after row, as column letter and row number."""
        rows, columns = self.shape
        return tuple(
            f"{letter}{row}" for row in range(1, rows + 1) for letter in ascii_lowercase[:columns]
        )

    def initial_world(self) -> Position:
        """Return the empty board."""
        empty = EMPTY * len(self.cells)
        return Position(empty, (empty, empty))

    def actors(self, world: Position) -> Sequence[Player]:
        """Return whose turn it is, until it has placed a stone."""
        return () if world.is_placed or world.result else (world.player,)

    def legal_actions(self, world: Position, player: Player) -> Sequence[str]:
        """Return the cells that the player does not know to be taken."""
        view = world.views[player]
        return [cell for cell, mark in zip(self.cells, view, strict=True) if mark == EMPTY]

    def transitions(
        self, world: Position, joint_action: JointAction
    ) -> Iterable[tuple[Position, Probability]]:
        """Return the position after a try, or after a moment in which nothing happens."""
        if world.result:
            return []
        if world.is_placed:
            return [(self._end_turn(world._replace(spare=world.spare - 1)), 1)]
        cell = self.cells.index(str(joint_action[world.player]))
        return [(self._after_try(world, cell), 1)]

    def rewards(
        self, world: Position, joint_action: JointAction, next_world: Position
    ) -> Sequence[float]:
        """Return 1 for the winner and -1 for the loser at the end."""
        if next_world.result in ("", DRAW):
            return (0, 0)
        return (1, -1) if next_world.player == 0 else (-1, 1)

    def observe(
        self, world: Position, joint_action: JointAction, next_world: Position
    ) -> Observation:
        """Show a player how its try went, the other if it is no secret, and all how it ends."""
        if next_world.result:
            return Observation(public=next_world.result)
        if world.is_placed:
            return Observation()
        went = "taken" if next_world.board == world.board else "placed"
        if self.is_abrupt or self.hides_tries:
            return Observation(private={world.player: went})
        return Observation(public=went)

    def _after_try(self, world: Position, cell: int) -> Position:
        if world.board[cell] != EMPTY:
            return self._in_vain(learned(world, cell))
        mark = MARKS[world.player]
        placed = learned(world._replace(board=with_mark(world.board, cell, mark)), cell)
        if self.is_won(placed.board, mark):
            return placed._replace(result=f"player {world.player} wins")
        if EMPTY not in placed.board:
            return placed._replace(result=DRAW)
        return self._end_turn(placed)

    def _in_vain(self, world: Position) -> Position:
        """Let the player try again, or the other have its turn."""
        if self.is_abrupt:
            return world._replace(player=1 - world.player)
        return world._replace(spare=world.spare - 1) if self.hides_tries else world

    def _end_turn(self, world: Position) -> Position:
        """Hand the turn over once its time is up."""
        if world.spare:
            return world._replace(is_placed=True)
        stones = world.board.count(MARKS[world.player])
        spare = stones if self.hides_tries else 0
        return world._replace(player=1 - world.player, spare=spare, is_placed=False)


def with_mark(cells: str, cell: int, mark: str) -> str:
    """Return the cells with one of them marked."""
    return cells[:cell] + mark + cells[cell + 1 :]


def learned(world: Position, cell: int) -> Position:
    """Return the position after its player has learned what is on a cell."""
    views = list(world.views)
    views[world.player] = with_mark(views[world.player], cell, world.board[cell])
    return world._replace(views=(views[0], views[1]))
