"""What iterative methods for two-player constant-sum games have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from infoset.regret import IterativeState
from infoset.runs.resuming import settings_of
from infoset.solvers.pair_game import PairGame
from infoset.tree import SequenceForm

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    class NamedRow(DataclassInstance, Protocol):
        """The numbers of a method, and what it is called."""

        @property
        def name(self) -> str:
            """What the result calls it."""


__all__ = ["PairSolver"]

RowT = TypeVar("RowT", bound="NamedRow")


class PairSolver(IterativeState, Generic[RowT]):
    """The state of a method on a two-player constant-sum game, with the method's numbers.

    Parameters
    ----------
    sequence_form : SequenceForm
        A two-player constant-sum game.
    row : dataclass
        The numbers of the method, and its name.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    """

    def __init__(self, sequence_form: SequenceForm, row: RowT) -> None:
        super().__init__()
        self.sequence_form = sequence_form
        self._row = row
        self._game = PairGame(sequence_form, row.name)

    def settings(self) -> dict[str, Any]:
        """Return the numbers of the method."""
        return settings_of(self._row)
