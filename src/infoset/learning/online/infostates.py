"""The infostates of one player, numbered."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from types import NoneType

import numpy as np
from numpy.typing import NDArray

from infoset.errors import TrajectoryError
from infoset.game import Infostate
from infoset.learning._simulator_kernels import Infostates
from infoset.typing import Action, IntArray, Player

__all__ = ["InfostateTable", "check_hashable"]


def check_hashable(kind: str, label: object) -> None:
    """Raise unless an infostate or action can be looked up.

    Raises
    ------
    TrajectoryError
        If it cannot.
    """
    try:
        hash(label)
    except TypeError as error:
        raise TrajectoryError(
            f"the {kind} {label!r} cannot be looked up ({error}): use text, numbers, tuples, or "
            "anything else that never changes"
        ) from error


class InfostateTable(ABC):
    """The infostates of one player, numbered; as arrays, they are those of player 0.

    Attributes
    ----------
    player : Player
    infostates : Infostates
        [I] and [S] as in self-play; there may be room for more than are known.
    depth : IntArray
        [I] own decisions above each infostate.
    num_sequences : int
        S, those that there is only room for included.
    """

    player: Player
    infostates: Infostates
    depth: IntArray
    num_sequences: int

    @property
    @abstractmethod
    def num_known(self) -> int:
        """Number of infostates that are known."""

    @abstractmethod
    def find(self, infostate: Hashable) -> int:
        """Return the number of an infostate; -1 where it is not known."""

    @abstractmethod
    def legal_actions(self, number: int) -> tuple[Action, ...]:
        """Return the actions at an infostate."""

    @abstractmethod
    def _add(
        self, infostate: Hashable, legal_actions: Sequence[Action] | None, parent_sequence: int
    ) -> int:
        """Take in an infostate that is not known, and return its number; or raise."""

    @abstractmethod
    def contents(self) -> NDArray[np.uint8]:
        """Return, as the bytes of a text, what was taken in, in order."""

    @abstractmethod
    def restored(self, contents: NDArray[np.uint8]) -> InfostateTable:
        """Return another table, into which all that is taken in that was taken in there."""

    @property
    def fingerprint(self) -> str:
        """A digest of the tree, where there is one; the same game has the same everywhere."""
        return ""

    def visit(
        self, infostate: Hashable, legal_actions: Sequence[Action] | None, parent_sequence: int
    ) -> int:
        """Return the number of an infostate that play has come to.

        Parameters
        ----------
        infostate : Hashable
        legal_actions : Sequence[Action] or None
            None where they are known.
        parent_sequence : int
            Slot of the player's last own sequence.

        Raises
        ------
        TrajectoryError
            If it has other actions than before, or none that are a list; if other own sequences
            lead to it; or if it cannot be hashed.
        UnknownNameError
            If it is not in the tree, or has no actions there.
        """
        check_hashable("infostate", infostate)
        if not isinstance(legal_actions, Sequence | NoneType) or isinstance(legal_actions, str):
            raise TrajectoryError(
                f"legal_actions={legal_actions!r} at the infostate {infostate} are no list of "
                'actions: give one such as ("call", "fold"), or leave it out where it is known'
            )
        if isinstance(infostate, Infostate) and infostate.player != self.player:
            raise TrajectoryError(
                f"{infostate} is an infostate of player {infostate.player}; this learner is player "
                f"{self.player}, and sees its own only"
            )
        number = self.find(infostate)
        if number < 0:
            return self._add(infostate, legal_actions, parent_sequence)
        if legal_actions is not None:
            self.check_actions(infostate, number, legal_actions)
        if self.infostates.parent_sequence[number] != parent_sequence:
            raise TrajectoryError(
                f"the infostate {infostate} now comes after {self._last(parent_sequence)}, and "
                f"otherwise after {self._last(int(self.infostates.parent_sequence[number]))}: a player "
                "remembers what it did, so that one infostate has one own history; if the last "
                "episode has ended, observe or abandon it first"
            )
        return number

    def check_actions(
        self, infostate: Hashable, number: int, legal_actions: Sequence[Action]
    ) -> None:
        """Raise unless a known infostate has these actions, in this order.

        Raises
        ------
        TrajectoryError
            If it has others.
        """
        known = self.legal_actions(number)
        if tuple(legal_actions) != known:
            raise TrajectoryError(
                f"the infostate {infostate} now has the actions {list(legal_actions)}, and "
                f"otherwise {list(known)}: they are the same, in the same order, at all times"
            )

    def sequences(self, number: int) -> slice:
        """Return the sequences of an infostate."""
        first_sequence = int(self.infostates.first_sequence[number])
        return slice(first_sequence, first_sequence + int(self.infostates.num_actions[number]))

    def parent(self, number: int) -> int:
        """Return the infostate that the last own sequence before another is of; -1 for none."""
        return self._owner(int(self.infostates.parent_sequence[number]))

    def _owner(self, sequence: int) -> int:
        """Return the infostate that a sequence is of; -1 for the empty sequence."""
        first_sequences = self.infostates.first_sequence[: self.num_known]
        return int(np.searchsorted(first_sequences, sequence, side="right")) - 1

    def _last(self, sequence: int) -> str:
        """Say what a player did last."""
        if sequence == 0:
            return "no own action"
        owner = self._owner(sequence)
        action = self.legal_actions(owner)[sequence - int(self.infostates.first_sequence[owner])]
        return f"{action!r} at {self._text(owner)}"

    @abstractmethod
    def _text(self, number: int) -> str:
        """Return an infostate as text."""
