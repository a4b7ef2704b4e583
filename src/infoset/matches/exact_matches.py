"""Matches whose expectation is computed, not played."""

from __future__ import annotations

from typing import Any

import numpy as np

from infoset.errors import ParameterError
from infoset.evaluation.correlated import CorrelatedPolicy
from infoset.evaluation.tree_plays import check_same_game, known_reach
from infoset.matches.match_result import MatchResult, exact_result, shared_wins
from infoset.matches.tree_matches import drawn_pairs
from infoset.policy import (
    Policy,
    TabularPolicy,
    UniformPolicy,
    tabulate,
    transfer_policy,
    uniform_policy,
)
from infoset.tree import GameTree
from infoset.typing import FloatArray
from infoset.utils.arguments import check_type

__all__ = ["exact_match", "table_of"]


def exact_match(
    tree: GameTree,
    first: Policy | CorrelatedPolicy | None,
    second: Policy | CorrelatedPolicy | None,
) -> MatchResult:
    """Return what `first` earns against `second`, once from every seat: exactly, without playing.

    Parameters
    ----------
    tree : GameTree
    first, second : Policy, CorrelatedPolicy or None
        As in `play_matches`. What is no table is asked once at each of its infostates: of a
        searcher that answers otherwise every time, give the policy that `average_search` finds.

    Returns
    -------
    MatchResult
        Intervals have no width, and `num_deals` is 0.

    Raises
    ------
    ParameterError
        If the game is no tree, or a policy is none.
    PolicyMismatchError
        If a tabular policy is for another game than the tree.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> result = exact_match(kuhn, uniform_policy(kuhn.sequence_form), None)
    >>> print(result)
    0 per play, exactly; wins 50 %
    >>> [round(mean, 12) for mean in result.position_means]
    [0.125, -0.125]
    """
    check_type("tree", tree, GameTree, "a GameTree: infoset.build_tree makes one of a game")
    tables = [_tabulated(tree, policy) for policy in (first, second)]
    middles, shares = _draws(*tables)
    ends = tree.terminals
    utility, wins = tree.rewards_so_far[ends], shared_wins(tree.rewards_so_far[ends])
    means = np.zeros((2, tree.num_players))
    for one, other, drawn in drawn_pairs(tables[0], tables[1], middles):
        share = float(shares[drawn].sum())
        for seat in range(tree.num_players):
            reach = share * known_reach(tree, other.replace_player(seat, one))[ends]
            means[:, seat] += (reach * utility[:, seat]).sum(), (reach * wins[:, seat]).sum()
    return exact_result(means[0], means[1])


def table_of(tree: GameTree, policy: object) -> TabularPolicy | CorrelatedPolicy | None:
    """Return a policy as one or several tables of the tree, or None if it is not one."""
    if policy is None or isinstance(policy, UniformPolicy):
        return uniform_policy(tree.sequence_form)
    if isinstance(policy, TabularPolicy):
        return transfer_policy(policy, tree)
    if isinstance(policy, CorrelatedPolicy):
        check_same_game(tree, policy.sequence_form)
        return policy
    return None


def _tabulated(
    tree: GameTree, policy: Policy | CorrelatedPolicy | None
) -> TabularPolicy | CorrelatedPolicy:
    """Return a policy as one or several tables, by asking it if it is none."""
    table = table_of(tree, policy)
    if table is not None:
        return table
    asked: Any = policy
    if not hasattr(asked, "action_probabilities"):
        raise ParameterError(
            f"{policy!r} is no policy: give a TabularPolicy, an object with a method "
            "action_probabilities(infostate, legal_actions), or None; of a searcher, "
            "average_search(tree, searcher).policy"
        )
    return tabulate(tree.sequence_form, [asked] * tree.num_players)


def _draws(*policies: TabularPolicy | CorrelatedPolicy) -> tuple[FloatArray, FloatArray]:
    """Return [D] numbers, one of each stretch that draws the same policies, and [D] its length."""
    cuts = [np.array([0.0, 1.0])]
    for policy in policies:
        if isinstance(policy, CorrelatedPolicy):
            bounds = np.cumsum(policy.weights)
            cuts.append(bounds / bounds[-1])
    edges = np.unique(np.concatenate(cuts))
    return (edges[1:] + edges[:-1]) / 2, np.diff(edges)
