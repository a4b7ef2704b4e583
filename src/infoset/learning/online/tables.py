"""The arrays of one learner, which grow as infostates are met."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from infoset.learning.online.infostates import InfostateTable
from infoset.learning.update_rule import LearnerState, UpdateRule
from infoset.typing import Action, FloatArray, StateArrays

__all__ = ["LearnerTables"]

CONTENTS = "infostates"


class LearnerTables:
    """The infostates of one player, and the arrays of its learner over them.

    Arrays are as long as there is room in the table. When that doubles, they are made anew, and
    what they had is copied: their beginnings are the same.

    Attributes
    ----------
    infostates : InfostateTable
    state : LearnerState
        The arrays.
    """

    def __init__(self, rule: UpdateRule[Any], infostates: InfostateTable) -> None:
        self._rule = rule
        self.infostates = infostates
        self.state: Any = self._fresh()

    def _fresh(self) -> LearnerState:
        table = self.infostates
        state: LearnerState = self._rule.begin(table.infostates, table.depth, table.num_sequences)
        return state

    def visit(
        self, infostate: Hashable, legal_actions: Sequence[Action] | None, parent_sequence: int
    ) -> int:
        """Return the number of an infostate that play has come to, with room for it in the arrays.

        Raises
        ------
        TrajectoryError, UnknownNameError
            As `InfostateTable.visit`.
        """
        known = self.infostates.num_known
        here = self.infostates.visit(infostate, legal_actions, parent_sequence)
        if here == known:
            self._take_in(here)
        return here

    def _take_in(self, here: int) -> None:
        """Make room for an infostate that is new, where a policy begins as uniform."""
        table = self.infostates
        if len(self.state.policy) < table.num_sequences or len(self.state.parent_counted) < len(
            table.depth
        ):
            before, self.state = self.state, self._fresh()
            for old, new in zip(before, self.state, strict=True):
                new[: len(old)] = old
        sequences = table.sequences(here)
        for policy in self._rule.initial_policies(self.state):
            policy[sequences] = 1.0 / (sequences.stop - sequences.start)

    def current(self, number: int) -> FloatArray:
        """Return the current policy at an infostate, by action."""
        policy: FloatArray = self.state.policy[self.infostates.sequences(number)].copy()
        return policy

    def average(self, number: int) -> FloatArray:
        """Return the average policy at an infostate, by action; uniform where none has led there.

        It counts what is not counted yet on the way there, as `count_rest` does it everywhere.
        """
        masses = self._masses(number)
        total = masses.sum()
        return masses / total if total > 0.0 else np.full(len(masses), 1.0 / len(masses))

    def _masses(self, number: int) -> FloatArray:
        """Return the cumulative_plan of each action at an infostate, counted to the end."""
        above = [number]
        while (parent := self.infostates.parent(above[-1])) >= 0:
            above.append(parent)
        state, arrays = self.state, self.infostates.infostates
        masses: FloatArray = state.cumulative_plan[:1]
        first_sequence = 0
        for here in reversed(above):
            parent_mass = masses[arrays.parent_sequence[here] - first_sequence]
            sequences = self.infostates.sequences(here)
            gained = parent_mass - state.parent_counted[here]
            masses, first_sequence = (
                state.cumulative_plan[sequences] + gained * state.policy[sequences],
                sequences.start,
            )
        return masses

    def arrays(self) -> StateArrays:
        """Return the arrays by name, and what the table has taken in."""
        return {CONTENTS: self.infostates.contents(), **self.state._asdict()}

    def set_arrays(self, arrays: StateArrays) -> None:
        """Take in what another table has, and the values of its arrays."""
        self.infostates = self.infostates.restored(arrays[CONTENTS])
        self.state = self._fresh()
        for name, array in self.state._asdict().items():
            array[...] = arrays[name]
