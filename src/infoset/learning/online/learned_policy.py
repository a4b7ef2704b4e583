"""The arrays of one learner, which grow with its infostates, and the policies they contain."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from infoset.errors import UnknownNameError
from infoset.learning.online.infostate_table import InfostateTable
from infoset.learning.update_rule import LearnerState, UpdateRule
from infoset.typing import Action, FloatArray, StateArrays
from infoset.utils.state import copy_arrays

CONTENTS = "infostates"


class LearnerTables:
    """The infostates of one player, and its learner's arrays, which are indexed by them.

    The length of the arrays is the capacity of the table. When the capacity doubles, the arrays are
    copied into longer ones.

    Attributes
    ----------
    infostates : InfostateTable
    state : LearnerState
        The arrays.
    """

    def __init__(self, rule: UpdateRule[Any], infostates: InfostateTable) -> None:
        self._rule = rule
        self.infostates = infostates
        self.state: Any = self._initial_state()

    def _initial_state(self) -> LearnerState:
        table = self.infostates
        state: LearnerState = self._rule.begin(table.infostates, table.depth, table.num_sequences)
        return state

    def visit(
        self, infostate: Hashable, legal_actions: Sequence[Action] | None, parent_sequence: int
    ) -> int:
        """Return the number of an infostate that play has reached; grow the arrays if needed.

        Raises
        ------
        TrajectoryError, UnknownNameError
            See `InfostateTable.visit`.
        """
        num_known = self.infostates.num_known
        here = self.infostates.visit(infostate, legal_actions, parent_sequence)
        # A number that did not exist before: the infostate is new.
        if here == num_known:
            self._initialize(here)
        return here

    def _initialize(self, here: int) -> None:
        """Grow the arrays for a new infostate if needed, and make its policies uniform."""
        table = self.infostates
        has_room = len(self.state.policy) >= table.num_sequences
        if not (has_room and len(self.state.parent_counted) >= len(table.depth)):
            # New arrays of the whole capacity; what was learned is copied over their beginning.
            before, self.state = self.state, self._initial_state()
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
        """Return the average policy at an infostate, by action; uniform if never reached."""
        plan = self._cumulative_plan(number)
        total = plan.sum()
        return plan / total if total > 0.0 else np.full(len(plan), 1.0 / len(plan))

    def _cumulative_plan(self, number: int) -> FloatArray:
        """Return the cumulative plan at an infostate, by action, with all episodes counted.

        The kernel `count_rest` does the same at all infostates.
        """
        above = [number]
        while (parent := self.infostates.parent(above[-1])) >= 0:
            above.append(parent)
        state, arrays = self.state, self.infostates.infostates
        plan: FloatArray = state.cumulative_plan[:1]
        first_sequence = 0
        for here in reversed(above):
            # `plan` has the sequences of the infostate above, which begin at `first_sequence`.
            parent_plan = plan[arrays.parent_sequence[here] - first_sequence]
            sequences = self.infostates.sequences(here)
            gained = parent_plan - state.parent_counted[here]
            plan = state.cumulative_plan[sequences] + gained * state.policy[sequences]
            first_sequence = sequences.start
        return plan

    def arrays(self) -> StateArrays:
        """Return the arrays by name, and the contents of the table."""
        return {CONTENTS: self.infostates.contents(), **self.state._asdict()}

    def set_arrays(self, arrays: StateArrays) -> None:
        """Copy the infostates and values from the `arrays` of another learner.

        Raises
        ------
        ValueError
            If they are not arrays of such a learner; nothing has changed then.
        """
        if CONTENTS not in arrays:
            raise ValueError(f"the array {CONTENTS} is missing")
        before = self.infostates, self.state
        self.infostates = self.infostates.restored(arrays[CONTENTS])
        self.state = self._initial_state()
        try:
            copy_arrays(self.state._asdict(), arrays)
        except ValueError:
            self.infostates, self.state = before
            raise


class LearnedPolicy:
    """The current or average policy of a learner, which changes as it learns.

    It is uniform at infostates the learner does not know. It can take part in matches
    (`play_matches`), and `tabulate` turns it into a tabular policy of a compiled game.

    Examples
    --------
    >>> from infoset.learning import get_learner, make_learner
    >>> spec = get_learner("ixomd", step_sizes=(0.1, 0.01))
    >>> learner = make_learner(spec, player=0, utility_range=(-1, 1), horizon=100)
    >>> learner.average_policy.action_probabilities(
    ...     "unknown", ("left", "right")
    ... ).tolist()
    [0.5, 0.5]
    """

    def __init__(self, tables: LearnerTables, probabilities: Callable[[int], FloatArray]) -> None:
        self._tables = tables
        self._probabilities = probabilities

    def action_probabilities(
        self, infostate: Hashable, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return the probabilities of the legal actions, in order.

        Raises
        ------
        TrajectoryError
            If the infostate had other actions in earlier episodes.
        """
        table = self._tables.infostates
        number = table.find(infostate)
        if number < 0:
            return np.full(len(legal_actions), 1.0 / len(legal_actions))
        table.check_actions(infostate, number, legal_actions)
        return self._probabilities(number)

    def __getitem__(self, infostate: Hashable) -> dict[Action, float]:
        """Return the policy at an infostate, by action.

        Raises
        ------
        UnknownNameError
            If the learner does not know the infostate.
        """
        table = self._tables.infostates
        number = table.find(infostate)
        if number < 0:
            raise UnknownNameError(
                f"the learner of player {table.player} does not know the infostate {infostate}; "
                "use action_probabilities(infostate, legal_actions), which is uniform there"
            )
        probabilities = self._probabilities(number).tolist()
        return dict(zip(table.legal_actions(number), probabilities, strict=True))
