"""Matrix games: both players choose once, simultaneously."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, ClassVar, Final, TypeAlias

from infoset.errors import ParameterError
from infoset.game import Game, Observation, Probability
from infoset.typing import JointAction, Player

Matrix: TypeAlias = tuple[tuple[float, ...], ...]
Labels: TypeAlias = tuple[str, ...]

CHOOSING, OVER = "choosing", "over"


@dataclass(frozen=True)
class MatrixGame(Game):
    """A matrix game: player 0 chooses a row and player 1 a column, simultaneously.

    `matrix_game` builds a matrix game from any lists or arrays.

    Parameters
    ----------
    row_payoffs : tuple[tuple[float, ...], ...]
        [rows, columns] payoff of player 0.
    column_payoffs : tuple[tuple[float, ...], ...] or None
        [rows, columns] payoff of player 1; None for the negative of `row_payoffs`.
    row_actions, column_actions : tuple[str, ...]
        Names of the rows and of the columns.
    """

    name: ClassVar[str] = "matrix_game"
    num_players = 2

    row_payoffs: Matrix
    column_payoffs: Matrix | None
    row_actions: Labels
    column_actions: Labels

    @cached_property
    def payoffs(self) -> Mapping[JointAction, tuple[float, float]]:
        """The payoffs of both players, by row and column."""
        columns = self.column_payoffs or negative(self.row_payoffs)
        return {
            (row, column): (self.row_payoffs[i][j], columns[i][j])
            for i, row in enumerate(self.row_actions)
            for j, column in enumerate(self.column_actions)
        }

    @cached_property
    def utility_range(self) -> tuple[float, float]:
        """The smallest and the largest payoff."""
        numbers = [float(payoff) for pair in self.payoffs.values() for payoff in pair]
        return min(numbers), max(numbers)

    def initial_world(self) -> str:
        """Return the world in which both players choose."""
        return CHOOSING

    def actors(self, world: str) -> Sequence[Player]:
        """Return both players until they have chosen."""
        return (0, 1) if world == CHOOSING else ()

    def legal_actions(self, world: str, player: Player) -> Sequence[str]:
        """Return the rows, or the columns."""
        return (self.row_actions, self.column_actions)[player]

    def transitions(
        self, world: str, joint_action: JointAction
    ) -> Iterable[tuple[str, Probability]]:
        """Return the world state at the end of the game."""
        return [(OVER, 1)] if world == CHOOSING else []

    def rewards(self, world: str, joint_action: JointAction, next_world: str) -> Sequence[float]:
        """Return the payoffs of the row and column."""
        return self.payoffs[joint_action]

    def observe(self, world: str, joint_action: JointAction, next_world: str) -> Observation:
        """Show both choices to both players."""
        return Observation(public=joint_action)

    def __str__(self) -> str:
        """Return the game's name, or its matrices, as `load` reads them."""
        known = NAMES.get(self)
        if known is not None:
            return known
        default = {
            "column_payoffs": None,
            "row_actions": default_labels("row", len(self.row_actions)),
            "column_actions": default_labels("column", len(self.column_actions)),
        }
        given = [
            f"{key}={value_text(value)}"
            for key, value in self.parameters().items()
            if key not in default or value != default[key]
        ]
        return f"{self.name}({','.join(given)})"


def matrix_game(
    row_payoffs: Any,
    column_payoffs: Any = None,
    row_actions: Sequence[object] | None = None,
    column_actions: Sequence[object] | None = None,
) -> MatrixGame:
    """Build a matrix game from one matrix (zero-sum) or two.

    Parameters
    ----------
    row_payoffs : array-like
        [rows, columns] payoff of player 0, who chooses the row.
    column_payoffs : array-like, optional
        [rows, columns] payoff of player 1; by default the negative of `row_payoffs`.
    row_actions, column_actions : sequence of str, optional
        Names of the rows and of the columns; by default `row 1`, `column 1` and so on.

    Returns
    -------
    MatrixGame

    Examples
    --------
    >>> game = matrix_game([[1, -1], [-1, 1]], row_actions=["heads", "tails"])
    >>> game.payoffs["heads", "column 2"]
    (-1, 1)
    """
    rows = checked_matrix("row_payoffs", row_payoffs)
    columns = None
    if column_payoffs is not None:
        columns = checked_matrix("column_payoffs", column_payoffs)
        if shape(columns) != shape(rows):
            raise ParameterError(
                f"matrix_game: row_payoffs is {shape(rows)} and column_payoffs "
                f"{shape(columns)} (rows, columns); both matrices must have the same shape"
            )
    height, width = shape(rows)
    return MatrixGame(
        row_payoffs=rows,
        column_payoffs=None if columns == negative(rows) else columns,
        row_actions=checked_labels("row_actions", row_actions, "row", height),
        column_actions=checked_labels("column_actions", column_actions, "column", width),
    )


def shape(matrix: Matrix) -> tuple[int, int]:
    """Return the numbers of rows and columns."""
    return len(matrix), len(matrix[0])


def negative(matrix: Matrix) -> Matrix:
    """Return the matrix of the other player of a zero-sum game."""
    # A difference, since the negative of 0.0 is -0.0.
    return tuple(tuple(0 - payoff for payoff in row) for row in matrix)


def checked_matrix(name: str, payoffs: Any) -> Matrix:
    """Return the payoffs as tuples of numbers, checked."""
    try:
        matrix = tuple(tuple(number(payoff) for payoff in row) for row in payoffs)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"matrix_game: {name} must be a list of rows of finite numbers, "
            f"for example {name}=[[1,-1],[-1,1]]; {error}"
        ) from error
    if not matrix or not matrix[0] or len({len(row) for row in matrix}) > 1:
        lengths = [len(row) for row in matrix]
        raise ParameterError(
            f"matrix_game: the rows of {name} have lengths {lengths}; all must have the same "
            f"length, at least 1, for example {name}=[[1,-1],[-1,1]]"
        )
    return matrix


def number(value: object) -> float:
    """Return a payoff as int or float."""
    if not isinstance(value, Real) or not isfinite(value):
        raise ValueError(f"got the payoff {value!r}")
    return int(value) if isinstance(value, Integral) else float(value)


def checked_labels(name: str, labels: Sequence[object] | None, kind: str, count: int) -> Labels:
    """Return the names of rows or columns, checked."""
    if labels is None:
        return default_labels(kind, count)
    names = (labels,) if isinstance(labels, str) else tuple(str(label) for label in labels)
    if len(names) != count or len(set(names)) != count:
        raise ParameterError(
            f"matrix_game: {name} is {list(names)}; it must contain {count} different names, "
            f"one for each {kind} of the payoffs"
        )
    if any(not label.isprintable() or set(label) & set("'\"\\") for label in names):
        raise ParameterError(
            f"matrix_game: {name} is {list(names)}; names must consist of printable characters "
            "without quotes or backslashes"
        )
    return names


def default_labels(kind: str, count: int) -> Labels:
    """Return the default names of rows or columns."""
    return tuple(f"{kind} {index}" for index in range(1, count + 1))


def value_text(value: object) -> str:
    """Format a parameter for `load`, with lists in brackets and words in quotes if necessary."""
    if isinstance(value, tuple):
        return f"[{','.join(value_text(part) for part in value)}]"
    if isinstance(value, str) and not value.isidentifier():
        return repr(value)
    return str(value)


def symmetric(labels: str, *payoffs: Sequence[float]) -> MatrixGame:
    """Return a symmetric game, in which both players have the same actions and payoffs."""
    transposed = list(zip(*payoffs, strict=True))
    return matrix_game(payoffs, transposed, labels.split(), labels.split())


MATRIX_GAMES: Final[Mapping[str, MatrixGame]] = MappingProxyType(
    {
        "matrix_mp": matrix_game([[1, -1], [-1, 1]], None, ["Heads", "Tails"], ["Heads", "Tails"]),
        "matrix_rps": symmetric("Rock Paper Scissors", [0, -1, 1], [1, 0, -1], [-1, 1, 0]),
        "matrix_brps": symmetric("Rock Paper Scissors", [0, -25, 50], [25, 0, -5], [-50, 5, 0]),
        "matrix_rpsw": symmetric(
            "Rock Paper Scissors Water", [0, -1, 1, 0], [1, 0, -1, 0], [-1, 1, 0, 0], [0, 0, 0, 0]
        ),
        "matrix_shapleys_game": symmetric("Rock Paper Scissors", [0, 0, 1], [1, 0, 0], [0, 1, 0]),
        "matrix_pd": symmetric("Cooperate Defect", [5, 0], [10, 1]),
        "matrix_sh": symmetric("Stag Hare", [2, 0], [1, 1]),
        "matrix_coordination": symmetric("Left Right", [1, 0], [0, 1]),
        "matrix_cd": symmetric("Dare Chicken", [0, 4], [1, 3]),
        "matrix_bos": matrix_game(
            [[3, 0], [0, 2]],
            [[2, 0], [0, 3]],
            ["Bach", "Stravinsky"],
            ["Bach", "Stravinsky"],
        ),
    }
)
"""The matrix games by their names in OpenSpiel."""

NAMES: Final[Mapping[MatrixGame, str]] = {game: name for name, game in MATRIX_GAMES.items()}
