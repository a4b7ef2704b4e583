"""Agents who respond to each other by turns, from many random policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from infoset.checks import check_count
from infoset.streams import make_stream
from infoset.teams.exact._response_kernels import alternate, pick_at_random
from infoset.teams.exact.problem import TeamProblem, pose_problem
from infoset.teams.exact.team_tree import join_twins
from infoset.teams.information import InformationMap
from infoset.teams.product_form.reducing import twin_nodes
from infoset.teams.team import PayoffRule, Team
from infoset.typing import FloatArray, LongArray

__all__ = ["AlternatingResponses", "alternating_best_responses", "climb"]

RELATIVE_TOLERANCE = 1e-13


@dataclass(frozen=True)
class AlternatingResponses:
    """Where agents got to who respond to each other by turns.

    Attributes
    ----------
    values : FloatArray
        [restarts] what the team wins in the end, from each random policy.
    value : float
        The greatest of them.
    probability : FloatArray
        [slots] the pure policy that wins it, and what others do.
    """

    values: FloatArray
    value: float
    probability: FloatArray


def alternating_best_responses(
    information: InformationMap,
    team: Sequence[int] | None = None,
    *,
    others: FloatArray | None = None,
    rule: PayoffRule = "common",
    restarts: int = 100,
    seed: int = 0,
) -> AlternatingResponses:
    """Have the agents of a team respond to each other by turns, until none gains, many times.

    Each time, all begin with an action drawn at random at each label. Then one agent after the
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
        [slots] what those not of the team do.
    rule : {"common", "sum"}
        What the team wins: what each of its agents gets, or the sum.
    restarts : int
        Number of random policies to begin with.
    seed : int

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
    >>> responses = alternating_best_responses(form.information, restarts=50)
    >>> sorted(set(responses.values.tolist()))
    [0.0, 1.0]
    """
    problem = pose_problem(information, team, others, rule)
    check_count("restarts", restarts, least=1)
    check_count("seed", seed)
    values, pick = climb(problem, restarts, seed)
    probability = problem.policy(pick)
    return AlternatingResponses(values, problem.value(probability), probability)


def climb(problem: TeamProblem, restarts: int, seed: int) -> tuple[FloatArray, LongArray]:
    """Return [restarts] what is won in the end each time, and [M] the actions of the best."""
    information = problem.information
    tree, _ = join_twins(problem.tree, twin_nodes(information.form, information.label))
    roots = np.flatnonzero(tree.parent_edge < 0)
    block = _blocks(information, problem.team)
    tolerance = RELATIVE_TOLERANCE * float(np.abs(tree.gain).sum())
    picks = np.zeros((restarts, information.num_labels), np.int64)
    values = np.zeros(restarts)
    for restart, pick in enumerate(picks):
        pick_at_random(information.first_slot, pick, make_stream(seed, restart))
        values[restart] = alternate(tree, roots, information.first_slot, block, pick, tolerance)
    return values, picks[values.argmax()]


def _blocks(information: InformationMap, team: Team) -> LongArray:
    """Return [M] which labels get their actions together: those of an agent, or of one stage of it.

    Labels of others are in block 0, and of no importance.
    """
    block = np.zeros(information.num_labels, np.int64)
    count = 0
    for agent in team:
        own = np.flatnonzero(information.agent == agent)
        forgets = information.recall_violation((agent,)) is not None
        stage = information.stage[own] if forgets else np.zeros(len(own), np.int64)
        part = np.unique(stage, return_inverse=True)[1]
        block[own] = count + part
        count = int(block.max(initial=-1)) + 1
    return block
