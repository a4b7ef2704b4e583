"""How likely the moves of players make what they know, by the policies they are assumed to have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from infoset.beliefs._selection import infostates_at
from infoset.beliefs.layers import HistoryBatch
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.policy import Policy
from infoset.policy.protocol import checked_probabilities
from infoset.tree import GameTree, InfostateTree
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_type

__all__ = ["AssumedPolicies", "batch_reach", "policy_of_each", "ranges_at", "unreached"]

AssumedPolicies: TypeAlias = Policy | Sequence[Policy | None] | None
"""One policy per player, None for one whose moves tell nothing; or one policy for all players."""


def policy_of_each(policies: AssumedPolicies, num_players: int) -> tuple[Policy | None, ...]:
    """Return the policy of each player.

    Raises
    ------
    ParameterError
        If there are more or fewer than players, or something is no policy.
    """
    if policies is None or hasattr(policies, "action_probabilities"):
        return (policies,) * num_players
    give = "one policy per player, None for a player whose moves tell nothing"
    check_type("policies", policies, Sequence, give)
    if len(policies) != num_players:
        raise ParameterError(f"got {len(policies)} policies for {num_players} players; give {give}")
    for policy in policies:
        if policy is not None and not hasattr(policy, "action_probabilities"):
            raise ParameterError(
                f"policies hold a {type(policy).__name__}, which has no action_probabilities; "
                f"give {give}"
            )
    return tuple(policies)


def unreached(game: object, player: Player | None) -> UnsupportedGameError:
    """Return the error for what the assumed policies never lead to."""
    who = "everybody's" if player is None else f"player {player}'s"
    return UnsupportedGameError(
        f"the policies assumed never lead where {who} observations of {game} do, so that nothing "
        "is believed there; assume policies that give each action a probability, or none"
    )


def batch_reach(
    batch: HistoryBatch, policies: Sequence[Policy | None], without: Player | None = None
) -> FloatArray:
    """Return [K] nature's reach of the histories of a batch, times that of the players.

    A player without a policy, and the one left out, count 1.
    """
    reach = batch.weight
    for player, policy in enumerate(policies):
        if policy is not None and player != without:
            numbers, place = np.unique(batch.infostate[:, player], return_inverse=True)
            infostate_index = batch.infostate_indexes[player]
            own = [infostate_index.own_reach(policy, number) for number in numbers.tolist()]
            reach = reach * np.array(own)[place]
    return reach


def ranges_at(
    tree: GameTree, policies: Sequence[Policy | None], public_state: int
) -> tuple[FloatArray, ...]:
    """Return every player's range at a public state of a tree; ones without a policy."""
    return tuple(
        np.ones(len(numbers))
        if policy is None
        else np.array([_own_reach(own, policy, number) for number in numbers.tolist()])
        for own, policy, numbers in zip(
            tree.infostate_trees, policies, infostates_at(tree, public_state), strict=True
        )
    )


def _own_reach(tree: InfostateTree, policy: Policy, infostate: int) -> float:
    """Return the probability that a policy of the player leads to an infostate."""
    reach = 1.0
    while infostate > 0 and reach:
        action, infostate = int(tree.action[infostate]), int(tree.parent[infostate])
        if action >= 0:
            legal = tree.legal_actions(infostate)
            reach *= float(
                checked_probabilities(policy, tree.infostate_at(infostate), legal)[action]
            )
    return reach
