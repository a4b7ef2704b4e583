"""Realization plans as mixtures of pure ones."""

from __future__ import annotations

import numpy as np

from infoset.errors import ParameterError
from infoset.policy._kernels import widest_plan
from infoset.tree import Treeplex
from infoset.typing import BoolArray, FloatArray

__all__ = ["decompose_plan"]

NOTHING = 1e-14
"""Weight below which what is left of a plan is rounding."""

FLOW_TOLERANCE = 1e-9


def decompose_plan(treeplex: Treeplex, plan: FloatArray) -> tuple[BoolArray, FloatArray]:
    """Write a realization plan as a mixture of few pure ones.

    Again and again the pure plan is taken whose least weight in what is left of the plan is
    greatest, and that weight taken away from all of its sequences. Each step uses up a sequence
    that nothing of the player's follows, so that there are at most as many pure plans as of those.

    Parameters
    ----------
    treeplex : Treeplex
    plan : FloatArray
        [Q] probability of the player's own actions along each sequence.

    Returns
    -------
    pure : BoolArray
        [K, Q] the sequences that each pure plan takes, and no others: reduced normal form.
    weights : FloatArray
        [K] their weights, which sum to 1; `weights @ pure` is the plan.

    Raises
    ------
    ParameterError
        If the plan is not a realization plan.

    Notes
    -----
    Source: Celli, Marchesi, Bianchi and Gatti (2019), where terminal histories have the weights;
    those of sequences say the same.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker")).sequence_form
    >>> pure, weights = decompose_plan(kuhn.treeplexes[0], uniform_policy(kuhn).realization_plan(0))
    >>> len(weights), float(weights.sum())
    (3, 1.0)
    """
    _check_flow(treeplex, plan)
    rest = np.array(plan, dtype=np.float64)
    width, taken = np.empty_like(rest), np.empty(len(rest), dtype=bool)
    arrays = treeplex.parent_sequence, treeplex.first_sequence, treeplex.num_actions
    pure, weights = [], []
    while True:
        widest_plan(*arrays, rest, width, taken)
        if not width[0] > NOTHING:
            break
        pure.append(taken.copy())
        weights.append(width[0])
        rest[taken] -= width[0]
        rest[rest < NOTHING] = 0.0
    return np.array(pure), np.array(weights) / sum(weights)


def _check_flow(treeplex: Treeplex, plan: FloatArray) -> None:
    if plan.shape != (treeplex.num_sequences,) or not (plan >= 0).all() or plan[0] != 1:
        raise ParameterError(
            f"a realization plan has {treeplex.num_sequences} numbers, 1 first and none negative; "
            f"got an array of shape {plan.shape}"
        )
    total = np.zeros(treeplex.num_infostates)
    np.add.at(total, treeplex.infostate_of_sequence[1:], plan[1:])
    wrong = np.flatnonzero(np.abs(total - plan[treeplex.parent_sequence]) > FLOW_TOLERANCE)
    if len(wrong):
        raise ParameterError(
            f"what the plan does at acting infostate {wrong[0]} sums to {total[wrong[0]]}, not to "
            f"{plan[treeplex.parent_sequence[wrong[0]]]}, by which it is reached; make it with "
            "TabularPolicy.realization_plan"
        )
