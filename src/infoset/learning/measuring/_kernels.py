"""Kernels of measuring: plans of all players at once, samples of policies, and single episodes."""

from __future__ import annotations

from infoset.learning.simulation import Infostates, Paths, PlayState, play
from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import kernel
from infoset.utils.splitmix import Stream, next_uniform


@kernel
def fill_plans(infostates: Infostates, policy: FloatArray, plans: FloatArray) -> None:
    """Fill `plans` [S], of all players, with the own reach of each sequence under `policy` [S]."""
    for root in infostates.root_slot:
        plans[root] = 1.0
    for here in range(len(infostates.first_slot)):
        reach = plans[infostates.parent_slot[here]]
        first_slot = infostates.first_slot[here]
        for slot in range(first_slot, first_slot + infostates.num_actions[here]):
            plans[slot] = reach * policy[slot]


@kernel
def offer_policy(
    policy: FloatArray, offered: LongArray, stream: Stream, sample: FloatArray
) -> None:
    """Take a policy [S] into a sample [K, S], or leave it, so that all offered are in it alike.

    offered : [1] how many were offered before, counted here.
    Source: Vitter, "Random sampling with a reservoir" (1985), Algorithm R.
    """
    place = offered[0]
    offered[0] += 1
    if place >= len(sample):
        place = int(next_uniform(stream) * offered[0])
    if place < len(sample):
        sample[place, :] = policy


@kernel
def play_for(
    arena: PlayState, player: int, first_infostate: int, policy: FloatArray, own: Paths
) -> int:
    """Play an episode in which all follow `policy` [S]; return the rank of the terminal.

    The paths of `arena` have what all did, and `own` what one player did, in the numbering of its
    infostates and slots alone; both are written in place. first_infostate : the first of that
    player's.
    """
    nodes, infostates, _, _, stream, paths = arena
    end = play(nodes, infostates, policy, -1, policy, 0.0, 0, stream, paths)
    own.length[0] = paths.length[player]
    for step in range(paths.length[player]):
        own.infostate[0, step] = paths.infostate[player, step] - first_infostate
        own.slot[0, step] = paths.slot[player, step] - infostates.root_slot[player]
    return end
