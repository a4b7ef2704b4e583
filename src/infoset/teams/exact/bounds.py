"""What a team could win if it remembered all as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoset.teams.exact._response_kernels import respond
from infoset.teams.exact.problem import TeamProblem, pose_problem
from infoset.teams.exact.team_tree import NOBODY, TeamTree
from infoset.teams.information import InformationMap, perfect_recall_closure
from infoset.teams.team import PayoffRule
from infoset.typing import FloatArray, LongArray

__all__ = ["most_by_recall", "recall_bound"]


def recall_bound(
    information: InformationMap,
    team: Sequence[int] | None = None,
    *,
    others: FloatArray | None = None,
    rule: PayoffRule = "common",
) -> float:
    """Return what a team wins at most if whoever acts knows all that the team knew and did.

    That is the value of the perfect-recall closure of the information map, an upper bound of what
    it can win with the map itself: max over implementable π of J(π) ≤ max over relaxed π of J(π).
    CFR on the closure comes to it; a team that remembers has one agent to decide for, so one pass
    from the end of play finds it.

    Parameters
    ----------
    information : InformationMap
    team : Sequence[int], optional
        By default all agents.
    others : FloatArray, optional
        [entries] what those not of the team do.
    rule : {"common", "sum"}
        What the team wins: what each of its agents gets, or the sum.

    Raises
    ------
    ParameterError
        If one of these is not what it should be.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import product_form
    >>> form = product_form(load_game("trade_comm(num_items=2,num_messages=1)"))
    >>> recall_bound(form.information)
    1.0
    """
    problem = pose_problem(information, team, others, rule)
    worth = most_by_recall(problem, problem.tree, np.arange(len(problem.tree.cell)))
    return float(worth[problem.tree.parent_edge < 0].sum())


def most_by_recall(problem: TeamProblem, tree: TeamTree, node: LongArray) -> FloatArray:
    """Return [N] what a team that remembers wins from each node of a tree on.

    `node` [N] is the node of the form that each stands for.
    """
    closure = perfect_recall_closure(problem.information, problem.team)
    cell = np.where(tree.cell == NOBODY, NOBODY, closure.cell[node]).astype(np.int64)
    pick = np.zeros(closure.num_cells, np.int64)
    return respond(tree._replace(cell=cell), closure.first_entry, pick)
