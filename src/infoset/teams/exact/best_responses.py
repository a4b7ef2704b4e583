"""Iterated best response: hill climbing from random or given policies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from infoset.teams.exact._best_response_kernels import alternate, pick_at_random
from infoset.teams.exact.team_problem import TeamProblem, merge_equivalent_roots, pose_problem
from infoset.teams.product_form.form import InformationMap, Team
from infoset.teams.product_form.perfect_recall import find_recall_violation
from infoset.teams.product_form.reduction import equivalent_nodes
from infoset.teams.team import PayoffRule
from infoset.typing import FloatArray, LongArray
from infoset.utils.arguments import check_count, check_number
from infoset.utils.clocks import working_seconds
from infoset.utils.interrupts import interrupts_held
from infoset.utils.splitmix import make_stream

ClimbOutcome: TypeAlias = Literal["restarts", "seconds", "interrupted"]


def end_of(seconds: float | None) -> float:
    """Return `working_seconds()` at the end of a time limit from now; inf for None."""
    if seconds is None:
        return inf
    check_number("seconds", seconds)
    return working_seconds() + seconds


class HillClimbs(NamedTuple):
    """The results of several hill climbs."""

    values: FloatArray
    """[climbs] the payoff of the local optimum of each climb; at least one climb."""
    pick: LongArray
    """[M] the actions of the best climb; among equals, of the first."""
    outcome: ClimbOutcome
    """What ended the series of climbs."""


def climb(problem: TeamProblem, restarts: int, seed: int, until: float = inf) -> HillClimbs:
    """Climb from random policies; no climb after the first starts after the time `until`.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C is pressed before the first climb is done.
    """
    climb_from, first_entry = climber(problem), problem.information.first_entry
    values: list[float] = []
    best = np.empty(0, np.int64)
    outcome: ClimbOutcome = "restarts"
    try:
        while len(values) < restarts and outcome == "restarts":
            # A climb is never cut off, so that every value is that of a local optimum.
            with interrupts_held():
                pick = np.zeros(problem.information.num_cells, np.int64)
                pick_at_random(first_entry, pick, make_stream(seed, len(values)))
                value = climb_from(pick)
                # Strictly better: among equals, the first climb remains.
                best = pick if value > max(values, default=-inf) else best
                values.append(value)
            outcome = "seconds" if working_seconds() >= until else "restarts"
    except KeyboardInterrupt:
        if not values:
            raise
        outcome = "interrupted"
    return HillClimbs(np.array(values), best, outcome)


def climber(problem: TeamProblem) -> Callable[[LongArray], float]:
    """Return a function that improves [M] actions in place and returns their value."""
    information = problem.information
    # Equivalent roots need one pass: their gains add up, and their actions are the same.
    tree, _ = merge_equivalent_roots(
        problem.tree, equivalent_nodes(information.form, information.cell)
    )
    roots = np.flatnonzero(tree.parent_edge < 0)
    block = _blocks(information, problem.team)

    def climb_from(pick: LongArray) -> float:
        return alternate(tree, roots, information.first_entry, block, pick, tree.tolerance)

    return climb_from


def _blocks(information: InformationMap, team: Team) -> LongArray:
    """Return [M] the block of each cell; the cells of a block respond together.

    The cells of an agent with perfect recall are one block. An agent without perfect recall has one
    block per stage, for which one pass is exact. Cells of agents outside the team are in block 0,
    without effect.
    """
    block = np.zeros(information.num_cells, np.int64)
    count = 0
    for agent in team:
        own = np.flatnonzero(information.agent == agent)
        forgets = find_recall_violation(information, (agent,)) is not None
        # Within a stage no own choice precedes another, so that one pass is exact there.
        stage = information.stage[own] if forgets else np.zeros(len(own), np.int64)
        part = np.unique(stage, return_inverse=True)[1]
        block[own] = count + part
        count = int(block.max(initial=-1)) + 1
    return block


@dataclass(frozen=True)
class IteratedBestResponse:
    """Local optima found by iterated best response."""

    values: FloatArray
    """[climbs] the team's expected payoff after each climb. If the series ended early, there are
    fewer climbs than `restarts`."""
    value: float
    """The maximum of `values`."""
    probability: FloatArray
    """[entries] the pure policy that achieves `value`, combined with the policy of the others."""
    outcome: ClimbOutcome
    """What ended the series of climbs."""


def iterated_best_response(
    information: InformationMap,
    team: Sequence[int] | None = None,
    *,
    others: FloatArray | None = None,
    rule: PayoffRule = "common",
    restarts: int = 100,
    seed: int = 0,
    seconds: float | None = None,
) -> IteratedBestResponse:
    """Run iterated best response from many random policies.

    Each climb begins with a uniformly random action at each cell. The agents take turns switching
    to a best response to the others. If an earlier action is as good as the best, it remains, even
    at a cell that play does not reach. An agent without perfect recall responds one stage at a
    time, because one pass over all stages would not find a best response. A climb ends in a local
    optimum, where no agent gains by deviating alone; two agents together might. `team_optimum`
    finds the global optimum.

    Parameters
    ----------
    team
        By default all agents.
    others
        [entries] policy of the agents outside the team.
    rule : {"common", "sum"}
        The team's payoff: the common payoff of its agents, or the sum of their payoffs.
    restarts
        Number of random initial policies.
    seconds
        Time limit. When it is reached, or after Ctrl-C, the best policy so far is returned. The
        first climb always runs to its end.

    Notes
    -----
    Source: R. Nair et al., "Taming decentralized POMDPs: towards efficient policy computation for
    multiagent settings", IJCAI 2003 (JESP).

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import build_product_form
    >>> form = build_product_form(load_game("cooperative_matching_pennies"))
    >>> responses = iterated_best_response(form.information, restarts=50)
    >>> sorted(set(responses.values.tolist()))
    [0.0, 1.0]
    """
    problem = pose_problem(information, team, others, rule)
    check_count("restarts", restarts, minimum=1)
    check_count("seed", seed)
    found = climb(problem, restarts, seed, end_of(seconds))
    probability = problem.policy(found.pick)
    return IteratedBestResponse(
        found.values, problem.value(probability), probability, found.outcome
    )


def hill_climb(
    information: InformationMap,
    probability: FloatArray,
    team: Sequence[int] | None = None,
    *,
    rule: PayoffRule = "common",
) -> FloatArray:
    """Improve a policy by iterated best response, from the most likely action at each cell.

    Parameters
    ----------
    probability
        [entries] a policy of all agents; the policies of agents outside the team do not change.
    team
        By default all agents.
    rule : {"common", "sum"}
        The team's payoff: the common payoff of its agents, or the sum of their payoffs.

    Returns
    -------
    FloatArray
        [entries] the pure policy that the climb reaches, or the given policy if its payoff is
        higher.

    Examples
    --------
    >>> import numpy as np
    >>> from infoset.games import load_game
    >>> from infoset.teams import build_product_form, expected_payoffs
    >>> information = build_product_form(
    ...     load_game("cooperative_matching_pennies")
    ... ).information
    >>> honest_half_heard = np.array([1, 0, 0, 1, 0.5, 0, 0.5, 0, 0.5, 0.5])
    >>> improved = hill_climb(information, honest_half_heard)
    >>> [
    ...     float(expected_payoffs(information, p)[0])
    ...     for p in (honest_half_heard, improved)
    ... ]
    [0.5, 1.0]
    """
    problem = pose_problem(information, team, probability, rule)
    first = information.first_entry
    pick = np.array([probability[a:b].argmax() for a, b in pairwise(first)], np.int64)
    climber(problem)(pick)
    improved = problem.policy(pick)
    # The pure policy at which the climb begins may earn less than the given mixed one.
    return improved if problem.value(improved) >= problem.value(probability) else probability
