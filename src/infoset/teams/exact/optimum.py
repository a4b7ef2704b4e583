"""Exact team optima by branch and bound, and their upper bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from infoset.teams.exact._best_response_kernels import respond
from infoset.teams.exact.best_responses import climb, end_of
from infoset.teams.exact.public_states import find_components, sort_nodes
from infoset.teams.exact.search import Search, begin_search
from infoset.teams.exact.team_problem import (
    NOBODY,
    TeamProblem,
    TeamTree,
    arrange,
    merge_equivalent_roots,
    pad_stages,
    pose_problem,
)
from infoset.teams.product_form.form import InformationMap
from infoset.teams.product_form.reduction import equivalent_nodes
from infoset.teams.relaxations import perfect_recall_closure
from infoset.teams.team import PayoffRule
from infoset.typing import FloatArray, LongArray
from infoset.utils.arguments import check_count

__all__ = ["TeamOptimum", "most_by_recall", "optimize", "recall_bound", "team_optimum"]


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
    >>> from infoset.teams import build_product_form
    >>> form = build_product_form(load_game("trade_comm(num_items=2,num_messages=1)"))
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


Outcome: TypeAlias = Literal["optimal", "states", "seconds", "interrupted"]
MAX_STATES = 5_000_000
RESTARTS_INSTEAD = 20
SECONDS_AFTER_INTERRUPT = 1.0
SHARE_OF_SEARCH = 0.75


@dataclass(frozen=True)
class TeamOptimum:
    """The most that a team can win, or bounds of it, and a policy.

    Attributes
    ----------
    value : float
        What the team wins with `probability`.
    upper_bound : float
        No policy wins more, but for rounding. The same as `value` if that is proved best.
    outcome : {"optimal", "states", "seconds", "interrupted"}
        Whether that is proved best, or what the search ended by.
    probability : FloatArray
        [entries] a pure policy of the team, and what others do.
    num_states : int
        States of the search that were met: public states with sets of nodes.
    num_steps : int
        Steps of the search.
    """

    value: float
    upper_bound: float
    outcome: Outcome
    probability: FloatArray
    num_states: int
    num_steps: int


def team_optimum(
    information: InformationMap,
    team: Sequence[int] | None = None,
    *,
    others: FloatArray | None = None,
    rule: PayoffRule = "common",
    max_states: int = MAX_STATES,
    seconds: float | None = None,
) -> TeamOptimum:
    """Find the most that a team can win, and a policy that does, by branch and bound.

    Some pure policy is best, since what is won is linear in what is done at each cell. The team
    does what a coordinator tells it that knows what is common knowledge in the team, and so knows,
    at a public state, the set of nodes that play has come to there under what was told before:

        value(public state, set) = max over actions for the cells in it of
            what is won at ends of play + Σ over next public states of value(next, set there)

    Labels get their actions one by one. What can be won in a union of sets is no more than the sum
    of what can be won in each; so a part of the cells, valued exactly, and what each of the others
    would win by itself, bound what all can win. What is known of a pair of public state and set is
    kept; public states in which the same can happen are one. The bounds begin with what a team
    that remembers all would win from each node on. In the worst case it takes time and memory that
    grow exponentially with the number of cells: the problem is NP-hard.

    Parameters
    ----------
    information : InformationMap
        What agents know; they may have forgotten what they knew.
    team : Sequence[int], optional
        By default all agents.
    others : FloatArray, optional
        [entries] what those not of the team do. The optimum is then the best response of the team.
    rule : {"common", "sum"}
        What the team wins: what each of its agents gets, or the sum.
    max_states : int
        Most states of the search to meet, at some 100 bytes each. Then, or when it is interrupted
        (Ctrl-C), the best that was found is returned, or the best of some climbs, with a bound.
    seconds : float, optional
        Time after which to stop, likewise; a quarter of it is kept for the climbs. Public states
        are found and one climb is made however long that takes.

    Raises
    ------
    ParameterError
        If one of these is not what it should be.
    GameTooLargeError
        If not even the search of one policy would fit in memory.

    Notes
    -----
    Source: the coordinator is that of A. Nayyar, A. Mahajan, D. Teneketzis, "Decentralized
    stochastic control with partial history sharing", 2013; the bounds are ours.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import build_product_form
    >>> form = build_product_form(load_game("trade_comm(num_items=3,num_messages=2)"))
    >>> optimum = team_optimum(form.information)
    >>> round(optimum.value, 6), optimum.outcome
    (0.555556, 'optimal')
    """
    return optimize(pose_problem(information, team, others, rule), max_states, seconds)


def optimize(
    problem: TeamProblem, max_states: int = MAX_STATES, seconds: float | None = None
) -> TeamOptimum:
    """Find the most that a team can win in what is asked of it; see `team_optimum`."""
    check_count("max_states", max_states, minimum=1)
    end, end_of_search = end_of(seconds), end_of(seconds and SHARE_OF_SEARCH * seconds)
    search = _begin(problem)
    ended_by = _run(search, max_states, end_of_search)
    if ended_by == "interrupted":
        end = min(end, end_of(SECONDS_AFTER_INTERRUPT))
    probability = _best_known(problem, search, end)
    value, upper = problem.value(probability), float(search.upper.sum())
    is_proved = search.is_done or value + search.tree.tolerance >= upper
    return TeamOptimum(
        value=value,
        upper_bound=upper,
        outcome="optimal" if is_proved else ended_by,
        probability=probability,
        num_states=search.num_states,
        num_steps=search.num_steps,
    )


def _run(search: Search, max_states: int, until: float) -> Outcome:
    """Search, and return what it ended by if not by being done."""
    try:
        search.run(max_states, until)
    except KeyboardInterrupt:
        return "interrupted"
    return "states" if search.num_states >= max_states else "seconds"


def _begin(problem: TeamProblem) -> Search:
    information = problem.information
    equivalent = equivalent_nodes(information.form, information.cell)
    tree, first = merge_equivalent_roots(problem.tree, equivalent)
    tree, owner = pad_stages(tree)
    component = find_components(tree)
    order = sort_nodes(tree, component)
    tree, component = arrange(tree, order, tree.stage), component[order]
    return begin_search(tree, component, most_by_recall(problem, tree, first[owner[order]]))


def _best_known(problem: TeamProblem, search: Search, until: float) -> FloatArray:
    """Return the policy that was found, or the best of some climbs where the search is not done.

    No climb but the first begins when `time.monotonic` is `until`. What was found from a part of
    the roots on replaces what the climb does there.
    """
    if search.is_done:
        climbed = np.zeros(problem.information.num_cells, np.int64)
    else:
        climbed = climb(problem, RESTARTS_INSTEAD, 0, until).pick
    found = climbed.copy()
    for root in np.flatnonzero(search.lower > -np.inf).tolist():
        search.write_picks(root, found)
    return max(map(problem.policy, (climbed, found)), key=problem.value)
