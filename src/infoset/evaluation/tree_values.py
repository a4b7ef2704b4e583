"""Exact values of all histories of a tree under policies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoset.errors import ParameterError
from infoset.evaluation.tree_reach import step_probability
from infoset.policy import TabularPolicy, transfer_policy
from infoset.tree import GameTree
from infoset.typing import FloatArray
from infoset.utils.arguments import check_type


def history_values(tree: GameTree, policies: TabularPolicy | Sequence[TabularPolicy]) -> FloatArray:
    """Return the expected utility of each player at each history under a policy, or under several.

    Rewards before the history are included, so the value of a terminal history is its utility.

    Parameters
    ----------
    policies
        A policy on any form of the same game, or M of them.

    Returns
    -------
    FloatArray
        [H, N] for a policy; [H, M, N] for a sequence of policies.

    Raises
    ------
    ParameterError, PolicyMismatchError
        If `tree` is not a tree, there is no policy, or a policy is for another game.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> history_values(kuhn, uniform_policy(kuhn.sequence_form))[0].round(9).tolist()
    [0.125, -0.125]
    """
    check_type("tree", tree, GameTree, "a GameTree, as from build_tree")
    if isinstance(policies, TabularPolicy):
        return history_values(tree, [policies])[:, 0]
    if not len(policies):
        raise ParameterError("policies must have at least one policy")
    for policy in policies:
        check_type("policies", policy, TabularPolicy, "a TabularPolicy or a sequence of them")
    profiles = [transfer_policy(policy, tree) for policy in policies]
    probability = np.stack([step_probability(tree, policy) for policy in profiles], axis=1)
    values = np.zeros((tree.num_histories, len(policies), tree.num_players))
    values[tree.terminals] = tree.rewards_so_far[tree.terminals, None]
    offsets = tree.level_offsets.tolist()
    for level in range(len(offsets) - 2, 0, -1):
        parents, children = (slice(*offsets[at : at + 2]) for at in (level - 1, level))
        weighted = probability[children, :, None] * values[children]
        parent = tree.parent[children] - offsets[level - 1]
        size = offsets[level] - offsets[level - 1]
        # Siblings repeat their parent, which bincount adds up; it takes one column at a time.
        for column in np.ndindex(*values.shape[1:]):
            values[(parents, *column)] += np.bincount(parent, weighted[(..., *column)], size)
    return values
