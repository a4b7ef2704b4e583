"""Phantom games: two-player board games in which players do not see the opponent's stones."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from string import ascii_lowercase
from typing import Final, NamedTuple

from infoset.game import Game, Infostate, Observation, Probability
from infoset.games.boards import grid_text
from infoset.typing import NOOP, JointAction, Player

EMPTY: Final = "."
MARKS: Final = ("x", "o")
DRAW: Final = "draw"
MAX_COLUMNS: Final = len(ascii_lowercase)


class Position(NamedTuple):
    """The board, and each player's knowledge of it."""

    board: str
    """The cells, row by row: `x` is a stone of player 0, `o` a stone of player 1, `.` an empty
    cell."""
    views: tuple[str, str]
    """The cells that each player knows: its own stones, and the opponent's stones that it has
    found."""
    player: Player = 0
    """The player whose turn it is."""
    spare: int = 0
    """Number of transitions of the turn that remain after the next one; 0 if turns end as soon as a
    stone is placed."""
    is_placed: bool = False
    """Whether the stone of this turn is placed, and only waiting transitions remain."""
    result: str = ""
    """The result of the game; empty until the game is over."""


class PhantomGame(Game):
    """The common rules of phantom games; a subclass defines the board and the winning condition.

    A player tries a cell that, as far as it knows, may be empty. If the cell is empty, the player's
    stone is placed there and the turn ends. If an opponent's stone is there, the player observes
    it. In the classical version the player then tries again; in the abrupt version its turn is
    over.

    In the classical version, the number of the opponent's failed tries is either observed or
    hidden. Because players observe every transition, hiding the number requires turns with a
    constant number of transitions. This constant is one more than the number of the opponent's
    stones, which is the maximum that a turn can need. After an early success the remaining
    transitions change nothing. In the abrupt version every turn is one transition, and there is
    nothing to hide.
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
        """Return whether the stones of one player win."""

    @cached_property
    def utility_range(self) -> tuple[float, float]:
        """Range from -1 for the loser to 1 for the winner."""
        return (-1, 1)

    @cached_property
    def is_abrupt(self) -> bool:
        """Whether a failed try ends the turn."""
        return self.gameversion in ("abrupt", "adh")

    @cached_property
    def hides_tries(self) -> bool:
        """Whether failed tries are hidden, so that turns take a constant number of transitions."""
        return self.obstype == "reveal-nothing" and not self.is_abrupt

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """The actions: the cells, row by row, as column letter and row number."""
        rows, columns = self.shape
        return tuple(
            f"{letter}{row}" for row in range(1, rows + 1) for letter in ascii_lowercase[:columns]
        )

    def initial_world(self) -> Position:
        """Return the empty board."""
        empty = EMPTY * len(self.cells)
        return Position(empty, (empty, empty))

    def actors(self, world: Position) -> Sequence[Player]:
        """Return the player whose turn it is, until its stone is placed."""
        return () if world.is_placed or world.result else (world.player,)

    def legal_actions(self, world: Position, player: Player) -> Sequence[str]:
        """Return the cells that, as far as the player knows, may be empty."""
        view = world.views[player]
        return [cell for cell, mark in zip(self.cells, view, strict=True) if mark == EMPTY]

    def transitions(
        self, world: Position, joint_action: JointAction
    ) -> Iterable[tuple[Position, Probability]]:
        """Return the position after a try, or after a waiting transition."""
        if world.result:
            return []
        if world.is_placed:
            return [(self._end_turn(world.board, world.views, world.player, world.spare - 1), 1)]
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
        """Show the result of a try (privately, if tries are hidden) and the outcome of the game."""
        if next_world.result:
            return Observation(public=next_world.result)
        if world.is_placed:
            return Observation()
        went = "taken" if next_world.board == world.board else "placed"
        if self.is_abrupt or self.hides_tries:
            return private_observation(world.player, went)
        return Observation(public=went)

    def board_as_seen(self, infostate: Infostate) -> str:
        """Return the player's own stones, and the opponent's stones that it has found."""
        view, own = EMPTY * len(self.cells), infostate.player
        for step in infostate.steps:
            if step.action is not NOOP:
                is_taken = "taken" in (step.private, step.public)
                cell = self.cells.index(str(step.action))
                view = with_mark(view, cell, MARKS[1 - own if is_taken else own])
        return grid_text(view, self.shape, ascii_lowercase, first_row=1)

    def _after_try(self, world: Position, cell: int) -> Position:
        """Place the player's stone, or show that the cell is taken."""
        board, player, spare = world.board, world.player, world.spare
        is_taken = board[cell] != EMPTY
        views = with_view(world.views, player, cell, MARKS[1 - player if is_taken else player])
        if is_taken and self.is_abrupt:
            return Position(board, views, 1 - player)
        if is_taken:
            return Position(board, views, player, spare - 1 if self.hides_tries else 0)
        board = with_mark(board, cell, MARKS[player])
        if self.is_won(board, MARKS[player]):
            return Position(board, views, player, spare, result=f"player {player} wins")
        if EMPTY not in board:
            return Position(board, views, player, spare, result=DRAW)
        return self._end_turn(board, views, player, spare)

    def _end_turn(self, board: str, views: tuple[str, str], player: Player, spare: int) -> Position:
        """Begin the opponent's turn after the waiting transitions."""
        if spare:
            return Position(board, views, player, spare, is_placed=True)
        # The opponent finds at most these stones by failed tries: its turn is as long as that.
        spare = board.count(MARKS[player]) if self.hides_tries else 0
        return Position(board, views, 1 - player, spare)


def with_view(views: tuple[str, str], player: Player, cell: int, mark: str) -> tuple[str, str]:
    """Return the views after a player has observed a mark in a cell."""
    first, second = views
    if player == 0:
        return with_mark(first, cell, mark), second
    return first, with_mark(second, cell, mark)


@lru_cache(maxsize=1 << 16)
def with_mark(cells: str, cell: int, mark: str) -> str:
    """Return the cells with a mark placed in one of them.

    Very many world states have the same few boards and views, which are cached: they are then the
    same objects.
    """
    return cells[:cell] + mark + cells[cell + 1 :]


@lru_cache(maxsize=1 << 10)
def private_observation(player: Player, seen: str) -> Observation:
    """Return the observation that one player sees `seen`; it is cached, because there are few."""
    return Observation(private={player: seen})
