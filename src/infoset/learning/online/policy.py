"""What a learner has come to, as a policy."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from infoset.errors import UnknownNameError
from infoset.learning.online.tables import LearnerTables
from infoset.typing import Action, FloatArray

__all__ = ["LearnedPolicy"]


class LearnedPolicy:
    """A policy of a learner, which moves as the learner learns; uniform where it never was.

    It can take part in matches (`play_matches`), and `tabulate` makes it a table of a compiled
    game.

    Examples
    --------
    >>> from infoset.learning import get_learner, make_learner
    >>> row = get_learner("ixomd", step_sizes=(0.1, 0.01))
    >>> learner = make_learner(row, player=0, utility_range=(-1, 1), horizon=100)
    >>> learner.average_policy.action_probabilities("never met", ("left", "right")).tolist()
    [0.5, 0.5]
    """

    def __init__(self, tables: LearnerTables, probabilities: Callable[[int], FloatArray]) -> None:
        self._tables = tables
        self._probabilities = probabilities

    def action_probabilities(
        self, infostate: Hashable, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return the probability of each legal action, in order.

        Raises
        ------
        TrajectoryError
            If the learner has met other actions at the infostate.
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
            If the learner does not know it.
        """
        table = self._tables.infostates
        number = table.find(infostate)
        if number < 0:
            raise UnknownNameError(
                f"the learner of player {table.player} does not know the infostate {infostate}; "
                "action_probabilities(infostate, legal_actions) is uniform where it never was"
            )
        probabilities = self._probabilities(number).tolist()
        return dict(zip(table.legal_actions(number), probabilities, strict=True))
