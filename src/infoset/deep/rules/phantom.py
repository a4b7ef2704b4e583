"""Phantom games, Dark Hex and phantom tic-tac-toe, as device games."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import count, repeat
from typing import ClassVar, NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from infoset.deep.device_games import OVER, DeviceGame, StepEncoder
from infoset.deep.rules.labels import label_of, one_hot
from infoset.errors import UnsupportedGameError
from infoset.game import Infostate, Step
from infoset.games import DarkHex, PhantomTicTacToe
from infoset.games.phantom import PhantomGame
from infoset.typing import BoolArray, Player

NOT_YET = -1
PLACED, TAKEN = "placed", "taken"
UNSEEN = Step(None, None, None)

MAX_CELLS = 361
"""Largest number of cells. On a board of 19 x 19, the observations of one episode take 10 MB."""


class Board(NamedTuple):
    """State of a play."""

    stones: Array
    """[2, C] True for the cells of each player's stones."""
    found: Array
    """[2, C] True for the opponent's stones that each player has found."""
    tries: Array
    """[2, C] cells that each player has tried, in order; `NOT_YET` for later tries."""
    chains: Array
    """[C] in Hex, a number of the chain to which a stone belongs."""
    turn: Array
    """Player to move, or `OVER`."""


@cache
def hex_board(rows: int, columns: int) -> DarkHex:
    """Return the game that names the cells of a board, and knows their neighbors in Hex."""
    return DarkHex(num_rows=rows, num_cols=columns)


class PhantomRules(DeviceGame):
    """Dark Hex and phantom tic-tac-toe in all versions, on boards with up to 361 cells.

    An observation consists of a one-hot encoding of the player, flags of its stones and of the
    stones it has found, and one-hot encodings of row and column of its tries in order. If the
    opponent's failed tries are observed, flags of its tries and of those that failed follow.
    Waiting transitions are left out: whoever acts can infer their number.
    """

    is_binary: ClassVar[bool] = True

    rows: int = eqx.field(static=True)
    columns: int = eqx.field(static=True)
    lines: tuple[tuple[int, ...], ...] = eqx.field(static=True)
    """The cells of each winning line; none in Hex, where a chain between two sides wins."""
    is_abrupt: bool = eqx.field(static=True)
    shows_tries: bool = eqx.field(static=True)
    """Whether failed tries are observed by the opponent."""

    @classmethod
    def of(cls, game: PhantomGame) -> PhantomRules:
        """Return the rules of a game.

        Raises
        ------
        UnsupportedGameError
            If the board has more than 361 cells.
        """
        if len(game.cells) > MAX_CELLS:
            raise UnsupportedGameError(
                f"{game} has {len(game.cells)} cells, but rules in JAX have boards with at most "
                f"{MAX_CELLS} (19 x 19), whose observations fit in memory: give smaller num_rows "
                "and num_cols"
            )
        lines = game.lines if isinstance(game, PhantomTicTacToe) else ()
        shows_tries = not (game.is_abrupt or game.hides_tries)
        return cls(*game.shape, lines, game.is_abrupt, shows_tries)

    @property
    def num_cells(self) -> int:
        """Number C of cells."""
        return self.rows * self.columns

    @property
    def actions(self) -> tuple[str, ...]:
        """The cells, row by row."""
        return hex_board(self.rows, self.columns).cells

    @property
    def horizon(self) -> int:
        """Maximum number of tries: each stone but the last is placed and found."""
        return 2 * self.num_cells - 1

    @property
    def num_features(self) -> int:
        """Number of entries of an observation."""
        per_cell = 2 + self.rows + self.columns + 2 * self.shows_tries
        return 2 + self.num_cells * per_cell

    def init(self, key: Array) -> Board:
        """Return the empty board."""
        empty = jnp.zeros((2, self.num_cells), bool)
        return Board(
            stones=empty,
            found=empty,
            tries=jnp.full((2, self.num_cells), NOT_YET, jnp.int32),
            chains=jnp.arange(self.num_cells, dtype=jnp.int32),
            turn=jnp.zeros((), jnp.int32),
        )

    def actor(self, state: Board) -> Array:
        """Return the player whose turn it is."""
        return state.turn

    def legal(self, state: Board) -> Array:
        """Return the cells that, as far as the player knows, may be empty."""
        return ~(state.stones | state.found)[state.turn]

    def observe_all(self, state: Board) -> Array:
        """Return what each player knows of the board, and its tries."""
        # Later tries are negative numbers, and so are their row; their column is not.
        is_try = state.tries != NOT_YET
        row = one_hot(state.tries // self.columns, self.rows)
        column = one_hot(state.tries % self.columns, self.columns) * is_try[..., None]
        parts = [state.stones, state.found, row, column]
        if self.shows_tries:
            has_failed = jnp.take_along_axis(state.found, state.tries, axis=1) & is_try
            parts += [is_try[::-1], has_failed[::-1]]
        rows = [part.reshape(2, -1).astype(jnp.float32) for part in parts]
        return jnp.concatenate([jnp.eye(2), *rows], axis=1)

    def step(self, state: Board, action: Array, key: Array) -> tuple[Board, Array]:
        """Place a stone, or find one of the opponent's."""
        mover = state.turn
        is_mover = jnp.arange(2) == mover
        is_try = is_mover[:, None] & (jnp.arange(self.num_cells) == action)
        is_taken = state.stones[1 - mover, action]
        stones = state.stones | (is_try & ~is_taken)
        number = (state.tries[mover] != NOT_YET).sum()
        is_now = is_mover[:, None] & (jnp.arange(self.num_cells) == number)

        wins, chains = self._after_stone(state.chains, stones[mover], action, mover)
        wins &= ~is_taken
        is_over = wins | stones.any(axis=0).all()
        # A failed try ends the turn only in the abrupt version.
        passes = ~is_taken | self.is_abrupt
        after = Board(
            stones=stones,
            found=state.found | (is_try & is_taken),
            tries=jnp.where(is_now, action, state.tries),
            chains=jnp.where(is_taken, state.chains, chains),
            turn=jnp.where(is_over, OVER, jnp.where(passes, 1 - mover, mover)),
        )
        return after, jnp.where(wins, jnp.where(is_mover, 1.0, -1.0), 0.0)

    def _after_stone(
        self, chains: Array, own: Array, cell: Array, mover: Array
    ) -> tuple[Array, Array]:
        """Return whether a stone on a cell wins, and the chains with it."""
        cells = np.arange(self.num_cells)
        if self.lines:
            is_line = np.zeros((len(self.lines), self.num_cells), bool)
            np.put_along_axis(is_line, np.array(self.lines), True, axis=1)
            return (own | ~is_line).all(axis=1).any(), chains
        touches = own & (jnp.asarray(self._neighbors)[cell] | (cells == cell))
        # All stones of the chains that the new one touches, and the new one itself.
        chain = (touches[:, None] & (chains[:, None] == chains)).any(axis=0)
        # Player 0 connects rows, and player 1 columns.
        place = jnp.where(mover == 0, cells // self.columns, cells % self.columns)
        last = jnp.where(mover == 0, self.rows, self.columns) - 1
        wins = (chain & (place == 0)).any() & (chain & (place == last)).any()
        return wins, jnp.where(chain, cell, chains)

    @property
    def _neighbors(self) -> BoolArray:
        """[C, C] True for cells that share an edge."""
        table = np.zeros((self.num_cells, self.num_cells), bool)
        for cell, others in enumerate(hex_board(self.rows, self.columns).neighbors):
            table[cell, list(others)] = True
        return table

    def step_encoder(self, player: Player) -> StepEncoder:
        """Return the encoding by the numbers of the player's and of the opponent's tries."""
        # Reading an attribute of a module takes long.
        rows, columns, num_cells = self.rows, self.columns, self.num_cells
        cell_of = {cell: number for number, cell in enumerate(self.actions)}
        first_row = 2 + 2 * num_cells
        first_column = first_row + num_cells * rows
        first_try = first_column + num_cells * columns

        def advance(tries: tuple[int, int], step: Step) -> tuple[tuple[int, int], Sequence[int]]:
            own, other = tries
            is_taken = TAKEN in (step.private, step.public)
            if step.action is not None:
                cell = cell_of[str(step.action)]
                row, column = divmod(cell, columns)
                known = 2 + is_taken * num_cells + cell
                return (own + 1, other), (
                    known,
                    first_row + own * rows + row,
                    first_column + own * columns + column,
                )
            if step.public is None:
                return tries, ()
            place = first_try + other
            return (own, other + 1), (place, place + num_cells) if is_taken else (place,)

        return StepEncoder((0, 0), advance)

    def decode(self, observation: NDArray[np.float32]) -> Infostate:
        """Return the infostate of an encoding at which the player acts."""
        player, size = label_of(observation[:2], (0, 1)), self.num_cells
        places = np.cumsum([2, size, size, size * self.rows, size * self.columns])
        _, stones, _, *positions, others = np.split(observation, places)
        number = int(positions[0].sum())
        rows, columns = (part.reshape(size, -1)[:number] for part in positions)
        own = []
        for row, column in zip(rows, columns, strict=True):
            cell = label_of(row, range(self.rows)) * self.columns
            cell += label_of(column, range(self.columns))
            result = PLACED if stones[cell] else TAKEN
            seen = (None, result) if self.shows_tries else (result, None)
            own.append(Step(self.actions[cell], *seen))
        theirs: Iterable[Step] = repeat(UNSEEN)
        if self.shows_tries:
            is_try, failed = others.reshape(2, size)
            results = (TAKEN if taken else PLACED for taken in failed[is_try == 1])
            theirs = (Step(None, None, result) for result in results)
        infostate = Infostate(player)
        for step in self._steps(player, iter(own), iter(theirs)):
            infostate = infostate.extend(step)
        return infostate

    def _steps(self, player: int, own: Iterator[Step], theirs: Iterator[Step]) -> Iterator[Step]:
        """Return the steps of a player, turn by turn, until its tries end within its turn."""
        for turn in count():
            # With hidden tries, a turn has one transition more than the opponent has stones.
            length = 1 if self.is_abrupt or self.shows_tries else 1 + (turn + 1) // 2
            number, is_own = 0, turn % 2 == player
            while number < length:
                step = next(own if is_own else theirs, None)
                if step is None:
                    return
                yield step
                number += 1
                if TAKEN in step and self.shows_tries:
                    number = 0
                if PLACED in step:
                    yield from [UNSEEN] * (length - number)
                    break
