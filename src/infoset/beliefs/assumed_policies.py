"""Assumed policies of players, and the reach of infostates and histories under them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from infoset.beliefs.history_batches import HistoryBatch
from infoset.beliefs.public_states import infostates_at
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.policy import Policy, checked_probabilities
from infoset.tree import GameTree, InfostateTree
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_type

__all__ = ["AssumedPolicies", "batch_reach", "policy_of_each", "ranges_at", "unreached_error"]

AssumedPolicies: TypeAlias = Policy | Sequence[Policy | None] | None
"""One policy for all players, or one per player; None to infer nothing from the actions."""


def policy_of_each(policies: AssumedPolicies, num_players: int) -> tuple[Policy | None, ...]:
    """Return the policy of each player.

    Raises
    ------
    ParameterError
        If there is not one policy per player, or an item is not a policy.
    """
    if policies is None or hasattr(policies, "action_probabilities"):
        return (policies,) * num_players
    give = "one policy per player, None to infer nothing from the actions of a player"
    check_type("policies", policies, Sequence, give)
    if len(policies) != num_players:
        raise ParameterError(f"got {len(policies)} policies for {num_players} players; give {give}")
    for policy in policies:
        if policy is not None and not hasattr(policy, "action_probabilities"):
            raise ParameterError(
                f"policies contain a {type(policy).__name__}, which has no method "
                f"action_probabilities; give {give}"
            )
    return tuple(policies)


def unreached_error(game: object, player: Player | None) -> UnsupportedGameError:
    """Return the error for an observation of probability zero under the assumed policies."""
    whose = "the public" if player is None else f"player {player}'s"
    return UnsupportedGameError(
        f"under the assumed policies, {whose} observations of {game} have probability zero, so the "
        "belief is undefined; assume policies with positive probabilities, or None"
    )


def batch_reach(
    batch: HistoryBatch, policies: Sequence[Policy | None], without: Player | None = None
) -> FloatArray:
    """Return [K] the chance reach of the histories of a batch times the reach of the players.

    The factor is 1 for a player without a policy and for the player `without`.
    """
    reach = batch.weight
    for player, policy in enumerate(policies):
        if policy is not None and player != without:
            numbers, place = np.unique(batch.infostate[:, player], return_inverse=True)
            index = batch.infostate_indexes[player]
            own = [index.own_reach(policy, number) for number in numbers.tolist()]
            reach = reach * np.array(own)[place]
    return reach


def ranges_at(
    tree: GameTree, policies: Sequence[Policy | None], public_state: int
) -> tuple[FloatArray, ...]:
    """Return the range of every player at a public state; ones for a player without a policy."""
    return tuple(
        np.ones(len(numbers))
        if policy is None
        else np.array([_own_reach(own, policy, number) for number in numbers.tolist()])
        for own, policy, numbers in zip(
            tree.infostate_trees, policies, infostates_at(tree, public_state), strict=True
        )
    )


def _own_reach(tree: InfostateTree, policy: Policy, infostate: int) -> float:
    """Return the player's own reach of an infostate under a policy."""
    reach = 1.0
    while infostate > 0 and reach:
        action, infostate = int(tree.action[infostate]), int(tree.parent[infostate])
        if action >= 0:
            legal = tree.legal_actions(infostate)
            reach *= float(
                checked_probabilities(policy, tree.infostate_at(infostate), legal)[action]
            )
    return reach
