"""Climbs: agents respond by turns from random policies, one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from infoset.teams.exact._response_kernels import alternate, pick_at_random
from infoset.teams.exact.problem import TeamProblem
from infoset.teams.exact.team_tree import merge_equivalent_roots
from infoset.teams.information import InformationMap
from infoset.teams.product_form.reducing import equivalent_nodes
from infoset.teams.team import Team
from infoset.typing import FloatArray, LongArray
from infoset.utils.interrupts import interrupts_held
from infoset.utils.splitmix import make_stream

__all__ = ["ClimbOutcome", "Climbs", "climb", "climber"]

ClimbOutcome: TypeAlias = Literal["restarts", "seconds", "interrupted"]


class Climbs(NamedTuple):
    """What came of climbs.

    Attributes
    ----------
    values : FloatArray
        [made] what the team wins in the end, each time; at least one.
    pick : LongArray
        [M] the actions of the best, the first of equals.
    outcome : {"restarts", "seconds", "interrupted"}
        What they ended by.
    """

    values: FloatArray
    pick: LongArray
    outcome: ClimbOutcome


def climb(problem: TeamProblem, restarts: int, seed: int, until: float = inf) -> Climbs:
    """Climb from random policies; none but the first begins when `time.monotonic` is `until`.

    Raises
    ------
    KeyboardInterrupt
        If it comes before the first is done.
    """
    climb_from, first_entry = climber(problem), problem.information.first_entry
    values: list[float] = []
    best = np.empty(0, np.int64)
    outcome: ClimbOutcome = "restarts"
    try:
        while len(values) < restarts and outcome == "restarts":
            with interrupts_held():
                pick = np.zeros(problem.information.num_cells, np.int64)
                pick_at_random(first_entry, pick, make_stream(seed, len(values)))
                value = climb_from(pick)
                best = pick if value > max(values, default=-inf) else best
                values.append(value)
            outcome = "seconds" if time.monotonic() >= until else "restarts"
    except KeyboardInterrupt:
        if not values:
            raise
        outcome = "interrupted"
    return Climbs(np.array(values), best, outcome)


def climber(problem: TeamProblem) -> Callable[[LongArray], float]:
    """Return what climbs from [M] actions, in place, to a value."""
    information = problem.information
    tree, _ = merge_equivalent_roots(
        problem.tree, equivalent_nodes(information.form, information.cell)
    )
    roots = np.flatnonzero(tree.parent_edge < 0)
    block = _blocks(information, problem.team)

    def climb_from(pick: LongArray) -> float:
        return alternate(tree, roots, information.first_entry, block, pick, tree.tolerance)

    return climb_from


def _blocks(information: InformationMap, team: Team) -> LongArray:
    """Return [M] which cells get their actions together: those of an agent, or of one stage of it.

    Labels of others are in block 0, and of no importance.
    """
    block = np.zeros(information.num_cells, np.int64)
    count = 0
    for agent in team:
        own = np.flatnonzero(information.agent == agent)
        forgets = information.recall_violation((agent,)) is not None
        stage = information.stage[own] if forgets else np.zeros(len(own), np.int64)
        part = np.unique(stage, return_inverse=True)[1]
        block[own] = count + part
        count = int(block.max(initial=-1)) + 1
    return block
