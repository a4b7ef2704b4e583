"""Iterated best response: hill climbing from random policies."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from infoset.teams.exact._best_response_kernels import alternate, pick_at_random
from infoset.teams.exact.team_problem import TeamProblem, merge_equivalent_roots, pose_problem
from infoset.teams.product_form.form import InformationMap, Team
from infoset.teams.product_form.reduction import equivalent_nodes
from infoset.teams.team import PayoffRule
from infoset.typing import FloatArray, LongArray
from infoset.utils.arguments import check_count, check_number
from infoset.utils.interrupts import interrupts_held
from infoset.utils.splitmix import make_stream

__all__ = [
    "ClimbOutcome",
    "Climbs",
    "IteratedBestResponse",
    "climb",
    "climber",
    "end_of",
    "hill_climb",
    "iterated_best_response",
]


ClimbOutcome: TypeAlias = Literal["restarts", "seconds", "interrupted"]


def end_of(seconds: float | None) -> float:
    """Return what `time.monotonic` is when some seconds, from now, are over; inf for None.

    Raises
    ------
    ParameterError
        If that is no finite number, or a negative one.
    """
    if seconds is None:
        return inf
    check_number("seconds", seconds)
    return time.monotonic() + seconds


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


@dataclass(frozen=True)
class IteratedBestResponse:
    """Where agents got to who respond to each other by turns.

    Attributes
    ----------
    values : FloatArray
        [made] what the team wins in the end, from each random policy; not as many as there were
        to be restarts, if it ended before.
    value : float
        The greatest of them.
    probability : FloatArray
        [entries] the pure policy that wins it, and what others do.
    outcome : {"restarts", "seconds", "interrupted"}
        What it ended by.
    """

    values: FloatArray
    value: float
    probability: FloatArray
    outcome: ClimbOutcome


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
    """Have the agents of a team respond to each other by turns, until none gains, many times.

    Each time, all begin with an action drawn at random at each cell. Then one agent after the
    other does what is best against what the others do, and keeps to what it did where that is as
    good, also where play does not come to. An agent that forgets what it knew or did, for whom a
    best response is not found by one pass, responds one stage at a time.

    Where it ends no agent gains alone, but two together may: a local optimum. The search for the
    best of all is `team_optimum`.

    Parameters
    ----------
    information : InformationMap
    team : Sequence[int], optional
        By default all agents.
    others : FloatArray, optional
        [entries] what those not of the team do.
    rule : {"common", "sum"}
        What the team wins: what each of its agents gets, or the sum.
    restarts : int
        Number of random policies to begin with.
    seed : int
    seconds : float, optional
        Time after which none is begun but the first. Then, or when it is interrupted (Ctrl-C), the
        best so far is returned.

    Raises
    ------
    ParameterError
        If one of these is not what it should be.

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
    """Have the agents of a team respond by turns, from the likeliest action at each cell on.

    Parameters
    ----------
    information : InformationMap
    probability : FloatArray
        [entries] a policy of all; those not of the team keep to it.
    team : Sequence[int], optional
        By default all agents.
    rule : {"common", "sum"}
        What the team wins.

    Returns
    -------
    FloatArray
        [entries] the pure policy reached, or the given policy if that earns more.

    Raises
    ------
    ParameterError
        If one of these is not what it should be.

    Examples
    --------
    >>> import numpy as np
    >>> from infoset.games import load_game
    >>> from infoset.teams import expected_payoffs, build_product_form
    >>> information = build_product_form(load_game("cooperative_matching_pennies")).information
    >>> honest_half_heard = np.array([1, 0, 0, 1, 0.5, 0, 0.5, 0, 0.5, 0.5])
    >>> improved = hill_climb(information, honest_half_heard)
    >>> [float(expected_payoffs(information, p)[0]) for p in (honest_half_heard, improved)]
    [0.5, 1.0]
    """
    problem = pose_problem(information, team, probability, rule)
    first = information.first_entry
    pick = np.array([probability[a:b].argmax() for a, b in pairwise(first)], np.int64)
    climber(problem)(pick)
    improved = problem.policy(pick)
    return improved if problem.value(improved) >= problem.value(probability) else probability
