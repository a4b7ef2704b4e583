"""Agents who respond to each other by turns, from many random policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from infoset.teams.exact.climbing import ClimbOutcome, climb, climber
from infoset.teams.exact.limits import end_of
from infoset.teams.exact.problem import pose_problem
from infoset.teams.information import InformationMap
from infoset.teams.team import PayoffRule
from infoset.typing import FloatArray
from infoset.utils.arguments import check_count

__all__ = ["IteratedBestResponse", "hill_climb", "iterated_best_response"]


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
    >>> from infoset.teams import product_form
    >>> form = product_form(load_game("cooperative_matching_pennies"))
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
    >>> from infoset.teams import expected_payoffs, product_form
    >>> information = product_form(load_game("cooperative_matching_pennies")).information
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
