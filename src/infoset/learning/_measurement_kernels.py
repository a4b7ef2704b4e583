"""Kernels for measuring learners: samples of policies, and single episodes."""

from __future__ import annotations

from infoset.learning._simulator_kernels import Paths, PlayState, play
from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import kernel
from infoset.utils.splitmix import Stream, next_uniform


@kernel
def offer_policy(
    policy: FloatArray, offered: LongArray, stream: Stream, sample: FloatArray
) -> None:
    """Offer a policy [S] to a uniform sample [K, S] of all policies offered, in place.

    offered : [1] number of policies offered before; increased by one.
    Source: Vitter, "Random sampling with a reservoir" (1985), Algorithm R.
    """
    place = offered[0]
    offered[0] += 1
    # The first K policies fill the sample. The k-th one replaces a uniformly drawn entry with
    # probability K / k.
    if place >= len(sample):
        place = int(next_uniform(stream) * offered[0])
    if place < len(sample):
        sample[place, :] = policy


@kernel
def play_for(
    play_state: PlayState, player: int, first_infostate: int, policy: FloatArray, own: Paths
) -> int:
    """Play an episode in which all follow `policy` [S]; return the index of the terminal.

    Write the paths of all players to `play_state`, and the path of `player` to `own`, with
    infostates and sequences numbered from that player's first. first_infostate : number of the
    player's first infostate.
    """
    # Explorer -1: nobody explores.
    nodes, infostates, _, _, stream, paths = play_state
    end = play(nodes, infostates, policy, -1, policy, 0.0, 0, stream, paths)
    own.length[0] = paths.length[player]
    root = infostates.root_sequence[player]
    # Infostates and sequences of a player are adjacent, so subtracting the first renumbers them.
    for step in range(paths.length[player]):
        own.infostate[0, step] = paths.infostate[player, step] - first_infostate
        own.sequence[0, step] = paths.sequence[player, step] - root
    return end
