"""Exact optima of teams by branch and bound, and the upper bound under perfect recall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal, TypeAlias

import numpy as np

from infoset.errors import GameTooLargeError
from infoset.teams.exact._best_response_kernels import respond
from infoset.teams.exact.best_responses import climb, end_of
from infoset.teams.exact.public_states import OutOfTimeError, find_components, sort_nodes
from infoset.teams.exact.search import Search, begin_search
from infoset.teams.exact.team_problem import (
    NO_CHOICE,
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


def recall_bound(
    information: InformationMap,
    team: Sequence[int] | None = None,
    *,
    others: FloatArray | None = None,
    rule: PayoffRule = "common",
) -> float:
    """Return the optimum of a team under perfect recall: an upper bound on its actual optimum.

    The bound is the value of the perfect-recall closure of the information map (eq. 6):

        max over implementable π of J(π) ≤ max over relaxed π of J(π)

    Under the closure the team is one player with perfect recall, so one backward pass is exact.

    Parameters
    ----------
    team
        By default all agents.
    others
        [entries] policy of the agents outside the team.
    rule : {"common", "sum"}
        The team's payoff: the common payoff of its agents, or the sum of their payoffs.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import build_product_form
    >>> form = build_product_form(load_game("trade_comm(num_items=2,num_messages=1)"))
    >>> recall_bound(form.information)
    1.0
    """
    return _recall_bound_of(pose_problem(information, team, others, rule))


def _recall_bound_of(problem: TeamProblem) -> float:
    worth = recall_bounds(problem, problem.tree, np.arange(len(problem.tree.cell)))
    return float(worth[problem.tree.parent_edge < 0].sum())


def recall_bounds(problem: TeamProblem, tree: TeamTree, node: LongArray) -> FloatArray:
    """Return [N] the optimal value of each node of a tree under perfect recall.

    node : [N] the node of the form that each node of the tree represents.
    """
    closure = perfect_recall_closure(problem.information, problem.team)
    # Waiting nodes stand for nodes of the form, but have no choice.
    cell = np.where(tree.cell == NO_CHOICE, NO_CHOICE, closure.cell[node]).astype(np.int64)
    pick = np.zeros(closure.num_cells, np.int64)
    return respond(tree._replace(cell=cell), closure.first_entry, pick)


Outcome: TypeAlias = Literal["optimal", "states", "steps", "seconds", "interrupted"]
MAX_STATES = 5_000_000
FALLBACK_RESTARTS = 20
SECONDS_AFTER_INTERRUPT = 1.0
SEARCH_FRACTION = 0.75


@dataclass(frozen=True)
class TeamOptimum:
    """The optimum of a team, or bounds on the optimum, and a policy."""

    value: float
    """The team's expected payoff under `probability`, in the game's units."""
    upper_bound: float
    """Upper bound on the payoff of every policy; equals `value`, up to rounding, if `value` is
    optimal."""
    outcome: Outcome
    """`optimal` if `value` is proved optimal; otherwise what ended the search."""
    probability: FloatArray
    """[entries] a pure policy of the team, combined with the given policy of the other agents."""
    num_states: int
    """Number of states that the search visited; a state is a public state with a set of its nodes.
    """
    num_steps: int
    """Number of steps of the search."""


def team_optimum(
    information: InformationMap,
    team: Sequence[int] | None = None,
    *,
    others: FloatArray | None = None,
    rule: PayoffRule = "common",
    max_states: int = MAX_STATES,
    max_steps: int | None = None,
    seconds: float | None = None,
) -> TeamOptimum:
    """Find the optimum of a team and an optimal policy, by branch and bound over public states.

    Some pure policy is optimal, because the payoff is linear in the probabilities at each cell. The
    search finds it from the view of a coordinator, who knows only what is common knowledge in the
    team and prescribes an action for each cell. At a public state, the coordinator knows the set of
    nodes that play can have reached under the earlier prescriptions:

        value(public state, set) = max over actions at its cells of
            expected payoff where play ends
            + Σ over next public states of value(next, set there)

    Cells receive their actions one by one. The value of a union of sets is at most the sum of their
    values. Hence an upper bound is the exact value of the cells that have received their actions,
    plus the best value that each other cell has by itself. Solved pairs of public state and set are
    memoized, and identical public states are stored once. The initial bounds are the values under
    perfect recall. The problem is NP-hard: in the worst case time and memory grow exponentially
    with the number of cells.

    Parameters
    ----------
    information
        The information of the agents, who may lack perfect recall.
    team
        By default all agents.
    others
        [entries] policy of the agents outside the team, to which the optimum is a best response.
    rule : {"common", "sum"}
        The team's payoff: the common payoff of its agents, or the sum of their payoffs.
    max_states
        Maximum number of states to visit, at about 100 bytes per state. At this limit, or after
        Ctrl-C, the function returns an upper bound and the best policy so far, from the search or
        from hill climbing.
    max_steps
        Limit on the steps of the search, with the same effect; it is checked after every 65,536
        steps. Unlike a time limit, it does not depend on the speed of the machine.
    seconds
        Time limit, with the same effect; a quarter of it is reserved for hill climbing. The
        construction of the public states, compilation and the first hill climb are not subject to
        the limit.

    Raises
    ------
    GameTooLargeError
        If even the search of one policy would not fit in memory.

    Notes
    -----
    Source: A. Nayyar, A. Mahajan, D. Teneketzis, "Decentralized stochastic control with partial
    history sharing", 2013, for the coordinator. The bounds are our own.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import build_product_form
    >>> form = build_product_form(load_game("trade_comm(num_items=3,num_messages=2)"))
    >>> optimum = team_optimum(form.information)
    >>> round(optimum.value, 6), optimum.outcome
    (0.555556, 'optimal')
    """
    problem = pose_problem(information, team, others, rule)
    return optimize(problem, max_states, seconds, max_steps=max_steps)


def optimize(
    problem: TeamProblem,
    max_states: int = MAX_STATES,
    seconds: float | None = None,
    *,
    max_steps: int | None = None,
) -> TeamOptimum:
    """Solve a team problem; see `team_optimum`."""
    check_count("max_states", max_states, minimum=1)
    if max_steps is not None:
        check_count("max_steps", max_steps, minimum=1)
    search = _begin(problem)
    # `and` keeps None, which is no limit, and 0.
    end, end_of_search = end_of(seconds), end_of(seconds and SEARCH_FRACTION * seconds)
    ended_by = _run(search, max_states, end_of_search, inf if max_steps is None else max_steps)
    # After Ctrl-C the climbs, too, should end soon.
    if ended_by == "interrupted":
        end = min(end, end_of(SECONDS_AFTER_INTERRUPT))
    probability = _best_known(problem, search, end)
    value, upper = problem.value(probability), float(search.upper.sum())
    # Hill climbing may reach the upper bound of a search that was stopped.
    is_proved = search.is_done or value + search.tree.tolerance >= upper
    return TeamOptimum(
        value=value,
        upper_bound=upper,
        outcome="optimal" if is_proved else ended_by,
        probability=probability,
        num_states=search.num_states,
        num_steps=search.num_steps,
    )


def bound_optimum(
    problem: TeamProblem, *, max_steps: int, seconds: float | None = None
) -> tuple[float, float]:
    """Return a lower and an upper bound on the optimum; the two agree if the search was complete.

    To recover an optimal policy often takes longer than the search; this function does not. If the
    search cannot begin, because time or memory are too small, the bounds are a local optimum and
    the optimum under perfect recall.

    Parameters
    ----------
    max_steps
        Limit on the steps of the search, checked after every 65,536 steps.
    seconds
        Time limit of the search and of the list of public states. The passes over the tree before
        them, and one hill climb if the search is not complete, are not subject to it.

    Raises
    ------
    KeyboardInterrupt
        After Ctrl-C.
    """
    until = end_of(seconds)
    try:
        search = _begin(problem, until)
    except (OutOfTimeError, GameTooLargeError):
        return _climbed(problem, until), _recall_bound_of(problem)
    search.run(MAX_STATES, until, max_steps)
    upper = float(search.upper.sum())
    if search.is_done:
        return float(search.lower.sum()), upper
    # The sum over roots is a bound only if each root has a policy.
    if (search.lower > -inf).all():
        return max(_climbed(problem, until), float(search.lower.sum())), upper
    return _climbed(problem, until), upper


def _climbed(problem: TeamProblem, until: float) -> float:
    """Return the best value of several hill climbs; only the first is sure to run."""
    return float(climb(problem, FALLBACK_RESTARTS, 0, until).values.max())


def _run(search: Search, max_states: int, until: float, max_steps: float) -> Outcome:
    """Run the search, and return what ended it; this counts only if the search is not done."""
    try:
        search.run(max_states, until, max_steps)
    except KeyboardInterrupt:
        return "interrupted"
    if search.num_states >= max_states:
        return "states"
    return "steps" if search.num_steps >= max_steps else "seconds"


def _begin(problem: TeamProblem, until: float = inf) -> Search:
    information = problem.information
    # Stage 1: equivalent roots become one.
    equivalent = equivalent_nodes(information.form, information.cell)
    tree, first = merge_equivalent_roots(problem.tree, equivalent)
    # Stage 2: all children of a stage are in the next one, as `find_components` requires.
    tree, owner = pad_stages(tree)
    # Stage 3: nodes sorted by public state, so that each is a range of nodes.
    component = find_components(tree)
    order = sort_nodes(tree, component)
    tree, component = arrange(tree, order, tree.stage), component[order]
    # Sorted node → padded node → node of the merged tree → node of the form.
    upper = recall_bounds(problem, tree, first[owner[order]])
    return begin_search(tree, component, upper, until)


def _best_known(problem: TeamProblem, search: Search, until: float) -> FloatArray:
    """Return the policy found or, if the search was stopped, the best of several hill climbs.

    The first climb always runs; others start only before `working_seconds()` reaches `until`. At
    roots with a policy from the search, its actions replace those of the climb.
    """
    if search.is_done:
        climbed = np.zeros(problem.information.num_cells, np.int64)
    else:
        climbed = climb(problem, FALLBACK_RESTARTS, 0, until).pick
    found = climbed.copy()
    for root in np.flatnonzero(search.lower > -np.inf).tolist():
        search.write_picks(root, found)
    # A search that was stopped may know a worse policy for a root than the climb does.
    return max(map(problem.policy, (climbed, found)), key=problem.value)
